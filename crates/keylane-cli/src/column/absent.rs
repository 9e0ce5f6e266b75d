//! `keylane column` of a program that was built without the feature `column`.

use crate::args::ColumnArgs;
use crate::error::{Error, Outcome};

/// Says how to get the command.
pub fn run(_: &ColumnArgs) -> Result<Outcome, Error> {
    Err(Error::Usage(
        "column: this keylane was built without it: cargo install keylane-cli --features column".into(),
    ))
}
