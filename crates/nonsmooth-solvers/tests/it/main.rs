//! Integration tests of the solvers, from their specification alone. One binary, so linking is cheap.

mod bad_input;
mod balls;
mod certificate;
mod chain;
mod columns;
mod conformance;
mod contacts;
mod convex;
mod enumerate;
mod first_order;
mod friction;
mod gauss_seidel;
mod honesty;
mod interior_point;
mod joined;
mod judge;
mod lemke;
mod operator;
mod oracle;
mod pile;
mod piles;
mod random_lcp;
mod rays;
mod reuse;
mod samples;
mod scenes;
