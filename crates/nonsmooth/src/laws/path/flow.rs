//! The motion along the path between two events: the modes of all contacts and the right side they give.

use super::stick::Stuck;
use super::{AlongPath, Measure};
use nonsmooth_solvers::Sparse;
use std::f64::consts::FRAC_PI_2;

/// Velocities below this share of the fastest approach count as none: far above what is left of rounding.
const STILL: f64 = 1e-13;
/// Slips below this share of the fastest approach stick.
const STICKS: f64 = 1e-10;
/// Rounding of a velocity, relative to the sum of the absolute terms of u⁻ + W P.
const ROUNDING: f64 = 4e-15;
/// A slip that is no more than what the integration leaves of it, relative to the same sum.
const LEFT: f64 = 1e-12;
/// The same in space, where the slip turns ever faster as it comes to rest; what is left of it is taken away by an impulse.
const LEFT_IN_SPACE: f64 = 3e-9;
/// How much coarser the shares of forces may be that hold contacts together which depend on each other.
const SHARED: f64 = 1e7;

/// A contact of the island: its rows among those of contacts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Contact {
    pub(super) first: usize,
    pub(super) dim: usize,
    pub(super) law: AlongPath,
}

/// What a contact does along its normal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Normal {
    /// No force.
    Open,
    /// x grows while u_N < 0.
    Compresses,
    /// What was stored comes back.
    Expands,
}

/// What a contact does along its tangents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Tangential {
    /// The slip is zero while the disc of friction allows.
    Sticks,
    /// It slides, in the plane in this direction.
    Slides(f64),
}

/// What a contact remembers of its impact.
#[derive(Clone, Copy, Debug, Default)]
struct Book {
    /// P_N where the contact closed [N·s].
    closed_at: f64,
    /// P_N where the compression began [N·s].
    begin: f64,
    /// Impulse of the compression in all [N·s].
    compression: f64,
    /// F_N of the expansion at its start; at ψ = 0 where the measure is Poisson's.
    force: f64,
    /// u_N at which the measure of Newton ends the expansion [m/s].
    target: f64,
}

/// Something that ends a smooth piece of the path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Event {
    /// An open contact is pressed.
    Closes(usize),
    /// u_N = 0 from below.
    Turns(usize),
    /// The expansion is over.
    Ends(usize),
    /// u_N = 0 from above: what expands is compressed again.
    TurnsBack(usize),
    /// The slip in the plane is zero.
    Stops(usize),
}

/// The island with the modes of its contacts.
pub(super) struct Flow<'a> {
    w: &'a Sparse,
    u_minus: &'a [f64],
    pub(super) contacts: Vec<Contact>,
    pub(super) normal: Vec<Normal>,
    pub(super) tangential: Vec<Tangential>,
    book: Vec<Book>,
    stuck: Stuck,
    /// The contacts of `stuck`.
    who: Vec<usize>,
    /// u by row [m/s].
    u: Vec<f64>,
    /// x and P at which an entry of z is large.
    pub(super) scale: Vec<f64>,
    x_scale: Vec<f64>,
    p_scale: Vec<f64>,
    /// Largest approach before the impact, largest velocity [m/s].
    fastest: f64,
    largest: f64,
    /// The sum of the absolute terms of u⁻ + W P, by row [m/s].
    terms: Vec<f64>,
}

impl<'a> Flow<'a> {
    /// The island before its impact.
    pub(super) fn new(w: &'a Sparse, u_minus: &'a [f64], contacts: Vec<Contact>) -> Self {
        let n = contacts.len();
        let fastest = contacts.iter().map(|c| -u_minus[c.first]).fold(0.0, f64::max);
        let largest = u_minus.iter().fold(0.0f64, |m, u| m.max(u.abs()));
        let mut flow = Self {
            w,
            u_minus,
            normal: vec![Normal::Open; n],
            tangential: vec![Tangential::Sticks; n],
            book: vec![Book::default(); n],
            stuck: Stuck::default(),
            who: Vec::new(),
            u: u_minus.to_vec(),
            scale: vec![1.0; n + u_minus.len()],
            x_scale: vec![1.0; n],
            p_scale: vec![1.0; u_minus.len()],
            contacts,
            fastest,
            largest,
            terms: vec![0.0; u_minus.len()],
        };
        flow.weigh(&flow.start());
        for j in 0..n {
            let Contact { first, dim, law } = flow.contacts[j];
            let mass = 1.0 / w.get(first, first).max(f64::MIN_POSITIVE);
            let eta = law.exponent;
            let energy = 0.5 * mass * fastest * fastest;
            flow.x_scale[j] = ((eta + 1.0) * energy / law.stiffness).powf(1.0 / (eta + 1.0));
            flow.scale[j] = flow.x_scale[j];
            for row in first..first + dim {
                flow.p_scale[row] = fastest / w.get(row, row).max(f64::MIN_POSITIVE);
            }
            flow.book[j].target = law.restitution * (-u_minus[first]).max(0.0);
            if flow.u[first] < -flow.still(j) {
                flow.normal[j] = Normal::Compresses;
            }
            flow.look_at_slip(j);
        }
        flow.find_stuck();
        flow
    }

