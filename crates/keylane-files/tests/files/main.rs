//! Tables in CSV, Parquet and Arrow: what is made of them, and what is refused. One program: the code of Parquet is
//! compiled once.

#[path = "../../../keylane-columns/tests/common/mod.rs"]
#[allow(dead_code)]
mod arrays;
#[allow(dead_code)]
mod common;

mod csv;
#[cfg(feature = "parquet")]
mod kinds;
#[cfg(all(unix, feature = "parquet", feature = "ipc"))]
mod tables;
#[cfg(all(feature = "parquet", feature = "ipc"))]
mod verify;
