//! Fields of text as values of a type.

use super::sheet::Sheet;
use super::split::Span;
use crate::types::Type;
use arrow_array::{
    ArrayRef, Decimal256Array, Float64Array, Int64Array, LargeBinaryArray, TimestampNanosecondArray,
};
use arrow_buffer::{Buffer, NullBufferBuilder, OffsetBuffer, ScalarBuffer, i256};
use std::collections::TryReserveError;
use std::ops::Range;
use std::str;
use std::sync::Arc;

/// So many digits of a decimal may stand before the point, and behind it.
const DIGITS: usize = 38;

/// The values of one column of a batch.
#[derive(Debug)]
pub struct Values {
    kind: Type,
    nulls: NullBufferBuilder,
    /// The bytes of text, one after the other, and where each ends.
    bytes: Sheet,
    offsets: Vec<i64>,
    /// Integers: KCE-1 has one message for all widths, for truth values and for days.
    integers: Vec<i64>,
    floats: Vec<f64>,
    nanoseconds: Vec<i128>,
    decimals: Vec<i256>,
}

/// Why values do not become one array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// Some need nanoseconds, others are too far away for that. Fewer rows at a time may fit.
    Mixed,
    /// There is too much of it, or too little memory.
    Memory,
}

impl Values {
    /// No values of this type, and room for those of these fields.
    pub fn new(kind: Type, fields: &[Span]) -> Result<Values, TryReserveError> {
        let mut values = Values {
            kind,
            nulls: NullBufferBuilder::new(fields.len()),
            bytes: Sheet::default(),
            offsets: Vec::new(),
            integers: Vec::new(),
            floats: Vec::new(),
            nanoseconds: Vec::new(),
            decimals: Vec::new(),
        };
        match kind {
            Type::Text => {
                values.bytes.reserve(fields.iter().map(|field| field.end - field.start).sum())?;
                values.offsets.try_reserve_exact(fields.len().saturating_add(1))?;
                values.offsets.push(0);
            }
            Type::Float32 | Type::Float64 => values.floats.try_reserve_exact(fields.len())?,
            Type::Timestamp => values.nanoseconds.try_reserve_exact(fields.len())?,
            Type::Decimal => values.decimals.try_reserve_exact(fields.len())?,
            _ => values.integers.try_reserve_exact(fields.len())?,
        }
        Ok(values)
    }

    /// Adds a null.
    pub fn push_null(&mut self) {
        self.nulls.append_null();
        match self.kind {
            Type::Text => self.offsets.push(self.bytes.len() as i64),
            Type::Float32 | Type::Float64 => self.floats.push(0.0),
            Type::Timestamp => self.nanoseconds.push(0),
            Type::Decimal => self.decimals.push(i256::ZERO),
            _ => self.integers.push(0),
        }
    }

    /// Adds the value of a field, which is a part of some bytes. `None` if it is none of this type, or if there is not
    /// enough memory.
    #[inline]
    pub fn push(&mut self, bytes: &[u8], part: Range<usize>) -> Option<()> {
        if self.kind == Type::Text {
            let end = self.bytes.len() + part.len();
            self.bytes.push(bytes, part);
            self.offsets.push(self.bytes.len() as i64);
            self.nulls.append_non_null();
            return (self.bytes.len() == end).then_some(());
        }
        let field = bytes.get(part)?;
        match self.kind {
            Type::Text => {}
            Type::Int(bits) => {
                let value = integer(field)?;
                let least = -(1_i128 << (bits - 1));
                self.integers.push((least..-least).contains(&value).then_some(value as i64)?);
            }
            Type::UInt(bits) => {
                let value = integer(field)?;
                self.integers.push((0..1_i128 << bits).contains(&value).then_some(value as i64)?);
            }
            Type::Bool => self.integers.push(truth(field)?.into()),
            Type::Float32 => self.floats.push(number::<f32>(field)?.into()),
            Type::Float64 => self.floats.push(number(field)?),
            Type::Date => self.integers.push(date(field)?),
            Type::Timestamp => self.nanoseconds.push(timestamp(field)?),
            Type::Decimal => self.decimals.push(decimal(field)?),
        }
        self.nulls.append_non_null();
        Some(())
    }

