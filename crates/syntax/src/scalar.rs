//! Resolves plain scalars by the rules of Go's `yaml.v3`, with which the peer reads its files.
//!
//! They differ from YAML 1.2 in details that users meet: `0777` is octal, `1_000` and `0b11` are numbers, and a date is
//! neither text nor a number until a caller asks.

/// The meaning of a plain scalar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar {
    /// Null.
    Null,
    /// True or false.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A whole number above the range of [`Scalar::Int`].
    UInt(u64),
    /// Any other number.
    Float(f64),
    /// Text.
    Text,
}

impl Scalar {
    /// The number as the peer keeps it, if this is a number.
    pub fn as_f64(self) -> Option<f64> {
        match self {
            Scalar::Int(value) => Some(value as f64),
            Scalar::UInt(value) => Some(value as f64),
            Scalar::Float(value) => Some(value),
            Scalar::Null | Scalar::Bool(_) | Scalar::Text => None,
        }
    }
}

/// Resolves a scalar that was written without quotes and without a tag.
pub fn resolve(text: &str) -> Scalar {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Scalar::Null,
        "true" | "True" | "TRUE" => return Scalar::Bool(true),
        "false" | "False" | "FALSE" => return Scalar::Bool(false),
        ".nan" | ".NaN" | ".NAN" => return Scalar::Float(f64::NAN),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => return Scalar::Float(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => return Scalar::Float(f64::NEG_INFINITY),
        _ => {}
    }
    match text.as_bytes().first() {
        // Go uses its own float parser here, which accepts underscores between digits.
        Some(b'.') => decimal(&strip_separators(text)).map_or(Scalar::Text, Scalar::Float),
        Some(b'0'..=b'9' | b'+' | b'-') if !is_date(text) => number(text),
        _ => Scalar::Text,
    }
}

/// A plain scalar that Go reads as a date or time, in the form Go then prints. The peer does this to configuration values.
pub fn timestamp(text: &str) -> Option<String> {
    if !is_date(text) {
        return None;
    }
    let (date, time) = match text.find(['T', 't', ' ']) {
        Some(at) => (&text[..at], Some((&text[at..=at], &text[at + 1..]))),
        None => (text, None),
    };
    let [year, month, day] = numbers::<3>(date, '-')?;
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=days).contains(&day) {
        return None;
    }
    let (clock, zone) = match time {
        None => ("00:00:00".to_owned(), "+0000 UTC".to_owned()),
        Some((separator, time)) => {
            // With a `T` the zone is required; with a blank it is forbidden.
            let (time, zone) = match (separator, time.find(['Z', '+', '-'])) {
                (" ", None) => (time, "+0000 UTC".to_owned()),
                ("T" | "t", Some(at)) => (&time[..at], zone(&time[at..])?),
                _ => return None,
            };
            (clock(time)?, zone)
        }
    };
    Some(format!("{year:04}-{month:02}-{day:02} {clock} {zone}"))
}

fn zone(text: &str) -> Option<String> {
    if text == "Z" {
        return Some("+0000 UTC".to_owned());
    }
    let (sign, offset) = text.split_at_checked(1)?;
    let [hours, minutes] = numbers::<2>(offset, ':').filter(|_| offset.len() == 5)?;
    if hours == 0 && minutes == 0 {
        return Some("+0000 UTC".to_owned());
    }
    (hours <= 24 && minutes < 60).then(|| format!("{sign}{hours:02}{minutes:02} {sign}{hours:02}{minutes:02}"))
}

fn clock(text: &str) -> Option<String> {
    let (whole, fraction) = text.split_once('.').map_or((text, None), |(whole, fraction)| (whole, Some(fraction)));
    let [hours, minutes, seconds] = numbers::<3>(whole, ':')?;
    if hours > 23 || minutes > 59 || seconds > 59 {
        return None;
    }
    let fraction = match fraction {
        None => String::new(),
        Some(digits) if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            let digits = digits.get(..9).unwrap_or(digits).trim_end_matches('0');
            if digits.is_empty() { String::new() } else { format!(".{digits}") }
        }
        Some(_) => return None,
    };
    Some(format!("{hours:02}:{minutes:02}:{seconds:02}{fraction}"))
}

fn numbers<const N: usize>(text: &str, separator: char) -> Option<[u32; N]> {
    let mut found = [0; N];
    let mut parts = text.split(separator);
    for slot in &mut found {
        let part = parts.next()?;
        let fits = !part.is_empty() && part.len() <= 4 && part.bytes().all(|byte| byte.is_ascii_digit());
        *slot = part.parse().ok().filter(|_| fits)?;
    }
    parts.next().is_none().then_some(found)
}

/// A double as Go's `%v` prints it: the shortest form, with an exponent below 1e-4 and from 1e6.
pub fn printed(value: f64) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "+Inf" } else { "-Inf" }.to_owned();
    }
    let magnitude = value.abs();
    if magnitude != 0.0 && !(1e-4..1e6).contains(&magnitude) {
        return exponent_form(value);
    }
    format!("{value}")
}

/// The exponent form of Go: a sign and at least two digits after the `e`.
pub fn exponent_form(value: f64) -> String {
    let text = format!("{value:e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, digits) = match exponent.strip_prefix('-') {
        Some(digits) => ('-', digits),
        None => ('+', exponent),
    };
    format!("{mantissa}e{sign}{digits:0>2}")
}

