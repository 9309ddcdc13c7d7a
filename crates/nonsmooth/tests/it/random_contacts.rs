//! Random systems with many contacts, more of them than freedoms at times: the schemes that resolve events go through,
//! nothing overlaps, joints hold and the ledger closes.

use crate::by_name::{built, run};
use crate::kit::{
    Bilateral, Built, EnergyLedger, Gap, Linear, NewtonImpact, Options, RunError, Sparse, StepError,
    Summary, UserError,
};

/// Numbers in [0, 1) from a seed.
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Self {
        let mut random = Self(seed * 7919 + 12345);
        (0..10).for_each(|_| {
            random.next();
        });
        random
    }

    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[(self.next() * of.len() as f64) as usize]
    }

    fn many(&mut self, n: usize, scale: f64, shift: f64) -> Vec<f64> {
        (0..n).map(|_| scale * self.next() + shift).collect()
    }
}

/// Up to six masses in a row on springs, pressed and driven, each with a floor, some with a ceiling, none passing
/// another.
fn stops(random: &mut Random) -> Built {
    let n = 1 + (6.0 * random.next()) as usize;
    let e = if random.next() < 0.2 { 0.0 } else { random.next() };
    built(|builder| {
        let (mut mass, mut stiffness) = (vec![vec![0.0; n]; n], vec![vec![0.0; n]; n]);
        for i in 0..n {
            stiffness[i][i] += 5.0 * random.next();
            mass[i][i] += 0.5 + random.next();
            if i > 0 {
                let (k, m) = (10.0 * random.next(), 0.2 * random.next() - 0.1);
                stiffness[i][i] += k;
                stiffness[i - 1][i - 1] += k;
                (stiffness[i][i - 1], stiffness[i - 1][i]) = (-k, -k);
                (mass[i][i - 1], mass[i - 1][i]) = (m, m);
            }
        }
        let (drive, w) = (random.many(n, 6.0, -3.0), 1.0 + 5.0 * random.next());
        let mut q: Vec<f64> = random.many(n, 0.5, 0.01);
        q.iter_mut().enumerate().for_each(|(i, q)| *q += 0.3 * i as f64);
        q.sort_by(f64::total_cmp);
        let row = Linear::new("row", Sparse::from_rows(&mass))
            .stiffness(Sparse::from_rows(&stiffness))
            .damping(Sparse::diagonal(&random.many(n, 0.1, 0.0)))
            .load(&random.many(n, -8.0, 0.0))
            .initial(&q, &random.many(n, 2.0, -1.0))
            .force(move |t, out| {
                out.iter_mut().zip(&drive).for_each(|(out, f)| *out = f * (w * t).sin());
                Ok(())
            });
        let row = builder.linear(row);
        let law = builder.law("rebound", NewtonImpact { restitution: e });
        for i in 0..n {
            builder.linear_gap(&format!("floor {i}"), law, &[(row, i, 1.0)], 0.0);
            if i > 0 {
                builder.linear_gap(&format!("pair {i}"), law, &[(row, i, 1.0), (row, i - 1, -1.0)], 0.0);
            }
            if random.next() < 0.5 {
                builder.linear_gap(&format!("ceiling {i}"), law, &[(row, i, -1.0)], 2.5);
            }
        }
    })
}

/// sign · (|a − b|² − l²).
struct Distance {
    length: f64,
    sign: f64,
}

impl Gap for Distance {
    fn gap(&self, _t: f64, q: &[f64]) -> Result<f64, UserError> {
        let (x, y) = (q[0] - q[2], q[1] - q[3]);
        Ok(self.sign * (x * x + y * y - self.length * self.length))
    }
    fn jacobian(&self, _t: f64, q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        let (x, y) = (2.0 * self.sign * (q[0] - q[2]), 2.0 * self.sign * (q[1] - q[3]));
        out.copy_from_slice(&[x, y, -x, -y]);
        Ok(())
    }
}

/// sign · (|q − c(t)| − r) about a centre that swings in x.
struct Ring {
    centre: f64,
    radius: f64,
    sign: f64,
    w: f64,
}

impl Ring {
    fn arm(&self, t: f64, q: &[f64]) -> [f64; 3] {
        let (x, y) = (q[0] - 0.2 * (self.w * t).sin(), q[1] - self.centre);
        [x, y, x.hypot(y)]
    }
}

impl Gap for Ring {
    fn gap(&self, t: f64, q: &[f64]) -> Result<f64, UserError> {
        Ok(self.sign * (self.arm(t, q)[2] - self.radius))
    }
    fn jacobian(&self, t: f64, q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        let [x, y, r] = self.arm(t, q);
        out.copy_from_slice(&[self.sign * x / r, self.sign * y / r]);
        Ok(())
    }
    fn rate(&self, t: f64, q: &[f64]) -> Result<f64, UserError> {
        let [x, _, r] = self.arm(t, q);
        Ok(-self.sign * x / r * 0.2 * self.w * (self.w * t).cos())
    }
}

