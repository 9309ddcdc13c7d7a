//! Residuals of a boundary value problem and their derivatives.
//!
//! ```text
//! Γ_k = end_k(x_T) − start_k(x_0),     x_T ⊖ s_i = 0 at the ends of parts,     unknowns: values, and the states s_i at nodes
//! ```

use crate::command::Failure;
use crate::derivatives::{Subject, Target};
use nonsmooth::integrators::flow::{
    Direction, Flow, FlowError, FlowSettings, Neighbours, Quantity, Varied, all_directions,
    flow_with_derivative,
};
use nonsmooth::{Model, State};
use nonsmooth_scene::{Bvp, Loaded};
use std::cell::RefCell;

/// Difference between the end of a part and its node that counts as none, relative to the largest coordinate or velocity.
const JOINED: f64 = 1e-9;
/// Change by which differences of poses are differentiated, relative to the change.
const TURN: f64 = 1e-5;

/// An unknown of the problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Unknown {
    Target(Target),
    /// The final time.
    End,
}

/// Where the iteration is.
#[derive(Clone)]
pub(super) struct Iterate {
    /// Values of the unknowns.
    pub(super) values: Vec<f64>,
    /// States at the inner nodes.
    pub(super) nodes: Vec<State>,
}

/// What was found at an iterate.
pub(super) struct Residual {
    /// Γ, then what the parts miss, each over its tolerance.
    pub(super) scaled: Vec<f64>,
    /// Γ.
    pub(super) conditions: Vec<f64>,
    /// ∂scaled/∂(values, nodes), by rows; empty if not asked for.
    pub(super) jacobian: Vec<f64>,
    pub(super) flows: Vec<Flow>,
}

impl Residual {
    /// Largest residual, in tolerances.
    pub(super) fn size(&self) -> f64 {
        let larger = |m: f64, x: &f64| if x.is_nan() { f64::INFINITY } else { m.max(x.abs()) };
        self.scaled.iter().fold(0.0, larger)
    }
}

/// Why there is no residual.
pub(super) enum Trouble {
    Input(Failure),
    Flow(FlowError),
    /// The final time comes before the last node.
    Short,
}

/// The problem.
pub(super) struct Shooting<'a> {
    pub(super) subject: &'a Subject,
    pub(super) bvp: &'a Bvp,
    pub(super) unknowns: Vec<Unknown>,
    /// Times of the inner nodes [s].
    pub(super) times: Vec<f64>,
    pub(super) settings: FlowSettings,
}

