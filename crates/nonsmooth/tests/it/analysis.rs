//! Norms, filled-in graphs, exact solutions, orders and studies.

mod exact;
mod graphs;
