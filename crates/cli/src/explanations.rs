//! The pages of `docs/errors`: the meaning of each error code, and the remedy.

use anstyle::Style;

/// Every page, by its code, in order.
pub(crate) const PAGES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/explanations.rs"));

/// The page of a code.
pub(crate) fn page(code: &str) -> Option<&'static str> {
    let at = PAGES.binary_search_by_key(&code, |(code, _)| code).ok()?;
    Some(PAGES[at].1)
}

/// The codes that are nearest to a text: those that contain it, or share its first word.
pub(crate) fn near(text: &str) -> Vec<&'static str> {
    let first = text.split('-').next().unwrap_or_default();
    let codes = || PAGES.iter().map(|(code, _)| *code);
    let holding: Vec<&str> = codes().filter(|code| !text.is_empty() && code.contains(text)).collect();
    match holding.is_empty() {
        true => codes().filter(|code| code.split('-').next() == Some(first)).collect(),
        false => holding,
    }
}

/// The page as a terminal shows it: headings and bold text are bold, backticks stay.
pub(crate) fn shown(page: &str) -> String {
    const BOLD: Style = Style::new().bold();
    let mut out = String::new();
    for line in page.lines() {
        let line = match line.strip_prefix("# ") {
            Some(heading) => format!("{BOLD}{heading}{BOLD:#}"),
            None => emphasized(line, BOLD),
        };
        out.push_str(&line);
        out.push('\n');
    }
    out
}

/// A line with the text between two `**` in a style. In code, they are left alone.
fn emphasized(line: &str, style: Style) -> String {
    let mut marks = [style.to_string(), format!("{style:#}")].into_iter().cycle();
    let mut prose = |text: &str| {
        let mut parts = text.split("**");
        let first = parts.next().unwrap_or_default().to_owned();
        parts.fold(first, |line, part| line + &marks.next().unwrap_or_default() + part)
    };
    let parts = line.split('`').enumerate();
    let parts = parts.map(|(number, part)| if number % 2 == 0 { prose(part) } else { part.to_owned() });
    parts.collect::<Vec<_>>().join("`")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use regex_lite::Regex;

    use super::*;
    use crate::command_line::command as known_commands;

    /// Every code that the workspace's sources give to a diagnostic, with the file.
    fn codes() -> BTreeSet<(String, String)> {
        // Directly, through a reader's `fail` and the like, or in a pair with the text.
        let patterns = [
            r#"Diagnostic::(?:error|warning|info)\(\s*"([a-z0-9-]+)""#,
            r#"\b(?:fail|error|warning|info|unknown|report)\([^;{}"]*?"([a-z]+(?:-[a-z0-9]+)+)""#,
            r#"\(\s*"([a-z]+(?:-[a-z0-9]+)+)",\s*(?:format!\(|"[A-Z])"#,
        ];
        let patterns = patterns.map(|pattern| Regex::new(pattern).unwrap());
        let mut found = BTreeSet::new();
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        for entry in fs::read_dir(crates).unwrap() {
            let source = entry.unwrap().path().join("src");
            if source.is_dir() {
                sources(&source, &mut |path, text| {
                    for pattern in &patterns {
                        let name = path.strip_prefix(crates).unwrap().display().to_string();
                        found.extend(pattern.captures_iter(text).map(|code| (code[1].to_owned(), name.clone())));
                    }
                });
            }
        }
        found
    }

    fn sources(folder: &Path, visit: &mut dyn FnMut(&Path, &str)) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                sources(&path, visit);
            } else if name.ends_with(".rs")
                && !name.ends_with("tests.rs")
                && !path.iter().any(|part| part == "signposts")
            {
                let text = fs::read_to_string(&path).unwrap();
                visit(&path, text.split("#[cfg(test)]").next().unwrap());
            }
        }
    }

    #[test]
    fn every_code_has_a_page_and_every_page_a_code() {
        let used = codes();
        assert!(used.len() > 150, "the sources were not found");
        let missing: Vec<_> = used.iter().filter(|(code, _)| page(code).is_none()).collect();
        assert!(missing.is_empty(), "these codes have no page in docs/errors: {missing:#?}");
        let unused: Vec<_> = PAGES.iter().filter(|(code, _)| !used.iter().any(|(used, _)| used == code)).collect();
        let unused: Vec<&str> = unused.into_iter().map(|(code, _)| *code).collect();
        assert!(unused.is_empty(), "these pages of docs/errors explain no code: {unused:?}");
    }

    #[test]
    fn pages_say_what_it_means_and_what_to_do_with_commands_that_exist() {
        let quoted = Regex::new(r"`outrigger\s+([^`]+)`").unwrap();
        for (code, page) in PAGES {
            assert!(page.starts_with(&format!("# {code}\n\n")), "{code}");
            assert!(page.contains("\n\n**What to do.** "), "{code}");
            for command in quoted.captures_iter(page) {
                let mut known = known_commands();
                for word in command[1].split_whitespace() {
                    if let Some(flag) = word.strip_prefix("--") {
                        let there = known.get_arguments().any(|argument| argument.get_long() == Some(flag));
                        assert!(there, "`{}` in the page of {code}: no such flag", &command[1]);
                    } else if let Some(next) = known.find_subcommand(word) {
                        known = next.clone();
                    } else {
                        assert!(
                            known.get_name() != "outrigger" && !word.starts_with('-'),
                            "`{}` in the page of {code}",
                            &command[1]
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn codes_are_found_by_a_part_of_them() {
        assert_eq!(near("syntax"), ["yaml-syntax"]);
        assert!(near("stack-nonsense").contains(&"stack-locked"));
        assert!(shown(page("yaml-syntax").unwrap()).contains("What to do."));
        let plain = |code| anstream::adapter::strip_str(&shown(page(code).unwrap())).to_string();
        assert!(plain("target-unmatched").contains("`**` does not."), "{}", plain("target-unmatched"));
        assert!(!plain("target-unmatched").contains("**What"));
    }
}
