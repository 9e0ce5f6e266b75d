//! Tags by the specification.

use crate::error::Error;
use crate::plan::{Context, Output, Plan, Request, Source};
use keylane_columns::{ColumnKey, Form};
use keylane_ref::{siphash64, siphash128};
use std::fmt::Write;
use zeroize::Zeroizing;

/// One column of tags, as it should be.
pub struct Tagged {
    pub name: String,
    /// The positions of the columns of the input that are hashed.
    pub sources: Vec<usize>,
    /// Whether several columns are hashed together.
    pub is_row: bool,
    /// The position in the output.
    pub place: usize,
    /// How tags are written.
    pub form: Form,
    /// The rounds for each 8 bytes, those at the end, and the bits of a tag.
    function: [u32; 3],
    key: Secret,
}

/// In a box: a move of a key leaves a copy behind.
type Secret = Box<Zeroizing<[u8; 16]>>;

/// The columns of tags of a table whose input has `columns` columns.
pub fn tagged(plan: &Plan, request: &Request, key: &ColumnKey, columns: usize) -> Vec<Tagged> {
    let mut end = columns..;
    let mut one = |output: &Output| {
        let (sources, is_row) = match &output.source {
            Source::Plain(index) => (vec![*index], false),
            Source::Row(places) => (places.clone(), true),
        };
        // A subkey has the name of the column that is hashed, or that of the row.
        let own = output.of.first().filter(|_| !is_row).unwrap_or(&output.name);
        let root = bytes(key);
        let mut key = match &request.context {
            Context::PerColumn => subkey(&root, own),
            Context::One(context) => subkey(&root, context),
            Context::None => root,
        };
        if is_row {
            key = subkey(&key, "KCE-1 row");
        }
        let place = output.replaces.or_else(|| end.next()).unwrap_or(usize::MAX);
        // The name says it: siphash-c-d-bits.
        let mut numbers =
            request.algorithm.name().split('-').skip(1).map(|number| number.parse().unwrap_or(0));
        let function = std::array::from_fn(|_| numbers.next().unwrap_or(0));
        Tagged { name: output.name.clone(), sources, is_row, place, form: request.form, function, key }
    };
    plan.outputs.iter().map(&mut one).collect()
}

fn bytes(key: &ColumnKey) -> Secret {
    let mut secret = Secret::default();
    key.key().write_bytes(&mut secret);
    secret
}

/// The subkey of a context, by KCE-1.
fn subkey(key: &[u8; 16], context: &str) -> Secret {
    let message = [b"keylane subkey 1\0", context.as_bytes()].concat();
    let mut secret = Secret::default();
    **secret = siphash128(4, 8, key, &message).to_le_bytes();
    secret
}

impl Tagged {
    /// The tag of a message; one of 64 bits is the lower half.
    pub fn tag(&self, message: &[u8]) -> u128 {
        match self.function {
            [c, d, 64] => siphash64(c, d, &self.key, message).into(),
            [c, d, _] => siphash128(c, d, &self.key, message),
        }
    }

    /// Whether tags of this form are declared as this type.
    #[cfg(any(feature = "parquet", feature = "ipc"))]
    pub fn is_type(&self, declared: &arrow_schema::DataType) -> bool {
        use arrow_schema::DataType;
        match declared {
            DataType::FixedSizeBinary(bytes) => {
                self.form == Form::Binary && usize::try_from(*bytes) == Ok(self.bytes())
            }
            DataType::Utf8 => self.form == Form::Hex,
            DataType::UInt64 => self.form == Form::UInt64,
            DataType::Int64 => self.form == Form::Int64,
            _ => false,
        }
    }

    /// The bytes of a tag.
    pub fn bytes(&self) -> usize {
        if self.function[2] == 64 { 8 } else { 16 }
    }

    /// Writes a tag as a file of text has it. A null is empty.
    pub fn text(&self, tag: Option<u128>, text: &mut String) {
        text.clear();
        let Some(tag) = tag else { return };
        // Writing to a string does not fail.
        let _ = match self.form {
            // By the standard library, since `keylane_columns::hex` may have made what is compared with this.
            Form::Hex | Form::Binary if self.bytes() == 8 => {
                write!(text, "{:016x}", (tag as u64).swap_bytes())
            }
            Form::Hex | Form::Binary => write!(text, "{:032x}", tag.swap_bytes()),
            Form::UInt64 => write!(text, "{}", tag as u64),
            Form::Int64 => write!(text, "{}", tag as i64),
        };
    }
}

/// The positions of the input's columns that stay.
pub fn kept(tagged: &[Tagged], columns: usize) -> impl Iterator<Item = usize> {
    (0..columns).filter(move |index| tagged.iter().all(|it| it.place != *index))
}

/// Whether the output has as many columns as it should.
pub fn check_count(tagged: &[Tagged], columns: usize, found: usize) -> Result<(), Error> {
    let new = tagged.iter().filter(|it| it.place >= columns).count();
    if found == columns + new {
        Ok(())
    } else {
        Err(Error::Differs(super::differences::OTHER_COLUMNS.into()))
    }
}
