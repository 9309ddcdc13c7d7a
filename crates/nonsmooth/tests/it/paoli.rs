//! The schemes of Paoli, Moreau and Schatzman against closed forms, slow oracles and reference tables, with their measured order; with
//! bodies and joints too.

pub mod bodies;
mod moreau_paoli;
mod refused;
mod schatzman_paoli;

pub use crate::schemes::{run, simulate};
