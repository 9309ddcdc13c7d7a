//! `nonsmooth check`: every mistake of a scene, or what it holds.

use nonsmooth::model::rigid::is_present;
use nonsmooth::model::{Activation, ActiveConstraints};
use nonsmooth::{KineticAngles, Model, Part, State, StepResult};
use nonsmooth_scene::{Loaded, load, system_names};
use nonsmooth_studies::command::Failure;
use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::Path;

/// Loads the scene and says what it holds.
pub(crate) fn check(scene: &Path, set: &[(String, String)]) -> Result<(), Failure> {
    let loaded = load(scene, set).map_err(|error| Failure::Input(error.into()))?;
    let model = &loaded.simulation.model;
    let mut out = std::io::stdout().lock();
    let text = format!(
        "{}: no mistakes\n  {} systems, {} coordinates, {} constraints; {}, solver {}; {} steps of {} s from t = {} s\n",
        scene.display(),
        system_names(model).len(),
        n_coordinates(model),
        members(model, &["linear gaps", "gaps", "velocity constraints"]),
        loaded.methods.0,
        loaded.methods.1,
        loaded.n_steps,
        loaded.step_size,
        loaded.start,
    );
    let text = text + &bodies_at_start(&loaded)? + &closed_at_start(&loaded)? + &gains(model);
    // A closed pipe is no error of ours.
    let _ = out.write_all(text.as_bytes());
    Ok(())
}

/// Where laws may give energy.
fn gains(model: &Model) -> String {
    let mut text = String::new();
    let mut first: Option<(&str, f64)> = None;
    let mut differs = false;
    // Pairs of materials have a law of the scene by its name, each for itself.
    let mut told = BTreeSet::new();
    for (name, law) in model.named_laws().filter(|(name, _)| told.insert(name.to_owned())) {
        let gains = law.gains();
        if gains.alone {
            text += &format!(
                "  warning: impacts by law `{name}` may give energy: it has restitution of velocities with friction; stronge and lzb never do\n"
            );
        }
        if gains.together {
            text += &format!(
                "  warning: impacts of several contacts by law `{name}` may give energy; stronge and lzb never do\n"
            );
        }
        let e = law.rebound(1.0);
        match first {
            None if gains.beside_others => first = Some((name, e)),
            Some((other, e_other)) if gains.beside_others && e != e_other && !differs => {
                differs = true;
                text += &format!(
                    "  warning: laws `{other}` and `{name}` have restitution {e_other} and {e}: where their contacts act together an impact may give energy\n"
                );
            }
            _ => {}
        }
    }
    text
}

/// Number of coordinates of systems.
fn n_coordinates(model: &Model) -> usize {
    model.rigid.bodies.iter().map(|body| body.q as usize).min().unwrap_or(model.n_coordinates())
}

/// Number of constraints of these families.
fn members(model: &Model, families: &[&str]) -> usize {
    let chosen = model.constraints.iter().filter(|family| families.contains(&family.name()));
    chosen.map(|family| family.n_members()).sum()
}

/// What there is of bodies, and where they meet at the start.
fn bodies_at_start(loaded: &Loaded) -> Result<String, Failure> {
    let (model, state) = (&loaded.simulation.model, &loaded.simulation.state);
    let (bodies, kinematic) = (&model.rigid.bodies, &model.rigid.kinematic);
    if bodies.is_empty() && kinematic.is_empty() {
        return Ok(String::new());
    }
    let contacts =
        contacts_at(model, state).map_err(|error| Failure::Input(anyhow::anyhow!("{error}")))?;
    let n = bodies.len();
    let present = (0..n).filter(|&i| is_present(&state.presence, i)).count();
    let n_planar = bodies.iter().filter(|body| body.planar).count();
    let place = match (n_planar, n_planar == n) {
        (0, _) => "space",
        (_, true) => "the plane",
        (_, false) => "plane and space",
    };
    let later = if present < n {
        format!(" ({} appear later or are outside the region)", n - present)
    } else {
        String::new()
    };
    Ok(format!(
        "  {n} bodies in {place}{later}, {} kinematic bodies, {} materials ({}), {} joints, {} springs; {contacts} contact points at the start\n",
        kinematic.len(),
        model.rigid.materials.len(),
        model.rigid.materials.join(", "),
        model.joints.joints.len(),
        members(model, &["springs"]),
    ))
}

/// Number of contact points of bodies in a state.
fn contacts_at(model: &Model, state: &State) -> StepResult<usize> {
    let mut active = ActiveConstraints::default();
    let activation = Activation::Ahead { ahead: 0.0, distance: 0.0 };
    model.at_state(state, |at| {
        active.open(model);
        for family in &model.constraints {
            family.detect(model, &Part::whole(state.t, 0.0), at, activation, &mut active)?;
            active.close_family();
        }
        Ok(())
    })?;
    Ok(active.ids.iter().filter(|id| model.constraint_number(**id).is_none()).count())
}

/// Gap up to which a constraint counts as closed at the start [m]: rounding of lengths up to a kilometre.
const CLOSED: f64 = 1e-12;
/// Most pairs that are listed.
const PAIRS: usize = 10;

/// How the contacts that are closed at the start stand to each other, if there are two or more.
fn closed_at_start(loaded: &Loaded) -> Result<String, Failure> {
    let (model, state) = (&loaded.simulation.model, &loaded.simulation.state);
    // Contacts of bodies are too many to be listed by pairs.
    if !model.rigid.colliders.is_empty() {
        return Ok(String::new());
    }
    let angles = model.kinetic_angles(state, CLOSED).map_err(|e| Failure::Input((*e).into()))?;
    let KineticAngles { closed, rank, mut cosines } = angles;
    if closed.len() < 2 {
        return Ok(String::new());
    }
    let mut text = format!(
        "  {} contacts are closed at the start, {rank} gradients of them independent (H'4)\n",
        closed.len()
    );
    cosines.sort_by(|a, b| b.2.total_cmp(&a.2));
    for (a, b, cosine) in cosines.iter().take(PAIRS) {
        let [a, b] = [*a, *b].map(|id| model.family(id).member_name(id.number()));
        text += &format!("    kinetic angle of `{a}` and `{b}`: cos = {cosine:.6}\n");
    }
    if cosines.len() > PAIRS {
        text += &format!("    and {} pairs with smaller cosines\n", cosines.len() - PAIRS);
    }
    text += "    (H'5) asks for cos <= 0 with restitution 0, cos = 0 with any other\n";
    Ok(text)
}
