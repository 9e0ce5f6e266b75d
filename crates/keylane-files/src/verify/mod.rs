//! Whether an output is what the input says. Both are read once more, value by value, and compared in order. Every tag is
//! computed anew by `keylane-ref`, the specification, from the values of the input.
//!
//! Nothing here is shared with the code that wrote the output: neither the copying of Parquet's chunks, nor the division
//! of text into fields, nor the kernels, nor the encoding of values (KCE-1, the repository's docs/COLUMNS.md). It is slow
//! and short, so that a reader can see that it is right. What both sides share are the plan of what is hashed, and the
//! libraries that decode Parquet and Arrow.
//!
//! Memory is bounded: by some thousand rows of one column for Parquet, a batch of each table for Arrow, the longest row for
//! text.

#[cfg(any(feature = "parquet", feature = "ipc"))]
mod arrays;
mod differences;
mod fields;
#[cfg(feature = "ipc")]
mod ipc;
#[cfg(feature = "parquet")]
mod leaves;
#[cfg(feature = "parquet")]
mod parquet;
mod tags;
mod text;
mod value;

#[cfg(feature = "parquet")]
pub use self::parquet::parquet;
#[cfg(feature = "ipc")]
pub use ipc::arrow;
pub use text::csv;
