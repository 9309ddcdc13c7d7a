//! Studies of schemes, and the papers reproduced.
//!
//! [`study`] compares schemes on one model: order of convergence, work against precision. [`reproduce`] computes again what
//! the papers show and judges it line by line. [`sweep`] runs one scene at many values of its parameters. All are commands of `nonsmooth`: they read arguments, print tables and
//! write figures. [`command`] holds what commands share, [`clock`] measures processor time.

pub mod clock;
pub mod command;
pub mod reproduce;
pub mod study;
pub mod sweep;
