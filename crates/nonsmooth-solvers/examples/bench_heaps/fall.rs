//! Spheres that fall into a box or collapse as a column, by the scheme of Moreau and Jean with θ = ½: where hard steps come from.
//!
//! ```text
//! active: g + ½ h u_N ≤ 0,   u_free = u + e u_N n + h J g,   q⁺ = q + ½ h (v + v⁺)
//! ```

use nonsmooth_solvers::{ContactRows, Delassus, IMMOVABLE, Inertia, Problem, Set};
use std::collections::HashMap;

type Vector = [f64; 3];

const GRAVITY: f64 = 9.81;
/// Gap that counts as none [m].
const LAYER: f64 = 1e-9;

fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Two spheres, or a sphere and a wall, which are numbered from the end.
type Key = (u32, u32);

/// Key, bodies, normal, gap and the distances of the point from both centres.
type Near = (Key, [u32; 2], Vector, f64, [f64; 2]);

/// Spheres on their way.
pub struct Fall {
    x: Vec<Vector>,
    v: Vec<[f64; 6]>,
    radius: Vec<f64>,
    density: f64,
    friction: f64,
    restitution: f64,
    /// Step size [s].
    pub h: f64,
    /// Walls at ± this in x and y [m]; none where it is infinite.
    half: f64,
    /// Impulses of the step before, in world axes.
    memory: HashMap<Key, Vector>,
}

/// The problem of a step, its guess, and whose contacts they are.
pub struct Step {
    pub problem: Problem,
    pub guess: Vec<f64>,
    keys: Vec<Key>,
    contacts: Vec<ContactRows>,
}

impl Fall {
    /// As in a box of `side` spheres of 5 cm, layer above layer, thrown about a little.
    pub fn into_box(n: usize, side: usize, friction: f64, seed: usize) -> Self {
        let pitch = 0.11;
        let half = 0.5 * pitch * side as f64;
        let noise = |x: usize| (1e4 * ((x + 100 * seed) as f64).sin()).sin();
        let place = |i: usize| {
            let at = |k: usize| pitch * (k as f64 + 0.5);
            let (a, b, c) = (i % side, i / side % side, i / side / side);
            let off = [noise(i + 1), noise(i + 7), noise(i + 3)].map(|x| 0.004 * x);
            [at(a) - half + off[0], at(b) - half + off[1], at(c) + off[2]]
        };
        let speed = |i: usize| {
            let [a, b, c] = [noise(i + 11), noise(i + 13), noise(i + 17)].map(|x| 0.5 * x);
            [a, b, c, 0.0, 0.0, 0.0]
        };
        Self {
            x: (0..n).map(place).collect(),
            v: (0..n).map(speed).collect(),
            radius: vec![0.05; n],
            density: 2000.0,
            friction,
            restitution: 0.0,
            h: 0.002,
            half,
            memory: HashMap::new(),
        }
    }

    /// A square column of spheres of about 1 cm that collapses.
    pub fn column(n: usize, friction: f64) -> Self {
        let r = 0.01;
        let place = |i: usize| {
            let f = i as f64;
            let at = |k: usize| 2.1 * r * (k as f64 - 7.0);
            let off = [(78.233 * f).sin(), (37.7 * f).sin()].map(|x| 0.02 * r * x);
            let height = 1.01 * r + 2.05 * r * (i / 225) as f64;
            [at(i % 15) + off[0], at(i / 15 % 15) + off[1], height]
        };
        Self {
            x: (0..n).map(place).collect(),
            v: vec![[0.0; 6]; n],
            radius: (0..n).map(|i| r * (0.9 + 0.1 * (12.9898 * i as f64).sin())).collect(),
            density: 2500.0,
            friction,
            restitution: 0.2,
            h: 1e-3,
            half: f64::INFINITY,
            memory: HashMap::new(),
        }
    }

    fn inertia(&self, i: usize) -> Inertia {
        let r = self.radius[i];
        let mass = self.density * 4.0 / 3.0 * std::f64::consts::PI * r * r * r;
        let turn = 1.0 / (0.4 * mass * r * r);
        Inertia { inv_mass: 1.0 / mass, inv_inertia: [turn, turn, turn, 0.0, 0.0, 0.0] }
    }

