//! Linear models written down twice: as what the builder gets, and as dense matrices.

use crate::kit::{
    Bilateral, Built, ConstraintId, Gap, Linear, Model, ModelBuilder, NewtonImpact, Sparse, SystemId,
    UserError,
};

pub(crate) type Dense = Vec<Vec<f64>>;

/// The wall stands at a sin ωt: y = row·q + offset − a sin ωt.
#[derive(Clone, Copy)]
pub(crate) struct Motion {
    amplitude: f64,
    omega: f64,
}

#[derive(Clone)]
pub(crate) struct Tie {
    pub(crate) row: Vec<f64>,
    pub(crate) offset: f64,
    /// None for a joint.
    pub(crate) restitution: Option<f64>,
    pub(crate) motion: Option<Motion>,
}

impl Tie {
    pub(crate) fn gap(&self, t: f64, q: &[f64]) -> f64 {
        let wall = self.motion.map_or(0.0, |m| m.amplitude * (m.omega * t).sin());
        dot(&self.row, q) + self.offset - wall
    }

    pub(super) fn rate(&self, t: f64) -> f64 {
        self.motion.map_or(0.0, |m| -m.amplitude * m.omega * (m.omega * t).cos())
    }
}

/// A wall that moves; `local` are the coordinates it was registered with.
struct MovingWall {
    tie: Tie,
    local: Vec<usize>,
}

impl Gap for MovingWall {
    fn gap(&self, t: f64, q: &[f64]) -> Result<f64, UserError> {
        let terms = self.local.iter().zip(q).map(|(&i, q)| self.tie.row[i] * q);
        Ok(terms.sum::<f64>() + self.tie.gap(t, &[]))
    }
    fn jacobian(&self, _t: f64, _q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        out.iter_mut().zip(&self.local).for_each(|(out, &i)| *out = self.tie.row[i]);
        Ok(())
    }
    fn rate(&self, t: f64, _q: &[f64]) -> Result<f64, UserError> {
        Ok(self.tie.rate(t))
    }
    fn is_linear(&self) -> bool {
        true
    }
}

/// A linear model as dense matrices over all coordinates, system after system.
#[derive(Clone, Default)]
pub(crate) struct Plant {
    pub(crate) sizes: Vec<usize>,
    pub(crate) mass: Dense,
    pub(crate) damping: Dense,
    pub(crate) stiffness: Dense,
    pub(crate) load: Vec<f64>,
    /// Amplitude a_i of the force a_i sin(3 t + i).
    pub(crate) force: Vec<f64>,
    pub(crate) q: Vec<f64>,
    pub(crate) v: Vec<f64>,
    pub(crate) ties: Vec<Tie>,
    /// Coordinates whose velocity is ½ cos 2t.
    pub(crate) prescribed: Vec<usize>,
}

pub(super) fn force_at(amplitude: f64, i: usize, t: f64) -> f64 {
    amplitude * (3.0 * t + i as f64).sin()
}

pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

pub(super) fn multiply(a: &Dense, x: &[f64]) -> Vec<f64> {
    a.iter().map(|row| dot(row, x)).collect()
}

pub(super) fn form(a: &Dense, x: &[f64]) -> f64 {
    dot(x, &multiply(a, x))
}

pub(super) fn sizes(a: &Dense) -> Dense {
    a.iter().map(|row| size(row)).collect()
}

pub(super) fn size(x: &[f64]) -> Vec<f64> {
    x.iter().map(|x| x.abs()).collect()
}

impl Plant {
    fn first(&self, system: usize) -> usize {
        self.sizes[..system].iter().sum()
    }

    /// System and local coordinate of coordinate `i`.
    fn place(&self, i: usize) -> (usize, usize) {
        let s = (0..self.sizes.len()).rfind(|&s| self.first(s) <= i).expect("coordinate exists");
        (s, i - self.first(s))
    }

    fn system(&self, s: usize) -> Linear {
        let range = self.first(s)..self.first(s) + self.sizes[s];
        let block = |a: &Dense| {
            let rows: Dense = a[range.clone()].iter().map(|row| row[range.clone()].to_vec()).collect();
            Sparse::from_rows(&rows)
        };
        let mut system = Linear::new(&format!("system{s}"), block(&self.mass))
            .load(&self.load[range.clone()])
            .initial(&self.q[range.clone()], &self.v[range.clone()]);
        if !self.damping.is_empty() {
            system = system.damping(block(&self.damping));
        }
        if !self.stiffness.is_empty() {
            system = system.stiffness(block(&self.stiffness));
        }
        if !self.force.is_empty() {
            let amplitudes: Vec<(usize, f64)> = range.map(|i| (i, self.force[i])).collect();
            system = system.force(move |t, out| {
                out.iter_mut().zip(&amplitudes).for_each(|(f, &(i, a))| *f = force_at(a, i, t));
                Ok(())
            });
        }
        system
    }

    /// The model with systems and ties registered in these orders; tie k is called `tie<k>`.
    pub(crate) fn build_in_order(&self, systems: &[usize], ties: &[usize]) -> Built {
        let mut builder = ModelBuilder::new();
        let mut ids = vec![SystemId(0); systems.len()];
        for &s in systems {
            ids[s] = builder.linear(self.system(s));
        }
        for &k in ties {
            let tie = &self.ties[k];
            let law = match tie.restitution {
                Some(restitution) => builder.law("impact", NewtonImpact { restitution }),
                None => builder.law("joint", Bilateral),
            };
            let local: Vec<usize> = (0..tie.row.len()).filter(|&i| tie.row[i] != 0.0).collect();
            let on: Vec<(SystemId, usize)> =
                local.iter().map(|&i| self.place(i)).map(|(s, c)| (ids[s], c)).collect();
            let name = format!("tie{k}");
            if tie.motion.is_some() {
                builder.gap(&name, law, &on, MovingWall { tie: tie.clone(), local });
            } else {
                let terms: Vec<(SystemId, usize, f64)> =
                    on.iter().zip(&local).map(|(&(s, c), &i)| (s, c, tie.row[i])).collect();
                builder.linear_gap(&name, law, &terms, tie.offset);
            }
        }
        for &i in &self.prescribed {
            let (s, c) = self.place(i);
            builder.prescribe(ids[s], c, |t| Ok(0.5 * (2.0 * t).cos()));
        }
        builder.build(0.0).expect("a right model")
    }

