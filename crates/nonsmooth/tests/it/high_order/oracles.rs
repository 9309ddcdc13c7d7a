//! Independent solutions: closed forms, and for the rest something slow and obvious.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_3, PI};

/// q'' + q = 0, e = ½: q = 2⁻ⁿ |cos t|.
pub fn oscillator(t: f64) -> Vec<f64> {
    let n = ((t + FRAC_PI_2) / PI).floor();
    let (scale, sign) = (0.5f64.powf(n), if t.cos() < 0.0 { -1.0 } else { 1.0 });
    vec![scale * t.cos().abs(), -scale * sign * t.sin()]
}

/// q'' + q = −1, e = ½: flights cos s + u sin s − 1 that last 2 atan u, from u = √3/2 at t = π/3.
pub fn pressed(t: f64) -> Vec<f64> {
    if t < FRAC_PI_3 {
        return vec![2.0 * t.cos() - 1.0, -2.0 * t.sin()];
    }
    let (mut start, mut u) = (FRAC_PI_3, 0.75f64.sqrt());
    while u > 1e-300 {
        let s = t - start;
        if s < 2.0 * u.atan() {
            return vec![s.cos() + u * s.sin() - 1.0, u * s.cos() - s.sin()];
        }
        (start, u) = (start + 2.0 * u.atan(), 0.5 * u);
    }
    vec![0.0, 0.0]
}

/// q'' = −2, e = ½: flights u s − s² that last u, from u = 1 at t = 1; at rest from t = 3.
pub fn ball(t: f64) -> Vec<f64> {
    if t < 1.0 {
        return vec![1.0 - t * t, -2.0 * t];
    }
    let (mut start, mut u) = (1.0, 1.0);
    while u > 1e-300 {
        let s = t - start;
        if s < u {
            return vec![u * s - s * s, u - 2.0 * s];
        }
        (start, u) = (start + u, 0.5 * u);
    }
    vec![0.0, 0.0]
}

pub const GRAVITY: f64 = 9.81;
pub const BOWL_RESTITUTION: f64 = 0.4;

/// The ball in the bowl y = x²/2: parabolic flights, impacts in closed form, then the bead on the wire by the classical
/// method of order four in x alone with steps of 0.1 ms.
pub struct Bowl {
    /// (t, x, y, vx, vy) at the start of each flight.
    flights: Vec<[f64; 5]>,
    /// End of the accumulation.
    rest: f64,
    /// (x, vx) every 0.1 ms from then on.
    slide: Vec<[f64; 2]>,
}

const BEAD_STEP: f64 = 1e-4;

impl Bowl {
    pub fn new() -> Self {
        let mut flights = Vec::new();
        let [mut t, mut x, mut y, mut vx, mut vy] = [0.0, -0.8, 1.5, 0.3, 0.0];
        loop {
            flights.push([t, x, y, vx, vy]);
            // y + vy s − g s²/2 − (x + vx s)²/2 = 0; flights begin on the wall, but for the first.
            let c = if flights.len() > 1 { 0.0 } else { y - 0.5 * x * x };
            let (b, a) = (vy - x * vx, -0.5 * (GRAVITY + vx * vx));
            let s = (-b - (b * b - 4.0 * a * c).sqrt()) / (2.0 * a);
            (t, x, vy) = (t + s, x + vx * s, vy - GRAVITY * s);
            y = 0.5 * x * x;
            let u = vy - x * vx;
            let p = -(1.0 + BOWL_RESTITUTION) * u / (1.0 + x * x);
            (vx, vy) = (vx - x * p, vy + p);
            if u.abs() < 1e-14 {
                break;
            }
        }
        let mut slide = vec![[x, (vx + x * vy) / (1.0 + x * x)]];
        while t + slide.len() as f64 * BEAD_STEP < 5.0 {
            slide.push(bead(slide[slide.len() - 1], BEAD_STEP));
        }
        Self { flights, rest: t, slide }
    }

    pub fn at(&self, t: f64) -> Vec<f64> {
        if t < self.rest {
            let [start, x, y, vx, vy] = *self.flights.iter().rev().find(|f| f[0] <= t).expect("t ≥ 0");
            let s = t - start;
            return vec![x + vx * s, y + vy * s - 0.5 * GRAVITY * s * s, vx, vy - GRAVITY * s];
        }
        let place = ((t - self.rest) / BEAD_STEP).floor();
        let [x, v] = bead(self.slide[place as usize], t - self.rest - place * BEAD_STEP);
        vec![x, 0.5 * x * x, v, x * v]
    }
}

