//! Integration tests of the solvers, from their specification alone. One binary, so linking is cheap.

mod bad_input;
mod conformance;
mod enumerate;
mod gauss_seidel;
mod interior_point;
mod lemke;
mod oracle;
mod pile;
mod random_lcp;
mod samples;
