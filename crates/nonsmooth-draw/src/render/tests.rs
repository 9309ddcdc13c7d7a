//! Pictures against what geometry says they show.

use super::fill::{Point, fill};
use super::*;
use glam::{DVec2, Vec3};
use nonsmooth_geometry::Detail;

const SIZE: (u32, u32) = (160, 120);

fn ball(radius: f64) -> SurfaceMesh {
    Shape::ball(radius).unwrap().surface_mesh(&Detail::of(64))
}

fn cuboid(half: [f64; 3]) -> SurfaceMesh {
    Shape::cuboid(half).unwrap().surface_mesh(&Detail::default())
}

fn front(half_height: f64) -> Camera {
    Camera::orthographic([0.0, -10.0, 0.0], [0.0; 3], half_height)
}

fn is_red(pixel: &[u8; 3]) -> bool {
    f64::from(pixel[0]) > 1.6 * f64::from(pixel[2])
}

fn red(surface: &SurfaceMesh, pose: Pose) -> Drawn<'_> {
    Drawn { colour: [0xd0, 0x20, 0x20], ..Drawn::moving(0, surface, pose) }
}

fn blue(surface: &SurfaceMesh, pose: Pose) -> Drawn<'_> {
    Drawn { colour: [0x20, 0x20, 0xd0], ..Drawn::moving(0, surface, pose) }
}

fn of<'a>(bodies: Vec<Drawn<'a>>) -> Picture<'a> {
    Picture { bodies, ..Picture::default() }
}

#[test]
fn a_ball_covers_its_area() {
    let surface = ball(1.0);
    let picture = of(vec![red(&surface, Pose::IDENTITY)]);
    // Orthographic: half of 120 px are 2 m, so that the radius is 30 px.
    let image = draw(&picture, &front(2.0), SIZE).unwrap();
    let covered = image.pixels.iter().filter(|p| is_red(p)).count() as f64;
    let area = std::f64::consts::PI * 900.0;
    // Half a pixel along the rim.
    assert!((covered - area).abs() < 0.5 * std::f64::consts::TAU * 30.0, "{covered} against {area}");
    // Perspective: the rim is at sin θ = 1/10, 120 px are 2 · tan 0.2.
    let camera = Camera::perspective([0.0, -10.0, 0.0], [0.0; 3], 0.4);
    let image = draw(&picture, &camera, SIZE).unwrap();
    let covered = image.pixels.iter().filter(|p| is_red(p)).count() as f64;
    let radius = 60.0 * 0.1_f64.asin().tan() / 0.2_f64.tan();
    let area = std::f64::consts::PI * radius * radius;
    assert!((covered - area).abs() < 0.5 * std::f64::consts::TAU * radius, "{covered} against {area}");
}

#[test]
fn what_is_nearer_hides_what_is_behind() {
    let (near, far) = (cuboid([0.5; 3]), cuboid([1.0; 3]));
    for camera in [front(2.0), Camera::perspective([0.0, -10.0, 0.0], [0.0; 3], 0.4)] {
        for order in [[0, 1], [1, 0]] {
            let bodies = [red(&near, Pose::at([0.0, -3.0, 0.0])), blue(&far, Pose::IDENTITY)];
            let image = draw(&of(order.map(|k| bodies[k]).to_vec()), &camera, SIZE).unwrap();
            assert!(is_red(&image.pixels[60 * 160 + 80]));
            assert!(!is_red(&image.pixels[33 * 160 + 80]), "beside the near one");
        }
    }
}

#[test]
fn triangles_with_common_edges_cover_each_sample_once() {
    // A fan about an inner point, with corners on and off the centres of samples.
    let rim = [(2.5, 2.5), (30.2, 1.0), (40.5, 20.5), (33.0, 38.7), (9.5, 36.5), (0.3, 17.0)];
    for centre in [(20.1, 17.3), (20.5, 17.5), (5.0, 5.0), (39.9, 20.0)] {
        let mut counts = vec![0; 48 * 48];
        let point =
            |(x, y): (f64, f64)| Point { at: DVec2::new(x, y), key: x + 2.0 * y, normal: Vec3::Z };
        for k in 0..rim.len() {
            let triangle = [point(centre), point(rim[k]), point(rim[(k + 1) % rim.len()])];
            fill(&triangle, &(0..48), 48, |x, y, key, _| {
                counts[y * 48 + x] += 1;
                let want = (x as f64 + 0.5) + 2.0 * (y as f64 + 0.5);
                assert!((f64::from(key) - want).abs() < 1e-4, "{x} {y}");
            });
        }
        assert!(counts.iter().all(|n| *n <= 1), "twice");
        let inside: usize = counts.iter().sum();
        let area: f64 = (0..rim.len())
            .map(|k| DVec2::from(rim[k]).perp_dot(DVec2::from(rim[(k + 1) % rim.len()])) / 2.0)
            .sum();
        // Half a sample along an outline of about 125.
        assert!((inside as f64 - area).abs() < 63.0, "{inside} {area}");
    }
}