    /// z = (x, P) before the impact.
    pub(super) fn start(&self) -> Vec<f64> {
        vec![0.0; self.scale.len()]
    }

    /// A first step: a part of the shortest compression.
    pub(super) fn first_step(&self) -> f64 {
        0.1 * self.x_scale.iter().copied().fold(f64::MAX, f64::min) / self.fastest
    }

    fn is_slippery(&self, j: usize) -> bool {
        self.contacts[j].dim == 1 || self.contacts[j].law.friction == 0.0
    }

    /// Looks how exact velocities can be where the path stands.
    pub(super) fn weigh(&mut self, z: &[f64]) {
        let n = self.contacts.len();
        for (row, terms) in self.terms.iter_mut().enumerate() {
            let (columns, values) = self.w.row(row);
            let sum: f64 = columns.iter().zip(values).map(|(&j, w)| (w * z[n + j as usize]).abs()).sum();
            *terms = self.largest + sum;
        }
    }

    /// A velocity along the normal that counts as none.
    fn still(&self, j: usize) -> f64 {
        STILL * self.fastest + ROUNDING * self.terms[self.contacts[j].first]
    }

    /// A slip that counts as none.
    fn sticks(&self, j: usize) -> f64 {
        let Contact { first, dim, .. } = self.contacts[j];
        let terms = self.terms[first + 1..first + dim].iter().copied().fold(0.0, f64::max);
        STICKS * self.fastest + if dim == 3 { LEFT_IN_SPACE } else { LEFT } * terms
    }

    /// u where the path stands.
    pub(super) fn look(&mut self, z: &[f64]) {
        let n = self.contacts.len();
        self.w.multiply(&z[n..], &mut self.u);
        self.u.iter_mut().zip(self.u_minus).for_each(|(u, minus)| *u += minus);
    }

    /// ‖u_T‖ of a contact.
    fn slip(&self, j: usize) -> f64 {
        let Contact { first, dim, .. } = self.contacts[j];
        self.u[first + 1..first + dim].iter().map(|u| u * u).sum::<f64>().sqrt()
    }

    /// Sets the tangential mode from the slip.
    fn look_at_slip(&mut self, j: usize) {
        if !self.is_slippery(j) {
            let sign = self.u[self.contacts[j].first + 1].signum();
            let slides = self.slip(j) > self.sticks(j);
            self.tangential[j] = if slides { Tangential::Slides(sign) } else { Tangential::Sticks };
        }
    }

    /// Gathers what sticks.
    pub(super) fn find_stuck(&mut self) {
        self.who.clear();
        self.stuck.rows.clear();
        self.stuck.dims.clear();
        for (j, contact) in self.contacts.iter().enumerate() {
            let holds = self.tangential[j] == Tangential::Sticks && self.normal[j] != Normal::Open;
            if holds && !self.is_slippery(j) {
                self.who.push(j);
                self.stuck.rows.extend(contact.first + 1..contact.first + contact.dim);
                self.stuck.dims.push(contact.dim - 1);
            }
        }
        let w = self.w;
        self.stuck.set_matrix(|i, j| w.get(i, j));
        let (n, loose) = (self.contacts.len(), if self.stuck.depends() { SHARED } else { 1.0 });
        for row in 0..self.u_minus.len() {
            let is_stuck = self.stuck.rows.contains(&row);
            self.scale[n + row] = self.p_scale[row] * if is_stuck { loose } else { 1.0 };
        }
    }

    /// F_N of a contact [N].
    fn press(&self, j: usize, x: f64) -> f64 {
        let law = &self.contacts[j].law;
        match (self.normal[j], law.measure) {
            (Normal::Open, _) => 0.0,
            (Normal::Expands, Measure::Velocity) => self.book[j].force,
            (Normal::Expands, Measure::Impulse) => self.book[j].force * x.cos(),
            // Odd beyond x = 0, so that a step over the end is smooth.
            _ if law.exponent == 1.0 => law.stiffness * x,
            _ => law.stiffness * x.abs().powf(law.exponent).copysign(x),
        }
    }

