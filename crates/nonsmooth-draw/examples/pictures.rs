//! Sample pictures of bodies, to look at: `cargo run --release --example pictures -- <folder> [name]`.

use nonsmooth_draw::render::{Drawn, DrawnContact, Ground, Picture, draw};
use nonsmooth_geometry::spatial::{Pose, Shape};
use nonsmooth_geometry::{Detail, SurfaceMesh, planar};
use std::error::Error;
use std::path::Path;
use std::time::Instant;

const SIZE: (u32, u32) = (1280, 960);
const VIEW: [f64; 3] = [-0.55, 1.0, -0.5];

type Done = Result<(), Box<dyn Error>>;
type Make = fn(&Path) -> Done;

fn main() -> Done {
    let folder = std::env::args().nth(1).ok_or("usage: pictures <folder> [name]")?;
    let folder = Path::new(&folder);
    std::fs::create_dir_all(folder)?;
    let only = std::env::args().nth(2);
    let all: [(&str, Make); 6] = [
        ("boxes", boxes),
        ("spheres", spheres),
        ("shapes", shapes),
        ("rock", rock),
        ("plane", plane),
        ("many", many),
    ];
    let mut chosen = all.iter().filter(|(name, _)| only.as_deref().is_none_or(|only| only == *name));
    chosen.try_for_each(|(_, make)| make(folder))
}

fn save(folder: &Path, name: &str, picture: &Picture<'_>, is_flat: bool) -> Done {
    let start = Instant::now();
    let camera =
        if is_flat { picture.flat_camera([0.0, 0.0, -1.0], SIZE) } else { picture.camera(VIEW, SIZE) };
    let image = draw(picture, &camera, SIZE)?;
    println!("{name}: {} bodies, {:.2} s", picture.bodies.len(), start.elapsed().as_secs_f64());
    Ok(image.save(&folder.join(name).with_extension("png"))?)
}

/// splitmix64, in [0, 1).
fn random(state: &mut u64) -> f64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

fn turned(position: [f64; 3], state: &mut u64) -> Pose {
    let axis = [0; 3].map(|_| random(state) - 0.5);
    Pose::turned(position, axis, 6.0 * random(state))
}

fn boxes(folder: &Path) -> Done {
    let surface = Shape::cuboid([0.2, 0.1, 0.06])?.surface_mesh(&Detail::default());
    let mut bodies = Vec::new();
    let mut contacts = Vec::new();
    for level in 0..8 {
        let n = 8 - level;
        for k in 0..n {
            let x = 0.42 * (f64::from(k) - 0.5 * f64::from(n - 1));
            let z = 0.06 + 0.12 * f64::from(level);
            bodies.push(Drawn::moving(bodies.len(), &surface, Pose::at([x, 0.0, z])));
            let share = f64::from(8 - level) * 4.0;
            contacts.push(DrawnContact { point: [x, -0.1, z - 0.06], force: [0.0, 0.0, share] });
        }
    }
    let tilted = Pose::turned([0.9, -0.6, 0.17], [1.0, 0.2, 0.1], 1.0);
    bodies.push(Drawn::moving(bodies.len(), &surface, tilted));
    let title = "Wall of bricks".to_owned();
    let ground = Some(Ground::level(0.0));
    let mut picture = Picture { bodies, ground, title, t: Some(0.25), ..Picture::default() };
    save(folder, "boxes", &picture, false)?;
    picture.contacts = contacts;
    save(folder, "boxes_forces", &picture, false)
}

fn pile<'a>(surfaces: &'a [SurfaceMesh], n: usize, side: i32, gap: f64) -> Vec<Drawn<'a>> {
    let mut state = 1;
    let mut bodies = Vec::new();
    let mut level = 0;
    while bodies.len() < n {
        for k in 0..side * side {
            let mut at =
                |i: i32| gap * (f64::from(i) - 0.5 * f64::from(side - 1) + 0.12 * random(&mut state));
            let position = [at(k % side), at(k / side), gap * (0.55 + 0.9 * f64::from(level))];
            let surface = &surfaces[bodies.len() % surfaces.len()];
            bodies.push(Drawn::moving(bodies.len(), surface, turned(position, &mut state)));
        }
        level += 1;
    }
    bodies.truncate(n);
    bodies
}

fn spheres(folder: &Path) -> Done {
    let surfaces = [Shape::ball(0.05)?.surface_mesh(&Detail::of(24))];
    let mut bodies = pile(&surfaces, 500, 9, 0.1);
    let wall = Shape::cuboid([0.5, 0.02, 0.4])?.surface_mesh(&Detail::default());
    for k in 0..4 {
        let angle = f64::from(k) * std::f64::consts::FRAC_PI_2;
        let at = [0.5 * angle.sin(), -0.5 * angle.cos(), 0.4];
        let pose = Pose::turned(at, [0.0, 0.0, 1.0], angle);
        bodies.push(Drawn::glass(&wall, pose));
    }
    let title = "500 balls in a box".to_owned();
    let ground = Some(Ground::level(0.0));
    save(
        folder,
        "spheres",
        &Picture { bodies, ground, title, t: Some(1.5), ..Picture::default() },
        false,
    )
}

