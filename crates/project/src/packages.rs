//! Package lock files: `sdks/NAME/NAME-VERSION.yaml`, as `pulumi package add` and `pulumi install` write them.
//!
//! A lock file gives the plugin behind a package's name, with its version and parameters. As in Pulumi,
//! every `.yaml` file below the program's directory that declares itself a lock file counts.

mod lock;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use outrigger_diagnostic::Diagnostic;
use outrigger_provider::{Parameterization, PluginDescriptor};
use outrigger_syntax::{Document, Kind, Node, Object};

pub use lock::LockFile;

/// The packages that lock files describe, by the name under which a program uses them.
#[derive(Clone, Debug, Default)]
pub struct Packages {
    locked: BTreeMap<String, PluginDescriptor>,
}

/// Marks a lock file; searched for before a file is parsed, because a tree can contain many other files.
const MARK: &str = "packageDeclarationVersion";

/// Directories nested deeper than this are not searched.
const MAX_DEPTH: usize = 64;

impl Packages {
    /// Reads every lock file below a directory. Places are relative to it.
    pub fn find(directory: &Path) -> Result<Self, Vec<Diagnostic>> {
        let mut files = Vec::new();
        let mut errors = Vec::new();
        walk(directory, 0, &mut files, &mut errors);
        files.sort();
        let mut packages = Self::default();
        for file in files {
            let shown = file.strip_prefix(directory).unwrap_or(&file).display().to_string();
            match fs::read(&file) {
                Ok(bytes) => match parse(&shown, &bytes) {
                    Ok(Some(descriptor)) => packages.insert(descriptor),
                    Ok(None) => {}
                    Err(diagnostic) => errors.push(*diagnostic),
                },
                Err(error) => errors.push(unreadable(&file, &error)),
            }
        }
        if errors.is_empty() { Ok(packages) } else { Err(errors) }
    }

    /// Adds a package.
    pub fn insert(&mut self, descriptor: PluginDescriptor) {
        self.locked.insert(descriptor.package().to_owned(), descriptor);
    }

    /// The plugin behind a package's name, if there is a lock file for it.
    pub fn get(&self, package: &str) -> Option<&PluginDescriptor> {
        self.locked.get(package)
    }
}

fn walk(directory: &Path, depth: usize, files: &mut Vec<PathBuf>, errors: &mut Vec<Diagnostic>) {
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) => return errors.push(unreadable(directory, &error)),
    };
    for entry in entries.flatten() {
        let path = entry.path();
        let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_directory && depth < MAX_DEPTH && entry.file_name() != ".git" {
            walk(&path, depth + 1, files, errors);
        } else if path.extension().is_some_and(|extension| extension == "yaml") && path.is_file() {
            files.push(path);
        }
    }
}

fn unreadable(path: &Path, error: &std::io::Error) -> Diagnostic {
    Diagnostic::error("yaml-lock-file", format!("`{}` cannot be read", path.display()))
        .detail(error.to_string())
        .hint("Every .yaml file below the program's directory is read, because it may be a package lock file.")
}

fn parse(file: &str, bytes: &[u8]) -> Result<Option<PluginDescriptor>, Box<Diagnostic>> {
    if !bytes.windows(MARK.len()).any(|window| window == MARK.as_bytes()) {
        return Ok(None);
    }
    // A file that is not YAML is not a lock file: the tree may contain templates and the like.
    let Ok(document) = Document::parse_bytes(file, bytes) else { return Ok(None) };
    let Some(root) = document.root.as_object() else { return Ok(None) };
    if root.get(MARK).and_then(Node::as_number) != Some(1.0) {
        return Ok(None);
    }
    let reader = Reader { document: &document };
    if let Some(extension) = root.entry("extension") {
        return Err(Box::new(
            Diagnostic::error("yaml-extension-package", "extension packages are not supported yet")
                .at(document.place(extension.key.span))
                .hint("Use `pulumi` for this project, or remove the lock file if the extension is not used."),
        ));
    }
    let version = match reader.text(root, "version") {
        Some(version) => Some(reader.version(root, "version", version)?),
        None => None,
    };
    let parameterization = match root.get("parameterization").and_then(Node::as_object) {
        Some(block) => Some(reader.parameterization(block, root)?),
        None => None,
    };
    Ok(Some(PluginDescriptor {
        name: reader.required(root, "name", root)?,
        version,
        download_url: reader.text(root, "downloadUrl"),
        parameterization,
        ..PluginDescriptor::default()
    }))
}

