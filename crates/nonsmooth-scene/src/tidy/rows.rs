//! The rows of the tidy tables, as plain data. Lengths in m, times in s, forces in N; vectors in world axes.

use nonsmooth::{Energies, N_WORKS, Works};

/// Where the cells of a row go: a line of CSV, or a record of the result file.
pub trait Cells {
    /// Adds a number.
    fn number(&mut self, x: f64);

    /// Adds a text.
    fn text(&mut self, text: &str);

    /// Adds a cell without a value.
    fn skip(&mut self);

    /// Adds numbers.
    fn numbers(&mut self, list: &[f64]) {
        list.iter().for_each(|x| self.number(*x));
    }

    /// Adds cells without a value.
    fn empty(&mut self, n: usize) {
        (0..n).for_each(|_| self.skip());
    }
}

/// A row of a table with fixed columns.
pub trait Row {
    /// Name of the table.
    const NAME: &'static str;
    /// Names of its columns.
    const COLUMNS: &'static [&'static str];
    /// How many of its columns are texts: those after the first.
    const N_TEXTS: usize = 0;
    /// Units of its columns that have one, as text.
    const UNITS: &'static str;
    /// One sentence on what a row is.
    const ABOUT: &'static str;
    /// Writes the cells in the order of the columns.
    fn cells(&self, to: &mut impl Cells);
}

/// A body at an instant.
#[derive(Clone, Copy, Debug)]
pub struct BodyRow<'a> {
    /// The instant [s].
    pub t: f64,
    /// Name of the body.
    pub body: &'a str,
    /// Centre of mass [m].
    pub position: [f64; 3],
    /// Unit quaternion (w, x, y, z) from the body's axes to the world [–].
    pub rotation: [f64; 4],
    /// Velocity of the centre of mass [m/s].
    pub velocity: [f64; 3],
    /// Angular velocity in world axes [rad/s].
    pub angular_velocity: [f64; 3],
}

impl Row for BodyRow<'_> {
    const NAME: &'static str = "bodies";
    const COLUMNS: &'static [&'static str] = &[
        "t", "body", "x", "y", "z", "q_w", "q_x", "q_y", "q_z", "v_x", "v_y", "v_z", "omega_x",
        "omega_y", "omega_z",
    ];
    const N_TEXTS: usize = 1;
    const UNITS: &'static str = "s, m, 1, m/s, rad/s";
    const ABOUT: &'static str = "moving bodies that are present, and kinematic bodies with a motion: centre of mass (of a kinematic body: its origin), rotation from body axes to the world, velocity and angular velocity in world axes, of that same instant";

    fn cells(&self, to: &mut impl Cells) {
        to.number(self.t);
        to.text(self.body);
        to.numbers(&self.position);
        to.numbers(&self.rotation);
        to.numbers(&self.velocity);
        to.numbers(&self.angular_velocity);
    }
}

/// Energies at an instant, and works since the start [J]; positive where the systems gain.
#[derive(Clone, Copy, Debug, Default)]
pub struct EnergyRow {
    /// The instant [s].
    pub t: f64,
    /// Kinetic and potential energy [J].
    pub energies: Energies,
    /// What flowed through each column since the start [J].
    pub works: Works,
    /// What is left unexplained [J].
    pub remainder: f64,
}

/// The instant, the energies, every column of works, and what is left.
const ENERGY_COLUMNS: [&str; N_WORKS + 4] = {
    let mut columns = ["remainder"; N_WORKS + 4];
    (columns[0], columns[1], columns[2]) = ("t", "kinetic", "potential");
    let mut k = 0;
    while k < N_WORKS {
        columns[3 + k] = Works::NAMES[k];
        k += 1;
    }
    columns
};

impl Row for EnergyRow {
    const NAME: &'static str = "energy";
    const COLUMNS: &'static [&'static str] = &ENERGY_COLUMNS;
    const UNITS: &'static str = "s, J";
    const ABOUT: &'static str = "energies, and work since the start; positive where the systems gain";

    fn cells(&self, to: &mut impl Cells) {
        to.numbers(&[self.t, self.energies.kinetic, self.energies.potential]);
        to.numbers(&self.works.columns().map(|(_, work)| work));
        to.number(self.remainder);
    }
}

