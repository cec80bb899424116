//! A directory of pages: an index, and a page for each resource and function.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::Path;

use clap::ValueEnum;
use outrigger_diagnostic::Diagnostic;
use outrigger_workspace::{Block, Documentation, Subject};

use super::{Links, html, markdown};

/// File systems accept longer names, but not much longer ones.
const LONGEST_NAME: usize = 120;

/// A form in which pages can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Markdown,
    Html,
}

impl Format {
    /// A page in this form.
    pub(crate) fn page(self, blocks: &[Block], links: Links<'_>) -> String {
        match self {
            Self::Markdown => markdown(blocks, links),
            Self::Html => html(blocks, links),
        }
    }

    fn extension(self) -> &'static str {
        match self {
            Self::Markdown => "md",
            Self::Html => "html",
        }
    }
}

/// Writes the pages of these subjects and the index, which lists all. Returns the number of files.
pub(crate) fn write(
    documentation: &Documentation,
    index: &[Block],
    subjects: &[Subject],
    format: Format,
    directory: &Path,
) -> Result<usize, Diagnostic> {
    let paths = paths(subjects, format);
    let put = |path: &str, text: &str| {
        let path = directory.join(path);
        let parent = path.parent().unwrap_or(directory);
        fs::create_dir_all(parent).and_then(|()| fs::write(&path, text)).map_err(|error| {
            Diagnostic::error("package-info-write", format!("`{}` cannot be written", path.display()))
                .detail(error.to_string())
                .hint(
                    "Check that the directory may be written to and has room, or name another one with `--output-dir`.",
                )
        })
    };
    put(&format!("index.{}", format.extension()), &format.page(index, &|subject| paths.get(subject).cloned()))?;
    for (subject, path) in subjects.iter().filter_map(|subject| Some((subject, paths.get(subject)?))) {
        let links = |other: &Subject| paths.get(other).map(|path| format!("../{path}"));
        put(path, &format.page(&documentation.page(subject)?, &links))?;
    }
    Ok(paths.len() + 1)
}

/// A path for each subject. Tokens cannot be paths: they contain slashes, and some differ in case only.
fn paths(subjects: &[Subject], format: Format) -> HashMap<&Subject, String> {
    let mut taken = BTreeSet::new();
    let path = |subject: &Subject| {
        let (directory, token) = match subject {
            Subject::Resource(token) => ("resources", token),
            Subject::Function(token) => ("functions", token),
            Subject::Type(token) => ("types", token),
        };
        let (_, rest) = token.split_once(':').unwrap_or(("", token));
        let safe = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
        let stem: String = rest.chars().take(LONGEST_NAME).map(safe).collect();
        let mut name = stem.clone();
        let mut number = 1;
        while !taken.insert(format!("{directory}/{}", name.to_lowercase())) {
            number += 1;
            name = format!("{stem}-{number}");
        }
        format!("{directory}/{name}.{}", format.extension())
    };
    subjects.iter().zip(subjects.iter().map(path)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_token_has_a_path_of_its_own_inside_the_directory() {
        let tokens = ["p:a/b:C", "p:a-b:c", "p:../../x:Y", "", "p::", "p:é:É"];
        let subjects: Vec<Subject> = tokens.iter().map(|token| Subject::Resource((*token).to_owned())).collect();
        let paths = paths(&subjects, Format::Html);
        assert_eq!((&*paths[&subjects[0]], &*paths[&subjects[1]]), ("resources/a-b-C.html", "resources/a-b-c-2.html"));
        let distinct: BTreeSet<String> = paths.values().map(|path| path.to_lowercase()).collect();
        assert_eq!(distinct.len(), tokens.len());
        assert!(distinct.iter().all(|path| path.matches('/').count() == 1 && !path.contains("..")), "{distinct:?}");
    }
}