    /// The values as an array, whose message in KCE-1 is that of the type.
    pub fn array(mut self) -> Result<ArrayRef, Unfit> {
        let nulls = self.nulls.finish();
        let array: Option<ArrayRef> = match self.kind {
            Type::Text => {
                let offsets = OffsetBuffer::new(ScalarBuffer::from(self.offsets));
                let array =
                    LargeBinaryArray::try_new(offsets, Buffer::from_vec(self.bytes.into_bytes()), nulls);
                array.ok().map(|array| Arc::new(array) as _)
            }
            Type::Float32 | Type::Float64 => {
                Float64Array::try_new(self.floats.into(), nulls).ok().map(|array| Arc::new(array) as _)
            }
            Type::Timestamp => {
                let microseconds = |&time: &i128| (time % 1000 == 0).then_some((time / 1000) as i64);
                if let Some(whole) = self.nanoseconds.iter().map(microseconds).collect::<Option<Vec<i64>>>() {
                    Int64Array::try_new(whole.into(), nulls).ok().map(|array| Arc::new(array) as _)
                } else {
                    let fit = self.nanoseconds.iter().map(|&time| i64::try_from(time).ok());
                    let fit: Vec<i64> = fit.collect::<Option<_>>().ok_or(Unfit::Mixed)?;
                    TimestampNanosecondArray::try_new(fit.into(), nulls)
                        .ok()
                        .map(|array| Arc::new(array) as _)
                }
            }
            Type::Decimal => {
                let array = Decimal256Array::try_new(self.decimals.into(), nulls);
                let array = array.and_then(|array| array.with_precision_and_scale(76, DIGITS as i8));
                array.ok().map(|array| Arc::new(array) as _)
            }
            _ => Int64Array::try_new(self.integers.into(), nulls).ok().map(|array| Arc::new(array) as _),
        };
        array.ok_or(Unfit::Memory)
    }
}

/// The value of some digits; at most 38 of them.
fn digits(text: &[u8]) -> Option<i128> {
    if text.is_empty() || text.len() > DIGITS {
        return None;
    }
    if let (8..=19, Some(first)) = (text.len(), text.first_chunk()) {
        // The digits before the last 8 or 16, moved to where those of eight stand behind zeros.
        let (head, rest) = text.split_at(text.len() % 8);
        let head = 8 * head.len() as u32;
        let moved = u64::from_le_bytes(*first).checked_shl(64 - head).unwrap_or(0)
            | ZEROS.checked_shr(head).unwrap_or(0);
        let eights = rest.as_chunks().0.iter().map(|&eight| u64::from_le_bytes(eight));
        let add = |value, digits| Some(value * 100_000_000 + eight(digits)?);
        return eights.fold(eight(moved), |value, digits| add(value?, digits)).map(i128::from);
    }
    if text.len() < 8 {
        let (mut value, mut wrong) = (0_u64, false);
        for byte in text {
            let digit = byte.wrapping_sub(b'0');
            wrong |= digit > 9;
            value = value.wrapping_mul(10).wrapping_add(digit.into());
        }
        return (!wrong).then_some(value.into());
    }
    text.iter()
        .try_fold(0_i128, |value, byte| byte.is_ascii_digit().then(|| value * 10 + i128::from(byte - b'0')))
}

/// Eight digits `0`.
const ZEROS: u64 = 0x3030_3030_3030_3030;

