//! Why an integrator cannot honour a model, in words, and the questions from which refusals are written.

use crate::laws::{Forms, Law};
use crate::model::constraints::Column;
use crate::model::systems::DENSE_LIMIT;
use crate::model::{ConstraintId, Model};
use nonsmooth_solvers::OptionError;
use thiserror::Error;

fn in_words(errors: &[OptionError]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

/// Why an integrator cannot honour a model.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum Refusal {
    /// A family of systems has not the motion that the scheme needs.
    #[error("`{integrator}` does not take {family}; use moreau-jean")]
    Family {
        /// Name of the integrator.
        integrator: &'static str,
        /// The family.
        family: &'static str,
    },
    /// The scheme treats stiffness explicitly, and the model is a mesh.
    #[error(
        "`{integrator}` treats stiffness explicitly and does not take linear systems whose stiffness couples more than {DENSE_LIMIT} coordinates (finite elements): their stiffest cell would bound the step; use moreau-jean or generalized-alpha"
    )]
    Meshed {
        /// Name of the integrator.
        integrator: &'static str,
    },
    /// The scheme is for mechanics alone.
    #[error("`{integrator}` is for mechanics and does not take {what}; use euler-moreau")]
    FirstOrder {
        /// Name of the integrator.
        integrator: &'static str,
        /// First-order systems, a relation or a coupling.
        what: String,
    },
    /// The scheme has no rebound.
    #[error(
        "`{integrator}` leaves no rebound and cannot honour the restitution of law `{law}`; use restitution 0 or another integrator, moreau-jean for one"
    )]
    Rebound {
        /// Name of the integrator.
        integrator: &'static str,
        /// Name of the law.
        law: String,
    },
    /// The scheme has no place for forces that depend on the gap.
    #[error(
        "`{integrator}` cannot honour law `{law}`, whose force depends on the gap; use `moreau-jean` or `moreau-adaptive` at velocity level with theta > 0"
    )]
    Elastic {
        /// Name of the integrator.
        integrator: &'static str,
        /// Name of the law.
        law: String,
    },
    /// The scheme has no rows of rolling for contact points of bodies.
    #[error(
        "`{integrator}` has no rows of rolling for contacts of bodies and cannot honour law `{law}`; use `moreau-jean` or `moreau-adaptive`, or coulomb"
    )]
    Rolls {
        /// Name of the integrator.
        integrator: &'static str,
        /// Name of the law.
        law: String,
    },
    /// The scheme resolves no impacts, and the law has no form for a step.
    #[error(
        "`{integrator}` does not resolve impacts and cannot honour law `{law}`, which acts at an instant; use newton-impact or coulomb, or kick-drift or moreau-jean"
    )]
    Phases {
        /// Name of the integrator.
        integrator: &'static str,
        /// Name of the law.
        law: String,
    },
    /// The scheme knows no friction, nor any law but those of frictionless contacts and joints.
    #[error(
        "`{integrator}` is for frictionless contacts and joints and cannot honour law `{law}`; use newton-impact or bilateral laws, or moreau-jean"
    )]
    Frictionless {
        /// Name of the integrator.
        integrator: &'static str,
        /// Name of the law.
        law: String,
    },
    /// The scheme has one coefficient of restitution for all contacts.
    #[error(
        "`{integrator}` has one restitution for all contacts: law `{first}` has {e_first}, `{second}` has {e_second}; make them equal, or use moreau-jean"
    )]
    OneRestitution {
        /// Name of the integrator.
        integrator: &'static str,
        /// A law.
        first: String,
        /// Its restitution [–].
        e_first: f64,
        /// A law that differs.
        second: String,
        /// Its restitution [–].
        e_second: f64,
    },
    /// The scheme holds constraints of velocities at all times, or not at all.
    #[error(
        "`{integrator}` takes constraints of velocities that always hold, not `{constraint}`, whose law may open it; use bilateral, or moreau-jean"
    )]
    GapsOnly {
        /// Name of the integrator.
        integrator: &'static str,
        /// Name of the constraint.
        constraint: String,
    },
    /// The scheme keeps an energy that the model does not have.
    #[error(
        "`{integrator}` keeps the energy of linear systems with constant M, K and load and of bodies under gravity and cannot honour the {what} `{name}`; take it out, or use moreau-jean"
    )]
    NotConservative {
        /// Name of the integrator.
        integrator: &'static str,
        /// What does not keep the energy.
        what: &'static str,
        /// Name of the system or constraint.
        name: String,
    },
    /// The scheme corrects coordinates without contact, and there are none.
    #[error(
        "`{integrator}` gives energy to coordinates without contact, but a closed `{constraint}` leaves none; use moreau-jean with restitution 1"
    )]
    NoFreeDirection {
        /// Name of the integrator.
        integrator: &'static str,
        /// Name of the constraint.
        constraint: String,
    },
    /// The scheme integrates free motion and constraints of velocities only.
    #[error(
        "`{integrator}` integrates free motion and constraints of velocities and cannot honour constraint `{constraint}`; take the constraint out, or use moreau-jean"
    )]
    FreeMotionOnly {
        /// Name of the integrator.
        integrator: &'static str,
        /// Name of the first constraint.
        constraint: String,
    },
    /// An option has no meaning at position level.
    #[error(
        "integrator.level = \"position\" cannot honour `{option}`: every constraint takes part, J is taken at the end of the step; leave it out"
    )]
    IgnoredAtPositionLevel {
        /// The option that was given.
        option: &'static str,
    },
    /// The smallest inner step is larger than the largest.
    #[error("integrator.h_min = {h_min} must not be larger than h_max = {h_max}")]
    StepBounds {
        /// Smallest inner step [s].
        h_min: f64,
        /// Largest inner step [s].
        h_max: f64,
    },
    /// The step size is not a positive number.
    #[error("the step size must be a finite number > 0, got {step_size}")]
    StepSize {
        /// What was given [s].
        step_size: f64,
    },
    /// Settings are out of range.
    #[error("the settings of `{integrator}` are wrong: {}", in_words(errors))]
    Options {
        /// Name of the integrator.
        integrator: &'static str,
        /// What is wrong.
        errors: Vec<OptionError>,
    },
    /// θ = 0 leaves the end position independent of the impulse.
    #[error(
        "integrator.level = \"position\" needs theta > 0: with theta = 0 no impulse moves the end position"
    )]
    ExplicitAtPositionLevel,
    /// An option has no meaning beside the others.
    #[error("`{option}` has no meaning without {needs}; leave it out")]
    IdleOption {
        /// The option that was given.
        option: &'static str,
        /// What it would need.
        needs: &'static str,
    },
    /// The scheme does not know this kind of law.
    #[error(
        "`{scheme}` takes contacts and joints and cannot honour law `{law}`, a relay: what switches is no event there; use `moreau-jean`"
    )]
    Law {
        /// The integrator.
        scheme: &'static str,
        /// Name of the law.
        law: String,
    },
    /// The scheme needs one direction of sliding.
    #[error(
        "`{scheme}` takes friction whose set is Coulomb's cone and cannot honour law `{law}`; use coulomb without `facets`, or `kick-drift` or `moreau-jean`"
    )]
    Cone {
        /// The integrator.
        scheme: &'static str,
        /// Name of the law.
        law: String,
    },
    /// Events at which features pass have no derivative here.
    #[error(
        "derivatives of the flow are known for contacts of balls, discs and corners over half-spaces, whose features never change, not for those of body `{body}`; use differences of runs"
    )]
    Features {
        /// Name of the body.
        body: String,
    },
    /// The scheme follows features from one to the next, and seams of a surface are none.
    #[error(
        "`{scheme}` takes contacts of convex shapes, not those of the chain, mesh or height field of body `{body}`; use convex shapes, or `kick-drift` or `moreau-jean`"
    )]
    Surface {
        /// The integrator.
        scheme: &'static str,
        /// Name of the body.
        body: String,
    },
    /// The scheme has no drives that prescribe a motion.
    #[error(
        "`{integrator}` does not take the {drive}, which prescribes how its axis moves; use a motor by torque or force, or `kick-drift` or `moreau-jean`"
    )]
    Drive {
        /// Name of the integrator.
        integrator: &'static str,
        /// Which drive, of which joint.
        drive: String,
    },
    /// The scheme needs accelerations, which a prescribed velocity does not give.
    #[error(
        "`{scheme}` does not take the prescribed velocity of coordinate `{coordinate}` of system `{system}`; let what it meets move instead, with a gap g(q, t), or use `moreau-jean`"
    )]
    Prescribed {
        /// The integrator.
        scheme: &'static str,
        /// Name of the system.
        system: String,
        /// Name of the coordinate.
        coordinate: String,
    },
}

