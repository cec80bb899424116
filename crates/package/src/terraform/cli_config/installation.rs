//! The settings of a CLI configuration for installing providers.

use std::path::PathBuf;
use std::sync::Arc;

use outrigger_diagnostic::{Diagnostic, Place, Position};

use super::syntax::{self, Item, Kind, Mistake, Value};
use crate::terraform::pattern::Pattern;

/// The settings of one file, or of all files together.
#[derive(Clone, Debug, Default)]
pub struct CliConfig {
    /// The block `provider_installation`.
    pub installation: Option<Installation>,
    /// The directory in which Terraform keeps downloaded providers.
    pub plugin_cache: Option<PathBuf>,
    /// Unknown settings, which are ignored.
    pub unknown: Vec<Unknown>,
    /// A missing file that a variable names.
    pub absent: Option<Absent>,
}

/// A missing file that a variable names. As in OpenTofu, that alone is not an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Absent {
    /// The variable.
    pub variable: &'static str,
    /// The file.
    pub path: PathBuf,
}

/// An unknown setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// Its name.
    pub name: String,
    /// Its place in the file.
    pub place: Place,
}

/// The sources of providers.
#[derive(Clone, Debug)]
pub struct Installation {
    /// Directories that are used for a provider, whatever version is requested.
    pub overrides: Vec<Override>,
    /// The methods. The first that has the newest version is used.
    pub methods: Vec<Method>,
    /// Its place in the file.
    pub place: Place,
}

/// A provider under development.
#[derive(Clone, Debug)]
pub struct Override {
    /// The provider.
    pub provider: Pattern,
    /// The directory with its executable.
    pub directory: PathBuf,
    /// Its place in the file.
    pub place: Place,
}

/// A way to get providers.
#[derive(Clone, Debug)]
pub struct Method {
    /// The source.
    pub source: MethodSource,
    /// Only these providers; all if empty.
    pub include: Vec<Pattern>,
    /// Except these providers.
    pub exclude: Vec<Pattern>,
    /// Its place in the file.
    pub place: Place,
}

/// The source of a method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MethodSource {
    /// The registry that the address names.
    Direct,
    /// A directory.
    FilesystemMirror(PathBuf),
    /// A server with the same layout, by its URL.
    NetworkMirror(String),
    /// Repositories in an OCI registry, by the template of their addresses.
    OciMirror(String),
}

/// Settings that have no meaning here, but are no mistakes.
const ELSEWHERE: [&str; 10] = [
    "plugin_cache_may_break_dependency_lock_file",
    "disable_checkpoint",
    "disable_checkpoint_signature",
    "credentials",
    "credentials_helper",
    "host",
    "providers",
    "provisioners",
    "oci_credentials",
    "oci_default_credentials",
];

impl CliConfig {
    /// Reads one file; its name is for the places of mistakes.
    pub fn parse(file: &str, text: &str) -> Result<Self, Diagnostic> {
        let mut reader = Reader { file: file.into(), json: false, unknown: Vec::new() };
        let parsed = syntax::parse(text).map_err(|Mistake { at, reason }| reader.error(at, &reason))?;
        reader.json = parsed.json;
        let mut config = Self::default();
        for item in &parsed.items {
            match item.name() {
                "provider_installation" => {
                    for body in reader.blocks(item)? {
                        if config.installation.is_some() {
                            return Err(reader.error(item.at(), "there may be only one block `provider_installation`"));
                        }
                        config.installation = Some(reader.installation(item, body)?);
                    }
                }
                "plugin_cache_dir" => config.plugin_cache = Some(reader.text(item)?.into()),
                name if ELSEWHERE.contains(&name) => {}
                _ => reader.unknown(item),
            }
        }
        config.unknown = reader.unknown;
        Ok(config)
    }
}

impl Method {
    /// Whether it applies to this provider.
    pub fn serves(&self, address: &outrigger_terraform::address::Address) -> bool {
        let any = |patterns: &[Pattern]| patterns.iter().any(|pattern| pattern.matches(address));
        !any(&self.exclude) && (self.include.is_empty() || any(&self.include))
    }
}

struct Reader {
    file: Arc<str>,
    json: bool,
    unknown: Vec<Unknown>,
}