/// One step of (1 + x²) x'' + x x'² + g x = 0.
fn bead([x, v]: [f64; 2], h: f64) -> [f64; 2] {
    let a = |x: f64, v: f64| -(x * v * v + GRAVITY * x) / (1.0 + x * x);
    let (k1, l1) = (v, a(x, v));
    let (k2, l2) = (v + 0.5 * h * l1, a(x + 0.5 * h * k1, v + 0.5 * h * l1));
    let (k3, l3) = (v + 0.5 * h * l2, a(x + 0.5 * h * k2, v + 0.5 * h * l2));
    let (k4, l4) = (v + h * l3, a(x + h * k3, v + h * l3));
    [x + h / 6.0 * (k1 + 2.0 * (k2 + k3) + k4), v + h / 6.0 * (l1 + 2.0 * (l2 + l3) + l4)]
}

pub const CHAIN_STIFFNESS: [[f64; 3]; 3] = [[3.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 2.0]];
pub const CHAIN_LOAD: [f64; 3] = [-2.0, -1.5, 0.6];
pub const CHAIN_RESTITUTION: f64 = 0.5;
pub const CHAIN_START: ([f64; 3], [f64; 3]) = ([0.0, 0.8, 0.9], [0.0, 0.0, 1.9]);
pub const CHAIN_END: f64 = 6.0;

/// State of the chain: time, q, v, and which of the first two masses sticks.
#[derive(Clone, Copy)]
struct Link {
    t: f64,
    q: [f64; 3],
    v: [f64; 3],
    stuck: [bool; 2],
}

/// The chain by Taylor series of order 24 from state to state, with events halved down to rounding.
pub struct Chain {
    known: Vec<Link>,
    pub impacts: usize,
    pub releases: usize,
}

/// Between two looks at the gaps [s].
const CHAIN_STEP: f64 = 0.01;

impl Chain {
    pub fn new(end: f64) -> Self {
        let (q, v) = CHAIN_START;
        let mut chain = Self { known: Vec::new(), impacts: 0, releases: 0 };
        let mut now = Link { t: 0.0, q, v, stuck: [true, false] };
        chain.known.push(now);
        while now.t < end {
            let next = now.ahead(CHAIN_STEP);
            if now.is_over(&next) {
                let (mut low, mut high) = (0.0, CHAIN_STEP);
                while low < 0.5 * (low + high) && 0.5 * (low + high) < high {
                    let middle = 0.5 * (low + high);
                    if now.is_over(&now.ahead(middle)) { high = middle } else { low = middle }
                }
                now = chain.event(now.ahead(high));
            } else {
                now = next;
            }
            chain.known.push(now);
        }
        chain
    }

    /// Impacts and releases at a state where something is over.
    fn event(&mut self, mut now: Link) -> Link {
        for i in 0..2 {
            if now.stuck[i] && now.force(i) > 0.0 {
                now.stuck[i] = false;
                self.releases += 1;
            } else if !now.stuck[i] && now.q[i] <= 0.0 && now.v[i] < 0.0 {
                now.q[i] = 0.0;
                now.v[i] *= -CHAIN_RESTITUTION;
                self.impacts += 1;
                if now.v[i] < 1e-15 {
                    (now.v[i], now.stuck[i]) = (0.0, true);
                }
            }
        }
        now
    }

    pub fn at(&self, t: f64) -> Vec<f64> {
        let place = self.known.partition_point(|link| link.t <= t);
        let known = self.known[place - 1];
        let there = known.ahead(t - known.t);
        [there.q, there.v].concat()
    }
}

impl Link {
    /// Force on mass `i` without its stop.
    fn force(&self, i: usize) -> f64 {
        CHAIN_LOAD[i] - (0..3).map(|j| CHAIN_STIFFNESS[i][j] * self.q[j]).sum::<f64>()
    }

    /// Whether an impact or a release lies between here and `next`.
    fn is_over(&self, next: &Link) -> bool {
        (0..2).any(
            |i| {
                if next.stuck[i] { next.force(i) > 0.0 } else { next.q[i] < 0.0 && next.v[i] < 0.0 }
            },
        )
    }

    /// Taylor series: c_{k+2} (k+1)(k+2) = (load δ_{k0} − K c_k) on the masses that move.
    fn ahead(&self, h: f64) -> Link {
        let mut c = [[0.0; 3]; 26];
        (c[0], c[1]) = (self.q, self.v);
        for k in 0..24 {
            for i in 0..3 {
                if i < 2 && self.stuck[i] {
                    continue;
                }
                let pull: f64 = (0..3).map(|j| CHAIN_STIFFNESS[i][j] * c[k][j]).sum();
                let load = if k == 0 { CHAIN_LOAD[i] } else { 0.0 };
                c[k + 2][i] = (load - pull) / ((k + 1) * (k + 2)) as f64;
            }
        }
        let mut next = Link { t: self.t + h, q: [0.0; 3], v: [0.0; 3], stuck: self.stuck };
        for i in 0..3 {
            for k in (0..26).rev() {
                next.q[i] = next.q[i] * h + c[k][i];
            }
            for k in (1..26).rev() {
                next.v[i] = next.v[i] * h + k as f64 * c[k][i];
            }
        }
        next
    }
}
