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

/// The columns of the ledger from one list, in the order of result files.
macro_rules! works {
    ($($(#[$about:meta])* $name:ident,)+) => {
        /// Energy that flowed during one step [J]. Positive where the systems gain.
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        pub struct Works {
            $($(#[$about])* pub $name: f64,)+
        }

        /// Number of columns of [`Works`].
        pub const N_WORKS: usize = Works::NAMES.len();

        impl Works {
            /// Names of the columns, in the order of result files.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($name)),+];

            /// Every column with its name [J].
            pub fn columns(&self) -> [(&'static str, f64); N_WORKS] {
                [$((stringify!($name), self.$name)),+]
            }

            /// The works from their columns [J].
            pub fn from_columns([$($name),+]: [f64; N_WORKS]) -> Self {
                Self { $($name),+ }
            }

            /// All columns together [J].
            #[inline]
            pub fn sum(&self) -> f64 {
                // Adding −0 changes nothing.
                $(self.$name +)+ -0.0
            }
        }

        impl std::ops::AddAssign for Works {
            fn add_assign(&mut self, other: Self) {
                $(self.$name += other.$name;)+
            }
        }

        impl std::ops::SubAssign for Works {
            fn sub_assign(&mut self, other: Self) {
                $(self.$name -= other.$name;)+
            }
        }
    };
}

works! {
    /// Work of forces that depend on time or state [J].
    external,
    /// Work of C v, of F_int and of dampers [J]; ≤ 0 for dissipative ones.
    viscous,
    /// Work of normal impulses at impacts: contacts that carried nothing before [J].
    impact,
    /// Work of normal impulses of lasting contacts [J].
    contact,
    /// Work of tangential impulses against the sliding velocity [J].
    friction,
    /// Work of bilateral constraints and joints [J].
    joint,
    /// Work of drives [J].
    drive,
    /// Work done by what holds prescribed coordinates and by kinematic bodies that move [J].
    prescribed,
    /// Energy that bodies bring when they appear, less what they take along when they leave [J].
    exchange,
    /// Energy that the scheme itself adds [J].
    scheme,
    /// Energy that moving q onto the constraints adds [J].
    projection,
}

impl Works {
    /// What a column is called in words.
    pub fn in_words(column: &str) -> String {
        match column {
            "scheme" | "projection" => column.to_owned(),
            "exchange" => "bodies in and out".to_owned(),
            "prescribed" => "prescribed motion".to_owned(),
            column => format!("{column} work"),
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

    /// Books what moves by itself, whatever acts on it [J]: a drive, or what holds prescribed coordinates and kinematic bodies.
    #[inline]
    pub(crate) fn add_driven(&mut self, is_drive: bool, work: f64) {
        *(if is_drive { &mut self.drive } else { &mut self.prescribed }) += work;
    }
}
