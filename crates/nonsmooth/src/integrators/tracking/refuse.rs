//! What the schemes that work with accelerations cannot honour, in words.

use super::form::lasting_set;
use crate::integrators::Refusal;
use crate::integrators::refusal::{gaps_only, mechanics, refuse_laws};
use crate::laws::Law;
use crate::model::Model;
use crate::model::rigid::ColliderRow;
use nonsmooth_solvers::Set;

/// Refuses options without meaning, families without smooth motion, relays and friction that is not Coulomb's, constraints of
/// velocities that do not always hold, prescribed velocities, and surfaces of many faces.
pub(crate) fn refuse_untracked(
    scheme: &'static str,
    model: &Model,
    idle: &[(&'static str, &'static str)],
) -> Result<(), Refusal> {
    if let Some(&(option, needs)) = idle.first() {
        return Err(Refusal::IdleOption { option, needs });
    }
    mechanics(scheme, model)?;
    if let Some(family) = model.systems.iter().find(|family| family.smooth().is_none()) {
        return Err(Refusal::Family { integrator: scheme, family: family.name() });
    }
    refuse_laws(model, |forms| forms.relay, |law| Refusal::Law { scheme, law })?;
    refuse_sets(scheme, model)?;
    gaps_only(scheme, model)?;
    if let Some(index) = model.systems.iter().find_map(|family| family.first_prescribed()) {
        let (system, coordinate) = model.velocity_name(index);
        return Err(Refusal::Prescribed { scheme, system, coordinate });
    }
    refuse_surfaces(scheme, model)
}

/// Refuses laws of friction whose set is not the cone of a disc: its sliding has more than one direction, or its rows are not slips.
pub(crate) fn refuse_sets(scheme: &'static str, model: &Model) -> Result<(), Refusal> {
    let is_cone = |law: &dyn Law, n: usize| {
        let set = lasting_set(law, &[0.0; 2][..n]);
        matches!((set, n), (Set::Coulomb2 { .. }, 1) | (Set::Coulomb3 { .. }, 2))
    };
    for (name, law) in model.laws_in_use().filter(|(_, law)| law.forms().friction) {
        if (1..=2).any(|n| law.dim(n) != Some(n + 1) || !is_cone(law, n)) {
            return Err(Refusal::Cone { scheme, law: name });
        }
    }
    Ok(())
}

/// Refuses surfaces of many faces where features of contacts change: at a seam a side that does not exist would be hit.
fn refuse_surfaces(scheme: &'static str, model: &Model) -> Result<(), Refusal> {
    let rough = |pair: &[&ColliderRow; 2]| pair.iter().any(|row| !row.is_convex());
    match model.rigid.changing_pairs().find(rough) {
        Some([a, b]) => {
            let surface = if a.is_convex() { b } else { a };
            let body = model.rigid.name(surface.on).to_owned();
            Err(Refusal::Surface { scheme, body })
        }
        None => Ok(()),
    }
}