/// The value of eight digits, of which the first is the lowest byte.
fn eight(digits: u64) -> Option<u64> {
    let values = digits ^ ZEROS;
    // The highest bit of a byte is set if the byte is above 9, or was before something was added.
    if (values.wrapping_add(0x7676_7676_7676_7676) | values) & 0x8080_8080_8080_8080 != 0 {
        return None;
    }
    // Neighbours become numbers of two digits, then of four, then of eight.
    let twos = (values * 10 + (values >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (twos * 100 + (twos >> 16)) & 0x0000_ffff_0000_ffff;
    Some((fours * 10_000 + (fours >> 32)) & 0xffff_ffff)
}

/// The text without its sign, and whether that is a minus.
fn signed(text: &[u8]) -> (bool, &[u8]) {
    match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    }
}

fn integer(text: &[u8]) -> Option<i128> {
    let (minus, text) = signed(text);
    let value = digits(text)?;
    Some(if minus { -value } else { value })
}

fn truth(text: &[u8]) -> Option<bool> {
    let is = |words: &[&str]| words.iter().any(|word| text.eq_ignore_ascii_case(word.as_bytes()));
    if is(&["true", "t", "1"]) {
        Some(true)
    } else if is(&["false", "f", "0"]) {
        Some(false)
    } else {
        None
    }
}

fn number<F: str::FromStr>(text: &[u8]) -> Option<F> {
    str::from_utf8(text).ok()?.parse().ok()
}

/// The days since 1970 of a date such as `2020-12-31`.
fn date(text: &[u8]) -> Option<i64> {
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = text else { return None };
    let year = digits(&[*y1, *y2, *y3, *y4])? as i64;
    let (month, day) = (digits(&[*m1, *m2])? as i64, digits(&[*d1, *d2])? as i64);
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let last = match month {
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        _ => return None,
    };
    if !(1..=last).contains(&day) {
        return None;
    }
    // Years that begin in March, so that the day of a leap year is the last; eras of 400 years.
    let shifted = if month > 2 { year } else { year - 1 };
    let (era, of_era) = (shifted.div_euclid(400), shifted.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    Some(era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468)
}

/// The nanoseconds since 1970 of a time such as `2020-12-31T23:59:59.123456789+01:00`.
fn timestamp(text: &[u8]) -> Option<i128> {
    let (day, rest) = text.split_at_checked(10)?;
    let days = date(day)?;
    let [b'T' | b't' | b' ', rest @ ..] = rest else {
        return rest.is_empty().then(|| i128::from(days) * 86_400_000_000_000);
    };
    let [h1, h2, b':', m1, m2, rest @ ..] = rest else { return None };
    let (hours, minutes) = (digits(&[*h1, *h2])?, digits(&[*m1, *m2])?);
    let (seconds, rest) = match rest {
        [b':', s1, s2, rest @ ..] => (digits(&[*s1, *s2])?, rest),
        _ => (0, rest),
    };
    let (fraction, rest) = match rest {
        [b'.', rest @ ..] => {
            let count = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let (fraction, rest) = rest.split_at_checked(count)?;
            if count > 9 {
                return None;
            }
            (digits(fraction)? * 10_i128.pow(9 - count as u32), rest)
        }
        _ => (0, rest),
    };
    let east = match rest {
        [] | [b'Z' | b'z'] => 0,
        [sign @ (b'+' | b'-'), h1, h2, rest @ ..] => {
            let minutes = match rest {
                [] => 0,
                [b':', m1, m2] | [m1, m2] => digits(&[*m1, *m2])?,
                _ => return None,
            };
            let hours = digits(&[*h1, *h2])?;
            if hours > 23 || minutes > 59 {
                return None;
            }
            let east = hours * 60 + minutes;
            if *sign == b'-' { -east } else { east }
        }
        _ => return None,
    };
    if hours > 23 || minutes > 59 || seconds > 59 {
        return None;
    }
    let seconds = ((i128::from(days) * 24 + hours) * 60 + minutes - east) * 60 + seconds;
    Some(seconds * 1_000_000_000 + fraction)
}

/// The decimal times 10^38.
fn decimal(text: &[u8]) -> Option<i256> {
    let (minus, text) = signed(text);
    let point = text.iter().position(|&byte| byte == b'.');
    let (whole, fraction) = match point {
        Some(point) => (text.get(..point)?, text.get(point + 1..)?),
        None => (text, &b"0"[..]),
    };
    // Zeros that say nothing are not counted.
    let zeros = whole.iter().take_while(|&&byte| byte == b'0').count().min(whole.len().saturating_sub(1));
    let end = fraction.iter().rposition(|&byte| byte != b'0').map_or(1.min(fraction.len()), |last| last + 1);
    let (whole, fraction) = (whole.get(zeros..)?, fraction.get(..end)?);
    let shift = u32::try_from(DIGITS.checked_sub(fraction.len())?).ok()?;
    let behind = digits(fraction)?.checked_mul(10_i128.checked_pow(shift)?)?;
    let one = i256::from_i128(10_i128.pow(DIGITS as u32));
    let value = i256::from_i128(digits(whole)?).checked_mul(one)?.checked_add(i256::from_i128(behind))?;
    Some(if minus { value.wrapping_neg() } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_of_their_width() {
        let push = |kind, text: &str| {
            let mut values = Values::new(kind, &[]).expect("memory");
            values.push(text.as_bytes(), 0..text.len()).map(|()| values.integers[0])
        };
        assert_eq!(push(Type::Int(8), "-128"), Some(-128));
        assert_eq!(push(Type::Int(8), "128"), None);
        assert_eq!(push(Type::Int(64), "+0009223372036854775807"), Some(i64::MAX));
        assert_eq!(push(Type::Int(64), "9223372036854775808"), None);
        assert_eq!(push(Type::UInt(64), "18446744073709551615"), Some(-1));
        assert_eq!(push(Type::UInt(64), "18446744073709551616"), None);
        assert_eq!(push(Type::UInt(8), "-0"), Some(0));
        for text in ["", "-", "+", " 1", "1 ", "1.0", "1e3", "0x1", "--1", "\u{661}"] {
            assert_eq!(push(Type::Int(64), text), None, "{text}");
        }
        assert_eq!(push(Type::Int(64), &"0".repeat(39)), None);
        assert_eq!((push(Type::Bool, "TRUE"), push(Type::Bool, "0")), (Some(1), Some(0)));
        assert_eq!(push(Type::Bool, "yes"), None);
    }

    #[test]
    fn dates_and_times() {
        let day = |text: &str| date(text.as_bytes());
        assert_eq!(day("1970-01-01"), Some(0));
        assert_eq!(day("1969-12-31"), Some(-1));
        assert_eq!(day("2000-02-29"), Some(11_016));
        assert_eq!(day("0000-03-01"), Some(-719_468));
        assert_eq!(day("0000-01-01"), Some(-719_528));
        assert_eq!(day("9999-12-31"), Some(2_932_896));
        for text in [
            "1900-02-29",
            "2021-02-29",
            "2020-13-01",
            "2020-00-01",
            "2020-01-00",
            "20-01-01",
            "2020/01/01",
            "2020-01-01 ",
        ] {
            assert_eq!(day(text), None, "{text}");
        }
        // Every day is one later than the day before it.
        let mut expected = -719_528;
        for year in 0..=2400 {
            for month in 1..=12 {
                for number in 1..=31 {
                    if let Some(found) = day(&format!("{year:04}-{month:02}-{number:02}")) {
                        assert_eq!(found, expected);
                        expected += 1;
                    }
                }
            }
        }
        let time = |text: &str| timestamp(text.as_bytes());
        assert_eq!(time("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(time("1970-01-01 00:00"), Some(0));
        assert_eq!(time("1970-01-02"), Some(86_400_000_000_000));
        assert_eq!(time("1970-01-01T01:00:00.5+01:00"), Some(500_000_000));
        assert_eq!(time("1969-12-31T23:59:59.999999999"), Some(-1));
        assert_eq!(time("1970-01-01T00:00:00-0130"), Some(5_400_000_000_000));
        for text in [
            "1970-01-01T",
            "1970-01-01T00",
            "1970-01-01T24:00",
            "1970-01-01T00:60",
            "1970-01-01T00:00:60",
            "1970-01-01T00:00:00.",
            "1970-01-01T00:00:00.0000000000",
            "1970-01-01T00:00:00+24:00",
            "1970-01-01T00:00Z ",
            "\u{e9}",
            "1970-01-0\u{e9}",
        ] {
            assert_eq!(time(text), None, "{text}");
        }
    }

    #[test]
    fn decimals_are_exact() {
        let of = |text: &str| decimal(text.as_bytes());
        let one = i256::from_i128(10_i128.pow(38));
        assert_eq!(of("1"), Some(one));
        assert_eq!(of("-001.000"), Some(one.wrapping_neg()));
        assert_eq!(of("0.5"), Some(i256::from_i128(5 * 10_i128.pow(37))));
        assert_eq!(of("-0"), Some(i256::ZERO));
        let longest = format!("{0}.{0}", "9".repeat(38));
        assert_eq!(of(&longest).map(|value| value.to_string()), Some("9".repeat(76)));
        assert_eq!(of(&format!("{}1.{}", "0".repeat(100), "0".repeat(100))), Some(one));
        for text in [
            "",
            "-",
            ".",
            "1.",
            ".5",
            "1e3",
            "1.2.3",
            " 1",
            "1-",
            &"9".repeat(39),
            &format!("0.{}", "9".repeat(39)),
        ] {
            assert_eq!(of(text), None, "{text}");
        }
    }

    #[test]
    fn times_that_need_nanoseconds_and_times_far_away_do_not_mix() {
        let array = |texts: &[&str]| {
            let mut values = Values::new(Type::Timestamp, &[]).expect("memory");
            texts.iter().for_each(|text| values.push(text.as_bytes(), 0..text.len()).expect("a time"));
            values.array().map(|array| array.data_type().to_string())
        };
        assert_eq!(array(&["9999-12-31T00:00:00.123456"]).as_deref(), Ok("Int64"));
        assert_eq!(array(&["2000-12-31T00:00:00.123456001"]).as_deref(), Ok("Timestamp(ns)"));
        assert_eq!(array(&["2000-12-31T00:00:00.000000001", "9999-12-31"]), Err(Unfit::Mixed));
    }
}
