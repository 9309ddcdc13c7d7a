//! What is typed into a scene file, as plain data; `build` turns it into a model.
//!
//! These types are the one description of the format: the JSON Schema is generated from them, files
//! are checked against that schema, and the fields' comments are the documentation an editor shows.

mod bodies;
mod bvp;
mod elastic;
mod relations;

pub use bodies::*;
pub use bvp::*;
pub use elastic::*;
use nonsmooth::INTEGRATORS;
use nonsmooth::joints::JOINTS;
use nonsmooth::laws::LAWS;
use nonsmooth_elements::elements::FORMULATIONS;
use nonsmooth_solvers::{Declared, Kind, SOLVERS};
pub use relations::*;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// A scene: systems joined by constraints, rigid bodies that meet, and how to simulate them. Units are SI.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Scene {
    /// A line that names the scene in reports and figures.
    #[serde(default)]
    pub title: String,
    /// Named numbers; each may be a formula over the others.
    #[serde(default)]
    pub parameters: BTreeMap<String, Quantity>,
    /// What has mass and moves, by matrices and formulas.
    #[serde(default)]
    pub system: Systems,
    /// Meshes of elastic bodies.
    #[serde(default)]
    pub mesh: Vec<Mesh>,
    /// Gravity of all bodies, elastic ones included, and where they live.
    #[serde(default)]
    pub world: World,
    /// Shapes that bodies refer to by name.
    #[serde(default)]
    pub shape: BTreeMap<String, Shape>,
    /// Rigid bodies.
    #[serde(default)]
    pub body: Vec<Body>,
    /// Materials of bodies, by name.
    #[serde(default)]
    pub material: BTreeMap<String, Material>,
    /// Which law holds where bodies touch.
    #[serde(default)]
    pub contact: Contact,
    /// Joints between bodies.
    #[serde(default)]
    pub joint: Vec<Joint>,
    /// Named values of coordinates, velocities, other expressions and t, for use in forces, torques, motors and gaps.
    #[serde(default)]
    pub expressions: BTreeMap<String, Quantity>,
    /// Springs and dampers between bodies.
    #[serde(default)]
    pub spring: Vec<Spring>,
    /// What ties systems to the world or to each other.
    #[serde(default)]
    pub constraint: Vec<Constraint>,
    /// Outputs of first-order systems and mechanics tied to inputs by laws: diodes, switches, sliding modes.
    #[serde(default)]
    pub relation: Vec<Relation>,
    /// Rates and forces that depend on other systems: motors.
    #[serde(default)]
    pub coupling: Vec<Coupling>,
    /// Sampled control with delay and hold.
    #[serde(default)]
    pub controller: Vec<Controller>,
    /// Laws that constraints and relations refer to by name.
    #[serde(default)]
    #[schemars(schema_with = "laws_schema")]
    pub law: BTreeMap<String, Chosen>,
    /// When to begin and end, and the size of a step.
    pub run: Run,
    /// The scheme and its options; if not given, euler-moreau for scenes with first-order systems, relations, couplings or controllers, kick-drift for
    /// scenes of rigid bodies without linear systems, else moreau-jean.
    #[serde(default)]
    #[schemars(schema_with = "integrator_schema")]
    pub integrator: Option<Chosen>,
    /// The solver of one-step problems and its options.
    #[serde(default = "auto")]
    #[schemars(schema_with = "solver_schema")]
    pub solver: Chosen,
    /// A boundary value problem over the run, for `nonsmooth bvp`.
    pub bvp: Option<Bvp>,
    /// What is written, and how often.
    #[serde(default)]
    pub output: Output,
}

impl Scene {
    /// The scheme with its options: the one that is given, else the default for what the scene holds.
    pub fn integrator(&self) -> Chosen {
        let moves = |body: &Body| !body.fixed && body.motion.is_none();
        match &self.integrator {
            Some(chosen) => chosen.clone(),
            None if self.is_beyond_mechanics() => chosen("euler-moreau"),
            None if self.is_of_bodies() && self.body.iter().any(moves) => chosen("kick-drift"),
            None => chosen("moreau-jean"),
        }
    }
}

impl Scene {
    /// Whether it has no linear systems, elastic bodies included.
    fn is_of_bodies(&self) -> bool {
        self.system.linear.is_empty() && self.system.elastic.is_empty()
    }

