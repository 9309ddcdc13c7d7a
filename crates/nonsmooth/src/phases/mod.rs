//! The lines of which a step consists, one file each. Data only goes forward: inputs are `&`, the one
//! output is the last argument, `&mut`.

mod account;
mod advance;
mod angles;
mod assemble;
mod correct;
mod detect;
mod factorize;
mod fly;
mod impact;
mod impact_path;
mod impact_work;
mod linearize;
mod merge;
mod penetration;
mod project;
mod solve;
mod solve_part;
mod stiffen;
mod strike;
mod tangent;

pub use account::{Ledger, account};
pub use advance::{advance, carry_over, conclude};
pub use angles::{Angles, KineticAngles, kinetic_angles};
pub use assemble::{apply, assemble, assemble_with};
pub use correct::{REDUNDANT, certify_pass, correct, guess, is_bilateral};
pub use detect::{detect, detect_chosen};
pub use factorize::{Mass, factorize, factorize_released};
pub use fly::fly;
pub use impact::{Begins, Impact, Struck, carried, impact, strike};
pub(crate) use impact_path::reached;
pub use impact_work::impact_work;
pub use linearize::{LawForm, linearize, set_laws, set_offsets};
pub use merge::{Merging, merge};
pub use penetration::Penetration;
pub use project::{Projecting, Projection, project};
pub(crate) use solve::Guess;
pub use solve::{
    DEFAULT_TOLERANCE, Impulses, Policy, SolverSettings, is_solved, judge, judge_report, solve,
};
pub use solve_part::{PartBuffers, is_solved_by, pose_part, solve_part};
pub use stiffen::{Stiffened, stiffen};
pub use strike::{Strike, StruckConstraint, strike_at};
pub use tangent::{Tangent, tangent};
