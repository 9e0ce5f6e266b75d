//! Why columns are not hashed.

use crate::algorithm::{Algorithm, Form};
use arrow_schema::DataType;
use std::fmt;

/// Why a column or a row was not hashed. No error shows a value, a key or a part of either.
///
/// ```
/// use arrow_array::Date64Array;
/// use keylane::siphash::Key;
/// use keylane_columns::{Algorithm, ColumnError, ColumnHasher, ColumnKey};
///
/// let key = ColumnKey::new("users", Key::from_bytes([7; 16]));
/// let dates = Date64Array::from(vec![Some(0), None, Some(1)]);
/// let error = ColumnHasher::new(&key, Algorithm::SipHashX24).hash_array("born", &dates).unwrap_err();
/// assert_eq!(error, ColumnError::Date { column: "born".into(), row: 2 });
/// assert_eq!(error.to_string(), "column born, row 2: a date64 that is not whole days");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ColumnError {
    /// KCE-1 has no encoding for a type. In a column, that is every nested type. In a row, it is maps, unions and
    /// intervals.
    Type {
        /// The name of the column.
        column: String,
        /// The type of the column.
        data_type: DataType,
        /// The type in it that has no encoding: the same, or one inside it.
        refused: DataType,
    },
    /// The type of a column is nested more than 64 levels deep.
    Depth {
        /// The name of the column.
        column: String,
    },
    /// A null, and the caller refuses nulls.
    Null {
        /// The name of the column.
        column: String,
        /// The row of the first null, counted from 0.
        row: usize,
    },
    /// A date64 that is not whole days.
    Date {
        /// The name of the column.
        column: String,
        /// The first such row, counted from 0.
        row: usize,
    },
    /// The batch has no column of this name.
    Missing {
        /// The name that was asked for.
        column: String,
    },
    /// The batch has more than one column of this name.
    Ambiguous {
        /// The name that was asked for.
        column: String,
    },
    /// A column is named twice.
    Twice {
        /// The name of the column.
        column: String,
    },
    /// The array contradicts itself, for example by an offset beyond its bytes.
    Malformed {
        /// The name of the column.
        column: String,
    },
    /// A tag of 128 bits does not fit the integers that were asked for.
    Form {
        /// The algorithm that was chosen.
        algorithm: Algorithm,
        /// The form that was asked for.
        form: Form,
    },
    /// So many tags do not fit one array of hexadecimal text, whose offsets have 32 bits.
    Long {
        /// The name of the column.
        column: String,
        /// How many tags there are.
        rows: usize,
    },
    /// There is not enough memory.
    Memory {
        /// The name of the column.
        column: String,
    },
    /// KCE-1 has no algorithm of this name.
    Algorithm,
}

impl fmt::Display for ColumnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ColumnError::Type { column, data_type, refused } if data_type == refused => {
                write!(f, "column {column}: the type {data_type} is not hashed")
            }
            ColumnError::Type { column, data_type, refused } => {
                write!(f, "column {column} of type {data_type}: the type {refused} is not hashed")
            }
            ColumnError::Depth { column } => {
                write!(f, "column {column}: more than 64 levels of nested types")
            }
            ColumnError::Null { column, row } => write!(f, "column {column}, row {row}: a null"),
            ColumnError::Date { column, row } => {
                write!(f, "column {column}, row {row}: a date64 that is not whole days")
            }
            ColumnError::Missing { column } => write!(f, "there is no column {column}"),
            ColumnError::Ambiguous { column } => write!(f, "there are several columns {column}"),
            ColumnError::Twice { column } => write!(f, "column {column} is named twice"),
            ColumnError::Malformed { column } => write!(f, "column {column}: the array contradicts itself"),
            ColumnError::Form { algorithm, form } => {
                write!(f, "{algorithm} has tags of 128 bits, which do not fit {form}")
            }
            ColumnError::Long { column, rows } => {
                write!(f, "column {column}: {rows} tags are too many for one array of hexadecimal text")
            }
            ColumnError::Memory { column } => write!(f, "column {column}: not enough memory"),
            ColumnError::Algorithm => {
                f.write_str("columns are hashed by siphash-1-3 or siphash-2-4, with -64 or -128")
            }
        }
    }
}

impl std::error::Error for ColumnError {}