    /// Whether it has first-order systems, relations, couplings or controllers.
    fn is_beyond_mechanics(&self) -> bool {
        let lists = [self.relation.is_empty(), self.coupling.is_empty(), self.controller.is_empty()];
        !self.system.first_order.is_empty() || lists.contains(&false)
    }
}

/// The systems, by kind.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Systems {
    /// M v̇ + C v + K q = load + force(t) + r.
    #[serde(default)]
    pub linear: Vec<Linear>,
    /// Elastic bodies: linear systems made of meshes.
    #[serde(default)]
    pub elastic: Vec<Elastic>,
    /// M(q) v̇ + N(q, v) + F_int(t, q, v) + ∇V(q) = force(t) + r.
    #[serde(default)]
    pub lagrangian: Vec<Lagrangian>,
    /// ẋ = A x + b(t) + rate + r.
    #[serde(default)]
    pub first_order: Vec<FirstOrder>,
}

/// A linear system.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Linear {
    /// Name of the system; coordinates are then `name.coordinate`, or `name[i].coordinate` if repeated.
    pub name: String,
    /// Makes copies i = 0, 1, …: `i` may be used in the formulas of this table.
    pub repeat: Option<Quantity>,
    /// Names of the coordinates, or their number (then they are q0, q1, …).
    pub coordinates: Coordinates,
    /// M [kg]: the diagonal, the rows, or a Matrix Market file.
    pub mass: Matrix,
    /// C [N·s/m], like mass.
    pub damping: Option<Matrix>,
    /// K [N/m], like mass; symmetric.
    pub stiffness: Option<Matrix>,
    /// Constant force [N]; its potential −load·q counts as potential energy.
    pub load: Option<Vector>,
    /// Force [N] as formulas of t, or of any coordinate, velocity and expression; its work counts as external work.
    pub force: Option<Vector>,
    /// Initial coordinates [m, rad].
    pub q: Vector,
    /// Initial velocities [m/s, rad/s]; zero if not given.
    pub v: Option<Vector>,
    /// Velocities that are given functions of t [m/s], by coordinate.
    #[serde(default)]
    pub prescribed: BTreeMap<String, Quantity>,
}

/// A Lagrangian system given by formulas over t, its coordinates and its velocities (`v_` + name).
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Lagrangian {
    /// Name of the system; coordinates are then `name.coordinate`, or `name[i].coordinate` if repeated.
    pub name: String,
    /// Makes copies i = 0, 1, …: `i` may be used in the formulas of this table.
    pub repeat: Option<Quantity>,
    /// Names of the coordinates, or their number (then they are q0, q1, …).
    pub coordinates: Coordinates,
    /// M(q): the diagonal or the rows, formulas over the coordinates.
    pub mass: Matrix,
    /// N(q, v) [N]; derived from M(q) if not given.
    pub inertial_force: Option<Vector>,
    /// F_int(t, q, v) [N], on the left-hand side: damping and other forces without potential.
    pub internal_force: Option<Vector>,
    /// V(q) [J]; its gradient is the conservative force.
    pub potential: Option<Quantity>,
    /// Force [N] on the right-hand side as formulas of t, or of any coordinate, velocity and expression.
    pub force: Option<Vector>,
    /// Whether Jacobians are derived symbolically or estimated by finite differences.
    #[serde(default)]
    pub jacobians: Jacobians,
    /// Initial coordinates [m, rad].
    pub q: Vector,
    /// Initial velocities [m/s, rad/s]; zero if not given.
    pub v: Option<Vector>,
    /// Velocities that are given functions of t [m/s], by coordinate.
    #[serde(default)]
    pub prescribed: BTreeMap<String, Quantity>,
}

/// How the Jacobians of a Lagrangian system are found.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Jacobians {
    /// By symbolic differentiation of the formulas.
    #[default]
    Symbolic,
    /// By central differences.
    FiniteDifferences,
}