impl Shooting<'_> {
    /// The final time at an iterate [s].
    pub(super) fn end(&self, values: &[f64]) -> f64 {
        let place = self.unknowns.iter().position(|unknown| *unknown == Unknown::End);
        place.map_or(self.subject.end(), |place| values[place])
    }

    /// What the scene is at an iterate.
    pub(super) fn point(&self, values: &[f64]) -> Vec<(Target, f64)> {
        let targets = self.unknowns.iter().zip(values).filter_map(|(unknown, value)| match unknown {
            Unknown::Target(target) => Some((target.clone(), *value)),
            Unknown::End => None,
        });
        targets.collect()
    }

    /// Number of residuals, and of unknowns with the nodes.
    pub(super) fn n(&self) -> usize {
        self.unknowns.len() + self.times.len() * 2 * self.subject.model().n_velocities()
    }

    /// Residuals at an iterate; with their derivatives if asked for.
    pub(super) fn residual(&self, at: &Iterate, derives: bool) -> Result<Residual, Trouble> {
        let scenes: RefCell<Vec<Loaded>> = RefCell::default();
        let point = self.point(&at.values);
        let targets: Vec<&Target> = point.iter().map(|(target, _)| target).collect();
        let wanted = if derives { &targets[..] } else { &[] };
        let varied = self.subject.varied(&point, wanted, |loaded| scenes.borrow_mut().push(loaded));
        let varied = varied.map_err(Trouble::Input)?;
        let scenes = scenes.into_inner();
        // A condition may name parameters: it is that of the scene whose model it is asked for.
        let side = |k: usize, is_end: bool| {
            let scenes = &scenes;
            move |model: &Model, state: &State| {
                let is_own = |loaded: &&Loaded| loaded.simulation.model.id() == model.id();
                let own = scenes.iter().find(is_own).and_then(|loaded| loaded.bvp.as_ref());
                let condition = &own.expect("every model was built from the scene").conditions[k];
                let value = model.at_state(state, |at| {
                    Ok(if is_end { condition.end(at) } else { condition.start(at) })
                })?;
                Ok(value)
            }
        };
        let n = self.bvp.conditions.len();
        let sides: Vec<_> = (0..2 * n).map(|k| side(k / 2, k % 2 == 0)).collect();
        let quantities: Vec<Quantity<'_>> = sides.iter().map(|side| side as Quantity<'_>).collect();
        let flows = self.flows((&varied, &point), at, derives, &quantities)?;
        Ok(self.assemble(at, flows, derives))
    }

    /// The motion over all parts.
    fn flows(
        &self,
        (varied, point): (&Varied, &[(Target, f64)]),
        at: &Iterate,
        derives: bool,
        quantities: &[Quantity<'_>],
    ) -> Result<Vec<Flow>, Trouble> {
        let end = self.end(&at.values);
        if self.times.last().is_some_and(|last| !(*last < end)) {
            return Err(Trouble::Short);
        }
        let mut flows = Vec::new();
        for part in 0..=at.nodes.len() {
            let until = self.times.get(part).copied().unwrap_or(end);
            let own;
            let varied = if part == 0 {
                varied
            } else {
                own = at_node(varied, point, &at.nodes[part - 1], derives);
                &own
            };
            flows.push(
                flow_with_derivative(varied, until, &self.settings, quantities)
                    .map_err(Trouble::Flow)?,
            );
        }
        Ok(flows)
    }

    /// Residuals and derivatives from the flows of the parts.
    fn assemble(&self, at: &Iterate, flows: Vec<Flow>, derives: bool) -> Residual {
        let model = self.subject.model();
        let (n, size) = (self.unknowns.len(), self.n());
        let m = 2 * model.n_velocities();
        let mut residual =
            Residual { scaled: Vec::new(), conditions: Vec::new(), jacobian: Vec::new(), flows };
        let flows = &residual.flows;
        let (first, last) = (&flows[0], &flows[flows.len() - 1]);
        let mut rows = vec![vec![0.0; size]; if derives { size } else { 0 }];
        // Columns of the values in the directions of a flow; the final time is no direction.
        let mut place = 0;
        let directions: Vec<Option<usize>> = self
            .unknowns
            .iter()
            .map(|unknown| match unknown {
                Unknown::End => None,
                Unknown::Target(_) => {
                    place += 1;
                    Some(place - 1)
                }
            })
            .collect();
        for (k, condition) in self.bvp.conditions.iter().enumerate() {
            let (right, left) = (&first.extremes[2 * k + 1].first, &last.extremes[2 * k]);
            let gamma = left.last.value - right.value;
            residual.conditions.push(gamma);
            residual.scaled.push(gamma / condition.tolerance);
            if let Some(row) = rows.get_mut(k) {
                for (j, direction) in directions.iter().enumerate() {
                    row[j] = match direction {
                        Some(d) => left.last.d[*d] - right.d[*d],
                        None => left.rate,
                    };
                }
                let of_node = &left.last.d[place.min(left.last.d.len())..];
                if flows.len() > 1 {
                    row[size - m..].copy_from_slice(of_node);
                }
                row.iter_mut().for_each(|x| *x /= condition.tolerance);
            }
        }
        for (part, node) in at.nodes.iter().enumerate() {
            let flow = &flows[part];
            let tolerance = JOINED * largest(node);
            let missed = apart(model, node, &flow.state.q, &flow.state.v);
            residual.scaled.extend(missed.iter().map(|x| x / tolerance));
            if !derives {
                continue;
            }
            let first_row = n + part * m;
            let mut set = |column: usize, x: &[f64]| {
                let moved = change_apart(model, node, &flow.state, x);
                for (row, x) in rows[first_row..first_row + m].iter_mut().zip(moved) {
                    row[column] = x / tolerance;
                }
            };
            for (j, direction) in directions.iter().enumerate() {
                if let Some(d) = direction {
                    set(j, &flow.d_state[*d]);
                }
            }
            for (j, x) in flow.d_state[place..].iter().enumerate() {
                set(n + (part - 1) * m + j, x);
            }
            for k in 0..m {
                rows[first_row + k][first_row + k] = -1.0 / tolerance;
            }
        }
        residual.jacobian = rows.concat();
        residual
    }

    /// The iterate moved by a change of values and nodes, within the bounds; and the unknown that is held by one.
    pub(super) fn advanced(&self, at: &Iterate, change: &[f64], share: f64) -> (Iterate, Option<usize>) {
        let model = self.subject.model();
        let (mut next, mut held) = (at.clone(), None);
        for (k, (value, unknown)) in next.values.iter_mut().zip(&self.bvp.unknowns).enumerate() {
            let wanted = *value + share * change[k];
            *value = wanted.clamp(unknown.bounds[0], unknown.bounds[1]);
            if *value != wanted {
                held = Some(k);
            }
        }
        let n = model.n_velocities();
        for (node, change) in next.nodes.iter_mut().zip(change[self.unknowns.len()..].chunks(2 * n)) {
            let step: Vec<f64> = change[..n].iter().map(|x| share * x).collect();
            let q = node.q.clone();
            model.retract(&q, &step, &mut node.q);
            node.v.iter_mut().zip(&change[n..]).for_each(|(v, x)| *v += share * x);
        }
        (next, held)
    }
}