/// Refuses laws whose force depends on the gap.
pub(crate) fn no_elastic(integrator: &'static str, model: &Model) -> Result<(), Refusal> {
    refuse_laws(model, |forms| forms.elastic, |law| Refusal::Elastic { integrator, law })
}

/// Refuses laws that schemes other than `moreau-jean` have no place for: forces that depend on the gap, rolling friction of bodies.
pub(crate) fn no_extras(integrator: &'static str, model: &Model) -> Result<(), Refusal> {
    no_elastic(integrator, model)?;
    let rolls = |law: &crate::model::LawId| model.law(*law).forms().rolls;
    match model.rigid.pair_laws.iter().flatten().copied().find(rolls) {
        Some(law) => Err(Refusal::Rolls { integrator, law: model.law_name(law).to_owned() }),
        None => Ok(()),
    }
}

/// Refuses first-order systems, relations and couplings.
fn no_first_order(integrator: &'static str, model: &Model) -> Result<(), Refusal> {
    match model.beyond_mechanics() {
        Some(what) => Err(Refusal::FirstOrder { integrator, what }),
        None => Ok(()),
    }
}

/// Refuses first-order systems, relations, couplings, and what `no_extras` does.
pub(crate) fn mechanics(integrator: &'static str, model: &Model) -> Result<(), Refusal> {
    no_first_order(integrator, model)?;
    no_extras(integrator, model)
}

