//! The fields of a file of text as values.

use super::value::{Value, decimal, time};
use crate::types::Type;
use std::borrow::Cow;

/// The value of a field that is not empty. `None` if it is none of this type.
pub fn value<'a>(kind: Type, content: Cow<'a, [u8]>) -> Option<Value<'a>> {
    if kind == Type::Text {
        return Some(Value::Bytes(content));
    }
    let text = str::from_utf8(&content).ok()?;
    Some(match kind {
        Type::Text => return None,
        // A uint64 is compared by its bits.
        Type::Int(_) | Type::UInt(_) => Value::Integer(text.parse::<i128>().ok()? as i64),
        Type::Bool => {
            Value::Integer(["true", "t", "1"].iter().any(|word| text.eq_ignore_ascii_case(word)).into())
        }
        Type::Float32 => Value::Float(text.parse::<f32>().ok()?.into()),
        Type::Float64 => Value::Float(text.parse().ok()?),
        Type::Date => Value::Integer(days(text)?),
        Type::Timestamp => time(nanoseconds(text)?),
        Type::Decimal => {
            let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
            let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
            decimal(text.starts_with('-'), whole, fraction)
        }
    })
}

/// The days from 1970 to a day such as `2020-12-31`.
fn days(text: &str) -> Option<i64> {
    const BEFORE: [i64; 12] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
    let mut parts = text.split('-').map(|part| part.parse::<i64>().ok());
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    // How many of the years from 0 to this one are leap years.
    let leap_years = |year: i64| year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + 1;
    let before = 365 * year + leap_years(year - 1);
    let is_leap = leap_years(year) > leap_years(year - 1);
    let of_year = BEFORE.get(usize::try_from(month - 1).ok()?)? + i64::from(is_leap && month > 2) + day - 1;
    Some(before + of_year - 719_528)
}

/// The nanoseconds from 1970 to a time such as `2020-12-31T23:59:59.123456789+01:00`.
fn nanoseconds(text: &str) -> Option<i128> {
    let (day, rest) = text.split_at_checked(10)?;
    let rest = rest.get(1..).unwrap_or("");
    let (clock, zone) = rest.split_at(rest.find(['Z', 'z', '+', '-']).unwrap_or(rest.len()));
    let mut seconds = days(day)? * 86_400;
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, ""));
    for (part, unit) in clock.split(':').filter(|part| !part.is_empty()).zip([3600, 60, 1]) {
        seconds += part.parse::<i64>().ok()? * unit;
    }
    let digits = zone.replace([':', '+', '-', 'Z', 'z'], "");
    if let Some((hours, minutes)) = digits.split_at_checked(2) {
        let minutes = if minutes.is_empty() { 0 } else { minutes.parse::<i64>().ok()? };
        let east = hours.parse::<i64>().ok()? * 3600 + minutes * 60;
        seconds += if zone.starts_with('-') { east } else { -east };
    }
    let fraction: i128 = format!("{fraction:0<9}").parse().ok()?;
    Some(i128::from(seconds) * 1_000_000_000 + fraction)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_follow_each_other() {
        assert_eq!((days("1970-01-01"), days("0000-01-01")), (Some(0), Some(-719_528)));
        assert_eq!((days("2000-02-29"), days("2000-03-01")), (Some(11_016), Some(11_017)));
        assert_eq!((days("1900-03-01"), days("9999-12-31")), (Some(-25_508), Some(2_932_896)));
    }

    #[test]
    fn values_of_every_type() {
        let of = |kind, text: &'static str| value(kind, text.as_bytes().into());
        assert_eq!(of(Type::UInt(64), "18446744073709551615"), Some(Value::Integer(-1)));
        assert_eq!(of(Type::Int(8), "+07"), Some(Value::Integer(7)));
        assert_eq!(
            (of(Type::Bool, "T"), of(Type::Bool, "0")),
            (Some(Value::Integer(1)), Some(Value::Integer(0)))
        );
        assert_eq!(of(Type::Float32, "0.1"), Some(Value::Float(0.1_f32.into())));
        assert_eq!(of(Type::Decimal, "-00.50"), Some(Value::Text("-0.5".into())));
        assert_eq!(of(Type::Timestamp, "1970-01-02"), Some(Value::Integer(86_400_000_000)));
        assert_eq!(of(Type::Timestamp, "1970-01-01 01:00:00.5+01:00"), Some(Value::Integer(500_000)));
        assert_eq!(of(Type::Timestamp, "1969-12-31T23:59:59.999999999"), Some(Value::Wide(-1)));
        assert_eq!(of(Type::Timestamp, "1970-01-01T00:00-0130"), Some(Value::Integer(5_400_000_000)));
        assert_eq!(of(Type::Timestamp, "1970-01-01T01:00+01"), Some(Value::Integer(0)));
        assert_eq!(of(Type::Int(64), "x"), None);
    }
}