/// Up to four points tied by rods and strings, falling into a bowl in which a ball swings.
fn points(random: &mut Random) -> Built {
    let n = 1 + (4.0 * random.next()) as usize;
    let e = if random.next() < 0.3 { 0.0 } else { random.next() };
    built(|builder| {
        let joint = builder.law("rod", Bilateral);
        let law = builder.law("rebound", NewtonImpact { restitution: e });
        let (mut last, mut q) = (None, [0.2 * random.next(), 1.0]);
        for i in 0..n {
            let m = 0.5 + random.next();
            if i > 0 {
                let (s, c) = (std::f64::consts::TAU * random.next()).sin_cos();
                q = [q[0] + 0.4 * c, q[1] + 0.4 * s];
            }
            let point = Linear::new(&format!("point {i}"), Sparse::diagonal(&[m, m]));
            let point = builder.linear(point.load(&[0.0, -9.81 * m]).initial(&q, &[0.0; 2]));
            if let Some(last) = last {
                let on = [(point, 0), (point, 1), (last, 0), (last, 1)];
                if random.next() < 0.5 {
                    builder.gap(&format!("rod {i}"), joint, &on, Distance { length: 0.4, sign: 1.0 });
                } else {
                    builder.gap(&format!("string {i}"), law, &on, Distance { length: 0.5, sign: -1.0 });
                }
            }
            let on = [(point, 0), (point, 1)];
            let bowl = Ring { centre: 1.0, radius: 2.0, sign: -1.0, w: 0.0 };
            builder.gap(&format!("bowl {i}"), law, &on, bowl);
            if random.next() < 0.4 {
                let ball = Ring { centre: -0.3, radius: 0.3, sign: 1.0, w: 4.0 * random.next() };
                builder.gap(&format!("ball {i}"), law, &on, ball);
            }
            last = Some(point);
        }
        builder.allow_initial_violation();
    })
}

/// Runs 300 steps; `None` if an accumulation was refused.
fn go(made: Built, scheme: &str, method: &str, h: f64) -> Option<(Summary, EnergyLedger)> {
    let options = Options::default().with_word("method", method);
    let mut simulation = run(made, scheme, &options, h);
    let (mut ledger, mut summary) = (EnergyLedger::default(), Summary::default());
    match simulation.run(300, &mut [&mut ledger, &mut summary]) {
        Ok(()) => Some((summary, ledger)),
        Err(RunError::Step { source: StepError::Accumulation { .. }, .. }) => None,
        Err(error) => panic!("{scheme}, {method}, h = {h}: {error}"),
    }
}

#[test]
fn rows_of_masses_between_stops() {
    let mut refused = 0;
    for seed in 1..=150 {
        let mut random = Random::new(seed);
        let made = stops(&mut random);
        let method = random.pick(&["dormand-prince", "rk4", "gauss4", "gauss6", "radau5"]);
        let scheme = random.pick(&["high-order", "high-order", "event-driven"]);
        let Some((summary, ledger)) = go(made, scheme, method, 0.01 + 0.03 * random.next()) else {
            refused += 1;
            continue;
        };
        // Overlap: rounding of coordinates of 2.5 m. Remainder: order 4 at ω h ≤ 0.3, energies of 10 J.
        assert!(summary.penetration < 1e-14, "seed {seed}: overlap {:.1e}", summary.penetration);
        assert!(ledger.remainder.abs() < 1e-3, "seed {seed}: remainder {:.1e}", ledger.remainder);
    }
    eprintln!("{refused} accumulations were refused");
    assert!(refused > 10 && refused < 60);
}

#[test]
fn points_on_rods_and_strings_in_a_bowl() {
    let mut refused = 0;
    for seed in 1..=100 {
        let mut random = Random::new(seed);
        let made = points(&mut random);
        let method = random.pick(&["dormand-prince", "rk4", "gauss6", "radau5"]);
        let scheme = random.pick(&["high-order", "high-order", "event-driven"]);
        let Some((summary, ledger)) = go(made, scheme, method, 0.002 + 0.006 * random.next()) else {
            refused += 1;
            continue;
        };
        // Rounding of squares of coordinates up to 3 m. Remainder: chains of short rods whip at 30 rad/s.
        assert!(summary.penetration < 1e-13, "seed {seed}: overlap {:.1e}", summary.penetration);
        assert!(ledger.remainder.abs() < 1e-2, "seed {seed}: remainder {:.1e}", ledger.remainder);
    }
    eprintln!("{refused} accumulations were refused");
    assert!(refused > 5 && refused < 40);
}

#[test]
fn a_falling_column_comes_to_rest_after_thousands_of_impacts() {
    for e in [0.0, 0.6, 0.9] {
        let made = built(|builder| {
            let law = builder.law("rebound", NewtonImpact { restitution: e });
            let mut below = None;
            for i in 0..5 {
                let start = [0.3 + 0.25 * f64::from(i)];
                let bead = Linear::new(&format!("bead {i}"), Sparse::diagonal(&[1.0])).load(&[-9.81]);
                let bead = builder.linear(bead.initial(&start, &[0.0]));
                match below {
                    None => builder.linear_gap("floor", law, &[(bead, 0, 1.0)], -0.1),
                    Some(below) => {
                        let name = format!("under bead {i}");
                        builder.linear_gap(&name, law, &[(bead, 0, 1.0), (below, 0, -1.0)], -0.2);
                    }
                }
                below = Some(bead);
            }
        });
        let mut simulation = run(made, "high-order", &Options::default(), 0.01);
        let (mut ledger, mut summary) = (EnergyLedger::default(), Summary::default());
        simulation.run(300, &mut [&mut ledger, &mut summary]).expect("the run goes on");
        eprintln!("e = {e}: {} impacts", summary.impacts);
        assert!(simulation.state.v.iter().all(|v| *v == 0.0));
        // The column ends at 0.1, 0.3, …; all its energy went into impacts, up to rounding at each.
        for (i, q) in simulation.state.q.iter().enumerate() {
            assert!((q - 0.1 - 0.2 * i as f64).abs() < 1e-15, "bead {i} at {q}");
        }
        assert!(ledger.remainder.abs() < 1e-12 && summary.penetration < 1e-15);
    }
}
