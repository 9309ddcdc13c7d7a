//! Energies at an instant, and the work of each kind in a step: the columns of the ledger.

/// Kinetic and potential energy at one instant [J].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energies {
    /// T [J].
    pub kinetic: f64,
    /// V [J], elastic and of constant loads.
    pub potential: f64,
}

impl std::ops::AddAssign for Energies {
    fn add_assign(&mut self, other: Self) {
        self.kinetic += other.kinetic;
        self.potential += other.potential;
    }
}

/// Energy that flowed during one step [J]. Positive where the systems gain.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Works {
    /// Work of forces that depend on time or state [J].
    pub external: f64,
    /// Work of C v, of F_int and of dampers [J]; ≤ 0 for dissipative ones.
    pub viscous: f64,
    /// Work of normal impulses at impacts: contacts that carried nothing before [J].
    pub impact: f64,
    /// Work of normal impulses of lasting contacts [J].
    pub contact: f64,
    /// Work of tangential impulses against the sliding velocity [J].
    pub friction: f64,
    /// Work of bilateral constraints and joints [J].
    pub joint: f64,
    /// Work of drives [J].
    pub drive: f64,
    /// Work done by what holds prescribed coordinates and by kinematic bodies that move [J].
    pub prescribed: f64,
    /// Energy that bodies bring when they appear, less what they take along when they leave [J].
    pub exchange: f64,
    /// Energy that the scheme itself adds [J].
    pub scheme: f64,
    /// Energy that moving q onto the constraints adds [J].
    pub projection: f64,
}

/// Number of columns of [`Works`].
pub const N_WORKS: usize = 11;

impl Works {
    /// Every column with its name, in the order of result files [J].
    pub fn columns(&self) -> [(&'static str, f64); N_WORKS] {
        [
            ("external", self.external),
            ("viscous", self.viscous),
            ("impact", self.impact),
            ("contact", self.contact),
            ("friction", self.friction),
            ("joint", self.joint),
            ("drive", self.drive),
            ("prescribed", self.prescribed),
            ("exchange", self.exchange),
            ("scheme", self.scheme),
            ("projection", self.projection),
        ]
    }

    /// The works from their columns [J].
    pub fn from_columns(x: [f64; N_WORKS]) -> Self {
        let [
            external,
            viscous,
            impact,
            contact,
            friction,
            joint,
            drive,
            prescribed,
            exchange,
            scheme,
            projection,
        ] = x;
        Self {
            external,
            viscous,
            impact,
            contact,
            friction,
            joint,
            drive,
            prescribed,
            exchange,
            scheme,
            projection,
        }
    }

    /// What rubbing gained at an impact since `before` [J] goes to the law of impact: friction itself only takes. A law that reverses the
    /// slip may give: ½p(u⁻ + u⁺) > 0 although p opposes u⁺.
    #[inline]
    pub(crate) fn name_gain(&mut self, before: f64) {
        if self.friction > before {
            self.impact += self.friction - before;
            self.friction = before;
        }
    }

    /// All columns together [J].
    #[inline]
    pub fn sum(&self) -> f64 {
        let Self {
            external,
            viscous,
            impact,
            contact,
            friction,
            joint,
            drive,
            prescribed,
            exchange,
            scheme,
            projection,
        } = self;
        external
            + viscous
            + impact
            + contact
            + friction
            + joint
            + drive
            + prescribed
            + exchange
            + scheme
            + projection
    }
}

impl std::ops::AddAssign for Works {
    fn add_assign(&mut self, other: Self) {
        self.external += other.external;
        self.viscous += other.viscous;
        self.impact += other.impact;
        self.contact += other.contact;
        self.friction += other.friction;
        self.joint += other.joint;
        self.drive += other.drive;
        self.prescribed += other.prescribed;
        self.exchange += other.exchange;
        self.scheme += other.scheme;
        self.projection += other.projection;
    }
}
