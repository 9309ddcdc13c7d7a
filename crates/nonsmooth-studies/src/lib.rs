//! Studies of schemes, and the papers reproduced.
//!
//! [`study`] compares schemes on one model: order of convergence, work against precision. [`reproduce`] computes again what
//! the papers show and judges it line by line. [`sweep`] runs one scene at many values of its parameters, [`map`] looks at such runs once in each
//! period, [`orbit`] finds and follows periodic motions, [`sensitivity`] differentiates what comes out of a scene, [`bvp`] finds values for which it
//! ends as it should, [`impact`] applies every law of impact to one state. All are commands of `nonsmooth`: they read arguments, print tables and
//! write figures. [`command`] holds what commands share, [`clock`] measures processor time.

pub mod bvp;
pub mod clock;
pub mod command;
mod derivatives;
pub mod impact;
pub mod map;
pub mod orbit;
pub mod reproduce;
pub mod sensitivity;
pub mod study;
pub mod sweep;
