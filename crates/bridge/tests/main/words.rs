//! Plurals and singulars, compared with the original inflector's.

use outrigger_bridge::inflect::{plural, singular};

/// Our words, each with its plural and singular from `github.com/pulumi/inflector` v0.2.1.
const WORDS: &str = include_str!("words.tsv");

#[test]
fn every_word_is_inflected_as_the_foreign_program_does() {
    let mut wrong = Vec::new();
    for line in WORDS.lines() {
        let [word, many, one] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("`{line}` has no three words") };
        if plural(word) != many {
            wrong.push(format!("{word}: plural {} instead of {many}", plural(word)));
        }
        if singular(word) != one {
            wrong.push(format!("{word}: singular {} instead of {one}", singular(word)));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), WORDS.lines().count(), wrong.join("\n"));
    assert!(WORDS.lines().count() > 1000);
}