impl Reader {
    fn installation(&mut self, item: &Item, body: &[Item]) -> Result<Installation, Diagnostic> {
        let mut found = Installation { overrides: Vec::new(), methods: Vec::new(), place: self.place(item.at()) };
        for item in body {
            for body in self.blocks(item)? {
                if item.name() != "dev_overrides" {
                    found.methods.push(self.method(item, body)?);
                } else if found.methods.is_empty() {
                    found.overrides.extend(self.overrides(body)?);
                } else {
                    let reason = "`dev_overrides` must come before all methods, because it takes precedence";
                    return Err(self.error(item.at(), reason));
                }
            }
        }
        Ok(found)
    }

    fn overrides(&self, body: &[Item]) -> Result<Vec<Override>, Diagnostic> {
        let read = |item: &Item| {
            let provider = Pattern::exact(item.name())
                .map_err(|reason| self.error(item.at(), &format!("the provider `{}` {reason}", item.name())))?;
            let directory = self.text(item)?.into();
            Ok(Override { provider, directory, place: self.place(item.at()) })
        };
        body.iter().map(read).collect()
    }

    fn method(&mut self, item: &Item, body: &[Item]) -> Result<Method, Diagnostic> {
        let name = item.name();
        let argument = match name {
            "direct" => None,
            "filesystem_mirror" => Some("path"),
            "network_mirror" => Some("url"),
            "oci_mirror" => Some("repository_template"),
            _ => return Err(self.error(item.at(), &format!("`{name}` is not a way to install providers"))),
        };
        let (mut location, mut include, mut exclude) = (String::new(), Vec::new(), Vec::new());
        for item in body {
            match item.name() {
                "include" => include = self.patterns(item)?,
                "exclude" => exclude = self.patterns(item)?,
                "trust_all_hashes" | "download_retry_count" => {}
                name if Some(name) == argument => location = self.text(item)?,
                _ => self.unknown(item),
            }
        }
        if let Some(argument) = argument.filter(|_| location.is_empty()) {
            return Err(self.error(item.at(), &format!("`{name}` needs `{argument}`")));
        }
        let source = match name {
            "filesystem_mirror" => MethodSource::FilesystemMirror(location.into()),
            "network_mirror" => MethodSource::NetworkMirror(location),
            "oci_mirror" => MethodSource::OciMirror(location),
            _ => MethodSource::Direct,
        };
        Ok(Method { source, include, exclude, place: self.place(item.at()) })
    }

    fn patterns(&self, item: &Item) -> Result<Vec<Pattern>, Diagnostic> {
        let Kind::List(values) = &item.value.kind else {
            return Err(self.error(item.value.at, &format!("`{}` must be a list of patterns", item.name())));
        };
        let read = |value: &Value| match &value.kind {
            Kind::Text(text) => {
                Pattern::parse(text).map_err(|reason| self.error(value.at, &format!("the pattern `{text}` {reason}")))
            }
            _ => Err(self.error(value.at, "a pattern must be text")),
        };
        values.iter().map(read).collect()
    }

    fn text(&self, item: &Item) -> Result<String, Diagnostic> {
        match &item.value.kind {
            Kind::Text(text) if item.keys.len() == 1 => Ok(text.clone()),
            _ => Err(self.error(item.value.at, &format!("`{}` must be text", item.name()))),
        }
    }

