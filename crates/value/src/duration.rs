//! Durations as Go writes them: `300ms`, `1.5h`, `2h45m`.

/// The seconds, or `None` if the text is not a duration.
pub fn seconds(text: &str) -> Option<f64> {
    let (sign, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    };
    if rest == "0" {
        return Some(0.0);
    }
    if rest.is_empty() {
        return None;
    }
    let mut total = 0.0;
    while !rest.is_empty() {
        let end = rest.find(|char: char| !char.is_ascii_digit() && char != '.')?;
        let (number, after) = rest.split_at(end);
        if !number.bytes().any(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let unit_end = after.find(|char: char| char.is_ascii_digit() || char == '.').unwrap_or(after.len());
        let (unit, next) = after.split_at(unit_end);
        let scale = match unit {
            "ns" => 1e-9,
            "us" | "µs" | "μs" => 1e-6,
            "ms" => 1e-3,
            "s" => 1.0,
            "m" => 60.0,
            "h" => 3600.0,
            _ => return None,
        };
        total += number.parse::<f64>().ok()? * scale;
        rest = next;
    }
    Some(sign * total)
}

/// The text for a number of seconds, in the same form.
pub fn text(seconds: f64) -> String {
    format!("{seconds}s")
}

#[cfg(test)]
mod tests {
    use super::{seconds, text};

    #[test]
    fn reads_go_durations() {
        for (text, expected) in
            [("5m", 300.0), ("1h30m", 5400.0), ("1.5s", 1.5), ("0", 0.0), ("-1m", -60.0), ("2h45m10s", 9910.0)]
        {
            assert_eq!(seconds(text), Some(expected), "{text}");
        }
        assert!((seconds("300ms").unwrap() - 0.3).abs() < 1e-12);
        assert_eq!(seconds(&text(90.5)), Some(90.5));
        for text in ["", "5", "m", "1d", "5 m", ".s", "1..5s", "-"] {
            assert_eq!(seconds(text), None, "{text}");
        }
    }
}