struct Reader<'a> {
    document: &'a Document,
}

impl Reader<'_> {
    fn parameterization(&self, block: &Object, root: &Object) -> Result<Parameterization, Box<Diagnostic>> {
        let version = self.required(block, "version", root)?;
        let value = self.text(block, "value").unwrap_or_default();
        Ok(Parameterization {
            name: self.required(block, "name", root)?,
            version: self.version(block, "version", version)?,
            value: STANDARD
                .decode(&value)
                .map_err(|error| self.error(block, "value", &format!("is not base64: {error}")))?,
        })
    }

    /// The text of a scalar as written: the peer also reads `version: 1.0` as text.
    fn text(&self, object: &Object, key: &str) -> Option<String> {
        let node = object.get(key)?;
        let text = match &node.kind {
            Kind::String(text) => text.value.to_string(),
            Kind::Number(_) | Kind::Bool(_) => self.document.text(node.span).to_owned(),
            Kind::Null | Kind::List(_) | Kind::Object(_) => return None,
        };
        (!text.is_empty()).then_some(text)
    }

    fn required(&self, object: &Object, key: &str, root: &Object) -> Result<String, Box<Diagnostic>> {
        self.text(object, key).ok_or_else(|| {
            let at = object.entries.first().or(root.entries.first()).map(|entry| entry.key.span).unwrap_or_default();
            Box::new(
                Diagnostic::error("yaml-lock-file", format!("this package lock file lacks `{key}`"))
                    .at(self.document.place(at))
                    .hint("Write it again with `outrigger install`."),
            )
        })
    }

    fn version(&self, object: &Object, key: &str, text: String) -> Result<String, Box<Diagnostic>> {
        match semver::Version::parse(&text) {
            Ok(_) => Ok(text),
            Err(error) => Err(self.error(object, key, &format!("`{text}` is not a version: {error}"))),
        }
    }

    fn error(&self, object: &Object, key: &str, reason: &str) -> Box<Diagnostic> {
        let at = object.get(key).map(|node| node.span).unwrap_or_default();
        Box::new(
            Diagnostic::error("yaml-lock-file", format!("this package lock file's `{key}` cannot be used"))
                .detail(reason)
                .at(self.document.place(at))
                .hint("Write it again with `outrigger install`."),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_lock_files_anywhere() {
        let directory = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = directory.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("sdks/simple/simple-2.0.0.yaml", "packageDeclarationVersion: 1\nname: simple\nversion: 2.0.0\n");
        write(
            "sdks/planet/planet-0.1.0.yaml",
            "packageDeclarationVersion: 1\nname: terraform-provider\nversion: 0.8.1\ndownloadUrl: https://x\nparameterization:\n  name: planet\n  version: 0.1.0\n  value: aGk=\n",
        );
        write("Pulumi.yaml", "name: x\n");
        write("broken.yaml", "packageDeclarationVersion: 1\n  - {");
        write("other.yaml", "packageDeclarationVersion: 2\n");
        let packages = Packages::find(directory.path()).unwrap();
        assert_eq!(packages.get("simple"), Some(&PluginDescriptor::named("simple", Some("2.0.0".to_owned()))));
        let planet = packages.get("planet").unwrap();
        assert_eq!((planet.name.as_str(), planet.download_url.as_deref()), ("terraform-provider", Some("https://x")));
        assert_eq!(planet.parameterization.as_ref().unwrap().value, b"hi");
        assert!(packages.get("terraform-provider").is_none());
    }

    #[test]
    fn broken_lock_files_are_errors_with_a_place() {
        for (text, place) in [
            ("packageDeclarationVersion: 1\nversion: 1.0.0\n", "a.yaml:1:1"),
            ("packageDeclarationVersion: 1\nname: x\nversion: 1.0\n", "a.yaml:3:10"),
            (
                "packageDeclarationVersion: 1\nname: x\nparameterization: {name: y, version: 1.0.0, value: '*'}\n",
                "a.yaml:3:52",
            ),
            ("packageDeclarationVersion: 1\nname: x\nparameterization: {name: y}\n", "a.yaml:3:20"),
            ("packageDeclarationVersion: 1\nname: x\nextension: {name: y}\n", "a.yaml:3:1"),
        ] {
            let error = parse("a.yaml", text.as_bytes()).unwrap_err();
            assert_eq!(error.place.as_ref().unwrap().to_string(), place, "{text}");
        }
    }
}
