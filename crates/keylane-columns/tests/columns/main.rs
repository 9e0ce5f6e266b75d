//! Tags of columns and rows. One program: the code of Arrow is compiled once.

#[path = "../common/mod.rs"]
#[allow(dead_code)]
mod common;
#[path = "../common/reference.rs"]
mod python;

mod properties;
mod reference;
mod steps;
mod vectors;
