//! Plurals and singulars of property names, as Pulumi's bridge forms them.
//!
//! A list of blocks `cors_rule` is the property `corsRules`, and the type of its elements ends in `CorsRule`. The rules are those of Pulumi's
//! inflector, quirks included: a word inflected differently would be a property with another name, and existing state could not be read. Rules
//! are tried in order, and the first that fits applies.
//!
//! Attribute names are ASCII. Other letters are kept, but have no upper or lower case here.

mod rules;

use rules::{Rule, Table};

/// The plural of a word.
pub fn plural(word: &str) -> String {
    inflected(word, &rules::PLURAL)
}

/// The singular of a word.
pub fn singular(word: &str) -> String {
    inflected(word, &rules::SINGULAR)
}

fn inflected(word: &str, table: &Table) -> String {
    let folded = word.to_ascii_lowercase();
    if let Some(irregular) = irregular(word, &folded, table.irregular) {
        return irregular;
    }
    if table.unchanged.contains(&folded.as_str()) || table.unchanged_endings.iter().any(|end| folded.ends_with(end)) {
        return word.to_owned();
    }
    table.rules.iter().find_map(|rule| applied(rule, word, &folded)).unwrap_or_else(|| word.to_owned())
}

/// An irregular word counts only as a word of its own, and `_` does not separate words: `child` does, `man_child` does not, `man-child` does.
/// The first letter of the result is the first letter of the *whole* input, wherever the word begins.
fn irregular(word: &str, folded: &str, words: &[(&str, &str)]) -> Option<String> {
    let start = folded
        .rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .map_or(0, |at| at + folded[at..].chars().next().map_or(0, char::len_utf8));
    let (_, other) = words.iter().find(|(known, _)| *known == &folded[start..])?;
    // The first letter is a whole character, which may have several bytes.
    let first = word.chars().next()?;
    Some(format!("{}{first}{}", &word[..start], &other[1..]))
}

fn applied(rule: &Rule, word: &str, folded: &str) -> Option<String> {
    match rule {
        Rule::End { head, tail, put } => {
            let stem = folded.strip_suffix(tail)?;
            head.fits(stem).then(|| format!("{}{put}", &word[..stem.len()]))
        }
        Rule::ExactEnd { head, tail, put } => {
            let stem = word.strip_suffix(tail)?;
            head.fits(stem).then(|| format!("{stem}{put}"))
        }
        Rule::Start { keep, drop } => {
            let rest = folded.strip_prefix(keep)?.strip_prefix(drop)?;
            Some(format!("{}{}", &word[..keep.len()], &word[word.len() - rest.len()..]))
        }
        Rule::RepeatedEnd { keep, drop } => {
            let stem = folded.trim_end_matches(drop);
            // The rest must still end with `keep` when every `drop` is gone.
            stem.ends_with(keep).then(|| word[..stem.len()].to_owned())
        }
        Rule::Anywhere { keep, drop } => without_all(word, folded, keep, drop),
    }
}

/// Drops `drop` after each `keep`.
fn without_all(word: &str, folded: &str, keep: &[&str], drop: &str) -> Option<String> {
    let mut result = String::new();
    let (mut from, mut at) = (0, 0);
    while let Some(offset) = folded[at..].find(drop) {
        let found = at + offset;
        if keep.iter().any(|kept| folded[from..found].ends_with(kept)) {
            result.push_str(&word[from..found]);
            from = found + drop.len();
        }
        at = found + drop.len();
    }
    (from > 0).then(|| result + &word[from..])
}

#[cfg(test)]
mod tests {
    use super::{plural, singular};

    /// Words of our own, one for each rule, with the inflector's results.
    #[test]
    fn each_rule_has_a_word() {
        let words = [
            ("job_status", "job_statuses"),
            ("quiz", "quizzes"),
            ("ox", "oxen"),
            ("mouse", "mice"),
            ("data_matrix", "data_matrices"),
            ("index", "indices"),
            ("mailbox", "mailboxes"),
            ("branch", "branches"),
            ("access", "accesses"),
            ("hash", "hashes"),
            ("policy", "policies"),
            ("soliloquy", "soliloquies"),
            ("key", "keys"),
            ("y", "ys"),
            ("archive", "arc"),
            ("knife", "knives"),
            ("shelf", "shelves"),
            ("cliff", "cliffs"),
            ("analysis", "analyses"),
            ("datum", "data"),
            ("contact_person", "contact_people"),
            ("workman", "workmen"),
            ("step_child", "step_children"),
            ("tomato", "tomatoes"),
            ("focus", "foci"),
            ("bonus", "bonuses"),
            ("alias", "aliases"),
            ("test_axis", "test_axes"),
            ("settings", "settings"),
            ("SETTINGS", "SETTINGSs"),
            ("", ""),
            ("rule", "rules"),
        ];
        for (one, many) in words {
            assert_eq!(plural(one), many, "{one}");
        }
    }

    #[test]
    fn a_singular_has_rules_of_its_own() {
        let words = [
            ("statuses", "status"),
            ("menus", "menu"),
            ("quizzes", "quiz"),
            ("matrices", "matrix"),
            ("indices", "index"),
            ("oxen_carts", "ox_carts"),
            ("aliases", "alias"),
            ("aliaseses", "alias"),
            ("nuclei", "nucleus"),
            ("taxes_paid_taxes", "tax_paid_tax"),
            ("axes", "axis"),
            ("shoes", "shoe"),
            ("zones", "zone"),
            ("echoes", "echo"),
            ("warehouses", "warehouse"),
            ("buses", "bus"),
            ("clauses", "clause"),
            ("mice", "mouse"),
            ("caches", "cache"),
            ("branches", "branch"),
            ("movies", "movie"),
            ("series", "series"),
            ("policies", "policy"),
            ("directives", "directive"),
            ("shelves", "shelf"),
            ("knives", "knife"),
            ("archives", "archife"),
            ("analyses", "analysis"),
            ("bases", "basis"),
            ("databases", "database"),
            ("media", "media"),
            ("criteria", "criterium"),
            ("people", "person"),
            ("workmen", "workman"),
            ("step_children", "step_child"),
            ("bureaus", "bureau"),
            ("status", "status"),
            ("rules", "rule"),
            ("corsRules", "corsRule"),
            ("access", "access"),
        ];
        for (many, one) in words {
            assert_eq!(singular(many), one, "{many}");
        }
    }

    #[test]
    fn an_irregular_word_takes_the_first_letter_of_the_whole() {
        assert_eq!(plural("Child"), "Children");
        assert_eq!(plural("big-child"), "big-bhildren");
        assert_eq!(plural("hero_foot"), "hero_foots", "`_` separates no words");
    }
}
