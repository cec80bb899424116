//! Infers a YAML program's value from the text of a configuration value.

use outrigger_value::{PropertyMap, Value};
use serde_json::Value as Json;

/// The value that Pulumi's YAML host infers from a text. The order of the attempts matters; a declared type does not.
///
/// A secret's value must be wrapped by the caller; [`Config::values`](super::Config::values) does.
pub fn infer(text: &str) -> Value {
    // `01234` is an account number, not a number.
    if text.len() > 1 && text.starts_with('0') && !text.starts_with("0.") {
        return Value::String(text.to_owned());
    }
    if let Some(value) = integer(text) {
        return Value::Number(value as f64);
    }
    match text {
        "t" | "T" | "true" | "True" | "TRUE" => return Value::Bool(true),
        "f" | "F" | "false" | "False" | "FALSE" => return Value::Bool(false),
        _ => {}
    }
    if let Some(value) = float(text) {
        return Value::Number(value);
    }
    match serde_json::from_str(text) {
        Ok(json) => from_json(json),
        Err(_) => Value::String(text.to_owned()),
    }
}

/// A decimal number in 64 bits, with an optional sign.
fn integer(text: &str) -> Option<i64> {
    text.parse().ok()
}

/// Go's `ParseFloat`: decimal and hexadecimal, underscores between digits, `inf`, `infinity` and `nan` in any case.
fn float(text: &str) -> Option<f64> {
    let (negative, unsigned) = match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    if unsigned.eq_ignore_ascii_case("inf") || unsigned.eq_ignore_ascii_case("infinity") {
        return Some(if negative { f64::NEG_INFINITY } else { f64::INFINITY });
    }
    if text.eq_ignore_ascii_case("nan") {
        return Some(f64::NAN);
    }
    // Hexadecimal floats begin with `0x` and count as text above, unless they have a sign.
    if !unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.') || !underscores_fit(unsigned) {
        return None;
    }
    if let Some(hexadecimal) = unsigned.strip_prefix("0x").or_else(|| unsigned.strip_prefix("0X")) {
        return hexadecimal_float(&hexadecimal.replace('_', "")).map(|value| if negative { -value } else { value });
    }
    text.replace('_', "").parse().ok().filter(|value: &f64| value.is_finite())
}

fn underscores_fit(text: &str) -> bool {
    let bytes = text.as_bytes();
    let prefixed = matches!(bytes, [b'0', b'x' | b'X', ..]);
    let digit =
        |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_digit() || (prefixed && byte.is_ascii_hexdigit()));
    bytes.iter().enumerate().filter(|(_, byte)| **byte == b'_').all(|(at, _)| {
        let before = at.checked_sub(1).and_then(|before| bytes.get(before));
        (digit(before) || (prefixed && at == 2)) && digit(bytes.get(at + 1))
    })
}

/// `1.8p3`, the part after `0x`. The exponent is required.
fn hexadecimal_float(text: &str) -> Option<f64> {
    let (mantissa, exponent) = text.split_once(['p', 'P'])?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    // More digits than a double has would need correct rounding; no such configuration value has been seen.
    if digits.is_empty() || digits.len() > 13 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let mantissa = u64::from_str_radix(&digits, 16).ok()? as f64;
    let exponent: i32 = exponent.parse().ok()?;
    let scale = exponent.checked_sub(i32::try_from(fraction.len()).ok()?.checked_mul(4)?)?;
    Some(mantissa * 2f64.powi(scale)).filter(|value| value.is_finite())
}

fn from_json(json: Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Bool(value),
        Json::Number(value) => Value::Number(value.as_f64().unwrap_or(f64::NAN)),
        Json::String(text) => Value::String(text),
        Json::Array(items) => Value::List(items.into_iter().map(from_json).collect()),
        Json::Object(map) => {
            Value::Map(map.into_iter().map(|(key, value)| (key, from_json(value))).collect::<PropertyMap>())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_the_attempts() {
        for text in
            ["", "01", "0x10", "00", "hello", "1 2", "+", "1e400", "-nan", "1__0", "_1", "yes", "tRUE", "'a'", "{a: 1}"]
        {
            assert_eq!(infer(text), Value::String(text.into()), "{text}");
        }
        for (text, value) in [
            ("0", 0.0),
            ("1", 1.0),
            ("-1", -1.0),
            ("+5", 5.0),
            ("0.5", 0.5),
            ("1e3", 1000.0),
            ("1_000", 1000.0),
            ("1048576", 1_048_576.0),
            ("inf", f64::INFINITY),
            ("-Infinity", f64::NEG_INFINITY),
            (".5", 0.5),
            ("+0x1p4", 16.0),
        ] {
            assert_eq!(infer(text), Value::Number(value), "{text}");
        }
        assert!(matches!(infer("NaN"), Value::Number(value) if value.is_nan()));
        assert_eq!(infer("t"), Value::Bool(true));
        assert_eq!(infer("FALSE"), Value::Bool(false));
        assert_eq!(infer("null"), Value::Null);
        assert_eq!(infer("\"5\""), Value::String("5".into()));
        assert_eq!(infer("[1,\"a\"]"), Value::List(vec![Value::Number(1.0), Value::String("a".into())]));
        assert_eq!(infer("{\"a\":true}"), Value::Map([("a".to_owned(), Value::Bool(true))].into()));
    }
}
