//! `outrigger plugin new`.

mod names;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use outrigger_diagnostic::Diagnostic;

use self::names::Names;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::output::talk;

/// The files of a new crate, by their path in it. The [`Names`] and `SOURCE_OF_...` are filled in.
const FILES: [(&str, &str); 8] = [
    ("Cargo.toml", include_str!("template/Cargo.toml.txt")),
    (".gitignore", include_str!("template/gitignore.txt")),
    ("README.md", include_str!("template/README.md")),
    ("src/main.rs", include_str!("template/src/main.rs")),
    ("src/lib.rs", include_str!("template/src/lib.rs")),
    ("src/RESOURCE_MODULE.rs", include_str!("template/src/resource.rs")),
    ("tests/plugin.rs", include_str!("template/tests/plugin.rs")),
    ("example/Pulumi.yaml", include_str!("template/example/Pulumi.yaml")),
];

/// The workflow that builds and publishes the archives.
const WORKFLOW: (&str, &str) = (".github/workflows/release.yml", include_str!("template/release.yml"));

/// The source tree that this program was built from. It may be gone, or on another machine.
const BUILT_FROM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// The crates that the new one uses, by their directories in `crates` of the source tree.
const CRATES: [&str; 2] = ["sdk", "testing"];

/// Write a plugin of your own in Rust: a crate that builds, with tests that pass.
#[derive(Args, Debug)]
pub(super) struct New {
    /// The plugin's name, such as `kit` for `pulumi-resource-kit`: lowercase letters, digits and hyphens.
    #[arg(value_name = "NAME")]
    name: String,
    /// The name of its resource type, such as `Forecast`; otherwise that of the plugin.
    #[arg(long, value_name = "NAME")]
    resource: Option<String>,
    /// The source of `outrigger-sdk`: a source tree of Outrigger on this machine, or the URL of a git repository of it.
    /// Without this, it is the source tree around the current directory, or the one that this program was built from.
    #[arg(long, value_name = "PATH|URL")]
    sdk: Option<String>,
    /// The commit of the git repository.
    #[arg(long, value_name = "COMMIT", requires = "sdk")]
    rev: Option<String>,
    /// Also write a workflow for GitHub that releases the plugin when a tag is pushed.
    #[arg(long, requires = "rev")]
    workflow: bool,
    /// The directory to write to, which must not exist or be empty; otherwise `pulumi-resource-NAME`.
    #[arg(long, value_name = "DIRECTORY")]
    directory: Option<PathBuf>,
}

impl New {
    pub(super) fn run(self, environment: &Environment) -> Result<(), Failure> {
        let names = Names::new(&self.name, self.resource.as_deref())?;
        let source = match &self.sdk {
            Some(given) => Source::named(given, self.rev.as_deref(), &environment.directory)?,
            None => Source::found(&environment.directory, Path::new(BUILT_FROM))?,
        };
        let shown = self.directory.unwrap_or_else(|| PathBuf::from(format!("pulumi-resource-{}", self.name)));
        let directory = environment.directory.join(&shown);
        let files = FILES.iter().chain(self.workflow.then_some(&WORKFLOW));
        write(&directory, files, &names, &source).map_err(|(path, error)| {
            let summary = format!("`{}` cannot be written", path.display());
            let hint = "Choose a directory that does not exist yet with `--directory`.";
            Diagnostic::error("plugin-not-written", summary).detail(error.to_string()).hint(hint)
        })?;
        talk(&format!("The plugin `{}` is in `{}`. Test it with `cargo test` there.", self.name, shown.display()));
        if let (None, Source::Tree(tree)) = (&self.sdk, &source) {
            talk(&format!(
                "Its `Cargo.toml` takes the SDK from `{}` on this machine. A crate to be pushed needs the SDK from a \
                 git repository: create the crate with `--sdk URL --rev COMMIT`, or put `git` and `rev` in place of \
                 `path`.",
                tree.display()
            ));
        }
        Ok(())
    }
}

/// Where our crates come from.
#[derive(Debug, PartialEq, Eq)]
enum Source {
    /// A source tree.
    Tree(PathBuf),
    /// The URL of a git repository and a commit; Cargo finds the crates in it by their names.
    Git(String, Option<String>),
}

