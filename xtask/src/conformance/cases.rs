//! The projects, and the extra settings that Pulumi's own test runner gives some of them.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// One project.
pub(crate) struct Case<'a> {
    pub(crate) name: String,
    pub(crate) updates: Vec<Update<'a>>,
    /// Versions of the provider `simple` to install; if empty, it is found on the path.
    pub(crate) simple_versions: &'static [&'static str],
    /// Whether the project refers to the outputs of another stack, which is then created first.
    pub(crate) needs_other_stack: bool,
}

/// One update of a project.
pub(crate) struct Update<'a> {
    pub(crate) sources: PathBuf,
    pub(crate) config: Vec<Config<'a>>,
    /// Additional arguments of `up`.
    pub(crate) arguments: Vec<&'a str>,
}

/// One call of `config set`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Config<'a> {
    Plain(&'a str, &'a str),
    Secret(&'a str, &'a str),
    /// The key is a path into an object or a list.
    Path(&'a str, &'a str),
}

/// The settings of a project's updates besides its files, one entry per update. If a project has fewer folders than
/// entries, the updates share its sources.
struct Given {
    name: &'static str,
    updates: &'static [(&'static [Config<'static>], &'static [&'static str])],
}

/// The project that refers to the stack `organization/other/dev`.
const NEEDS_OTHER_STACK: &str = "l1-stack-reference";

const GIVEN: [Given; 11] = [
    Given {
        name: "l1-builtin-base64",
        updates: &[
            (&[Config::Plain("input", "aGVsbG8gd29ybGQ=")], &[]),
            (&[Config::Plain("input", "Z29vZGJ5ZSB3b3JsZA==")], &[]),
        ],
    },
    Given {
        name: "l1-builtin-require-pulumi-version",
        updates: &[(&[Config::Plain("version", "=3.1.2")], &[]), (&[Config::Plain("version", ">=3.0.0")], &[])],
    },
    Given {
        name: "l1-builtin-to-json",
        updates: &[(
            &[
                Config::Plain("aString", "hello"),
                Config::Plain("aNumber", "42"),
                Config::Path("aList[0]", "one"),
                Config::Path("aList[1]", "two"),
                Config::Path("aList[2]", "three"),
                Config::Secret("aSecret", "secretvalue"),
            ],
            &[],
        )],
    },
    Given {
        name: "l1-proxy-index",
        updates: &[(
            &[Config::Path("anObject.property", "config"), Config::Path("anyObject.property", "dynamic")],
            &[],
        )],
    },
    Given { name: "l2-engine-update-options", updates: &[(&[], &["--target", "**target**"])] },
    Given { name: "l2-failed-create-continue-on-error", updates: &[(&[], &["--continue-on-error"])] },
    Given {
        name: "l2-logical-name",
        updates: &[(&[Config::Plain("cC-Charlie_charlie.\u{1F603}\u{2049}\u{FE0F}", "true")], &[])],
    },
    Given { name: "l2-parallel-resources", updates: &[(&[], &["--parallel", "2147483647"])] },
    Given { name: "l2-resource-config", updates: &[(&[Config::Plain("config:name", "hello")], &[])] },
    Given {
        name: "l2-resource-option-custom-timeouts",
        updates: &[
            (&[Config::Plain("createTimeout", "7m")], &[]),
            (&[Config::Plain("createTimeout", "1h")], &[]),
            (&[Config::Plain("createTimeout", ".2m")], &[]),
        ],
    },
    Given { name: "l2-target-up-with-new-dependency", updates: &[(&[], &[]), (&[], &["--target", "**targetOnly**"])] },
];

/// Projects that need other versions of `simple` than the one on the path.
const SIMPLE_VERSIONS: [(&str, &[&str]); 3] = [
    ("l2-resource-option-version", &["2.0.0", "26.0.0"]),
    ("l2-resource-option-version-sdk", &["2.0.0", "26.0.0"]),
    ("l2-resource-option-plugin-download-url", &["27.0.0"]),
];

/// Every project of the folder except those for policies, in order of name.
pub(super) fn load(folder: &Path) -> Result<Vec<Case<'static>>> {
    let mut cases = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type()?.is_dir() && !name.starts_with("policy-") {
            cases.push(case(name, &entry.path())?);
        }
    }
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(cases)
}

fn case(name: String, folder: &Path) -> Result<Case<'static>> {
    let sources = updates(folder)?;
    let given = GIVEN.iter().find(|given| given.name == name).map_or(&[][..], |given| given.updates);
    let updates = (0..sources.len().max(given.len()))
        .map(|index| {
            let sources = sources.get(index).or(sources.last()).context("a project without sources")?.clone();
            let (config, arguments) = given.get(index).copied().unwrap_or((&[], &[]));
            Ok(Update { sources, config: config.to_vec(), arguments: arguments.to_vec() })
        })
        .collect::<Result<_>>()?;
    let simple_versions =
        SIMPLE_VERSIONS.iter().find(|(project, _)| *project == name).map_or(&[][..], |(_, versions)| versions);
    let needs_other_stack = name == NEEDS_OTHER_STACK;
    Ok(Case { name, updates, simple_versions, needs_other_stack })
}

/// The folder itself, or its numbered folders when it has no project file.
fn updates(folder: &Path) -> Result<Vec<PathBuf>> {
    if folder.join("Pulumi.yaml").is_file() {
        return Ok(vec![folder.to_owned()]);
    }
    let mut numbered = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let number = path.file_name().and_then(|name| name.to_str()).and_then(|name| name.parse::<u32>().ok());
        if let Some(number) = number {
            numbered.push((number, path));
        }
    }
    numbered.sort();
    Ok(numbered.into_iter().map(|(_, path)| path).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbered_folders_are_updates_in_order_and_given_values_go_to_theirs() {
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path().join("l2-target-up-with-new-dependency");
        for number in ["10", "0", "1"] {
            fs::create_dir_all(project.join(number)).unwrap();
        }
        fs::create_dir_all(folder.path().join("policy-config")).unwrap();
        let plain = folder.path().join("l1-builtin-base64");
        fs::create_dir_all(&plain).unwrap();
        fs::write(plain.join("Pulumi.yaml"), "").unwrap();

        let cases = load(folder.path()).unwrap();
        let names: Vec<&str> = cases.iter().map(|case| case.name.as_str()).collect();
        assert_eq!(names, ["l1-builtin-base64", "l2-target-up-with-new-dependency"]);
        assert_eq!(cases[0].updates.len(), 2);
        assert_eq!(cases[0].updates[1].sources, plain);
        assert_eq!(cases[0].updates[1].config, [Config::Plain("input", "Z29vZGJ5ZSB3b3JsZA==")]);
        let sources: Vec<PathBuf> = cases[1].updates.iter().map(|update| update.sources.clone()).collect();
        assert_eq!(sources, [project.join("0"), project.join("1"), project.join("10")]);
        assert_eq!(cases[1].updates[1].arguments, ["--target", "**targetOnly**"]);
        assert!(cases[1].updates[2].arguments.is_empty());
    }
}
