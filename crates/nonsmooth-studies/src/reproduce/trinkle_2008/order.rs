//! Order of Euler's methods: the error of one step, and of many.
//!
//! ```text
//! v̇ = 1 − v²,   v(0) = ½:    v = tanh(t + c),   q = ln(cosh(t + c)/cosh c),   c = ½ ln 3
//! ```

use crate::reproduce::paper::Section;
use crate::reproduce::schemes::Schemes;
use nonsmooth::analysis::Order;
use nonsmooth::laws::NewtonImpact;
use nonsmooth::model::Linear;
use nonsmooth::model::{At, Lagrangian, ModelBuilder, ModelError, UserError};
use nonsmooth::solvers::{Options, Sparse};
use nonsmooth::{Model, State};
use nonsmooth_draw::plot::{Figure, Item, Scale};
use std::sync::Arc;

const PLACE: &str = "order";

const EULER: [(&str, &str); 3] = [
    ("euler-explicit", "explicit"),
    ("euler-semi-implicit", "semi-implicit"),
    ("euler-implicit", "implicit"),
];

/// A unit mass under a unit force, with drag v².
struct Drag;

impl Lagrangian for Drag {
    fn mass(&self, _q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        out[0] = 1.0;
        Ok(())
    }
    fn internal(&self, _t: f64, _q: &[f64], v: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        out[0] = v[0] * v[0];
        Ok(())
    }
    fn external(&self, _t: f64, out: &mut [f64]) -> Result<(), UserError> {
        out[0] = 1.0;
        Ok(())
    }
    fn jacobians(&self, at: At<'_>, damping: &mut [f64], _: &mut [f64]) -> Result<(), UserError> {
        damping[0] = 2.0 * at.v[0];
        Ok(())
    }
}

fn falling() -> Result<(Arc<Model>, State), ModelError> {
    let mut builder = ModelBuilder::new();
    builder.lagrangian("mass", &["x"], Drag, &[0.0], &[0.5]);
    builder.build(0.0)
}

/// (q, v) at time t.
fn exact(t: f64) -> [f64; 2] {
    let c = 0.5f64.atanh();
    [((t + c).cosh() / c.cosh()).ln(), (t + c).tanh()]
}

/// Largest error of q and v at the nodes of `n` steps of size `h`.
fn error(schemes: &Schemes, name: &str, h: f64, n: u64) -> anyhow::Result<f64> {
    let run = schemes.run((name, &Options::default()), falling()?, h, n)?;
    let at = |k: usize| {
        let [q, v] = exact(run.t[k]);
        (run.q[k][0] - q).abs().max((run.v[k][0] - v).abs())
    };
    Ok((0..run.t.len()).map(at).fold(0.0, f64::max))
}

fn slope(points: &[(f64, f64)]) -> f64 {
    Order::fit(points.iter().copied(), 0.0).map_or(f64::NAN, |order| order.slope)
}

/// |v| after one step that begins a third of it before a plastic impact at unit speed; the exact velocity is 0.
fn after_impact(schemes: &Schemes, h: f64) -> anyhow::Result<f64> {
    let mut builder = ModelBuilder::new();
    let mass = Linear::new("mass", Sparse::diagonal(&[1.0])).initial(&[h / 3.0], &[-1.0]);
    let mass = builder.linear(mass);
    let law = builder.law("floor", NewtonImpact { restitution: 0.0 });
    builder.linear_gap("floor", law, &[(mass, 0, 1.0)], 0.0);
    let run = schemes.run(("stewart-trinkle", &Options::default()), builder.build(0.0)?, h, 1)?;
    Ok(run.v[1][0].abs())
}

/// Errors over step sizes: of one step, and the largest up to t = 2.
type Series = [Vec<(f64, f64)>; 2];

/// The errors of explicit and semi-implicit Euler; those of the implicit method lie on the first.
fn draw(series: &[Series], section: &mut Section) {
    let marked =
        |label: &str, points: &[(f64, f64)]| Item::Marked { label: label.into(), points: points.into() };
    // Half of the smallest error, so that the line is seen below it.
    let below = |order: i32, points: &[(f64, f64)]| {
        let line = |&(h, _): &(f64, f64)| (h, 0.5 * points[0].1 * (h / points[0].0).powi(order));
        Item::Dashed { label: format!("order {order}"), points: points.iter().map(line).collect() }
    };
    let [[one, all], [_, semi], ..] = series else { return };
    let items = vec![
        marked("semi-implicit, up to t = 2", semi),
        marked("explicit, up to t = 2", all),
        below(1, all),
        marked("explicit, one step", one),
        below(2, one),
    ];
    let figure = Figure {
        x_label: "step size h [s]".into(),
        y_label: "error".into(),
        x_scale: Scale::Log,
        y_scale: Scale::Log,
        items,
        ..Figure::default()
    };
    let caption = "Errors of Euler's methods; those of the implicit one, and of one semi-implicit step, lie on the explicit ones";
    section.figure("trinkle-2008-order", figure, caption);
}

/// Order p: the error of a single step is O(h^{1+p}).
pub(in crate::reproduce) fn one_step(schemes: &Schemes) -> anyhow::Result<Section> {
    let mut section = Section::new(
        "Order of Euler's methods",
        "A method has order p if a single step errs by O(h^{1+p}). Measured on v̇ = 1 − v², q̇ = v, a fall with drag that is known \
         in closed form: one step from t = 0, and the largest error on the way to t = 2. The definition is one for smooth \
         motion: a step that begins before an impact and ends after it may leave the velocity wrong by O(1).",
    );
    let sizes: Vec<f64> = (0..7).map(|k| 0.1 * 0.5f64.powi(k)).collect();
    let mut series = Vec::new();
    for (name, label) in EULER {
        let (mut one, mut all) = (Vec::new(), Vec::new());
        for &h in &sizes {
            one.push((h, error(schemes, name, h, 1)?));
            all.push((h, error(schemes, name, h, (2.0 / h).round() as u64)?));
        }
        section.close(
            PLACE,
            &format!("order of one step, {label} Euler: 1 + p"),
            slope(&one),
            2.0,
            (0.05, "the next term of the expansion is h times the first: 5 % at the coarsest step, less in the slope of seven"),
        );
        section.close(PLACE, &format!("order up to t = 2, {label} Euler: p"), slope(&all), 1.0, (0.05, "the next term of the expansion is h times the first: 5 % at the coarsest step, less in the slope of seven"));
        series.push([one, all]);
    }
    let impact =
        sizes.iter().map(|&h| after_impact(schemes, h)).collect::<anyhow::Result<Vec<f64>>>()?;
    let what =
        "|v| after one step of Stewart–Trinkle over an impact, for each h: a third, of order 0 [m/s]";
    let third = vec![1.0 / 3.0; sizes.len()];
    section.all_close(PLACE, what, &impact, &third, (1e-14, "rounding of h/3 over h"));
    draw(&series, &mut section);
    Ok(section)
}