impl Source {
    /// The source that the user named.
    fn named(given: &str, rev: Option<&str>, directory: &Path) -> Result<Self, Diagnostic> {
        let refused = |reason: String| {
            Err(Diagnostic::error("sdk-missing", format!("`{given}` is not a source tree of Outrigger"))
                .detail(reason)
                .hint("Name the directory of a checkout, or the URL of a git repository."))
        };
        if given.contains("://") || given.starts_with("git@") {
            return Ok(Self::Git(given.to_owned(), rev.map(str::to_owned)));
        }
        let tree = directory.join(given);
        let tree = tree.canonicalize().unwrap_or(tree);
        match (missing(&tree), rev) {
            (Some(lacking), _) => refused(format!("It has no `crates/{lacking}/Cargo.toml`.")),
            (None, Some(_)) => {
                refused("It is a directory; `--rev` and `--workflow` need a git repository's URL.".to_owned())
            }
            (None, None) => Ok(Self::Tree(tree)),
        }
    }

    /// The tree around the directory, or the one that the program was built from.
    fn found(directory: &Path, built_from: &Path) -> Result<Self, Diagnostic> {
        let built_from = built_from.canonicalize().ok();
        let mut trees = directory.ancestors().chain(built_from.as_deref());
        trees.find(|tree| missing(tree).is_none()).map(|tree| Self::Tree(tree.to_owned())).ok_or_else(|| {
            Diagnostic::error("sdk-missing", "no source of `outrigger-sdk` was found")
                .detail("It is not published as a package yet, and there is no source tree of Outrigger here.")
                .hint("Name a source tree or a git repository with `--sdk PATH|URL`.")
        })
    }

    /// A crate's source, as Cargo wants it.
    fn of(&self, name: &str) -> String {
        match self {
            Self::Tree(tree) => format!("path = {}", quoted(&tree.join("crates").join(name).display().to_string())),
            Self::Git(url, None) => format!("git = {}", quoted(url)),
            Self::Git(url, Some(rev)) => format!("git = {}, rev = {}", quoted(url), quoted(rev)),
        }
    }

    /// A text of the template with the sources in it.
    fn fill(&self, mut text: String) -> String {
        for name in CRATES {
            text = text.replace(&format!("SOURCE_OF_{name}"), &self.of(name));
        }
        match self {
            Self::Git(url, Some(rev)) => text.replace("SDK_URL", &quoted(url)).replace("SDK_REV", &quoted(rev)),
            _ => text,
        }
    }
}

/// The first of our crates that is missing in a source tree.
fn missing(tree: &Path) -> Option<&'static str> {
    CRATES.into_iter().find(|name| !tree.join("crates").join(name).join("Cargo.toml").is_file())
}

/// A text in TOML or YAML: both have JSON's escapes.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Writes all files. Nothing that exists is overwritten.
fn write<'a>(
    directory: &Path,
    files: impl Iterator<Item = &'a (&'a str, &'a str)>,
    names: &Names,
    source: &Source,
) -> Result<(), (PathBuf, io::Error)> {
    let at = |path: &Path| {
        let path = path.to_owned();
        move |error| (path, error)
    };
    fs::create_dir_all(directory).map_err(at(directory))?;
    if fs::read_dir(directory).map_err(at(directory))?.next().is_some() {
        let error = io::Error::new(io::ErrorKind::AlreadyExists, "the directory is not empty");
        return Err((directory.to_owned(), error));
    }
    for (path, text) in files {
        let path = directory.join(names.fill(path));
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(at(parent))?;
        }
        fs::write(&path, source.fill(names.fill(text))).map_err(at(&path))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources() {
        let nowhere = Path::new("/");
        let named = |given: &str, rev: Option<&str>| Source::named(given, rev, nowhere);
        assert_eq!(named("https://host/a.git", None).unwrap().of("testing"), r#"git = "https://host/a.git""#);
        assert_eq!(named("git@host:a", Some("1f")).unwrap().of("sdk"), r#"git = "git@host:a", rev = "1f""#);
        assert_eq!(named("nowhere", None).unwrap_err().code, "sdk-missing");
        assert_eq!(named(BUILT_FROM, Some("1f")).unwrap_err().code, "sdk-missing");

        let tree = named(BUILT_FROM, None).unwrap();
        assert!(tree.of("sdk").ends_with(r#"crates/sdk""#));
        assert_eq!(Source::found(Path::new(env!("CARGO_MANIFEST_DIR")), nowhere).unwrap(), tree);
        assert_eq!(Source::found(nowhere, Path::new(BUILT_FROM)).unwrap(), tree);
        assert_eq!(Source::found(nowhere, Path::new("/gone")).unwrap_err().code, "sdk-missing");
    }
}
