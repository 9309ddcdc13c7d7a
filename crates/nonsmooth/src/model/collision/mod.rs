//! Collision of rigid things: who may meet (`broad`), where and along which normal (`narrow`), what stays of a contact point when
//! the bodies move on (`features`). Pure functions of poses; buffers carry nothing from call to call.

mod broad;
mod chunks;
mod confirm;
mod features;
mod narrow;
mod overlaps;
mod reach;
mod sweep;

pub(crate) use broad::{Search, Situation, planar_pose, pose_of, spatial_pose};
pub(crate) use chunks::fill;
pub(crate) use confirm::{ActivePoint, Finding, confirm};
pub(crate) use features::{along, frame_of, frozen};
pub(crate) use narrow::{Narrow, Point};
pub(crate) use overlaps::{appears_inside, overlaps_at_start};
pub(crate) use reach::{fall, set_margins, swept_reach};
pub use sweep::DriftPath;
pub(crate) use sweep::meetings_of_all;
