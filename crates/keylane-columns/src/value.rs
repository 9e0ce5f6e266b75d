//! What one value is hashed as (docs/COLUMNS.md).

use arrow_buffer::i256;
use arrow_schema::TimeUnit;
use std::io::Write;

/// The length up to which a view holds its bytes.
pub const SHORT: usize = 12;

/// A value that is neither null nor nested, by its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    /// 64 bits in two's complement.
    Integer(u64),
    Bytes(&'a [u8]),
    /// So many of these bytes.
    Short([u8; SHORT], usize),
    /// The bits of a float64.
    Float(u64),
    /// The text stands at the end of the buffer that the caller gave.
    Text,
    /// Nanoseconds: 128 bits in two's complement.
    Wide(u128),
}

/// Why a value has no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A date64 that is not whole days.
    Date,
    /// The array contradicts itself.
    Malformed,
    /// There is not enough memory.
    Memory,
}

const DAY: i64 = 86_400_000;

/// A date64: whole days.
#[inline]
pub fn date(milliseconds: i64) -> Result<Value<'static>, Fault> {
    if milliseconds % DAY == 0 { Ok(Value::Integer((milliseconds / DAY) as u64)) } else { Err(Fault::Date) }
}

/// A time: microseconds where they are exact and fit, else nanoseconds.
#[inline(always)]
pub fn time(t: i64, unit: TimeUnit) -> Value<'static> {
    let scaled = |microseconds: i64, nanoseconds: i128| match t.checked_mul(microseconds) {
        Some(t) => Value::Integer(t as u64),
        None => Value::Wide((i128::from(t) * nanoseconds) as u128),
    };
    match unit {
        TimeUnit::Second => scaled(1_000_000, 1_000_000_000),
        TimeUnit::Millisecond => scaled(1_000, 1_000_000),
        TimeUnit::Microsecond => Value::Integer(t as u64),
        TimeUnit::Nanosecond if t % 1_000 == 0 => Value::Integer((t / 1_000) as u64),
        TimeUnit::Nanosecond => Value::Wide(i128::from(t) as u128),
    }
}

/// The bits of a float64 with one zero and one NaN.
#[inline(always)]
pub fn float(x: f64) -> u64 {
    let bits = x.to_bits();
    if x.is_nan() {
        0x7ff8_0000_0000_0000
    } else if bits << 1 == 0 {
        0
    } else {
        bits
    }
}

/// The stored integer of a decimal.
pub trait Unscaled: Copy {
    /// The integer, if it has 64 bits.
    fn narrow(self) -> Option<i64>;
    /// Appends the digits of the integer, with its sign.
    fn write(self, text: &mut Vec<u8>);
}

macro_rules! unscaled {
    ($($int:ty: $narrow:expr;)*) => { $(
        impl Unscaled for $int {
            #[inline(always)]
            fn narrow(self) -> Option<i64> {
                $narrow(self)
            }

            fn write(self, text: &mut Vec<u8>) {
                // Writing to a vector does not fail.
                let _ = write!(text, "{self}");
            }
        }
    )* };
}
unscaled! {
    i32: |x| Some(i64::from(x));
    i64: Some;
    i128: |x| i64::try_from(x).ok();
    i256: |x: i256| x.to_i128().and_then(|x| i64::try_from(x).ok());
}

/// The powers of ten that a `u64` holds.
const POWERS: [u64; 20] = {
    let mut powers = [1; 20];
    let mut i = 1;
    while i < powers.len() {
        powers[i] = powers[i - 1] * 10;
        i += 1;
    }
    powers
};

/// A decimal: `n * 10^-scale`. Text, if that is what is hashed, is appended to `text`.
#[inline]
pub fn decimal<N: Unscaled>(n: N, scale: i8, text: &mut Vec<u8>) -> Value<'static> {
    let narrow = n.narrow();
    if narrow == Some(0) {
        return Value::Integer(0);
    }
    if let (Some(narrow), Some(&power)) = (narrow, POWERS.get(usize::from(scale.unsigned_abs()))) {
        if scale <= 0 {
            let whole = i64::try_from(power).ok().and_then(|power| narrow.checked_mul(power));
            if let Some(whole) = whole {
                return Value::Integer(whole as u64);
            }
        } else if narrow.unsigned_abs() % power == 0 {
            let whole = narrow.unsigned_abs() / power;
            return Value::Integer(if narrow < 0 { whole.wrapping_neg() } else { whole });
        }
    }
    by_digits(n, scale, text)
}