#[test]
fn a_fitted_camera_sees_all_points_and_wastes_no_room() {
    let points = [[1.0, 2.0, 3.0], [4.0, -2.0, 0.0], [0.0, 0.5, -1.0], [2.0, 2.0, 7.0]];
    for direction in [[1.0, 0.3, -0.4], [0.0, 0.0, -1.0], [-1.0, 0.0, 0.0], [0.2, 0.1, 1.0]] {
        for camera in
            [Camera::fit(&points, direction, SIZE), Camera::fit_orthographic(&points, direction, SIZE)]
        {
            let view = View::new(&camera, SIZE);
            let spots = points.map(|p| view.spot(p.into()).expect("before the eye").at);
            let most = |f: fn(DVec2) -> f64| spots.iter().map(|s| f(*s).abs()).fold(0.0, f64::max);
            let x = most(|s| s.x / 80.0 - 1.0);
            let y = most(|s| s.y / 60.0 - 1.0);
            assert!(x < 0.95 && y < 0.95, "{direction:?}: {x} {y}");
            assert!(x.max(y) > 0.7, "{direction:?}: {x} {y}");
        }
    }
}

#[test]
fn cameras_survive_anything() {
    let surface = cuboid([1.0; 3]);
    let picture = of(vec![red(&surface, Pose::IDENTITY)]);
    let odd = [f64::NAN, f64::INFINITY, 0.0, 1e300, -1e300, 1e-300];
    for a in odd {
        for b in odd {
            let cameras = [
                Camera::perspective([a, b, a], [b, 0.0, 0.0], b),
                Camera::orthographic([a, b, a], [b, 0.0, 0.0], b),
                Camera::fit(&[[a, b, 0.0]], [b, a, 0.0], SIZE),
                Camera::fit_orthographic(&[[a, b, 0.0], [1.0; 3]], [b, a, 0.0], SIZE),
            ];
            for camera in cameras {
                draw(&picture, &camera, (32, 32)).unwrap();
            }
        }
    }
    draw(&of(Vec::new()), &of(Vec::new()).camera([1.0, 0.0, 0.0], SIZE), SIZE).unwrap();
}

#[test]
fn bodies_survive_anything() {
    let surface = cuboid([1.0; 3]);
    let huge = Shape::cuboid([1e200, 1.0, 1e200]).unwrap().surface_mesh(&Detail::default());
    let immense = Shape::cuboid([1e308; 3]).unwrap().surface_mesh(&Detail::default());
    let mut broken = surface.clone();
    broken.triangles[0][0] = 77;
    let mut spoiled = surface.clone();
    spoiled.vertices[3][1] = f64::NAN;
    spoiled.normals[1] = [f64::NAN; 3];
    let mut bodies =
        vec![red(&surface, Pose::IDENTITY), red(&huge, Pose::IDENTITY), red(&spoiled, Pose::IDENTITY)];
    bodies.push(red(&broken, Pose::IDENTITY));
    bodies.push(red(&immense, Pose::turned([0.0; 3], [1.0, 2.0, 3.0], 1.0)));
    for x in [f64::NAN, f64::INFINITY, 1e300, -1e300, 1.7e308, 1e-300] {
        bodies.push(red(&surface, Pose::at([x, 0.0, x])));
        bodies.push(red(&surface, Pose { rotation: [x; 4], ..Pose::IDENTITY }));
    }
    let odd = [f64::NAN, 1e300, -1e300];
    let contacts = odd.map(|x| DrawnContact { point: [x, 0.0, 0.0], force: [0.0, x, x] }).to_vec();
    let more = odd.map(|x| DrawnContact { point: [0.0; 3], force: [0.0, x, x] });
    let contacts = [contacts, more.to_vec()].concat();
    let ground = Some(Ground { point: [f64::NAN; 3], normal: [0.0; 3] });
    let picture = Picture { bodies, contacts, ground, t: Some(f64::NAN), ..Picture::default() };
    for camera in [front(2.0), Camera::perspective([5.0, 5.0, 2.0], [0.0; 3], 1.0)] {
        let image = draw(&picture, &camera, SIZE).unwrap();
        assert!(image.n_left_out >= 6, "{}", image.n_left_out);
    }
}

