//! Writing a lock file, as Pulumi's YAML language host writes it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use outrigger_diagnostic::Diagnostic;
use outrigger_provider::{Parameterization, PluginDescriptor};
use serde::Deserialize;

use crate::stack_config::{Form, written_text};

/// The content of a lock file, taken from a package's schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockFile {
    /// The plugin behind the package.
    pub plugin: PluginDescriptor,
    /// The package's publisher, if the schema names one.
    namespace: Option<String>,
}

/// The part of a schema needed here.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Outline {
    name: String,
    version: Option<String>,
    namespace: Option<String>,
    #[serde(rename = "pluginDownloadURL")]
    download_url: Option<String>,
    parameterization: Option<Parameterized>,
    extension_parameterization: Option<serde_json::Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Parameterized {
    base_provider: Base,
    #[serde(default)]
    parameter: String,
}

#[derive(Deserialize)]
struct Base {
    name: String,
    version: String,
}

impl LockFile {
    /// The lock file of a package, given its schema.
    pub fn of_schema(schema: &[u8]) -> Result<Self, Diagnostic> {
        let outline: Outline = serde_json::from_slice(schema).map_err(|error| unusable(&error.to_string()))?;
        let Outline { name, version, namespace, download_url, parameterization, extension_parameterization } = outline;
        if extension_parameterization.is_some() {
            return Err(Diagnostic::error(
                "yaml-extension-package",
                format!("the package `{name}` extends another one"),
            )
            .detail("Extension packages are not supported yet.")
            .hint("Use `pulumi` for this project."));
        }
        // Both become parts of a path.
        for part in namespace.iter().chain([&name]) {
            let allowed = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
            if part.is_empty() || part.starts_with('.') || !part.chars().all(allowed) {
                return Err(unusable(&format!("`{part}` is not a name")));
            }
        }
        let version =
            version.filter(|version| !version.is_empty()).map(|version| self::version(&version)).transpose()?;
        let download_url = download_url.filter(|url| !url.is_empty());
        let plugin = match parameterization {
            None => PluginDescriptor { name, version, download_url, ..PluginDescriptor::default() },
            Some(Parameterized { base_provider, parameter }) => {
                let version = version.ok_or_else(|| unusable("a parameterized package must have a version"))?;
                let value =
                    STANDARD.decode(&parameter).map_err(|error| unusable(&format!("its parameter: {error}")))?;
                PluginDescriptor {
                    name: base_provider.name,
                    version: Some(self::version(&base_provider.version)?),
                    download_url,
                    parameterization: Some(Parameterization { name, version, value }),
                    ..PluginDescriptor::default()
                }
            }
        };
        Ok(Self { plugin, namespace })
    }

    /// The package's version.
    pub fn version(&self) -> Option<&str> {
        match &self.plugin.parameterization {
            Some(parameterization) => Some(&parameterization.version),
            None => self.plugin.version.as_deref(),
        }
    }

    /// The directory of its lock file, below the program's.
    pub fn directory(&self) -> String {
        let namespace = self.namespace.iter().map(|namespace| format!("{namespace}-")).collect::<String>();
        format!("sdks/{namespace}{}", self.plugin.package())
    }

    /// The name of the file in that directory.
    pub fn file_name(&self) -> String {
        let version = self.version().map(|version| format!("-{version}")).unwrap_or_default();
        format!("{}{version}.yaml", self.plugin.package())
    }

    /// The text of the file.
    pub fn text(&self) -> String {
        let mut lines = vec!["packageDeclarationVersion: 1".to_owned()];
        let mut line = |indent: &str, key: &str, text: &str| {
            lines.push(format!("{indent}{key}: {}", written_text(text, Form::Block)))
        };
        let PluginDescriptor { name, version, download_url, parameterization, .. } = &self.plugin;
        line("", "name", name);
        version.iter().for_each(|version| line("", "version", version));
        download_url.iter().for_each(|url| line("", "downloadUrl", url));
        if let Some(Parameterization { name, version, value }) = parameterization {
            lines.push("parameterization:".to_owned());
            let mut line =
                |key: &str, text: &str| lines.push(format!("    {key}: {}", written_text(text, Form::Block)));
            line("name", name);
            line("version", version);
            line("value", &STANDARD.encode(value));
        }
        lines.join("\n") + "\n"
    }
}

fn version(text: &str) -> Result<String, Diagnostic> {
    let text = text.strip_prefix('v').unwrap_or(text);
    match semver::Version::parse(text) {
        Ok(_) => Ok(text.to_owned()),
        Err(error) => Err(unusable(&format!("`{text}` is not a version: {error}"))),
    }
}

fn unusable(reason: &str) -> Diagnostic {
    Diagnostic::error("package-schema", "the package's schema cannot be used")
        .detail(format!("{reason}."))
        .hint("Use another version of the plugin, and report this to its author.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_file_is_read_as_it_was_written() {
        for (schema, path) in [
            (r#"{"name": "simple", "version": "2.0.0"}"#, "sdks/simple/simple-2.0.0.yaml"),
            (r#"{"name": "simple", "namespace": "acme"}"#, "sdks/acme-simple/simple.yaml"),
            (
                r#"{"name": "b", "version": "v1.0.0-x", "pluginDownloadURL": "https://x.io/#y", "parameterization":
                    {"baseProvider": {"name": "base", "version": "0.1.0"}, "parameter": "aGk="}}"#,
                "sdks/b/b-1.0.0-x.yaml",
            ),
        ] {
            let lock = LockFile::of_schema(schema.as_bytes()).unwrap();
            assert_eq!(format!("{}/{}", lock.directory(), lock.file_name()), path);
            let read = super::super::parse("x.yaml", lock.text().as_bytes()).unwrap().unwrap();
            assert_eq!(read, lock.plugin, "{}", lock.text());
        }
    }

    #[test]
    fn what_cannot_be_locked_is_said() {
        for (schema, code) in [
            ("", "package-schema"),
            (r#"{"name": "../x"}"#, "package-schema"),
            (r#"{"name": "a", "version": "1"}"#, "package-schema"),
            (
                r#"{"name": "a", "parameterization": {"baseProvider": {"name": "b", "version": "1.0.0"}}}"#,
                "package-schema",
            ),
            (r#"{"name": "a", "extensionParameterization": {}}"#, "yaml-extension-package"),
        ] {
            assert_eq!(LockFile::of_schema(schema.as_bytes()).unwrap_err().code, code, "{schema}");
        }
    }
}