/// A constraint: exactly one of `gap` and `velocity`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Constraint {
    /// Name of the constraint; `name[i]` if repeated.
    pub name: String,
    /// Makes copies i = 0, 1, …: `i` may be used in the formula.
    pub repeat: Option<Quantity>,
    /// y [m] as a formula of coordinates and t: y ≥ 0, or y = 0 for a bilateral law.
    pub gap: Option<Quantity>,
    /// u [m/s] as a formula of coordinates, velocities and t, for constraints on velocities.
    pub velocity: Option<Quantity>,
    /// Sliding velocities u_T [m/s] of a gap, linear in the velocities: one in the plane, two in space; for laws with friction.
    #[serde(default)]
    pub tangents: Vec<Quantity>,
    /// Name of a law.
    pub law: String,
}

/// When to begin and end, and the size of a step.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Run {
    /// Initial time [s]; 0 if not given.
    pub start: Option<Quantity>,
    /// Final time [s]. The last step is a whole one and may pass it.
    pub end: Quantity,
    /// h [s].
    pub step_size: Quantity,
    /// Whether the initial state may violate constraints.
    #[serde(default)]
    pub allow_initial_violation: bool,
    /// What to do with a step whose residual misses the tolerance.
    #[serde(default)]
    pub on_unconverged: OnUnconverged,
}

/// What to do with a step whose residual misses the tolerance.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum OnUnconverged {
    /// Go on and count it up to ten times the tolerance; stop the run beyond.
    #[default]
    Limit,
    /// Stop the run.
    Stop,
    /// Go on, and count it.
    Count,
}

/// What is written, and how often.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct Output {
    /// A frame is written every so many steps and at the last one; impacts are always written.
    #[schemars(range(min = 1))]
    pub every: u64,
    /// A checkpoint is written every so many steps.
    #[schemars(range(min = 1))]
    pub checkpoint_every: u64,
    /// Whether the tidy tables are written as CSV.
    pub csv: bool,
    /// Whether the result file is compressed.
    pub compress: bool,
    /// Whether the frames are also written for ParaView, bodies and contact points in the folder `vtk`.
    pub vtk: bool,
    /// Observers that watch the run beside those that watch every run: names of the list that `nonsmooth list` prints.
    pub observers: Vec<String>,
    /// Observers that watch every run and are left out of this one.
    pub without: Vec<String>,
    /// Whether figures are drawn.
    pub plots: bool,
    /// Coordinates to plot; by default the first four that constraints act on.
    pub plot: Vec<String>,
}

impl Default for Output {
    fn default() -> Self {
        Self {
            every: 1,
            checkpoint_every: 10_000,
            csv: false,
            compress: false,
            vtk: false,
            observers: Vec::new(),
            without: Vec::new(),
            plots: true,
            plot: Vec::new(),
        }
    }
}

/// A number or a formula.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq)]
#[serde(untagged)]
pub enum Quantity {
    /// A number.
    Number(f64),
    /// A formula.
    Formula(String),
}

/// One entry per coordinate, or one for all.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Vector {
    /// One entry per coordinate.
    Each(Vec<Quantity>),
    /// The same for all coordinates.
    All(Quantity),
}

/// Names of coordinates, or how many there are.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Coordinates {
    /// Their names.
    Names(Vec<String>),
    /// Their number.
    Count(u32),
}

/// A square matrix.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Matrix {
    /// Row by row.
    Rows(Vec<Vec<Quantity>>),
    /// The diagonal; the other entries are zero.
    Diagonal(Vec<Quantity>),
    /// The same diagonal entry for all coordinates.
    Scalar(Quantity),
    /// A Matrix Market file, relative to the scene.
    File(MatrixFile),
}

/// A matrix in a file.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct MatrixFile {
    /// Path of a Matrix Market file (coordinate real general or symmetric), relative to the scene.
    pub file: String,
    /// A factor for every entry; 1 if not given.
    pub scale: Option<Quantity>,
}

/// An entry of a list by its `type`, with its options.
#[derive(Clone, Debug, Deserialize)]
pub struct Chosen {
    /// Name of the entry.
    #[serde(rename = "type")]
    pub name: String,
    /// Its options.
    #[serde(flatten)]
    pub options: BTreeMap<String, Quantity>,
}

fn chosen(name: &str) -> Chosen {
    Chosen { name: name.to_owned(), options: BTreeMap::new() }
}

fn auto() -> Chosen {
    chosen("auto")
}

/// The option that every solver has, beside its own.
pub const TOLERANCE: Declared = Declared {
    name: "tolerance",
    about: "largest certificate that counts as solved [–]",
    kind: Kind::Positive,
    default: "1e-10",
};

