//! Forbidden phrases in the texts of the program and in the pages that it prints.

use super::Finding;
use super::source::{lines, uses};

/// A phrase, in lower case, and its replacement.
const PHRASES: [(&str, &str); 9] = [
    ("made anew", "write `recreated`"),
    ("last words", "write `the end of its stderr`"),
    ("it is not said", "name the thing that is missing"),
    ("nobody", "name the role, or what is missing"),
    ("somebody", "name the role: another program, another run"),
    ("whoever", "name the role"),
    ("is told", "write `gets`, `reports` or `says`"),
    ("are told", "write `get`, `report` or `say`"),
    ("was told", "write `got`, or what was asked"),
];

/// Openers of comments that hide the thing they are about behind a clause. `What went wrong.` alone is a noun, and no clause.
const OPENERS: [&str; 5] = ["Who ", "Whoever ", "Nobody", "Somebody", "That which"];
const CLAUSES: [&str; 14] =
    ["is", "was", "are", "were", "has", "had", "it", "they", "cannot", "does", "could", "may", "must", "no"];

/// Checks one file: string literals of our crates, and every line of the pages for users.
pub(super) fn check(path: &str, text: &str) -> Vec<Finding> {
    if path.starts_with("docs/errors/") || path == "README.md" || path == "docs/commands.md" {
        return text.lines().enumerate().flat_map(|(index, line)| phrases(path, index + 1, line)).collect();
    }
    let mut findings = if path.ends_with(".rs") { openers(path, text) } else { Vec::new() };
    let ours = path.starts_with("crates/") || path.starts_with("plugins/kit/");
    if !ours || !path.contains("/src/") || !path.ends_with(".rs") {
        return findings;
    }
    let code = lines(path, text);
    let code = code.iter().filter(|line| !line.test);
    findings.extend(code.flat_map(|line| phrases(path, line.number, &literals(line.code))));
    findings
}

fn openers(path: &str, text: &str) -> Vec<Finding> {
    let hides = |line: &str| {
        let Some(comment) = line.trim_start().strip_prefix("//") else { return false };
        let comment = comment.trim_start_matches(['/', '!']).trim_start();
        let clause = comment.strip_prefix("What ").and_then(|rest| rest.split([' ', '.', ',']).next());
        clause.is_some_and(|word| CLAUSES.contains(&word)) || OPENERS.iter().any(|opener| comment.starts_with(opener))
    };
    let found = text.lines().enumerate().filter(|(_, line)| hides(line));
    found
        .map(|(index, _)| Finding {
            place: format!("{path}:{}", index + 1),
            message: "a comment names its subject first: the plugin, the caller, the answer".to_owned(),
        })
        .collect()
}

/// The quoted text on a line.
fn literals(code: &str) -> String {
    let unescaped = code.replace("\\\"", "'");
    let parts: Vec<&str> = unescaped.split('"').skip(1).step_by(2).collect();
    parts.join(" ")
}

fn phrases(path: &str, line: usize, text: &str) -> Vec<Finding> {
    let text = text.to_lowercase();
    let found = PHRASES.iter().filter(|(phrase, _)| uses(&text, phrase));
    found
        .map(|(phrase, instead)| Finding { place: format!("{path}:{line}"), message: format!("`{phrase}`: {instead}") })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(path: &str, text: &str) -> Vec<String> {
        check(path, text).into_iter().map(|finding| finding.place).collect()
    }

    #[test]
    fn comments_begin_with_their_subject() {
        let text = "/// What is written is lost.\n// Whoever calls waits.\n/// What went wrong.\n//! The caller waits.\nlet what = 1;\n";
        assert_eq!(places("xtask/src/a.rs", text), ["xtask/src/a.rs:1", "xtask/src/a.rs:2"]);
    }

    #[test]
    fn phrases_are_found_in_texts_only() {
        let path = "crates/value/src/a.rs";
        assert_eq!(places(path, "\nlet a = \"Nobody knows\";"), ["crates/value/src/a.rs:2"]);
        assert!(places(path, "// the nobody user\nlet nobody = \"anybody\";").is_empty());
        assert!(places(path, "#[cfg(test)]\nmod tests {\n    const A: &str = \"nobody\";\n}").is_empty());
        assert!(places("crates/value/tests/a.rs", "\"nobody\"").is_empty());
        assert_eq!(places("docs/errors/a.md", "It is not said."), ["docs/errors/a.md:1"]);
        assert!(places("docs/chaos.md", "nobody").is_empty());
    }
}