/// Any decimal but 0, by its digits.
fn by_digits<N: Unscaled>(n: N, scale: i8, text: &mut Vec<u8>) -> Value<'static> {
    let start = text.len();
    n.write(text);
    let digits = if text.get(start) == Some(&b'-') { start + 1 } else { start };
    let behind = usize::from(scale.unsigned_abs());
    if scale <= 0 {
        text.resize(text.len() + behind, b'0');
        return whole_or_text(start, text);
    }
    // At least one digit stands before the point.
    let missing = (behind + 1).saturating_sub(text.len() - digits);
    text.splice(digits..digits, std::iter::repeat_n(b'0', missing));
    let point = text.len().saturating_sub(behind);
    while text.len() > point && text.last() == Some(&b'0') {
        text.pop();
    }
    if text.len() <= point {
        return whole_or_text(start, text);
    }
    text.splice(point..point, [b'.']);
    Value::Text
}

/// The integer whose digits stand in `text` from `start` on, without the text if it fits 64 bits.
fn whole_or_text(start: usize, text: &mut Vec<u8>) -> Value<'static> {
    let digits = text.get(start..).and_then(|digits| std::str::from_utf8(digits).ok());
    match digits.and_then(|digits| digits.parse::<i64>().ok()) {
        Some(whole) => {
            text.truncate(start);
            Value::Integer(whole as u64)
        }
        None => Value::Text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal_of<N: Unscaled>(n: N, scale: i8) -> Result<i64, String> {
        let mut text = b"before".to_vec();
        let value = decimal(n, scale, &mut text);
        let text = String::from_utf8(text.split_off("before".len())).expect("ASCII");
        match value {
            Value::Integer(whole) => {
                assert_eq!(text, "");
                Ok(whole as i64)
            }
            Value::Text => Err(text),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn decimals_are_whole_or_text() {
        assert_eq!(decimal_of(500, 2), Ok(5));
        assert_eq!(decimal_of(-1234, 2), Err("-12.34".into()));
        assert_eq!(decimal_of(-1_i64, 3), Err("-0.001".into()));
        assert_eq!(decimal_of(i64::MIN, 0), Ok(i64::MIN));
        assert_eq!(decimal_of(i64::MIN, -1), Err("-92233720368547758080".into()));
        assert_eq!(decimal_of(i128::from(i64::MAX) + 1, 0), Err("9223372036854775808".into()));
        assert_eq!(decimal_of((i128::from(i64::MIN)) * 10, 1), Ok(i64::MIN));
        assert_eq!(decimal_of(i256::MIN, -128).map_err(|text| text.len()), Err(1 + 77 + 128));
        assert_eq!(decimal_of(i256::from_i128(10), 127), Err(format!("0.{}1", "0".repeat(125))));
    }

    #[test]
    fn the_two_ways_agree() {
        let numbers =
            [1, -1, 5, 10, -10, 100, 12_340, -12_340, i64::MAX, i64::MIN, i64::MIN + 8, 1_000_000_000];
        for n in numbers {
            for scale in i8::MIN..=i8::MAX {
                let mut text = Vec::new();
                let slow = match by_digits(n, scale, &mut text) {
                    Value::Integer(whole) => Ok(whole as i64),
                    _ => Err(String::from_utf8(text).expect("ASCII")),
                };
                assert_eq!(decimal_of(n, scale), slow, "{n} of scale {scale}");
                assert_eq!(decimal_of(i128::from(n), scale), slow);
                assert_eq!(decimal_of(i256::from(n), scale), slow);
            }
        }
    }

    #[test]
    fn floats_have_one_zero_and_one_nan() {
        assert_eq!(float(-0.0), 0);
        assert_eq!(float(f64::from_bits(0xfff0_0000_0000_0001)), 0x7ff8_0000_0000_0000);
        assert_eq!(float(f64::from_bits(1)), 1);
        assert_eq!(float(f64::NEG_INFINITY), f64::NEG_INFINITY.to_bits());
    }
}
