//! What a run is compared with: an exact solution, or a run with much smaller steps.
//!
//! The exact solution is evaluated at the nodes, and for its graph at four times as many places and on both sides
//! of every jump, with straight lines in between.
//!
//! A run is known at its own nodes only. In a step without impact q is the cubic that has q and v of both nodes,
//! and v its derivative, wrong by O(h⁴) and O(h³). In a step with an impact at time t_e, both are continued with
//! constant velocity, from the left node before t_e and from the right node after it, wrong by O(h²) and O(h);
//! a scheme that does not look inside its steps has t_e at their end. Where q̇ = v does not hold place by place
//! (quaternions), lines take the place of the cubics.

use super::super::exact::{Exact, Motion};
use super::super::graph::{Graph, GraphError};
use super::super::hausdorff::hausdorff;
use super::super::norms::{deviations, l1, lp, maximum};
use super::{Errors, Places, Record, Run};
use std::borrow::Cow;

/// The graphs of q and of v.
type Graphs = [Result<Graph, GraphError>; 2];

/// Places of the graph of an exact solution per step of the run.
const SAMPLES: usize = 4;

/// The motion that runs are compared with, made once for any number of them.
pub struct Known<'a>(Source<'a>);

enum Source<'a> {
    Exact { exact: &'a dyn Exact, places: &'a Places },
    Run { run: Box<Record>, graphs: Graphs },
}

impl<'a> Known<'a> {
    /// An exact solution, at the places of the runs.
    pub fn exact(exact: &'a dyn Exact, places: &'a Places) -> Self {
        Known(Source::Exact { exact, places })
    }

    /// A run with small steps, recorded at the same places as the others.
    pub fn run(run: Record) -> Self {
        let graphs = run_graphs(&run);
        Known(Source::Run { run: Box::new(run), graphs })
    }

    /// The errors of a run.
    pub fn compare(&self, run: &Record) -> Run {
        let h = run.step_size;
        let (mut q, mut v) = (Vec::with_capacity(run.q.len()), Vec::with_capacity(run.v.len()));
        for &t in &run.t {
            self.at(t, &mut q, &mut v);
        }
        assert!(q.len() == run.q.len() && v.len() == run.v.len(), "recorded at other places");
        let graphs = self.graphs(run);
        let far_q = distance(Graph::interpolated(&run.t, &run.q), &graphs[0]);
        let far_v = distance(Graph::steps(&run.t, &run.v), &graphs[1]);
        let nodes = run.t.len();
        let (q, v) = (errors(h, &run.q, &q, nodes, far_q), errors(h, &run.v, &v, nodes, far_v));
        Run { step_size: h, q, v, work: run.work }
    }

    /// Appends the right limits of q and v at time `t`.
    fn at(&self, t: f64, q: &mut Vec<f64>, v: &mut Vec<f64>) {
        match &self.0 {
            Source::Exact { exact, places } => choose(&exact.at(t), places, q, v),
            Source::Run { run, .. } => run.at(t, q, v),
        }
    }

    /// The graphs of q and v, fine enough to be compared with `run`.
    fn graphs(&self, run: &Record) -> Cow<'_, Graphs> {
        match &self.0 {
            Source::Exact { exact, places } => Cow::Owned(exact_graphs(*exact, places, run)),
            Source::Run { graphs, .. } => Cow::Borrowed(graphs),
        }
    }
}

fn distance(ours: Result<Graph, GraphError>, known: &Result<Graph, GraphError>) -> f64 {
    match (ours, known) {
        (Ok(ours), Ok(known)) => hausdorff(&ours, known),
        _ => f64::NAN,
    }
}

fn errors(h: f64, ours: &[f64], known: &[f64], nodes: usize, hausdorff: f64) -> Errors {
    let far = deviations(ours, known, ours.len() / nodes);
    Errors { l1: l1(h, far.clone()), l2: lp(h, 2.0, far.clone()), maximum: maximum(far), hausdorff }
}

fn choose(motion: &Motion, places: &Places, q: &mut Vec<f64>, v: &mut Vec<f64>) {
    q.extend(places.q.iter().map(|&i| motion.q[i]));
    v.extend(places.v.iter().map(|&i| motion.v[i]));
}

fn exact_graphs(exact: &dyn Exact, places: &Places, run: &Record) -> Graphs {
    let (start, end) = (run.t[0], run.t[run.t.len() - 1]);
    let n = SAMPLES * (run.t.len() - 1);
    let place = |k: usize| start + (end - start) * k as f64 / n as f64;
    let mut times: Vec<f64> = (0..=n).map(place).collect();
    times.extend(exact.jumps(end).into_iter().filter(|&t| t >= start));
    times.sort_by(f64::total_cmp);
    times.dedup();
    let (mut q, mut left, mut right) = (Vec::new(), Vec::new(), Vec::new());
    for &t in &times {
        let before = exact.before(t);
        left.extend(places.v.iter().map(|&i| before.v[i]));
        choose(&exact.at(t), places, &mut q, &mut right);
    }
    [Graph::interpolated(&times, &q), Graph::from_nodes(&times, &left, &right)]
}