    /// dz/dτ.
    pub(super) fn slope(&mut self, z: &[f64], out: &mut [f64]) {
        self.look(z);
        let n = self.contacts.len();
        out[n..].fill(0.0);
        for j in 0..n {
            let Contact { first, dim, law } = self.contacts[j];
            let (u, force) = (self.u[first], self.press(j, z[j]));
            out[j] = match (self.normal[j], law.measure) {
                (Normal::Open, _) | (Normal::Expands, Measure::Velocity) => 0.0,
                (Normal::Compresses, _) => -u,
                (Normal::Expands, Measure::Work) => -u / (law.restitution * law.restitution),
                (Normal::Expands, Measure::Impulse) => {
                    self.book[j].force / (law.restitution * self.book[j].compression)
                }
            };
            out[n + first] = force;
            if force == 0.0 || self.is_slippery(j) {
                continue;
            }
            match self.tangential[j] {
                Tangential::Sticks => {}
                Tangential::Slides(sign) if dim == 2 => {
                    out[n + first + 1] = -law.friction * force * sign
                }
                Tangential::Slides(_) => {
                    let slip = self.u[first + 1].hypot(self.u[first + 2]);
                    for k in 1..3 {
                        out[n + first + k] = -law.friction * force * self.u[first + k] / slip;
                    }
                }
            }
        }
        self.hold(z, &mut out[n..]);
    }

    /// Adds the forces on what sticks.
    fn hold(&mut self, z: &[f64], forces: &mut [f64]) {
        if self.who.is_empty() {
            return;
        }
        for (k, &j) in self.who.iter().enumerate() {
            self.stuck.radius[k] = self.contacts[j].law.friction * self.press(j, z[j]);
        }
        for (k, &row) in self.stuck.rows.iter().enumerate() {
            self.stuck.rate[k] = self.w.row_dot(row, forces);
        }
        self.stuck.solve();
        for (k, &row) in self.stuck.rows.iter().enumerate() {
            forces[row] = self.stuck.force[k];
        }
    }

    /// The longest step for slips that turn: half of the way to rest.
    pub(super) fn longest(&mut self, z: &[f64], slope: &[f64]) -> f64 {
        self.look(z);
        let n = self.contacts.len();
        let mut longest = f64::MAX;
        for j in 0..n {
            let Contact { first, dim, .. } = self.contacts[j];
            if dim == 3 && slope[n + first] > 0.0 && matches!(self.tangential[j], Tangential::Slides(_))
            {
                let rate = [1, 2].map(|k| self.w.row_dot(first + k, &slope[n..]));
                let rate = rate[0].hypot(rate[1]);
                if rate > 0.0 {
                    longest = longest.min(0.5 * self.slip(j) / rate);
                }
            }
        }
        longest
    }

    /// How far an event is away: positive before it.
    pub(super) fn distance(&mut self, event: Event, z: &[f64]) -> f64 {
        self.look(z);
        let u = |j: usize| self.u[self.contacts[j].first];
        match event {
            Event::Closes(j) | Event::TurnsBack(j) => u(j),
            Event::Turns(j) => -u(j),
            Event::Ends(j) => match self.contacts[j].law.measure {
                Measure::Work => z[j],
                Measure::Impulse => FRAC_PI_2 - z[j],
                Measure::Velocity => self.book[j].target - u(j),
            },
            Event::Stops(j) => match self.tangential[j] {
                Tangential::Slides(sign) => sign * self.u[self.contacts[j].first + 1],
                Tangential::Sticks => f64::MAX,
            },
        }
    }

    /// How far beyond an event counts as not yet.
    fn slack(&self, event: Event) -> f64 {
        match event {
            Event::Ends(j) => match self.contacts[j].law.measure {
                Measure::Work => 1e-15 * self.x_scale[j],
                Measure::Impulse => 1e-15,
                Measure::Velocity => self.still(j),
            },
            Event::Stops(j) => self.sticks(j),
            Event::Closes(j) | Event::Turns(j) | Event::TurnsBack(j) => self.still(j),
        }
    }

    /// An event that lies behind the path at `z`, other than `but`.
    pub(super) fn passed(&mut self, z: &[f64], but: Option<Event>) -> Option<Event> {
        for j in 0..self.contacts.len() {
            let along: &[Event] = match self.normal[j] {
                Normal::Open => &[Event::Closes(j)],
                Normal::Compresses => &[Event::Turns(j)],
                Normal::Expands => &[Event::Ends(j), Event::TurnsBack(j)],
            };
            let is_planar = self.contacts[j].dim == 2 && !self.is_slippery(j);
            let slides = is_planar && matches!(self.tangential[j], Tangential::Slides(_));
            let across: &[Event] = if slides { &[Event::Stops(j)] } else { &[] };
            for &event in along.iter().chain(across).filter(|event| Some(**event) != but) {
                if self.distance(event, z) < -self.slack(event) {
                    return Some(event);
                }
            }
        }
        None
    }