/// The text without underscores between two digits.
fn strip_separators(text: &str) -> String {
    let bytes = text.as_bytes();
    let digit = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
    text.char_indices()
        .filter(|(at, c)| !(*c == '_' && digit(at.checked_sub(1)) && digit(Some(at + 1))))
        .map(|(_, c)| c)
        .collect()
}

/// Whether the text has the shape of a date: four digits and a dash. Such text is never a number.
fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.iter().take_while(|byte| byte.is_ascii_digit()).count() == 4 && bytes.get(4) == Some(&b'-')
}

fn number(text: &str) -> Scalar {
    let stripped;
    let plain = if text.contains('_') {
        stripped = text.replace('_', "");
        stripped.as_str()
    } else {
        text
    };
    let (negative, signed, digits) = match plain.as_bytes().first() {
        Some(b'-') => (true, true, &plain[1..]),
        Some(b'+') => (false, true, &plain[1..]),
        _ => (false, false, plain),
    };
    if let Some(magnitude) = whole(digits) {
        if negative {
            if magnitude <= 1 << 63 {
                return Scalar::Int((magnitude as i64).wrapping_neg());
            }
        } else if let Ok(value) = i64::try_from(magnitude) {
            return Scalar::Int(value);
        } else if !signed {
            return Scalar::UInt(magnitude);
        }
    }
    decimal(plain).map_or(Scalar::Text, Scalar::Float)
}

/// An unsigned whole number with Go's prefixes.
fn whole(digits: &str) -> Option<u64> {
    let (digits, radix) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (&digits[2..], 16),
        [b'0', b'o' | b'O', ..] => (&digits[2..], 8),
        [b'0', b'b' | b'B', ..] => (&digits[2..], 2),
        [b'0', _, ..] => (&digits[1..], 8),
        _ => (digits, 10),
    };
    // Rust's parser would accept a second sign here.
    if !digits.starts_with(|c: char| c.is_ascii_hexdigit()) {
        return None;
    }
    u64::from_str_radix(digits, radix).ok()
}

/// `[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`; a number too large for a double is text.
fn decimal(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent.strip_prefix(['-', '+']).unwrap_or(exponent))),
        None => (unsigned, None),
    };
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (before, after) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let shaped = digits(before)
        && digits(after)
        && !(before.is_empty() && after.is_empty())
        && exponent.is_none_or(|exponent| !exponent.is_empty() && digits(exponent));
    if !shaped {
        return None;
    }
    text.parse().ok().filter(|value: &f64| value.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_as_go_prints_them() {
        for (text, printed) in [
            ("2024-01-02", Some("2024-01-02 00:00:00 +0000 UTC")),
            ("2024-1-2", Some("2024-01-02 00:00:00 +0000 UTC")),
            ("2001-12-14t21:59:43.10-05:00", Some("2001-12-14 21:59:43.1 -0500 -0500")),
            ("2001-12-14T21:59:43Z", Some("2001-12-14 21:59:43 +0000 UTC")),
            ("2001-12-14 21:59:43", Some("2001-12-14 21:59:43 +0000 UTC")),
            ("2001-12-14 21:59:43 Z", None),
            ("2023-02-29", None),
            ("2024-13-01", None),
            ("20240-01-01", None),
        ] {
            assert_eq!(timestamp(text).as_deref(), printed, "{text}");
        }
    }

    #[test]
    fn as_go_reads_it() {
        for text in [
            "yes",
            "no",
            "on",
            "off",
            "y",
            "N",
            "2001-12-14",
            "2001-12-14t21:59:43.10-05:00",
            "1.2.3",
            "0x",
            "+",
            "-",
            ".",
            "1e400",
            "--1",
            "0x-1",
            "1:30",
            "e5",
            ".e5",
            "tRUE",
            "0b2",
            "_1",
            "<<",
            "12a",
            "infinity",
            "nan",
        ] {
            assert_eq!(resolve(text), Scalar::Text, "{text}");
        }
        for (text, value) in [
            ("0", 0),
            ("+7", 7),
            ("-7", -7),
            ("0x1F", 31),
            ("0o17", 15),
            ("0777", 511),
            ("-0777", -511),
            ("0b101", 5),
            ("-0b11", -3),
            ("1_000", 1000),
            ("-9223372036854775808", i64::MIN),
            ("-0o7", -7),
        ] {
            assert_eq!(resolve(text), Scalar::Int(value), "{text}");
        }
        assert_eq!(resolve("18446744073709551615"), Scalar::UInt(u64::MAX));
        for (text, value) in [
            ("1.5", 1.5),
            (".5", 0.5),
            ("1.", 1.0),
            ("1e3", 1000.0),
            ("08", 8.0),
            ("-1.5E-2", -0.015),
            ("1_0.5", 10.5),
            ("18446744073709551616", 18_446_744_073_709_551_616.0),
            ("+18446744073709551615", 1.8446744073709552e19),
        ] {
            assert_eq!(resolve(text), Scalar::Float(value), "{text}");
        }
        assert_eq!(resolve("-.INF"), Scalar::Float(f64::NEG_INFINITY));
        assert!(matches!(resolve(".nan"), Scalar::Float(value) if value.is_nan()));
        assert_eq!(resolve(""), Scalar::Null);
        assert_eq!(resolve("TRUE"), Scalar::Bool(true));
    }
}