    /// Pairs that are near.
    fn near(&self) -> Vec<Near> {
        let largest = self.radius.iter().fold(0.0f64, |m, r| m.max(*r));
        let cell = |x: Vector| x.map(|x| (x / (2.2 * largest)).floor() as i64);
        let mut grid: HashMap<[i64; 3], Vec<usize>> = HashMap::new();
        for (i, x) in self.x.iter().enumerate() {
            grid.entry(cell(*x)).or_default().push(i);
        }
        let mut found = Vec::new();
        for (i, (x, r)) in self.x.iter().zip(&self.radius).enumerate() {
            let [a, b, c] = cell(*x);
            let around =
                (-1..=1).flat_map(|k| (-1..=1).flat_map(move |l| (-1..=1).map(move |m| [k, l, m])));
            let cells = around.filter_map(|[k, l, m]| grid.get(&[a + k, b + l, c + m]));
            let mut others: Vec<usize> = cells.flatten().copied().filter(|j| *j > i).collect();
            others.sort_unstable();
            for j in others {
                let d: Vector = std::array::from_fn(|k| self.x[j][k] - x[k]);
                let length = dot(d, d).sqrt();
                let gap = length - r - self.radius[j];
                let arms = [r + 0.5 * gap, self.radius[j] + 0.5 * gap];
                let (a, b) = (i as u32, j as u32);
                found.push(((a, b), [a, b], d.map(|x| x / length), gap, arms));
            }
            let h = self.half;
            let walls = [
                ([0.0, 0.0, 1.0], x[2]),
                ([1.0, 0.0, 0.0], x[0] + h),
                ([-1.0, 0.0, 0.0], h - x[0]),
                ([0.0, 1.0, 0.0], x[1] + h),
                ([0.0, -1.0, 0.0], h - x[1]),
            ];
            for (k, (n, distance)) in walls.into_iter().enumerate() {
                let key = (i as u32, u32::MAX - k as u32);
                found.push((key, [IMMOVABLE, i as u32], n, distance - r, [0.0, distance]));
            }
        }
        found.retain(|near| near.3 <= 0.02 * largest);
        found
    }

    /// u of a contact at the velocities `v`, gravity over a step added to the sphere's where asked.
    fn relative(&self, contact: &ContactRows, kick: f64) -> Vector {
        let mut world = [0.0; 3];
        for (k, sign) in [(0, -1.0), (1, 1.0)] {
            if let Some(v) = self.v.get(contact.bodies[k] as usize) {
                let turned = cross([v[3], v[4], v[5]], contact.arms[k]);
                (0..3).for_each(|i| world[i] += sign * (v[i] + turned[i]));
                world[2] -= sign * kick;
            }
        }
        contact.frame.map(|row| dot(row, world))
    }

    /// What the next step leaves to solve.
    pub fn step(&self) -> Step {
        let (mut contacts, mut keys) = (Vec::new(), Vec::new());
        let (mut u_free, mut guess) = (Vec::new(), Vec::new());
        for (key, bodies, n, gap, [a, b]) in self.near() {
            let arms = [n.map(|x| a * x), n.map(|x| -b * x)];
            let contact = ContactRows { bodies, frame: frame(n), arms };
            let u_n = self.relative(&contact, 0.0)[0];
            if !(gap + 0.5 * self.h * u_n <= LAYER) {
                continue;
            }
            let mut u = self.relative(&contact, GRAVITY * self.h);
            u[0] += self.restitution * u_n;
            let last = self.memory.get(&key).copied().unwrap_or_default();
            let beyond = gap - 0.5 * LAYER;
            if beyond > 0.0 && dot(last, n) > 0.0 {
                u[0] += beyond / self.h;
            }
            u_free.extend(u);
            guess.extend(contact.frame.map(|row| dot(row, last)));
            contacts.push(contact);
            keys.push(key);
        }
        let mut delassus = Delassus::default();
        delassus.fill_contacts(contacts.iter().map(|_| 3), |bodies, rows| {
            bodies.extend((0..self.x.len()).map(|i| self.inertia(i)));
            rows.extend_from_slice(&contacts);
        });
        let sets = vec![Set::Coulomb3 { mu: self.friction }; contacts.len()];
        let problem = Problem::posed(delassus, u_free, sets).expect("a step is well posed");
        Step { problem, guess, keys, contacts }
    }

    /// Goes on with the impulses of a step.
    pub fn advance(&mut self, step: &Step, p: &[f64]) {
        let before = self.v.clone();
        self.memory.clear();
        for ((key, contact), p) in step.keys.iter().zip(&step.contacts).zip(p.chunks(3)) {
            let world: Vector =
                std::array::from_fn(|k| (0..3).map(|r| contact.frame[r][k] * p[r]).sum());
            self.memory.insert(*key, world);
            for (k, sign) in [(0, -1.0), (1, 1.0)] {
                let body = contact.bodies[k] as usize;
                if body >= self.v.len() {
                    continue;
                }
                let inertia = self.inertia(body);
                let moment = cross(contact.arms[k], world);
                for i in 0..3 {
                    self.v[body][i] += sign * inertia.inv_mass * world[i];
                    self.v[body][3 + i] += sign * inertia.inv_inertia[0] * moment[i];
                }
            }
        }
        for ((x, v), before) in self.x.iter_mut().zip(&mut self.v).zip(&before) {
            v[2] -= GRAVITY * self.h;
            (0..3).for_each(|k| x[k] += 0.5 * self.h * (before[k] + v[k]));
        }
    }
}

/// Normal and two tangents.
fn frame(n: Vector) -> [Vector; 3] {
    let other = if n[0].abs() < 0.6 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
    let s = cross(n, other);
    let size = dot(s, s).sqrt();
    let s = s.map(|x| x / size);
    [n, cross(s, n), s]
}