fn shapes(folder: &Path) -> Done {
    let detail = Detail::of(48);
    let cross = [
        (Pose::IDENTITY, Shape::cuboid([0.3, 0.06, 0.06])?),
        (Pose::IDENTITY, Shape::cuboid([0.06, 0.3, 0.06])?),
        (Pose::at([0.0, 0.0, 0.15]), Shape::ball(0.12)?),
    ];
    let points: Vec<[f64; 3]> = {
        let mut state = 5;
        (0..30).map(|_| [0; 3].map(|_| 0.4 * (random(&mut state) - 0.5))).collect()
    };
    let surfaces: Vec<SurfaceMesh> = [
        Shape::capsule(0.2, 0.1)?,
        Shape::cylinder(0.18, 0.12)?,
        Shape::cone(0.2, 0.16)?,
        Shape::hull(&points)?,
        Shape::compound(&cross)?,
        Shape::ball(0.15)?,
        Shape::cuboid([0.15, 0.12, 0.1])?,
    ]
    .iter()
    .map(|shape| shape.surface_mesh(&detail))
    .collect();
    let mut bodies = pile(&surfaces, 40, 4, 0.5);
    for (k, surface) in surfaces.iter().enumerate() {
        let low = surface.vertices.iter().map(|p| p[2]).fold(f64::MAX, f64::min);
        let at = [0.5 * (k as f64 - 3.0), -1.6, -low];
        bodies.push(Drawn::moving(k, surface, Pose::at(at)));
    }
    let title = "Capsules, cylinders, cones, hulls and compounds".to_owned();
    let ground = Some(Ground::level(0.0));
    save(folder, "shapes", &Picture { bodies, ground, title, t: Some(0.0), ..Picture::default() }, false)
}

fn rock(folder: &Path) -> Done {
    let n = 80;
    let height =
        |x: f64, y: f64| 0.5 * x + 0.25 * (1.3 * x).sin() * (0.9 * y).cos() + 0.05 * (4.0 * y + x).sin();
    let place = |i: usize| 0.125 * (i as f64 - 0.5 * (n as f64 - 1.0));
    let heights = (0..n * n).map(|v| height(place(v % n), place(v / n))).collect();
    let slope = Shape::height_field(heights, n, n, [0.125; 2])?.surface_mesh(&Detail::default());
    let mut state = 9;
    let points: Vec<[f64; 3]> = (0..60)
        .map(|_| {
            let v = [0; 3].map(|_| random(&mut state) - 0.5);
            let scale = 0.5 / v.iter().map(|x| x * x).sum::<f64>().sqrt();
            [v[0] * scale, 0.8 * v[1] * scale, 0.7 * v[2] * scale]
        })
        .collect();
    let stone = Shape::hull(&points)?.surface_mesh(&Detail::default());
    let mut bodies = vec![Drawn::fixed(&slope, Pose::IDENTITY)];
    for (k, [x, y]) in [[2.0, 0.5], [0.4, -1.2], [-1.5, 0.8], [1.4, 2.2]].into_iter().enumerate() {
        let pose = turned([x, y, height(x, y) + 0.42], &mut state);
        bodies.push(Drawn::moving(k + 7, &stone, pose));
    }
    let title = "Rocks on a slope".to_owned();
    save(folder, "rock", &Picture { bodies, title, t: Some(3.2), ..Picture::default() }, false)
}

fn plane(folder: &Path) -> Done {
    use planar::{Pose, Shape};
    let detail = Detail::default();
    let depth = 0.2;
    let brick = Shape::rectangle([0.25, 0.15])?.surface_mesh(&detail, depth);
    let ball = Shape::ball(0.18)?.surface_mesh(&detail, depth);
    let pill = Shape::capsule(0.2, 0.12)?.surface_mesh(&detail, depth);
    let wedge =
        Shape::polygon(&[[-0.3, -0.15], [0.3, -0.15], [0.1, 0.25]])?.surface_mesh(&detail, depth);
    let heights: Vec<f64> = (0..25).map(|i| 0.15 * (0.7 * f64::from(i)).sin() - 0.2).collect();
    let ground = Shape::height_field(&heights, 0.2)?.surface_mesh(&detail, depth);
    let mut bodies = vec![Drawn::fixed(&ground, Pose::IDENTITY.in_space())];
    for k in 0..20_usize {
        let surface = [&brick, &ball, &pill, &wedge][k % 4];
        let position = [0.62 * (k % 5) as f64 - 1.2, 0.3 + 0.5 * (k / 5) as f64];
        bodies.push(Drawn::moving(k, surface, Pose { position, angle: 0.7 * k as f64 }.in_space()));
    }
    let force = |k: usize| [0.2 * k as f64 - 0.4, 1.0, 0.0];
    let contacts = (0..5)
        .map(|k| DrawnContact { point: [0.62 * k as f64 - 1.2, 0.0, 0.1], force: force(k) })
        .collect();
    let title = "Scene in the plane".to_owned();
    save(folder, "plane", &Picture { bodies, contacts, title, t: Some(0.5), ..Picture::default() }, true)
}

fn many(folder: &Path) -> Done {
    let surfaces = [Shape::ball(0.05)?.surface_mesh(&Detail::of(16))];
    let bodies = pile(&surfaces, 10_000, 25, 0.1);
    let title = "10 000 balls".to_owned();
    let ground = Some(Ground::level(0.0));
    save(folder, "many", &Picture { bodies, ground, title, t: Some(2.0), ..Picture::default() }, false)
}
