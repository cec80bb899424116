//! `outrigger plugin new`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use outrigger_diagnostic::Diagnostic;

use crate::environment::Environment;
use crate::failure::Failure;
use crate::output::talk;

/// The files of a new crate, by their path in it. `PLUGIN_NAME` and `SOURCE_OF_...` are filled in.
const FILES: [(&str, &str); 8] = [
    ("Cargo.toml", include_str!("template/Cargo.toml.txt")),
    (".gitignore", include_str!("template/gitignore.txt")),
    ("README.md", include_str!("template/README.md")),
    ("src/main.rs", include_str!("template/src/main.rs")),
    ("src/lib.rs", include_str!("template/src/lib.rs")),
    ("src/document.rs", include_str!("template/src/document.rs")),
    ("tests/plugin.rs", include_str!("template/tests/plugin.rs")),
    ("example/Pulumi.yaml", include_str!("template/example/Pulumi.yaml")),
];

/// The crates that the new one uses, by their directories in `crates` of the source tree.
const CRATES: [&str; 2] = ["sdk", "testing"];

/// Write a plugin of your own in Rust: a crate that builds, with tests that pass.
#[derive(Args, Debug)]
pub(super) struct New {
    /// The plugin's name, such as `kit` for `pulumi-resource-kit`: lowercase letters, digits and hyphens.
    #[arg(value_name = "NAME")]
    name: String,
    /// Where `outrigger-sdk` comes from: a source tree of Outrigger on this machine, or the URL of a git repository of it.
    /// Without this, it is the source tree that the command is run in.
    #[arg(long, value_name = "PATH|URL")]
    sdk: Option<String>,
    /// The directory to write to, which must not exist or be empty; otherwise `pulumi-resource-NAME`.
    #[arg(long, value_name = "DIRECTORY")]
    directory: Option<PathBuf>,
}

impl New {
    pub(super) fn run(self, environment: &Environment) -> Result<(), Failure> {
        check(&self.name)?;
        let source = source(self.sdk.as_deref(), &environment.directory)?;
        let shown = self.directory.unwrap_or_else(|| PathBuf::from(format!("pulumi-resource-{}", self.name)));
        let directory = environment.directory.join(&shown);
        write(&directory, &self.name, &source).map_err(|(path, error)| {
            let summary = format!("`{}` cannot be written", path.display());
            let hint = "Choose a directory that does not exist yet with `--directory`.";
            Diagnostic::error("plugin-not-written", summary).detail(error.to_string()).hint(hint)
        })?;
        talk(&format!("The plugin `{}` is in `{}`. Test it with `cargo test` there.", self.name, shown.display()));
        Ok(())
    }
}

/// A name that is right for a package, an executable and a crate.
fn check(name: &str) -> Result<(), Diagnostic> {
    let fits = name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.chars().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-')
        && !name.ends_with('-')
        && name != "pulumi";
    if fits {
        return Ok(());
    }
    Err(Diagnostic::error("plugin-name-invalid", format!("`{name}` cannot be the name of a plugin"))
        .detail("A name has lowercase letters, digits and hyphens, begins with a letter, and is not `pulumi`.")
        .hint("Choose another, such as `kit`: the executable is called `pulumi-resource-kit` then."))
}

/// Where our crates come from.
#[derive(Debug, PartialEq, Eq)]
enum Source {
    /// A source tree.
    Tree(PathBuf),
    /// The URL of a git repository; Cargo finds the crates in it by their names.
    Git(String),
}

impl Source {
    /// A crate's source, as Cargo wants it.
    fn of(&self, name: &str) -> String {
        match self {
            Self::Tree(tree) => format!("path = {}", quoted(&tree.join("crates").join(name).display().to_string())),
            Self::Git(url) => format!("git = {}", quoted(url)),
        }
    }
}

/// The source that was named, or the tree around the directory.
fn source(given: Option<&str>, directory: &Path) -> Result<Source, Diagnostic> {
    let missing =
        |tree: &Path| CRATES.into_iter().find(|name| !tree.join("crates").join(name).join("Cargo.toml").is_file());
    match given {
        Some(url) if url.contains("://") || url.starts_with("git@") => Ok(Source::Git(url.to_owned())),
        Some(path) => {
            let tree = directory.join(path);
            let tree = tree.canonicalize().unwrap_or(tree);
            let Some(lacking) = missing(&tree) else { return Ok(Source::Tree(tree)) };
            Err(Diagnostic::error("sdk-missing", format!("`{path}` is not a source tree of Outrigger"))
                .detail(format!("There is no `crates/{lacking}/Cargo.toml` in it."))
                .hint("Name the directory of a checkout, or the URL of a git repository."))
        }
        None => {
            let tree = directory.ancestors().find(|ancestor| missing(ancestor).is_none());
            tree.map(|tree| Source::Tree(tree.to_owned())).ok_or_else(|| {
                Diagnostic::error("sdk-missing", "it is not known where `outrigger-sdk` comes from")
                    .detail("It is not published as a package yet, and this is not a source tree of Outrigger.")
                    .hint("Name a source tree or a git repository with `--sdk PATH|URL`.")
            })
        }
    }
}

/// A text in TOML. JSON's escapes are among TOML's.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Writes all files. Nothing that exists is written over.
fn write(directory: &Path, name: &str, source: &Source) -> Result<(), (PathBuf, io::Error)> {
    let at = |path: &Path| {
        let path = path.to_owned();
        move |error| (path, error)
    };
    fs::create_dir_all(directory).map_err(at(directory))?;
    if fs::read_dir(directory).map_err(at(directory))?.next().is_some() {
        let error = io::Error::new(io::ErrorKind::AlreadyExists, "the directory is not empty");
        return Err((directory.to_owned(), error));
    }
    for (path, text) in FILES {
        let path = directory.join(path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(at(parent))?;
        }
        let mut text = text.replace("PLUGIN_NAME", name);
        for name in CRATES {
            text = text.replace(&format!("SOURCE_OF_{name}"), &source.of(name));
        }
        fs::write(&path, text).map_err(at(&path))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for name in ["kit", "my-kit2"] {
            assert!(check(name).is_ok(), "{name}");
        }
        for name in ["", "Kit", "2kit", "kit-", "a_b", "a/b", "pulumi", "é"] {
            assert!(check(name).is_err(), "{name}");
        }
    }

    #[test]
    fn sources() {
        let nowhere = Path::new("/");
        let git = source(Some("https://host/a.git"), nowhere).unwrap();
        assert_eq!(git.of("testing"), r#"git = "https://host/a.git""#);
        assert_eq!(source(Some("nowhere"), nowhere).unwrap_err().code, "sdk-missing");
        assert_eq!(source(None, nowhere).unwrap_err().code, "sdk-missing");
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        assert!(source(None, here).unwrap().of("sdk").ends_with(r#"crates/sdk""#));
        assert_eq!(source(Some("../.."), here).unwrap(), source(None, here).unwrap());
    }
}
