//! Bodies that touch, as a step of a simulation leaves them: stacks, walls, arches, towers, piles of spheres.

use nonsmooth_solvers::{ContactRows, Delassus, IMMOVABLE, Inertia, Problem, Set};

type Vector = [f64; 3];

/// Bodies, contacts and the velocities that the bodies would have without contacts.
#[derive(Clone, Default)]
pub struct Scene {
    pub bodies: Vec<Inertia>,
    pub centres: Vec<Vector>,
    pub contacts: Vec<ContactRows>,
    pub velocities: Vec<[f64; 6]>,
    pub friction: f64,
    state: u64,
}

fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn minus(a: Vector, b: Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn unit(a: Vector) -> Vector {
    let size = dot(a, a).sqrt();
    a.map(|x| x / size)
}

/// Normal and two tangents.
fn frame(normal: Vector) -> [Vector; 3] {
    let other = if normal[0].abs() < 0.6 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
    let second = unit(cross(normal, other));
    [normal, cross(second, normal), second]
}

impl Scene {
    fn empty(friction: f64) -> Self {
        Self { friction, state: 1, ..Self::default() }
    }

    /// A number between −1 and 1.
    fn noise(&mut self) -> f64 {
        self.state =
            self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// A box with these half lengths; returns its number.
    fn add_box(&mut self, centre: Vector, half: Vector, density: f64) -> u32 {
        let mass = 8.0 * density * half[0] * half[1] * half[2];
        let [x, y, z] = half.map(|h| h * h);
        let [a, b, c] = [y + z, x + z, x + y].map(|s| 3.0 / (mass * s));
        self.add(centre, Inertia { inv_mass: 1.0 / mass, inv_inertia: [a, b, c, 0.0, 0.0, 0.0] })
    }

    fn add(&mut self, centre: Vector, inertia: Inertia) -> u32 {
        self.bodies.push(inertia);
        self.centres.push(centre);
        self.velocities.push([0.0; 6]);
        self.bodies.len() as u32 - 1
    }

    /// A contact at `point`, its normal from a to b.
    fn touch(&mut self, bodies: [u32; 2], point: Vector, normal: Vector) {
        let arm = |body: u32| self.centres.get(body as usize).map_or([0.0; 3], |x| minus(point, *x));
        let arms = bodies.map(arm);
        self.contacts.push(ContactRows { bodies, frame: frame(normal), arms });
    }

    /// Four contacts at the corners of a rectangle: middle, and two half edges.
    fn face(&mut self, bodies: [u32; 2], middle: Vector, edges: [Vector; 2], normal: Vector) {
        for (s, t) in [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)] {
            let point = [0, 1, 2].map(|k| middle[k] + s * edges[0][k] + t * edges[1][k]);
            self.touch(bodies, point, normal);
        }
    }

    /// Gravity over a step [m/s], noise of this size relative to it, and a sideways velocity [m/s] for bodies above ground.
    pub fn falling(mut self, speed: f64, noise: f64, sideways: f64) -> Self {
        for i in 0..self.bodies.len() {
            let mut v: [f64; 6] = std::array::from_fn(|_| noise * speed * self.noise());
            v[2] -= speed;
            v[0] += sideways;
            self.velocities[i] = v;
        }
        self
    }

    /// The problem, every contact with friction.
    pub fn problem(&self) -> Problem {
        self.with_sets(vec![Set::Coulomb3 { mu: self.friction }; self.contacts.len()])
    }

    pub fn with_sets(&self, sets: Vec<Set>) -> Problem {
        let mut u_free = Vec::new();
        for (touch, set) in self.contacts.iter().zip(&sets) {
            let mut world = [0.0; 3];
            for (k, sign) in [(0, -1.0), (1, 1.0)] {
                if let Some(v) = self.velocities.get(touch.bodies[k] as usize) {
                    let turned = cross([v[3], v[4], v[5]], touch.arms[k]);
                    (0..3).for_each(|i| world[i] += sign * (v[i] + turned[i]));
                }
            }
            u_free.extend(touch.frame[..set.dim()].iter().map(|row| dot(*row, world)));
        }
        Problem::posed(operator(&self.bodies, &self.contacts, &sets), u_free, sets)
            .expect("scenes are well posed")
    }
}

/// Cubes in a grid, each on the one below; neighbours at the side touch too where `close`.
pub fn boxes([nx, ny, nz]: [usize; 3], close: bool, friction: f64) -> Scene {
    let mut scene = Scene::empty(friction);
    let (half, number) = (0.05, |i: usize, j: usize, k: usize| ((i * ny + j) * nz + k) as u32);
    for i in 0..nx {
        for j in 0..ny {
            for k in 0..nz {
                let centre = [i, j, k].map(|n| (2 * n + 1) as f64 * half);
                let here = scene.add_box(centre, [half; 3], 1000.0);
                assert_eq!(here, number(i, j, k));
            }
        }
    }
    for i in 0..nx {
        for j in 0..ny {
            for k in 0..nz {
                let (here, x) = (number(i, j, k), scene.centres[number(i, j, k) as usize]);
                let below = if k > 0 { number(i, j, k - 1) } else { IMMOVABLE };
                let edges = [[half, 0.0, 0.0], [0.0, half, 0.0], [0.0, 0.0, half]];
                let [ex, ey, ez] = edges;
                scene.face([below, here], minus(x, ez), [ex, ey], [0.0, 0.0, 1.0]);
                if close && i > 0 {
                    scene.face([number(i - 1, j, k), here], minus(x, ex), [ey, ez], [1.0, 0.0, 0.0]);
                }
                if close && j > 0 {
                    scene.face([number(i, j - 1, k), here], minus(x, ey), [ex, ez], [0.0, 1.0, 0.0]);
                }
            }
        }
    }
    scene
}

/// A wall of bricks in running bond.
pub fn wall(width: usize, height: usize, friction: f64) -> Scene {
    let mut scene = Scene::empty(friction);
    let half = [0.1, 0.05, 0.03];
    for k in 0..height {
        for i in 0..width {
            let x = [(2 * i + k % 2) as f64 * half[0], 0.0, (2 * k + 1) as f64 * half[2]];
            let here = scene.add_box(x, half, 1800.0);
            let under = [x[0], x[1], x[2] - half[2]];
            let (ey, up) = ([0.0, half[1], 0.0], [0.0, 0.0, 1.0]);
            if k == 0 {
                scene.face([IMMOVABLE, here], under, [[half[0], 0.0, 0.0], ey], up);
                continue;
            }
            // Courses that stand half a brick to the right rest on bricks i and i + 1, the others on i − 1 and i.
            let left = if k % 2 == 1 { Some(i) } else { i.checked_sub(1) };
            let right = Some(if k % 2 == 1 { i + 1 } else { i }).filter(|j| *j < width);
            for (side, below) in [(-0.5, left), (0.5, right)] {
                let Some(below) = below else { continue };
                let middle = [under[0] + side * half[0], under[1], under[2]];
                let edges = [[0.5 * half[0], 0.0, 0.0], ey];
                scene.face([((k - 1) * width + below) as u32, here], middle, edges, up);
            }
        }
    }
    scene
}

/// A half circle of voussoirs between two abutments that do not move.
pub fn arch(n: usize, friction: f64) -> Scene {
    let mut scene = Scene::empty(friction);
    let (radius, thick, deep) = (2.0, 0.3, 0.25);
    let angle = std::f64::consts::PI / n as f64;
    for i in 0..n {
        let middle = std::f64::consts::PI - (i as f64 + 0.5) * angle;
        let (sin, cos) = middle.sin_cos();
        let half = [0.5 * radius * angle, deep, thick];
        let here = scene.add_box([radius * cos, 0.0, radius * sin], half, 2000.0);
        // I⁻¹ in world axes: turned by the angle of the block's tangent.
        let [a, b, c, ..] = scene.bodies[here as usize].inv_inertia;
        let (s, t) = (cos, sin);
        let inv_inertia = [a * t * t + c * s * s, b, a * s * s + c * t * t, 0.0, (c - a) * s * t, 0.0];
        scene.bodies[here as usize].inv_inertia = inv_inertia;
    }
    for i in 0..=n {
        let (sin, cos) = (std::f64::consts::PI - i as f64 * angle).sin_cos();
        let before = if i > 0 { i as u32 - 1 } else { IMMOVABLE };
        let after = if i < n { i as u32 } else { IMMOVABLE };
        let edges = [[thick * cos, 0.0, thick * sin], [0.0, deep, 0.0]];
        scene.face([before, after], [radius * cos, 0.0, radius * sin], edges, [sin, 0.0, -cos]);
    }
    scene
}

/// Layers of three planks, every second layer across.
pub fn tower(layers: usize, friction: f64) -> Scene {
    let mut scene = Scene::empty(friction);
    let (long, wide, high) = (0.06, 0.012, 0.004);
    for k in 0..layers {
        for i in 0..3 {
            let aside = (i as f64 - 1.0) * 0.045;
            let z = (2 * k + 1) as f64 * high;
            let along = k % 2 == 0;
            let (x, half) = if along {
                ([0.0, aside, z], [long, wide, high])
            } else {
                ([aside, 0.0, z], [wide, long, high])
            };
            let here = scene.add_box(x, half, 700.0);
            let under = z - high;
            if k == 0 {
                let edges = [[half[0], 0.0, 0.0], [0.0, half[1], 0.0]];
                scene.face([IMMOVABLE, here], [x[0], x[1], under], edges, [0.0, 0.0, 1.0]);
                continue;
            }
            for j in 0..3u32 {
                let across = (f64::from(j) - 1.0) * 0.045;
                let middle = if along { [across, aside, under] } else { [aside, across, under] };
                let edges = [[wide, 0.0, 0.0], [0.0, wide, 0.0]];
                scene.face([3 * (k as u32 - 1) + j, here], middle, edges, [0.0, 0.0, 1.0]);
            }
        }
    }
    scene
}

/// About n spheres in square layers that rest in the hollows below, with two or three of the four contacts below, and
/// every eighth contact at the side: 2.6 contacts per sphere.
pub fn spheres(n: usize, friction: f64) -> Scene {
    let mut scene = Scene::empty(friction);
    let side = (n as f64).cbrt().ceil() as usize;
    let (radius, step) = (0.01, 0.02 / 2f64.sqrt());
    let mass = 4.0 / 3.0 * std::f64::consts::PI * radius * radius * radius * 2500.0;
    let turn = 2.5 / (mass * radius * radius);
    let inertia = Inertia { inv_mass: 1.0 / mass, inv_inertia: [turn, turn, turn, 0.0, 0.0, 0.0] };
    let number = |i: usize, j: usize, k: usize| ((k * side + j) * side + i) as u32;
    for k in 0..n.div_ceil(side * side) {
        for j in 0..side {
            for i in 0..side {
                let shift = (k % 2) as f64 * radius;
                let x = [
                    2.0 * radius * i as f64 + shift,
                    2.0 * radius * j as f64 + shift,
                    radius + step * k as f64,
                ];
                let here = scene.add(x, inertia);
                if k == 0 {
                    scene.touch([IMMOVABLE, here], [x[0], x[1], 0.0], [0.0, 0.0, 1.0]);
                }
            }
        }
    }
    for k in 0..n.div_ceil(side * side) {
        for j in 0..side {
            for i in 0..side {
                let here = number(i, j, k);
                if i + 1 < side && scene.noise() > 0.75 {
                    scene.pair(here, number(i + 1, j, k));
                }
                if k + 1 == n.div_ceil(side * side) {
                    continue;
                }
                // The four above, of which each keeps two or three.
                for (di, dj) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                    let above = if k % 2 == 1 {
                        Some((i + di, j + dj)).filter(|(i, j)| *i < side && *j < side)
                    } else {
                        i.checked_sub(di).zip(j.checked_sub(dj))
                    };
                    if let Some((i, j)) = above.filter(|_| scene.noise() < 0.25) {
                        scene.pair(here, number(i, j, k + 1));
                    }
                }
            }
        }
    }
    scene
}

impl Scene {
    /// A contact between two spheres.
    fn pair(&mut self, a: u32, b: u32) {
        let (x, y) = (self.centres[a as usize], self.centres[b as usize]);
        let middle = [0, 1, 2].map(|k| 0.5 * (x[k] + y[k]));
        self.touch([a, b], middle, unit(minus(y, x)));
    }
}

/// W of bodies and contacts, as many rows each as its set has.
pub fn operator(bodies: &[Inertia], contacts: &[ContactRows], sets: &[Set]) -> Delassus {
    let mut delassus = Delassus::default();
    delassus.fill_contacts(sets.iter().map(|set| set.dim()), |own_bodies, own_contacts| {
        own_bodies.extend_from_slice(bodies);
        own_contacts.extend_from_slice(contacts);
    });
    delassus
}
