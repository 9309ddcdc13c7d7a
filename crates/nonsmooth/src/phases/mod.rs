//! The lines of which a step consists, one file each. Data only goes forward: inputs are `&`, the one
//! output is the last argument, `&mut`.

mod account;
mod account_bodies;
mod advance;
mod angles;
mod apply;
mod assemble;
mod assemble_touches;
mod balance;
mod body_motion;
mod detect;
mod factorize;
mod free_motion;
mod impact_work;
mod iterate;
mod linearize;
mod merge;
mod newmark;
mod project;
mod solve;
mod springs;
mod stage;
mod survey;
mod tangent;
mod touches;
mod two_levels;

pub use account::{Accounting, Energies, Made, Works, account, energies};
pub use advance::advance;
pub use angles::{Angles, KineticAngles, kinetic_angles};
pub use apply::apply;
pub use assemble::{Assembly, assemble};
pub use balance::Balance;
pub use detect::{Activation, Rows, detect, detect_also};
pub use factorize::{Coeffs, Factors, factorize, factorize_mass};
pub use free_motion::{Free, Theta, external_impulse, free_motion};
pub use impact_work::impact_work;
pub use iterate::{Configuration, Iterate};
pub use linearize::{Level, linearize};
pub use merge::{Merging, merge};
pub use newmark::{Newmark, Smooth};
pub use project::{Projecting, Projection, account_projection, entered, project};
pub use solve::{Impulses, Policy, judge, judge_solve, solve, warm_start};
pub use springs::factorize_springs;
pub use stage::Stage;
pub use tangent::{Tangent, tangent};
pub use two_levels::TwoLevels;