#[test]
fn a_floor_around_the_eye_is_clipped_and_fills_the_lower_half() {
    for half in [1e2, 1e5, 1e9] {
        let surface = cuboid([half, half, 1.0]);
        let camera = Camera::perspective([0.0, 0.0, 3.0], [0.0, 1.0, 3.0], 1.0);
        let image = draw(&of(vec![red(&surface, Pose::IDENTITY)]), &camera, SIZE).unwrap();
        // The horizon is at half height; the far edge of 100 m, 2 m below it, is 2 px lower.
        for (y, row) in image.pixels.chunks(160).enumerate() {
            let n = row.iter().filter(|p| is_red(p)).count();
            let want = if y < 60 { 0 } else { 160 };
            assert!(n == want || (57..66).contains(&y), "{half}: {n} in row {y}");
        }
    }
}

#[test]
fn a_ball_above_the_ground_casts_a_shadow_on_it() {
    let surface = ball(0.5);
    let pose = Pose::at([0.0, 0.0, 1.0]);
    let ground = Some(Ground::level(0.0));
    let camera = Camera::perspective([0.0, -8.0, 5.0], [0.0, 0.0, 0.5], 0.5);
    let lit = Picture { ground, ..of(vec![red(&surface, pose)]) };
    let unlit = Picture { ground, ..of(vec![Drawn { look: Look::Glass, ..red(&surface, pose) }]) };
    let [a, b] = [&lit, &unlit].map(|picture| draw(picture, &camera, SIZE).unwrap());
    let is_darker = |(p, q): (&[u8; 3], &[u8; 3])| !is_red(p) && i32::from(p[1]) + 25 < i32::from(q[1]);
    let n = a.pixels.iter().zip(&b.pixels).filter(|pair| is_darker(*pair)).count();
    // The shadow is an ellipse about as large as the ball in the picture, of which part is hidden.
    let n_red = a.pixels.iter().filter(|p| is_red(p)).count();
    assert!(n > n_red / 4 && n < 2 * n_red, "{n} in shadow, {n_red} of the ball");
}

#[test]
fn the_ground_of_a_half_space_is_its_border() {
    let pose = Pose::turned([1.0, 2.0, 3.0], [0.0, 1.0, 0.0], std::f64::consts::FRAC_PI_2);
    let ground = Ground::of(&Shape::half_space([0.0, 0.0, 2.0]).unwrap(), &pose).unwrap();
    assert_eq!(ground.point, [1.0, 2.0, 3.0]);
    assert!(DVec3::from_array(ground.normal).distance(DVec3::X) < 1e-15, "{ground:?}");
    assert_eq!(Ground::of(&Shape::ball(1.0).unwrap(), &pose), None);
}

#[test]
fn glass_shows_what_is_behind_it() {
    let (inner, outer) = (ball(0.5), cuboid([1.0; 3]));
    let glass = Drawn::glass(&outer, Pose::IDENTITY);
    let image = draw(&of(vec![glass, red(&inner, Pose::IDENTITY)]), &front(2.0), SIZE).unwrap();
    assert!(is_red(&image.pixels[60 * 160 + 80]));
}

#[test]
fn threads_do_not_change_a_bit() {
    let surfaces = [ball(0.3), cuboid([0.3, 0.2, 0.1])];
    let pose = |k: usize| {
        let x = k as f64;
        Pose::turned([(0.7 * x).sin(), (1.3 * x).cos(), 0.05 * x], [1.0, x, 0.5], x)
    };
    let bodies = (0..40).map(|k| Drawn::moving(k, &surfaces[k % 2], pose(k))).collect();
    let contacts = vec![DrawnContact { point: [0.0; 3], force: [0.0, 0.0, 1.0] }];
    let ground = Some(Ground::level(-0.3));
    let picture = Picture { bodies, contacts, ground, title: "Same".to_owned(), ..Picture::default() };
    let camera = picture.camera([1.0, 1.0, -0.5], SIZE);
    let with = |n: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
        pool.install(|| draw(&picture, &camera, SIZE).unwrap())
    };
    let one = with(1);
    assert!(one == with(2) && one == with(5));
}

#[test]
fn the_file_holds_the_pixels_and_wrong_sizes_are_refused() {
    let surface = ball(1.0);
    let picture = of(vec![red(&surface, Pose::IDENTITY)]);
    let image = draw(&picture, &front(2.0), SIZE).unwrap();
    let map = tiny_skia::Pixmap::decode_png(&image.png().unwrap()).unwrap();
    assert_eq!((map.width(), map.height()), SIZE);
    let same = map.pixels().iter().zip(&image.pixels).all(|(p, q)| [p.red(), p.green(), p.blue()] == *q);
    assert!(same);
    for size in [(0, 0), (15, 100), (100_000, 100_000), (u32::MAX, u32::MAX)] {
        assert!(matches!(draw(&picture, &front(2.0), size), Err(RenderError::Size { .. })));
    }
}
