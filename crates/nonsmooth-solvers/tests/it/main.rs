//! Integration tests of the solvers, from their specification alone. One binary, so linking is cheap.

mod bad_input;
mod conformance;
mod convex;
mod enumerate;
mod first_order;
mod gauss_seidel;
mod interior_point;
mod lemke;
mod oracle;
mod pile;
mod piles;
mod random_lcp;
mod samples;