/// Refuses models with a family that has no θ-motion, and what `no_extras` does.
pub(crate) fn needs_theta(integrator: &'static str, model: &Model) -> Result<(), Refusal> {
    no_extras(integrator, model)?;
    needs_theta_alone(integrator, model)
}

/// Refuses models with a family that has no θ-motion.
pub(crate) fn needs_theta_alone(integrator: &'static str, model: &Model) -> Result<(), Refusal> {
    no_first_order(integrator, model)?;
    match model.systems.iter().find(|family| family.theta().is_none()) {
        Some(family) => Err(Refusal::Family { integrator, family: family.name() }),
        None => Ok(()),
    }
}

/// Refuses finite elements, for schemes in which stiffness acts explicitly.
pub(crate) fn no_meshes(integrator: &'static str, model: &Model) -> Result<(), Refusal> {
    match model.systems.iter().any(|family| family.layout().is_meshed) {
        true => Err(Refusal::Meshed { integrator }),
        false => Ok(()),
    }
}

/// Refuses models with a family that cannot kick and drift.
pub(crate) fn needs_kick_drift(integrator: &'static str, model: &Model) -> Result<(), Refusal> {
    mechanics(integrator, model)?;
    no_meshes(integrator, model)?;
    match model.systems.iter().find(|family| family.kick_drift().is_none()) {
        Some(family) => Err(Refusal::Family { integrator, family: family.name() }),
        None => Ok(()),
    }
}

/// Calls `refuse` with the first law in use whose forms `is_bad`.
pub(crate) fn refuse_laws(
    model: &Model,
    is_bad: impl Fn(Forms) -> bool,
    refuse: impl Fn(String) -> Refusal,
) -> Result<(), Refusal> {
    match model.laws_in_use().find(|(_, law)| is_bad(law.forms())) {
        Some((name, _)) => Err(refuse(name)),
        None => Ok(()),
    }
}

/// Refuses laws with a rebound.
pub(crate) fn no_rebound(integrator: &'static str, model: &Model) -> Result<(), Refusal> {
    refuse_laws(model, |forms| forms.rebounds, |law| Refusal::Rebound { integrator, law })
}

/// Refuses laws that have impacts at an instant only.
pub(crate) fn needs_step_form(integrator: &'static str, model: &Model) -> Result<(), Refusal> {
    refuse_laws(model, |forms| !forms.step, |law| Refusal::Phases { integrator, law })
}

/// Refuses laws that act along the path of an impact, or with friction at an instant alone, in schemes without impacts of their own.
pub(crate) fn acts_at_once(integrator: &'static str, model: &Model) -> Result<(), Refusal> {
    let is_lost = |law: &dyn Law| {
        let forms = law.forms();
        law.along_path().is_some() || !forms.step && forms.friction
    };
    match model.laws_in_use().find(|(_, law)| is_lost(*law)) {
        Some((law, _)) => Err(Refusal::Phases { integrator, law }),
        None => Ok(()),
    }
}

