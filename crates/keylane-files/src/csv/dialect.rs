//! What stands between fields, and around them.

use crate::error::Error;

/// How fields are divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialect {
    pub(super) delimiter: u8,
    pub(super) quote: Option<u8>,
}

impl Dialect {
    /// Commas, and double quotes: RFC 4180.
    pub const CSV: Dialect = Dialect { delimiter: b',', quote: Some(b'"') };

    /// Tabs, and no quotes: tabs and line ends divide, whatever stands between them.
    pub const TSV: Dialect = Dialect { delimiter: b'\t', quote: None };

    /// Fields between these delimiters, which may stand in these quotes. Both are characters of ASCII. They are no line
    /// ends, and a tag has neither of them.
    ///
    /// # Errors
    /// [`Error::Request`] of others.
    pub fn new(delimiter: u8, quote: Option<u8>) -> Result<Dialect, Error> {
        for (what, byte) in [("delimiter", Some(delimiter)), ("quote", quote)] {
            let is_unfit = |byte: u8| {
                !byte.is_ascii() || byte.is_ascii_alphanumeric() || matches!(byte, b'\n' | b'\r' | b'-' | 0)
            };
            if byte.is_some_and(is_unfit) {
                let text = "is one character of ASCII, and no letter, digit, minus or line end";
                return Err(Error::request(format!("the {what} {text}")));
            }
        }
        if quote == Some(delimiter) {
            return Err(Error::request("the delimiter cannot be the quote too"));
        }
        Ok(Dialect { delimiter, quote })
    }

    /// The character between fields.
    pub fn delimiter(self) -> u8 {
        self.delimiter
    }

    /// The character around fields, if there is one.
    pub fn quote(self) -> Option<u8> {
        self.quote
    }
}