/// The scene from a node on: its directions are those of the values, without what they change of the initial state, and all of the node.
fn at_node(varied: &Varied, point: &[(Target, f64)], node: &State, derives: bool) -> Varied {
    let model = varied.model.clone();
    let n = model.n_velocities();
    let mut directions = Vec::new();
    for ((target, _), direction) in point.iter().zip(&varied.directions) {
        directions.push(match direction {
            Direction::Parameter(near) => {
                let at = near.at.clone().map(|(model, state)| {
                    let (presence, inputs) = (node.presence.clone(), state.inputs);
                    (model, State { presence, inputs, ..node.clone() })
                });
                Direction::Parameter(Box::new(Neighbours {
                    name: near.name.clone(),
                    step: near.step,
                    at,
                }))
            }
            _ => {
                let (position, velocity) = (vec![0.0; n], vec![0.0; n]);
                let name = target.name().to_owned();
                let tangent = nonsmooth::integrators::flow::Tangent { name, position, velocity };
                Direction::Tangent(Box::new(tangent))
            }
        });
    }
    if derives {
        directions.extend(all_directions(&model));
    }
    Varied { model, state: node.clone(), directions }
}

fn largest(state: &State) -> f64 {
    let all = state.q.iter().chain(&state.v);
    all.fold(1.0f64, |m, x| m.max(x.abs()))
}

/// How far an end is from a node, as changes of velocities times a time, then of velocities.
fn apart(model: &Model, node: &State, q: &[f64], v: &[f64]) -> Vec<f64> {
    let n = model.n_velocities();
    let mut out = vec![0.0; 2 * n];
    model.difference(&node.q, q, &mut out[..n]);
    for (out, (v, own)) in out[n..].iter_mut().zip(v.iter().zip(&node.v)) {
        *out = v - own;
    }
    out
}

/// Its change with a change `x` of the end.
fn change_apart(model: &Model, node: &State, end: &State, x: &[f64]) -> Vec<f64> {
    let size = x.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    if size == 0.0 {
        return vec![0.0; 2 * model.n_velocities()];
    }
    let epsilon = TURN / size;
    let moved = |sign: f64| {
        let n = end.q.len();
        let mut q = end.q.clone();
        q.iter_mut().zip(x).for_each(|(q, x)| *q += sign * epsilon * x);
        model.normalize(&mut q);
        let v: Vec<f64> = end.v.iter().zip(&x[n..]).map(|(v, x)| v + sign * epsilon * x).collect();
        apart(model, node, &q, &v)
    };
    let (before, after) = (moved(-1.0), moved(1.0));
    before.iter().zip(&after).map(|(a, b)| (b - a) / (2.0 * epsilon)).collect()
}