/// Refuses laws that are neither a frictionless contact nor a joint.
pub(crate) fn frictionless(integrator: &'static str, model: &Model) -> Result<(), Refusal> {
    let refuse = |law| Refusal::Frictionless { integrator, law };
    refuse_laws(model, |forms| forms.friction || forms.relay, refuse)
}

/// Refuses laws with impulses along tangents.
pub(crate) fn no_tangents(integrator: &'static str, model: &Model) -> Result<(), Refusal> {
    refuse_laws(model, |forms| forms.friction, |law| Refusal::Frictionless { integrator, law })
}

/// Refuses relays on gaps; on velocities they are taken.
pub(crate) fn no_relays_on_gaps(integrator: &'static str, model: &Model) -> Result<(), Refusal> {
    for (i, family) in model.constraints.iter().enumerate().filter(|(_, f)| !f.is_of_velocities()) {
        for k in 0..family.n_members() {
            let law = family.law(model, ConstraintId::member(i as u8, k));
            if model.law(law).forms().relay {
                let law = model.law_name(law).to_owned();
                return Err(Refusal::Frictionless { integrator, law });
            }
        }
    }
    Ok(())
}

/// The restitution of the first law of contacts, as it rebounds head on; 0 where there is none.
pub(crate) fn restitution(model: &Model) -> f64 {
    model.laws().find(|law| !law.forms().bilateral).map_or(0.0, |law| law.rebound(1.0))
}

/// Refuses laws of contacts that rebound differently.
pub(crate) fn one_restitution(integrator: &'static str, model: &Model) -> Result<(), Refusal> {
    let mut contacts = model
        .laws_in_use()
        .filter(|(_, law)| !law.forms().bilateral)
        .map(|(name, law)| (name, law.rebound(1.0)));
    let Some((first, e_first)) = contacts.next() else { return Ok(()) };
    match contacts.find(|(_, e)| *e != e_first) {
        None => Ok(()),
        Some((second, e_second)) => {
            Err(Refusal::OneRestitution { integrator, first, e_first, second, e_second })
        }
    }
}

/// Refuses drives that prescribe the motion of a free axis.
pub(crate) fn no_drives(integrator: &'static str, model: &Model) -> Result<(), Refusal> {
    for (i, family) in model.constraints.iter().enumerate() {
        for k in 0..family.n_members() {
            let law = family.law(model, ConstraintId::member(i as u8, k));
            if family.column(model, law, 0) == Column::Drive {
                return Err(Refusal::Drive { integrator, drive: family.member_name(k).to_owned() });
            }
        }
    }
    Ok(())
}

/// Refuses constraints of velocities that may open, which has a meaning for gaps only, and drives.
pub(crate) fn gaps_only(integrator: &'static str, model: &Model) -> Result<(), Refusal> {
    no_drives(integrator, model)?;
    for (i, family) in model.constraints.iter().enumerate().filter(|(_, f)| f.is_of_velocities()) {
        let is_held = |k: usize| {
            let law = family.law(model, ConstraintId::member(i as u8, k));
            let forms = model.law(law).forms();
            forms.bilateral || forms.relay
        };
        if let Some(k) = (0..family.n_members()).find(|&k| !is_held(k)) {
            let constraint = family.member_name(k).to_owned();
            return Err(Refusal::GapsOnly { integrator, constraint });
        }
    }
    Ok(())
}

/// Refuses what has no energy that is quadratic in v and kept between impacts.
pub(crate) fn conservative(integrator: &'static str, model: &Model) -> Result<(), Refusal> {
    let refuse =
        |(what, name): (&'static str, String)| Err(Refusal::NotConservative { integrator, what, name });
    if let Some(found) = model.systems.iter().find_map(|family| family.spoils_energy(model)) {
        return refuse(found);
    }
    if let Some(name) = model.constraints.iter().find_map(|family| family.spoils_energy(model)) {
        return refuse((
            "constraint that is neither a constant gap nor a contact or joint of bodies,",
            name,
        ));
    }
    if !model.forces.is_empty() {
        return refuse(("force", "on bodies".to_owned()));
    }
    match model.rigid.kinematic.iter().find(|body| body.motion.is_some()) {
        Some(body) => refuse(("motion of kinematic body", body.name.clone())),
        None => Ok(()),
    }
}
