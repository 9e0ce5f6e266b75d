//! What DuckDB's types are to KCE-1.

use arrow_schema::TimeUnit;

/// A type of DuckDB.
#[derive(Debug)]
pub enum Kind {
    Null,
    Bool,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    I128,
    U128,
    F32,
    F64,
    Date,
    /// A time of day or a timestamp, as integers of 64 bits.
    Time(TimeUnit),
    Decimal {
        /// The bytes of the stored integer: 2, 4, 8 or 16.
        bytes: usize,
        width: u8,
        scale: u8,
    },
    /// Text or bytes.
    Text,
    Uuid,
    /// The bytes of a code, and how many words there are.
    Enum {
        bytes: usize,
        words: usize,
    },
    List(Box<Kind>),
    Array(Box<Kind>, usize),
    Struct(Vec<Kind>),
    /// KCE-1 does not have this type.
    Refused(String),
}

impl Kind {
    /// The bytes that a vector of this type has for each row in its own memory.
    pub fn width(&self) -> usize {
        match self {
            Kind::Bool | Kind::I8 | Kind::U8 => 1,
            Kind::I16 | Kind::U16 => 2,
            Kind::I32 | Kind::U32 | Kind::F32 | Kind::Date => 4,
            Kind::I64 | Kind::U64 | Kind::F64 | Kind::Time(_) => 8,
            Kind::I128 | Kind::U128 | Kind::Text | Kind::Uuid | Kind::List(_) => 16,
            Kind::Decimal { bytes, .. } | Kind::Enum { bytes, .. } => *bytes,
            Kind::Null | Kind::Array(..) | Kind::Struct(_) | Kind::Refused(_) => 0,
        }
    }

    /// The name of the first type, here or inside, that KCE-1 does not have.
    pub fn refused(&self) -> Option<&str> {
        match self {
            Kind::Refused(name) => Some(name),
            Kind::List(item) | Kind::Array(item, _) => item.refused(),
            Kind::Struct(fields) => fields.iter().find_map(Kind::refused),
            _ => None,
        }
    }

    /// The name of a nested type, which a column by itself cannot have.
    pub fn nested(&self) -> Option<&'static str> {
        match self {
            Kind::List(_) => Some("LIST"),
            Kind::Array(..) => Some("ARRAY"),
            Kind::Struct(_) => Some("STRUCT"),
            _ => None,
        }
    }
}

/// DuckDB's numbers of types, in the order of its header. Types without an entry have parameters of their own.
pub fn simple(number: u32) -> Kind {
    match number {
        1 => Kind::Bool,
        2 => Kind::I8,
        3 => Kind::I16,
        4 => Kind::I32,
        5 => Kind::I64,
        6 => Kind::U8,
        7 => Kind::U16,
        8 => Kind::U32,
        9 => Kind::U64,
        10 => Kind::F32,
        11 => Kind::F64,
        12 | 14 | 31 => Kind::Time(TimeUnit::Microsecond),
        13 => Kind::Date,
        16 => Kind::I128,
        17 | 18 => Kind::Text,
        20 => Kind::Time(TimeUnit::Second),
        21 => Kind::Time(TimeUnit::Millisecond),
        22 | 39 => Kind::Time(TimeUnit::Nanosecond),
        27 => Kind::Uuid,
        32 => Kind::U128,
        36 => Kind::Null,
        15 => Kind::Refused("INTERVAL".into()),
        26 => Kind::Refused("MAP".into()),
        28 => Kind::Refused("UNION".into()),
        29 => Kind::Refused("BIT".into()),
        30 => Kind::Refused("TIME WITH TIME ZONE".into()),
        35 => Kind::Refused("BIGNUM".into()),
        _ => Kind::Refused(format!("number {number} of DuckDB's C API")),
    }
}

pub const DECIMAL: u32 = 19;
pub const ENUM: u32 = 23;
pub const LIST: u32 = 24;
pub const STRUCT: u32 = 25;
pub const ARRAY: u32 = 33;
pub const ANY: u32 = 34;
pub const UBIGINT: u32 = 9;
pub const VARCHAR: u32 = 17;
pub const BLOB: u32 = 18;