    /// The contents of a block. In JSON, a list means several blocks.
    fn blocks<'a>(&self, item: &'a Item) -> Result<Vec<&'a [Item]>, Diagnostic> {
        let name = item.name();
        if item.assigned && !self.json {
            return Err(self.error(item.value.at, &format!("`{name}` is a block and has no `=`")));
        }
        if item.keys.len() > 1 {
            return Err(self.error(item.at(), &format!("the block `{name}` has no labels")));
        }
        let whole = std::slice::from_ref(&item.value);
        let values = match &item.value.kind {
            Kind::List(values) => values.as_slice(),
            _ => whole,
        };
        let body = |value: &'a Value| match &value.kind {
            Kind::Object(items) => Ok(items.as_slice()),
            _ => Err(self.error(value.at, &format!("`{name}` must be a block"))),
        };
        values.iter().map(body).collect()
    }

    fn unknown(&mut self, item: &Item) {
        let place = self.place(item.at());
        self.unknown.push(Unknown { name: item.name().to_owned(), place });
    }

    fn place(&self, at: Position) -> Place {
        Place::point(Arc::clone(&self.file), at.line, at.column)
    }

    fn error(&self, at: Position, reason: &str) -> Diagnostic {
        super::mistake(reason).at(self.place(at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_about_installing_is_read() {
        let text = r#"
plugin_cache_dir = "$HOME/cache"
credentials "x.io" { token = "t" }
surprise = 1
provider_installation {
  dev_overrides {
    "hashicorp/random" = "/src/random"
    pet = "/src/pet"
  }
  filesystem_mirror {
    path    = "/mirror"
    include = ["x.io/*/*"]
    exclude = ["x.io/a/b"]
  }
  network_mirror {
    url = "https://x.io/providers/"
  }
  oci_mirror {
    repository_template = "x.io/${namespace}/${type}"
    shape = "odd"
  }
  direct {}
}
"#;
        let config = CliConfig::parse("rc", text).unwrap();
        assert_eq!(config.plugin_cache, Some("$HOME/cache".into()));
        let unknown: Vec<String> =
            config.unknown.iter().map(|unknown| format!("{} {}", unknown.name, unknown.place)).collect();
        assert_eq!(unknown, ["surprise rc:4:1", "shape rc:20:5"]);
        let installation = config.installation.unwrap();
        assert_eq!(installation.overrides[0].place.to_string(), "rc:7:5");
        assert!(installation.overrides[0].provider.matches(&"hashicorp/random".parse().unwrap()));
        // As in OpenTofu, a name without a namespace is HashiCorp's.
        assert!(installation.overrides[1].provider.matches(&"hashicorp/pet".parse().unwrap()));
        let sources: Vec<&MethodSource> = installation.methods.iter().map(|method| &method.source).collect();
        assert_eq!(
            sources,
            [
                &MethodSource::FilesystemMirror("/mirror".into()),
                &MethodSource::NetworkMirror("https://x.io/providers/".to_owned()),
                &MethodSource::OciMirror("x.io/${namespace}/${type}".to_owned()),
                &MethodSource::Direct,
            ]
        );
        let serves = |address: &str| installation.methods[0].serves(&address.parse().unwrap());
        assert!(serves("x.io/a/c") && !serves("x.io/a/b") && !serves("y.io/a/c"));
    }

    #[test]
    fn json_says_the_same() {
        let text =
            r#"{"provider_installation": [{"filesystem_mirror": {"path": "/m", "include": ["*/*/*"]}, "direct": {}}]}"#;
        let installation = CliConfig::parse("rc.json", text).unwrap().installation.unwrap();
        assert_eq!(installation.methods.len(), 2);
    }

    #[test]
    fn mistakes_have_their_place() {
        for (text, place, reason) in [
            ("provider_installation = {}", "rc:1:25", "is a block"),
            ("provider_installation \"x\" {}", "rc:1:1", "no labels"),
            ("provider_installation {}\nprovider_installation {}", "rc:2:1", "only one"),
            ("provider_installation {\n  direct {}\n  dev_overrides {}\n}", "rc:3:3", "before all methods"),
            ("provider_installation {\n  dev_overrides { \"a/b/c/d\" = \"/x\" }\n}", "rc:2:19", "two or three parts"),
            ("provider_installation {\n  filesystem_mirror {}\n}", "rc:2:3", "needs `path`"),
            ("provider_installation {\n  carrier_pigeon {}\n}", "rc:2:3", "not a way to install"),
            ("provider_installation {\n  direct { include = \"x\" }\n}", "rc:2:22", "list of patterns"),
            ("provider_installation {\n  direct { include = [\"a/b\", \"x\"] }\n}", "rc:2:30", "two or three"),
            ("provider_installation {\n  filesystem_mirror { path = 1 }\n}", "rc:2:30", "must be text"),
            ("plugin_cache_dir = {", "rc:1:21", "is missing"),
        ] {
            let error = CliConfig::parse("rc", text).unwrap_err();
            assert_eq!(error.place.as_ref().unwrap().to_string(), place, "{text}: {error:?}");
            assert!(error.detail.as_ref().unwrap().contains(reason), "{text}: {error:?}");
        }
    }
}
