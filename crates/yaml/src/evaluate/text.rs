//! Values as text: Go's `%v` for interpolations and Go's JSON for `fn::toJSON`. Both are sent to providers, so both
//! are reproduced to the last digit.

use outrigger_syntax::scalar;

use super::value::Evaluated;

/// Formats a value like `%v`. `Err` names a kind of value that cannot be formatted.
pub(super) fn shown(value: &Evaluated) -> Result<String, &'static str> {
    let mut text = String::new();
    show(value, &mut text)?;
    Ok(text)
}

fn show(value: &Evaluated, text: &mut String) -> Result<(), &'static str> {
    match value {
        Evaluated::Null => text.push_str("<nil>"),
        Evaluated::Bool(value) => text.push_str(if *value { "true" } else { "false" }),
        Evaluated::Number(number) => text.push_str(&scalar::printed(*number)),
        Evaluated::Integer(number) => text.push_str(&number.to_string()),
        Evaluated::String(value) => text.push_str(value),
        Evaluated::List(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    text.push(' ');
                }
                show(item, text)?;
            }
            text.push(']');
        }
        Evaluated::Map(map) => {
            text.push_str("map[");
            for (index, (key, item)) in map.iter().enumerate() {
                if index > 0 {
                    text.push(' ');
                }
                text.push_str(key);
                text.push(':');
                show(item, text)?;
            }
            text.push(']');
        }
        // Pulumi prints its own object or a pointer here.
        other => return Err(other.word()),
    }
    Ok(())
}

/// Digits and decimal exponent of the shortest text that parses back to the number.
fn shortest(number: f64) -> (String, i32) {
    let text = format!("{:e}", number.abs());
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    (mantissa.replace('.', ""), exponent.parse().unwrap_or_default())
}

fn exponential(number: f64, digits: &str, exponent: i32, width: usize) -> String {
    let sign = if number.is_sign_negative() { "-" } else { "" };
    let (first, rest) = digits.split_at(digits.len().min(1));
    let point = if rest.is_empty() { "" } else { "." };
    let exponent_sign = if exponent < 0 { '-' } else { '+' };
    format!("{sign}{first}{point}{rest}e{exponent_sign}{:0width$}", exponent.abs())
}

/// Go's `json.Marshal`. `Err` says why a value cannot be written.
pub(super) fn json(value: &Evaluated) -> Result<String, String> {
    let mut text = String::new();
    write_json(value, &mut text)?;
    Ok(text)
}

fn write_json(value: &Evaluated, text: &mut String) -> Result<(), String> {
    match value {
        Evaluated::Null => text.push_str("null"),
        Evaluated::Bool(value) => text.push_str(if *value { "true" } else { "false" }),
        Evaluated::Number(number) => text.push_str(&json_number(*number)?),
        Evaluated::Integer(number) => text.push_str(&number.to_string()),
        Evaluated::String(value) => json_string(value, text),
        Evaluated::List(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                write_json(item, text)?;
            }
            text.push(']');
        }
        Evaluated::Map(map) => {
            text.push('{');
            for (index, (key, item)) in map.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                json_string(key, text);
                text.push(':');
                write_json(item, text)?;
            }
            text.push('}');
        }
        other => return Err(format!("{} has no JSON form", other.word())),
    }
    Ok(())
}

fn json_number(number: f64) -> Result<String, String> {
    if !number.is_finite() {
        return Err(format!("{} has no JSON form", scalar::printed(number)));
    }
    let size = number.abs();
    if size != 0.0 && !(1e-6..1e21).contains(&size) {
        let (digits, exponent) = shortest(number);
        // One digit below ten for negative exponents: 1e-7, and 1e+21 as it is.
        return Ok(exponential(number, &digits, exponent, if exponent < 0 { 1 } else { 2 }));
    }
    Ok(format!("{number}"))
}

fn json_string(value: &str, text: &mut String) {
    text.push('"');
    for char in value.chars() {
        match char {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            '\u{8}' => text.push_str("\\b"),
            '\u{c}' => text.push_str("\\f"),
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => text.push_str(&format!("\\u{:04x}", u32::from(char))),
            control if control < ' ' => text.push_str(&format!("\\u{:04x}", u32::from(control))),
            other => text.push(other),
        }
    }
    text.push('"');
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn numbers_as_go_shows_them() {
        for (number, text) in [
            (0.0, "0"),
            (-0.0, "-0"),
            (1.0, "1"),
            (1.5, "1.5"),
            (-12.25, "-12.25"),
            (100_000.0, "100000"),
            (123_456.5, "123456.5"),
            (1_000_000.0, "1e+06"),
            (1_048_576.0, "1.048576e+06"),
            (-1_048_576.0, "-1.048576e+06"),
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
            (1.5e-7, "1.5e-07"),
            (1e100, "1e+100"),
            (f64::NAN, "NaN"),
            (f64::INFINITY, "+Inf"),
        ] {
            assert_eq!(shown(&Evaluated::Number(number)).as_deref(), Ok(text));
        }
    }

    #[test]
    fn collections_as_go_shows_them() {
        let list = Evaluated::List(vec![Evaluated::String("a".to_owned()), Evaluated::Null, Evaluated::Bool(true)]);
        let map = Evaluated::Map(BTreeMap::from([("z".to_owned(), list), ("a".to_owned(), Evaluated::Number(1.0))]));
        assert_eq!(shown(&map).as_deref(), Ok("map[a:1 z:[a <nil> true]]"));
    }

    #[test]
    fn json_as_go_writes_it() {
        let map = Evaluated::Map(BTreeMap::from([
            ("b".to_owned(), Evaluated::String("<a href=\"x\">&\u{2028}\n\u{1}ä</a>".to_owned())),
            (
                "a".to_owned(),
                Evaluated::List(vec![1e6, 1e21, 1e-7, 0.1, 1e20].into_iter().map(Evaluated::Number).collect()),
            ),
        ]));
        assert_eq!(
            json(&map).unwrap(),
            r#"{"a":[1000000,1e+21,1e-7,0.1,100000000000000000000],"b":"\u003ca href=\"x\"\u003e\u0026\u2028\n\u0001ä\u003c/a\u003e"}"#
        );
        assert!(json(&Evaluated::Number(f64::NAN)).is_err());
    }
}
