//! Lengths of time in words.

use std::time::Duration;

/// How long a step took: `0.01s`, `12s`, `3m5s`.
pub(crate) fn short(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match seconds {
        0..10 => format!("{:.2}s", duration.as_secs_f64()),
        10..60 => format!("{seconds}s"),
        60..3600 => format!("{}m{}s", seconds / 60, seconds % 60),
        _ => format!("{}h{}m", seconds / 3600, seconds / 60 % 60),
    }
}

/// How long something has been running, in whole seconds: `4s`, `1m05s`. Below a second it is `0s`.
pub(crate) fn running(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}m{:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h{:02}m", seconds / 3600, seconds / 60 % 60),
    }
}

/// How long ago something was: `3 minutes ago`.
pub(crate) fn ago(seconds: i64) -> String {
    let (count, unit) = match seconds {
        ..1 => return "now".to_owned(),
        1..60 => (seconds, "second"),
        60..3600 => (seconds / 60, "minute"),
        3600..86_400 => (seconds / 3600, "hour"),
        86_400..604_800 => (seconds / 86_400, "day"),
        604_800..2_592_000 => (seconds / 604_800, "week"),
        2_592_000..31_536_000 => (seconds / 2_592_000, "month"),
        _ => (seconds / 31_536_000, "year"),
    };
    format!("{count} {unit}{} ago", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words() {
        assert_eq!(running(Duration::from_millis(900)), "0s");
        assert_eq!(running(Duration::from_secs(65)), "1m05s");
        assert_eq!(running(Duration::from_secs(3_660)), "1h01m");
        assert_eq!(short(Duration::from_millis(14)), "0.01s");
        assert_eq!(short(Duration::from_secs(59)), "59s");
        assert_eq!(short(Duration::from_secs(185)), "3m5s");
        assert_eq!(short(Duration::from_secs(7265)), "2h1m");
        assert_eq!(ago(0), "now");
        assert_eq!(ago(1), "1 second ago");
        assert_eq!(ago(7200), "2 hours ago");
        assert_eq!(ago(400 * 86_400), "1 year ago");
    }
}