/// A contact in the step that led to an instant.
#[derive(Clone, Copy, Debug)]
pub struct ContactRow<'a> {
    /// The instant [s].
    pub t: f64,
    /// Name of the first body, or of the constraint.
    pub a: &'a str,
    /// Name of the second body; empty for a constraint.
    pub b: &'a str,
    /// Point [m] and unit normal from a to b [–]; a constraint between coordinates has none.
    pub place: Option<[[f64; 3]; 2]>,
    /// Gap at the start of the step, positive when apart [m].
    pub gap: f64,
    /// Normal relative velocity at the end of the step [m/s].
    pub u_n: f64,
    /// Impulse on b: normal, tangent 1, tangent 2 [N·s].
    pub impulse: [f64; 3],
    /// The same over the time in which it acted: the step, but for kicks of another length [N].
    pub force: [f64; 3],
}

impl Row for ContactRow<'_> {
    const NAME: &'static str = "contacts";
    const COLUMNS: &'static [&'static str] = &[
        "t", "a", "b", "x", "y", "z", "n_x", "n_y", "n_z", "gap", "u_n", "p_n", "p_t1", "p_t2", "f_n",
        "f_t1", "f_t2",
    ];
    const N_TEXTS: usize = 2;
    const UNITS: &'static str = "s, m, 1, m, m/s, N·s, N";
    const ABOUT: &'static str = "contacts of the step that led to an instant: point and normal from a to b (none for a constraint between coordinates, whose name is in a), gap at its start, normal velocity at its end, impulse on b, force = impulse / time over which it acted (the step, but for kicks of another length)";

    fn cells(&self, to: &mut impl Cells) {
        to.number(self.t);
        to.text(self.a);
        to.text(self.b);
        match &self.place {
            Some(place) => to.numbers(place.as_flattened()),
            None => to.empty(6),
        }
        to.numbers(&[self.gap, self.u_n]);
        to.numbers(&self.impulse);
        to.numbers(&self.force);
    }
}

/// An event of any step.
#[derive(Clone, Copy, Debug)]
pub struct EventRow<'a> {
    /// When [s].
    pub t: f64,
    /// What kind, such as `impact`.
    pub kind: &'a str,
    /// Name of the constraint or joint; empty for two bodies.
    pub name: &'a str,
    /// Name of the first body; empty for a constraint.
    pub a: &'a str,
    /// Name of the second body; empty for a constraint.
    pub b: &'a str,
    /// Gap before [m].
    pub gap: f64,
    /// Normal relative velocity before [m/s].
    pub u_minus: f64,
    /// Normal relative velocity after [m/s].
    pub u_plus: f64,
    /// Normal impulse [N·s].
    pub impulse: f64,
    /// Work of the impulse, of all its components [J].
    pub energy: f64,
}

impl Row for EventRow<'_> {
    const NAME: &'static str = "events";
    const COLUMNS: &'static [&'static str] =
        &["t", "kind", "name", "a", "b", "gap", "u_minus", "u_plus", "impulse", "energy"];
    const N_TEXTS: usize = 4;
    const UNITS: &'static str = "s, m, m/s, m/s, N·s, J";
    const ABOUT: &'static str = "impacts of all steps, written or not: normal velocity before and after, normal impulse, work of all its components";

    fn cells(&self, to: &mut impl Cells) {
        to.number(self.t);
        [self.kind, self.name, self.a, self.b].into_iter().for_each(|text| to.text(text));
        to.numbers(&[self.gap, self.u_minus, self.u_plus, self.impulse, self.energy]);
    }
}