fn run_graphs(run: &Record) -> Graphs {
    let (mut t, mut q, mut left, mut right) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut impacts = run.impacts.iter().peekable();
    for node in 0..run.t.len() {
        if let Some((_, impact)) = impacts.next_if(|(after, _)| *after == node) {
            // Before the impact v is that of the last node, after it that of this one.
            t.push(*impact);
            run.at_impact(node, *impact, &mut q);
            left.extend_from_slice(run.row(&run.v, node - 1));
            right.extend_from_slice(run.row(&run.v, node));
        }
        t.push(run.t[node]);
        q.extend_from_slice(run.row(&run.q, node));
        left.extend_from_slice(run.row(&run.v, node));
        right.extend_from_slice(run.row(&run.v, node));
    }
    [Graph::interpolated(&t, &q), Graph::from_nodes(&t, &left, &right)]
}

impl Record {
    /// The values of a node.
    fn row<'a>(&self, x: &'a [f64], node: usize) -> &'a [f64] {
        let width = x.len() / self.t.len();
        &x[node * width..(node + 1) * width]
    }

    /// Appends q at the impact in the step that ends at `node`.
    fn at_impact(&self, node: usize, t: f64, q: &mut Vec<f64>) {
        let (now, then) = (self.row(&self.q, node), self.t[node] - t);
        if self.is_paired {
            q.extend(now.iter().zip(self.row(&self.v, node)).map(|(q, v)| q - then * v));
        } else {
            q.extend_from_slice(now);
        }
    }

    /// Appends q and v at time `t`, interpolated.
    fn at(&self, t: f64, q: &mut Vec<f64>, v: &mut Vec<f64>) {
        let last = self.t.len() - 1;
        let node = self.t.partition_point(|&node| node <= t).clamp(1, last);
        let [t0, t1] = [self.t[node - 1], self.t[node]];
        let impact = self.impacts.binary_search_by_key(&node, |(after, _)| *after);
        let (q0, q1) = (self.row(&self.q, node - 1), self.row(&self.q, node));
        let (v0, v1) = (self.row(&self.v, node - 1), self.row(&self.v, node));
        let (h, s) = (t1 - t0, ((t - t0) / (t1 - t0)).clamp(0.0, 1.0));
        let blend = |a: &[f64], b: &[f64], out: &mut Vec<f64>| {
            out.extend(a.iter().zip(b).map(|(a, b)| (1.0 - s) * a + s * b));
        };
        match impact {
            Ok(i) => {
                let is_past = self.impacts[i].1 <= t;
                let (from, x, u) = if is_past { (t1, q1, v1) } else { (t0, q0, v0) };
                v.extend_from_slice(u);
                if self.is_paired {
                    q.extend(x.iter().zip(u).map(|(x, u)| x + (t - from) * u));
                } else {
                    blend(q0, q1, q);
                }
            }
            Err(_) if self.is_paired => {
                for k in 0..q0.len() {
                    let (x, u) = cubic([q0[k], q1[k]], [v0[k], v1[k]], h, s);
                    q.push(x);
                    v.push(u);
                }
            }
            Err(_) => {
                blend(q0, q1, q);
                blend(v0, v1, v);
            }
        }
    }
}

/// The cubic with values q and slopes v at the ends of [0, h], and its slope, at s h.
fn cubic([q0, q1]: [f64; 2], [v0, v1]: [f64; 2], h: f64, s: f64) -> (f64, f64) {
    let (r, rise) = (1.0 - s, q1 - q0);
    let bend = r * (h * v0 - rise) + s * (rise - h * v1);
    // A line each, and what bends it: exact at the ends.
    let q = r * q0 + s * q1 + s * r * bend;
    let v = r * v0 + s * v1 + 6.0 * s * r * (rise / h - 0.5 * (v0 + v1));
    (q, v)
}

#[cfg(test)]
mod tests {
    use super::cubic;

    #[test]
    fn a_cubic_is_itself() {
        let (x, u) =
            (|t: f64| 1.0 + t * (2.0 - t * (3.0 - 0.5 * t)), |t: f64| 2.0 - t * (6.0 - 1.5 * t));
        let (from, h) = (0.3, 0.7);
        for s in [0.0, 0.2, 0.5, 0.9, 1.0] {
            let (q, v) = cubic([x(from), x(from + h)], [u(from), u(from + h)], h, s);
            // Rounding.
            assert!((q - x(from + s * h)).abs() < 1e-15 && (v - u(from + s * h)).abs() < 1e-14, "{s}");
        }
    }
}
