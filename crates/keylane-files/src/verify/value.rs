//! What a value is hashed as: KCE-1, one value at a time. `tests/kce1/kce1.py` of the repository says the same in Python.

use std::borrow::Cow;

/// A value that is not nested.
#[derive(Debug, PartialEq)]
pub enum Value<'a> {
    Null,
    Integer(i64),
    Bytes(Cow<'a, [u8]>),
    Float(f64),
    /// A decimal that is no integer of 64 bits.
    Text(String),
    /// Nanoseconds that are no microseconds of 64 bits.
    Wide(i128),
}

impl Value<'_> {
    /// Appends the message of a value in a plain column. A null has none, and returns false.
    pub fn message(&self, out: &mut Vec<u8>) -> bool {
        match self {
            Value::Null => return false,
            Value::Integer(x) => out.extend(x.to_le_bytes()),
            Value::Bytes(bytes) => out.extend_from_slice(bytes),
            Value::Float(x) => out.extend(float(*x).to_le_bytes()),
            Value::Text(text) => out.extend_from_slice(text.as_bytes()),
            Value::Wide(x) => out.extend(x.to_le_bytes()),
        }
        true
    }

    /// Appends the value as a field of a row.
    pub fn field(&self, out: &mut Vec<u8>) {
        out.push(match self {
            Value::Null => 0,
            Value::Integer(_) => 1,
            Value::Bytes(_) => 2,
            Value::Float(_) => 3,
            Value::Text(_) => 4,
            Value::Wide(_) => 5,
        });
        match self {
            Value::Bytes(bytes) => count(bytes.len(), out),
            Value::Text(text) => count(text.len(), out),
            _ => {}
        }
        self.message(out);
    }
}

/// Appends a number of bytes, elements or fields.
pub fn count(count: usize, out: &mut Vec<u8>) {
    out.extend((count as u64).to_le_bytes());
}

/// The bits of a float64, with one zero and one NaN.
fn float(x: f64) -> u64 {
    if x.is_nan() {
        0x7ff8_0000_0000_0000
    } else if x == 0.0 {
        0
    } else {
        x.to_bits()
    }
}

/// A time in nanoseconds.
pub fn time(nanoseconds: i128) -> Value<'static> {
    match i64::try_from(nanoseconds / 1000) {
        Ok(microseconds) if nanoseconds % 1000 == 0 => Value::Integer(microseconds),
        _ => Value::Wide(nanoseconds),
    }
}

/// A decimal by its sign, and its digits before and behind the point.
pub fn decimal(is_negative: bool, whole: &str, fraction: &str) -> Value<'static> {
    let sign = if is_negative { "-" } else { "" };
    let (whole, fraction) = (whole.trim_start_matches('0'), fraction.trim_end_matches('0'));
    let whole = if whole.is_empty() { "0" } else { whole };
    if !fraction.is_empty() {
        return Value::Text(format!("{sign}{whole}.{fraction}"));
    }
    let text = format!("{sign}{whole}");
    text.parse().map_or(Value::Text(text), Value::Integer)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(value: Value<'_>) -> Vec<u8> {
        let mut out = Vec::new();
        assert!(value.message(&mut out));
        out
    }

    #[test]
    fn decimals_and_times_by_the_contract() {
        let text = |text: &str| Value::Text(text.into());
        assert_eq!(decimal(true, "12", "340"), text("-12.34"));
        assert_eq!(decimal(false, "", "5"), text("0.5"));
        assert_eq!(decimal(true, "000", "00"), Value::Integer(0));
        assert_eq!(decimal(true, "9223372036854775808", "0"), Value::Integer(i64::MIN));
        assert_eq!(decimal(false, "9223372036854775808", ""), text("9223372036854775808"));
        assert_eq!(time(-1_000), Value::Integer(-1));
        assert_eq!(time(-1), Value::Wide(-1));
        assert_eq!(time(i128::from(i64::MAX) * 1000 + 1000), Value::Wide(i128::from(i64::MAX) * 1000 + 1000));
    }

    #[test]
    fn messages_by_the_contract() {
        assert_eq!(message(Value::Float(-0.0)), [0; 8]);
        let nan = f64::from_bits(0xfff0_0000_0000_0001);
        assert_eq!(message(Value::Float(nan)), 0x7ff8_0000_0000_0000_u64.to_le_bytes());
        assert_eq!(message(Value::Wide(-1)), [0xff; 16]);
        assert!(!Value::Null.message(&mut Vec::new()));
        let mut out = Vec::new();
        Value::Bytes(Cow::Borrowed(b"ab")).field(&mut out);
        Value::Null.field(&mut out);
        Value::Integer(-1).field(&mut out);
        assert_eq!(out, b"\x02\x02\0\0\0\0\0\0\0ab\0\x01\xff\xff\xff\xff\xff\xff\xff\xff");
    }
}