/// A joint at an instant; coordinates beyond those it has are left empty.
#[derive(Clone, Copy, Debug)]
pub struct JointRow<'a> {
    /// The instant [s].
    pub t: f64,
    /// Name of the joint.
    pub joint: &'a str,
    /// Its free coordinates, at most three [m, rad].
    pub coordinates: &'a [f64],
    /// Their rates [m/s, rad/s].
    pub rates: &'a [f64],
    /// Reaction on the second body [N].
    pub force: [f64; 3],
    /// Reaction torque on the second body [N·m].
    pub torque: [f64; 3],
}

impl Row for JointRow<'_> {
    const NAME: &'static str = "joints";
    const COLUMNS: &'static [&'static str] = &[
        "t", "joint", "s_1", "s_2", "s_3", "v_1", "v_2", "v_3", "f_x", "f_y", "f_z", "m_x", "m_y", "m_z",
    ];
    const N_TEXTS: usize = 1;
    const UNITS: &'static str = "s, m or rad, m/s or rad/s, N, N·m";
    const ABOUT: &'static str = "joints: free coordinates and their rates, mean reaction of the step that led to an instant on the second body in world axes, its torque about the joint's point";

    fn cells(&self, to: &mut impl Cells) {
        to.number(self.t);
        to.text(self.joint);
        for list in [self.coordinates, self.rates] {
            to.numbers(&list[..list.len().min(3)]);
            to.empty(3 - list.len().min(3));
        }
        to.numbers(&self.force);
        to.numbers(&self.torque);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::TidyTable;

    /// Writes one row and returns the file.
    fn written<R: Row>(test: &str, row: &R) -> String {
        let folder = std::env::temp_dir().join(format!("nonsmooth-tidy-{test}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let mut table = TidyTable::of::<R>(&folder).unwrap();
        table.push(row).unwrap();
        table.finish().unwrap();
        let text = std::fs::read_to_string(folder.join(format!("{}.csv", R::NAME))).unwrap();
        std::fs::remove_dir_all(folder).unwrap();
        let mut widths = text.lines().map(|line| line.split(',').count());
        assert_eq!(widths.next(), widths.next(), "{text}");
        text
    }

    #[test]
    fn cells_stand_below_their_columns() {
        let (place, force) = (None, [3.0, 4.0, 5.0]);
        let impulse = [0.0; 3];
        let row = ContactRow { t: 0.5, a: "floor", b: "", place, gap: 1.0, u_n: 2.0, impulse, force };
        let text = written("contact", &row);
        assert!(text.ends_with("\n0.5,floor,,,,,,,,1.0,2.0,0.0,0.0,0.0,3.0,4.0,5.0\n"), "{text}");
        let (coordinates, rates) = (&[0.1][..], &[0.2][..]);
        let row = JointRow { t: 0.0, joint: "hinge", coordinates, rates, force, torque: [0.0; 3] };
        let text = written("joint", &row);
        assert!(text.ends_with("\n0.0,hinge,0.1,,,0.2,,,3.0,4.0,5.0,0.0,0.0,0.0\n"), "{text}");
        let row = EventRow {
            t: 1.0,
            kind: "impact",
            name: "a, b",
            a: "",
            b: "",
            gap: 0.0,
            u_minus: -1.0,
            u_plus: 0.5,
            impulse: 1.5,
            energy: -0.375,
        };
        assert!(row.kind == "impact");
        let row = EventRow { name: "floor", ..row };
        assert!(written("event", &row).contains("1.0,impact,floor,,,0.0,-1.0,0.5,1.5,-0.375"));
        let body = BodyRow {
            t: 0.0,
            body: "b[3]",
            position: [1.0, 2.0, 3.0],
            rotation: [1.0, 0.0, 0.0, 0.0],
            velocity: [4.0, 5.0, 6.0],
            angular_velocity: [7.0, 8.0, 9.0],
        };
        let text = written("body", &body);
        assert!(text.ends_with("\n0.0,b[3],1.0,2.0,3.0,1.0,0.0,0.0,0.0,4.0,5.0,6.0,7.0,8.0,9.0\n"));
        written("energy", &EnergyRow::default());
    }
}