    pub(crate) fn build(&self) -> Built {
        let systems: Vec<usize> = (0..self.sizes.len()).collect();
        let ties: Vec<usize> = (0..self.ties.len()).collect();
        self.build_in_order(&systems, &ties)
    }

    /// The tie behind a constraint of the model.
    pub(crate) fn tie(&self, model: &Model, key: ConstraintId) -> &Tie {
        let number: usize = model.family(key).member_name(key.number())[3..].parse().expect("`tie<k>`");
        &self.ties[number]
    }
}

/// A chain of n masses between walls: springs k, dampers c, each a matrix with the same pattern.
fn chain(n: usize, spring: f64) -> Dense {
    let mut a = vec![vec![0.0; n]; n];
    for i in 0..n {
        a[i][i] = 2.0 * spring;
        if i + 1 < n {
            (a[i][i + 1], a[i + 1][i]) = (-spring, -spring);
        }
    }
    a
}

fn diagonal(n: usize, entry: impl Fn(usize) -> f64) -> Dense {
    (0..n).map(|i| (0..n).map(|j| if i == j { entry(i) } else { 0.0 }).collect()).collect()
}

fn unit(n: usize, entries: &[(usize, f64)]) -> Vec<f64> {
    let mut row = vec![0.0; n];
    entries.iter().for_each(|&(i, x)| row[i] = x);
    row
}

fn fixed(row: Vec<f64>, offset: f64, restitution: Option<f64>) -> Tie {
    Tie { row, offset, restitution, motion: None }
}

/// A chain of `n` with everything on it: both sides of mass 1 are walls, one of them moving.
fn driven_chain(n: usize, gyroscopic: bool, e: f64) -> Plant {
    let mut damping = chain(n, 0.4);
    if gyroscopic {
        for i in 0..n - 1 {
            damping[i][i + 1] += 3.0;
            damping[i + 1][i] -= 3.0;
        }
    }
    let motion = Some(Motion { amplitude: 0.05, omega: 7.0 });
    let moving = Tie { row: unit(n, &[(1, -1.0)]), offset: 0.1, restitution: Some(e), motion };
    Plant {
        sizes: vec![n],
        mass: diagonal(n, |i| 1.0 + 0.1 * i as f64),
        damping,
        stiffness: chain(n, 40.0),
        load: (0..n).map(|i| -1.0 - 0.2 * i as f64).collect(),
        force: (0..n).map(|i| 2.0 + 0.3 * i as f64).collect(),
        q: vec![0.0; n],
        v: (0..n).map(|i| (1.0 + i as f64).sin()).collect(),
        ties: vec![fixed(unit(n, &[(1, 1.0)]), 0.02, Some(e)), moving],
        prescribed: vec![0],
    }
}

/// The chain and a second system of three coordinates (unsymmetric C), with a contact and a joint
/// between the two.
fn two_systems(n: usize, gyroscopic: bool, e: f64) -> Plant {
    let mut plant = driven_chain(n, gyroscopic, e);
    let total = n + 3;
    let extend = |a: &Dense, b: &Dense| -> Dense {
        let top = a.iter().map(|row| [row.as_slice(), &[0.0; 3]].concat());
        top.chain(b.iter().map(|row| [vec![0.0; n], row.clone()].concat())).collect()
    };
    let mass = vec![vec![1.0, 0.2, 0.0], vec![0.2, 1.5, 0.1], vec![0.0, 0.1, 2.0]];
    let spin = vec![vec![0.1, 2.0, 0.0], vec![-2.0, 0.1, 0.5], vec![0.0, -0.5, 0.2]];
    plant.mass = extend(&plant.mass, &mass);
    plant.damping = extend(&plant.damping, &spin);
    plant.stiffness = extend(&plant.stiffness, &chain(3, 10.0));
    plant.load.extend([-2.0, 0.0, 1.0]);
    plant.force.extend([0.0, 1.0, 0.0]);
    plant.q.extend([0.1, 0.0, 0.0]);
    plant.v.extend([-1.0, 0.5, plant.v[n - 1]]);
    plant.sizes.push(3);
    plant.ties.iter_mut().for_each(|tie| tie.row.resize(total, 0.0));
    plant.ties.push(fixed(unit(total, &[(2, -1.0), (n, 1.0)]), 0.0, Some(e)));
    plant.ties.push(fixed(unit(total, &[(n - 1, 1.0), (n + 2, -1.0)]), 0.0, None));
    plant
}

/// Every plant of this file, with its name: dense and sparse blocks, symmetric and not.
pub(super) fn plants(e: f64) -> Vec<(String, Plant)> {
    let mut all = Vec::new();
    for (n, block) in [(4, "dense"), (20, "sparse")] {
        for gyroscopic in [false, true] {
            let what = if gyroscopic { "gyroscopic" } else { "symmetric" };
            all.push((format!("chain, {block}, {what}, e = {e}"), driven_chain(n, gyroscopic, e)));
            all.push((format!("two systems, {block}, {what}, e = {e}"), two_systems(n, gyroscopic, e)));
        }
    }
    all
}