    /// What an event changes.
    pub(super) fn happen(&mut self, event: Event, z: &mut [f64]) {
        self.look(z);
        let n = self.contacts.len();
        match event {
            Event::Closes(j) => {
                let begin = z[n + self.contacts[j].first];
                self.book[j] = Book { closed_at: begin, begin, compression: 0.0, ..self.book[j] };
                (self.normal[j], z[j]) = (Normal::Compresses, 0.0);
                self.look_at_slip(j);
            }
            Event::Turns(j) => self.turn(j, z),
            Event::Ends(j) => (self.normal[j], z[j]) = (Normal::Open, 0.0),
            Event::TurnsBack(j) => {
                let law = self.contacts[j].law;
                if law.measure != Measure::Work {
                    z[j] = (self.press(j, z[j]) / law.stiffness).powf(1.0 / law.exponent);
                }
                self.scale[j] = self.x_scale[j];
                self.book[j].begin = z[n + self.contacts[j].first];
                self.normal[j] = Normal::Compresses;
            }
            Event::Stops(j) => self.tangential[j] = Tangential::Sticks,
        }
        self.find_stuck();
    }

    /// From compression to expansion.
    fn turn(&mut self, j: usize, z: &mut [f64]) {
        let (n, Contact { first, law, .. }) = (self.contacts.len(), self.contacts[j]);
        let force = self.press(j, z[j]);
        // The impulse that came back before a contact was compressed again is e sin ψ of the compression until then.
        let returned = self.returned(j);
        self.book[j].compression += z[n + first] - self.book[j].begin;
        let is_over = law.restitution == 0.0
            || force == 0.0
            || law.measure == Measure::Velocity && self.book[j].target <= self.still(j);
        if is_over {
            (self.normal[j], z[j]) = (Normal::Open, 0.0);
            return;
        }
        self.normal[j] = Normal::Expands;
        self.book[j].force = force;
        if law.measure == Measure::Impulse {
            let psi = (returned / (law.restitution * self.book[j].compression)).min(1.0).asin();
            self.book[j].force = force / psi.cos().max(f64::MIN_POSITIVE);
            (z[j], self.scale[j]) = (psi, 1.0);
        }
    }

    /// The impulse of expansions of this contact so far [N·s].
    fn returned(&self, j: usize) -> f64 {
        self.book[j].begin - self.book[j].closed_at - self.book[j].compression
    }

    /// Slips that came to rest in space stick; what was stuck and has begun to slide slides.
    pub(super) fn settle(&mut self, z: &mut [f64]) {
        self.look(z);
        let mut changes = false;
        for j in 0..self.contacts.len() {
            if self.is_slippery(j) || self.normal[j] == Normal::Open {
                continue;
            }
            let slip = self.slip(j);
            let next = match self.tangential[j] {
                Tangential::Slides(_) if self.contacts[j].dim == 3 && slip <= self.sticks(j) => {
                    self.stop(j, z);
                    Tangential::Sticks
                }
                Tangential::Sticks if slip > 2.0 * self.sticks(j) => {
                    Tangential::Slides(self.u[self.contacts[j].first + 1].signum())
                }
                same => same,
            };
            changes |= next != self.tangential[j];
            self.tangential[j] = next;
        }
        if changes {
            self.find_stuck();
        }
    }

    /// Takes the rest of a slip in space away.
    fn stop(&self, j: usize, z: &mut [f64]) {
        let (n, first) = (self.contacts.len(), self.contacts[j].first);
        let w = |a: usize, b: usize| self.w.get(first + a, first + b);
        let determinant = w(1, 1) * w(2, 2) - w(1, 2) * w(1, 2);
        if determinant > 1e-12 * w(1, 1) * w(2, 2) {
            let (a, b) = (self.u[first + 1], self.u[first + 2]);
            z[n + first + 1] -= (w(2, 2) * a - w(1, 2) * b) / determinant;
            z[n + first + 2] -= (w(1, 1) * b - w(1, 2) * a) / determinant;
        }
    }

    /// Whether nothing presses and nothing approaches.
    pub(super) fn is_over(&mut self, z: &[f64]) -> bool {
        self.look(z);
        let rests = |(j, contact): (usize, &Contact)| {
            self.normal[j] == Normal::Open && self.u[contact.first] >= -self.still(j)
        };
        self.contacts.iter().enumerate().all(rests)
    }
}
