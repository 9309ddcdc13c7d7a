//! Norms, filled-in graphs, exact solutions, orders and studies.

mod exact;
mod graphs;
mod orders;
mod studies;