fn integrator_schema(_: &mut SchemaGenerator) -> Schema {
    list_schema(INTEGRATORS.iter().map(|e| (e.name, e.about, e.options.to_vec())))
}

/// Names of the types of joints.
fn joint_schema(_: &mut SchemaGenerator) -> Schema {
    let lines: Vec<String> = JOINTS.iter().map(|e| format!("`{}` ({})", e.name, e.about)).collect();
    let names: Vec<&str> = JOINTS.iter().map(|e| e.name).collect();
    json_schema!({ "description": format!("one of: {}", lines.join("; ")), "enum": names })
}

/// The options of all types of joints; which goes with which type is said in the description and checked when the scene is built.
fn joint_options_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "object", "properties": options_of(JOINTS.iter().map(|e| (e.name, e.options.to_vec()))) })
}

fn solver_schema(_: &mut SchemaGenerator) -> Schema {
    list_schema(SOLVERS.iter().map(|e| (e.name, e.about, [&[&TOLERANCE], e.options].concat())))
}

fn laws_schema(_: &mut SchemaGenerator) -> Schema {
    let law = list_schema(LAWS.iter().map(|e| (e.name, e.about, e.options.to_vec())));
    json_schema!({ "type": "object", "additionalProperties": law })
}

/// What an elastic body is made of.
fn formulations_schema(_: &mut SchemaGenerator) -> Schema {
    list_schema(FORMULATIONS.iter().map(|e| (e.name, e.about, e.options.to_vec())))
}

/// A table with `type` and the options of all entries; which option goes with which entry is said in
/// the description and checked when the scene is built.
fn list_schema<'a>(entries: impl Iterator<Item = (&'a str, &'a str, Vec<&'a Declared>)>) -> Schema {
    let mut names = Vec::new();
    let mut about = String::from("one of:");
    let entries: Vec<_> = entries.collect();
    for (name, line, _) in &entries {
        names.push(json!(name));
        about += &format!(" `{name}` ({line});");
    }
    let mut properties = options_of(entries.into_iter().map(|(name, _, options)| (name, options)));
    properties.insert("type".to_owned(), json!({ "description": about, "enum": names }));
    json_schema!({
        "type": "object",
        "properties": properties,
        "required": ["type"],
        "additionalProperties": false,
    })
}

/// The options of all entries of a list by name, as properties of a table.
fn options_of<'a>(entries: impl Iterator<Item = (&'a str, Vec<&'a Declared>)>) -> Map<String, Value> {
    let mut declared: BTreeMap<&str, Vec<(&Declared, &str)>> = BTreeMap::new();
    for (name, options) in entries {
        for option in options {
            declared.entry(option.name).or_default().push((option, name));
        }
    }
    declared.into_iter().map(|(name, all)| (name.to_owned(), option_schema(&all))).collect()
}

/// One option of a table, with every meaning that its name has and for which entries.
fn option_schema(all: &[(&Declared, &str)]) -> Value {
    let mut meanings: Vec<(String, Vec<&str>)> = Vec::new();
    let mut words = Vec::new();
    for (option, owner) in all {
        let default = match option.default {
            "" => "must be given".to_owned(),
            default => format!("default {default}"),
        };
        let text = format!("{}; {}; {default}", option.about, option.kind);
        match meanings.iter_mut().find(|(known, _)| *known == text) {
            Some((_, owners)) => owners.push(owner),
            None => meanings.push((text, vec![owner])),
        }
        if let Kind::Word(list) = option.kind {
            words.extend(list.iter().filter(|word| !words.contains(word)).collect::<Vec<_>>());
        }
    }
    let lines: Vec<String> =
        meanings.iter().map(|(text, owners)| format!("{text}; for {}", owners.join(", "))).collect();
    let about = lines.join(" | ");
    if all.iter().all(|(option, _)| matches!(option.kind, Kind::Word(_))) {
        return json!({ "description": about, "enum": words });
    }
    json!({ "description": about, "type": ["number", "string"] })
}

/// The JSON Schema of scene files.
pub fn schema() -> Value {
    let mut schema = schemars::schema_for!(Scene).to_value();
    schema["title"] = json!("nonsmooth scene");
    schema
}