/// Refuses contacts whose features change.
pub(crate) fn refuse_changes(model: &Model) -> Result<(), Refusal> {
    match model.rigid.changing_pairs().next() {
        Some([a, b]) => {
            let edged = if a.has_one_feature() { b } else { a };
            let body = model.rigid.name(edged.on).to_owned();
            Err(Refusal::Features { body })
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use crate::integrators::Integrator;
    use crate::laws::Coulomb;
    use crate::log::StepLog;
    use crate::model::rigid::{Body, Collider, KinematicBody, PosedShape};
    use crate::model::{ActiveConstraints, Coeffs, Model, ModelBuilder, State};
    use crate::part::Part;
    use crate::phases::{Mass, SolverSettings, detect, factorize_released, linearize};
    use nonsmooth_geometry::broad::Groups;
    use nonsmooth_geometry::planar::{Pose, Shape};
    use nonsmooth_solvers::Options;
    use std::sync::Arc;

    /// A rod of half length 1 and mass 1 at 1 rad to a rough floor, on which its tip, a tiny disc, slides.
    fn rod(friction: f64) -> (Arc<Model>, State) {
        let mut builder = ModelBuilder::new();
        builder.gravity([0.0, -9.81, 0.0]);
        let material = builder.material("stuff");
        let law = builder.law("rough", Coulomb { friction, ..Coulomb::default() });
        builder.default_pair(law);
        let floor = Collider::plane(Shape::half_plane([0.0, 1.0]).expect("a right shape"), material);
        builder.kinematic(KinematicBody::new("floor", vec![floor]));
        let tip = Shape::ball(1e-3).expect("a right shape");
        let posed = PosedShape::Plane(tip, Pose { position: [1.0, 0.0], angle: 0.0 });
        let (s, c) = 0.5f64.sin_cos();
        builder.body(Body {
            position: [0.0, 1f64.sin() + 1e-3, 0.0],
            rotation: [c, 0.0, 0.0, -s],
            velocity: [1.0, 0.0, 0.0],
            colliders: vec![Collider { posed, material, groups: Groups::ALL }],
            ..Body::planar("rod", 1.0, 1.0 / 3.0)
        });
        builder.build(0.0).expect("a right model")
    }

    /// Painlevé's rod: with friction −μ λ against the sliding, ÿ = (W_NN − μ |W_NT|) λ + b with both terms negative for large μ. No
    /// force λ ≥ 0 keeps the rod out of the floor: the problem at acceleration level has no solution.
    #[test]
    fn with_friction_accelerations_need_not_exist() {
        let (model, state) = rod(2.0);
        let (mut active, mut mass) = (ActiveConstraints::default(), Mass::default());
        let part = Part::whole(0.0, 0.0);
        let mut w = [[0.0; 2]; 2];
        model
            .at_state(&state, |at| {
                let implicit = crate::model::instant::Implicit::default();
                let pass = crate::model::instant::Pass {
                    now: *at,
                    mass: *at,
                    jacobian: *at,
                    end: *at,
                    implicit,
                };
                detect(&model, &part, at, crate::model::Activation::All, &mut active)?;
                linearize(&model, &part, &pass, &mut active)?;
                factorize_released(&model, &part, &pass, Coeffs::MASS, &mut mass)?;
                for (k, row) in w.iter_mut().enumerate() {
                    let mut x = vec![0.0; 3];
                    let unit = [f64::from(k == 0), f64::from(k == 1)];
                    active.jacobian.add_transposed(0, &unit, &mut x);
                    mass.groups().solve(&mut x, &mut Vec::new());
                    active.jacobian.dot(0, &x, row);
                }
                Ok(())
            })
            .expect("finite");
        let (free, slope) = (-9.81, w[0][0] - 2.0 * w[0][1].abs());
        assert!(slope < 0.0, "{w:?}");
        assert!((0..1000).all(|k| free + slope * f64::from(k) < 0.0));
    }

    /// Past its refusal a polygon of friction has no direction in which it slides: the rod on the rough floor moves as on ice.
    #[test]
    fn past_the_refusal_a_polygon_of_friction_does_not_brake() {
        for name in ["event-driven", "high-order", "splitting", "d1-minus"] {
            let mut builder = ModelBuilder::new();
            let block =
                crate::model::Linear::new("block", nonsmooth_solvers::Sparse::diagonal(&[1.0; 3]));
            let block =
                builder.linear(block.load(&[-9.81, 0.0, 0.0]).initial(&[0.0; 3], &[0.0, 1.0, 0.0]));
            let law = builder.law("rough", Coulomb { friction: 0.3, facets: 8, ..Coulomb::default() });
            let tangents: [&[_]; 2] = [&[(block, 1, 1.0)], &[(block, 2, 1.0)]];
            builder.linear_contact("floor", law, &[(block, 0, 1.0)], 0.0, &tangents);
            let (model, state) = builder.build(0.0).expect("a right model");
            let entry = crate::integrators::find(name).expect("it is listed");
            let made = entry.build(&Options::default(), SolverSettings::default());
            let mut scheme: Box<dyn Integrator> = made.expect("the options are valid");
            assert!(scheme.accepts(&model).is_err());
            let mut next = state.clone();
            let made = scheme.step(&model, &state, 0.01, &mut next, &mut StepLog::default());
            // d1-minus has the polygon in its impulses, which take half of the step.
            made.expect("the step is made");
            assert!(next.v[1] > 1.0 - 0.3 * 9.81 * 0.0051, "{name}: {:?}", next.v);
        }
    }
}
