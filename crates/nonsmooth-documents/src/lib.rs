//! The Rust blocks of the documents, compiled and run as doctests by `cargo test --doc -p nonsmooth-documents`.
//! A document with a Rust block that is not listed here is red in the tier `documents`.

#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub struct Readme;
