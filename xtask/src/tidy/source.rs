//! Rust text for the rules: without comments, and with test code marked.

/// One line of code.
pub(super) struct Line<'a> {
    /// Counted from one.
    pub(super) number: usize,
    /// The line without its comment.
    pub(super) code: &'a str,
    /// Whether it belongs to a test.
    pub(super) test: bool,
}

/// The lines of a Rust file. By convention tests come last, in a module under `#[cfg(test)]` or in a separate file.
pub(super) fn lines<'a>(path: &str, text: &'a str) -> Vec<Line<'a>> {
    let mut test = is_test_file(path);
    let mut attribute = false;
    text.lines()
        .enumerate()
        .map(|(index, line)| {
            let code = without_comment(line);
            test |= attribute && code.trim_start().starts_with("mod ") && code.contains('{');
            attribute = code.trim() == "#[cfg(test)]";
            Line { number: index + 1, code, test }
        })
        .collect()
}

/// Whether `code` uses `needle` as a whole: `env::var` is not found in `my_env::variable`.
pub(super) fn uses(code: &str, needle: &str) -> bool {
    let identifier = |character: char| character.is_alphanumeric() || character == '_';
    code.match_indices(needle).any(|(at, _)| {
        let before = code.get(..at).and_then(|text| text.chars().next_back());
        let after = code.get(at + needle.len()..).and_then(|text| text.chars().next());
        let starts_clean = !needle.starts_with(identifier) || !before.is_some_and(identifier);
        let ends_clean = !needle.ends_with(identifier) || !after.is_some_and(identifier);
        starts_clean && ends_clean
    })
}

fn is_test_file(path: &str) -> bool {
    path.contains("/tests/") || path.ends_with("/tests.rs")
}

fn without_comment(line: &str) -> &str {
    let mut from = 0;
    while let Some(found) = line.get(from..).and_then(|rest| rest.find("//")) {
        let at = from + found;
        let before = line.get(..at).unwrap_or_default();
        // `https://` and a `//` in a string are not comments.
        if !before.ends_with(':') && before.matches('"').count() % 2 == 0 {
            return before;
        }
        from = at + 2;
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_left_out_and_addresses_are_not() {
        assert_eq!(without_comment("a(); // println!"), "a(); ");
        assert_eq!(without_comment("/// println!"), "");
        assert_eq!(without_comment(r#"a("file://x");"#), r#"a("file://x");"#);
        assert_eq!(without_comment(r#"a("//"); // b"#), r#"a("//"); "#);
    }

    #[test]
    fn only_whole_names_are_uses() {
        assert!(uses("std::env::var(x)", "env::var"));
        assert!(!uses("my_env::var(x)", "env::var"));
        assert!(!uses("env::variable", "env::var"));
        assert!(uses("    println!(\"\")", "println!"));
        assert!(!uses("eprintln!()", "println!"));
        assert!(uses("a.println!()", "println!"));
    }

    #[test]
    fn code_under_cfg_test_is_test_code() {
        let text = "fn a() {}\n#[cfg(test)]\nmod tests {\nfn b() {}\n}\n";
        let tests: Vec<bool> = lines("crates/a/src/lib.rs", text).iter().map(|line| line.test).collect();
        assert_eq!(tests, [false, false, true, true, true]);
        // A module in a separate file does not mark the rest as test code.
        let text = "#[cfg(test)]\nmod tests;\nfn a() {}\n";
        assert!(lines("crates/a/src/lib.rs", text).iter().all(|line| !line.test));
        assert!(lines("crates/a/src/tests.rs", text).iter().all(|line| line.test));
    }
}
