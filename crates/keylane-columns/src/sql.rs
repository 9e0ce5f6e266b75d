//! The functions that SQL engines get: one table of names, algorithms and forms.

use crate::algorithm::{Algorithm, Form};

/// A function of keylane in SQL. docs/COLUMNS.md has the tags; DuckDB and DataFusion register these four.
///
/// The first argument is the name of a key, or `name/context` for a subkey. The others are the values.
///
/// ```
/// use keylane_columns::{Algorithm, Form, SqlFunction};
///
/// let names = SqlFunction::ALL.map(SqlFunction::name);
/// assert_eq!(names, ["keylane_hash", "keylane_hash128", "keylane_pseudonym", "keylane_hash_rows"]);
/// assert_eq!(SqlFunction::Pseudonym.algorithm(), Algorithm::SipHashX24);
/// assert_eq!(SqlFunction::Pseudonym.form(), Form::Hex);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SqlFunction {
    /// `keylane_hash`: siphash-1-3-64 of a value, as an integer.
    Hash,
    /// `keylane_hash128`: siphash-2-4-128 of a value, as 16 bytes.
    Hash128,
    /// `keylane_pseudonym`: siphash-2-4-128 of a value, as 32 hexadecimal digits.
    Pseudonym,
    /// `keylane_hash_rows`: siphash-1-3-64 of all values as one row, as an integer.
    Rows,
}

impl SqlFunction {
    /// Every function.
    ///
    /// ```
    /// # use keylane_columns::SqlFunction;
    /// assert_eq!(SqlFunction::ALL.len(), 4);
    /// ```
    pub const ALL: [SqlFunction; 4] =
        [SqlFunction::Hash, SqlFunction::Hash128, SqlFunction::Pseudonym, SqlFunction::Rows];

    /// The name in SQL.
    ///
    /// ```
    /// # use keylane_columns::SqlFunction;
    /// assert_eq!(SqlFunction::Rows.name(), "keylane_hash_rows");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            SqlFunction::Hash => "keylane_hash",
            SqlFunction::Hash128 => "keylane_hash128",
            SqlFunction::Pseudonym => "keylane_pseudonym",
            SqlFunction::Rows => "keylane_hash_rows",
        }
    }

    /// The algorithm.
    ///
    /// ```
    /// # use keylane_columns::{Algorithm, SqlFunction};
    /// assert_eq!(SqlFunction::Hash.algorithm(), Algorithm::SipHash13);
    /// ```
    pub fn algorithm(self) -> Algorithm {
        match self {
            SqlFunction::Hash | SqlFunction::Rows => Algorithm::SipHash13,
            SqlFunction::Hash128 | SqlFunction::Pseudonym => Algorithm::SipHashX24,
        }
    }

    /// How its tags are stored.
    ///
    /// ```
    /// # use keylane_columns::{Form, SqlFunction};
    /// assert_eq!(SqlFunction::Hash128.form(), Form::Binary);
    /// ```
    pub fn form(self) -> Form {
        match self {
            SqlFunction::Hash | SqlFunction::Rows => Form::UInt64,
            SqlFunction::Hash128 => Form::Binary,
            SqlFunction::Pseudonym => Form::Hex,
        }
    }
}
