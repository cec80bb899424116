//! `outrigger plugin new`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use outrigger_diagnostic::Diagnostic;

use crate::environment::Environment;
use crate::failure::Failure;
use crate::output::talk;

/// The files of a new crate, by their path in it. `PLUGIN_NAME` and `SDK_SOURCE` are filled in.
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

/// Where the SDK is in its source tree.
const SDK: &str = "crates/sdk";

/// Write a plugin of your own in Rust: a crate that builds, with tests that pass.
#[derive(Args, Debug)]
pub(super) struct New {
    /// The plugin's name, such as `kit` for `pulumi-resource-kit`: small letters, digits and hyphens.
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
        let sdk = source(self.sdk.as_deref(), &environment.directory)?;
        let shown = self.directory.unwrap_or_else(|| PathBuf::from(format!("pulumi-resource-{}", self.name)));
        let directory = environment.directory.join(&shown);
        write(&directory, &self.name, &sdk).map_err(|(path, error)| {
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
        .detail("A name has small letters, digits and hyphens, begins with a letter, and is not `pulumi`.")
        .hint("Choose another, such as `kit`: the executable is called `pulumi-resource-kit` then."))
}

/// The SDK's source, as Cargo wants it.
fn source(given: Option<&str>, directory: &Path) -> Result<String, Diagnostic> {
    let is_tree = |path: &Path| path.join(SDK).join("Cargo.toml").is_file();
    let as_path = |tree: &Path| format!("path = {}", quoted(&tree.join(SDK).display().to_string()));
    match given {
        Some(url) if url.contains("://") || url.starts_with("git@") => Ok(format!("git = {}", quoted(url))),
        Some(path) => {
            let tree = directory.join(path);
            let tree = tree.canonicalize().ok().filter(|tree| is_tree(tree));
            tree.map(|tree| as_path(&tree)).ok_or_else(|| {
                Diagnostic::error("sdk-missing", format!("`{path}` is not a source tree of Outrigger"))
                    .detail(format!("There is no `{SDK}/Cargo.toml` in it."))
                    .hint("Name the directory of a checkout, or the URL of a git repository.")
            })
        }
        None => directory.ancestors().find(|ancestor| is_tree(ancestor)).map(as_path).ok_or_else(|| {
            Diagnostic::error("sdk-missing", "it is not known where `outrigger-sdk` comes from")
                .detail("It is not published as a package yet, and this is not a source tree of Outrigger.")
                .hint("Name a source tree or a git repository with `--sdk PATH|URL`.")
        }),
    }
}

/// A text in TOML. JSON's escapes are among TOML's.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Writes all files. Nothing that exists is written over.
fn write(directory: &Path, name: &str, sdk: &str) -> Result<(), (PathBuf, io::Error)> {
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
        let text = text.replace("PLUGIN_NAME", name).replace("SDK_SOURCE", sdk);
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
        assert_eq!(source(Some("https://host/a.git"), nowhere).unwrap(), r#"git = "https://host/a.git""#);
        assert_eq!(source(Some("nowhere"), nowhere).unwrap_err().code, "sdk-missing");
        assert_eq!(source(None, nowhere).unwrap_err().code, "sdk-missing");
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        assert!(source(None, here).unwrap().ends_with(r#"crates/sdk""#));
        assert_eq!(source(Some("../.."), here).unwrap(), source(None, here).unwrap());
    }
}
