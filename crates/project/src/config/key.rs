//! Names of configuration values.

use std::fmt;

/// The name of a configuration value: `namespace:name`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConfigKey {
    /// The project's name or a package's.
    pub namespace: String,
    /// The name inside it.
    pub name: String,
}

/// One step into a structured value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A key of a map.
    Key(String),
    /// An element of a list.
    Index(usize),
}

/// A configuration value or a part of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigPath {
    /// The value.
    pub key: ConfigKey,
    /// The path inside it; empty for the whole value.
    pub steps: Vec<Step>,
}

/// The text does not name a configuration value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyError {
    /// The text.
    pub text: String,
    /// The problem.
    pub reason: &'static str,
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a configuration key: {}", self.text, self.reason)
    }
}

impl std::error::Error for KeyError {}

impl ConfigKey {
    /// Parses `name`, `namespace:name` or the old `namespace:config:name`; a bare name belongs to the project.
    pub fn parse(text: &str, project: &str) -> Result<Self, KeyError> {
        let parts: Vec<&str> = text.split(':').collect();
        let (namespace, name) = match parts.as_slice() {
            [name] => (project, *name),
            [namespace, name] | [namespace, "config", name] => (*namespace, *name),
            _ => {
                let reason = "it should have the form `namespace:name`";
                return Err(KeyError { text: text.to_owned(), reason });
            }
        };
        Ok(Self { namespace: namespace.to_owned(), name: name.to_owned() })
    }

    /// The shortest form: without the namespace if it is the project's.
    pub fn pretty(&self, project: &str) -> String {
        if self.namespace == project { self.name.clone() } else { self.to_string() }
    }
}

impl fmt::Display for ConfigKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.namespace, self.name)
    }
}

impl From<ConfigKey> for ConfigPath {
    fn from(key: ConfigKey) -> Self {
        Self { key, steps: Vec::new() }
    }
}

impl ConfigPath {
    /// Parses a key as `config get`, `set` and `rm` do; with `path` its name is a path: `outer.inner[0]["a.b"]`.
    pub fn parse(text: &str, project: &str, path: bool) -> Result<Self, KeyError> {
        if !path {
            return ConfigKey::parse(text, project).map(Self::from);
        }
        // The rule about colons applies only to the first part; further parts may have any name.
        let key = match text.find(['[', '.']) {
            Some(end) if end > 0 => {
                let (top, rest) = text.split_at(end);
                let key = ConfigKey::parse(top, project)?;
                ConfigKey { name: key.name + rest, ..key }
            }
            _ => ConfigKey::parse(text, project)?,
        };
        Self::from_name(key)
    }

    /// Parses the name of a key as a path.
    pub(crate) fn from_name(key: ConfigKey) -> Result<Self, KeyError> {
        let fail = |reason| KeyError { text: key.to_string(), reason };
        let mut steps = steps(&key.name).map_err(fail)?.into_iter();
        match steps.next() {
            None => Err(fail("the path is empty")),
            Some(Step::Index(_)) => Err(fail("a path must begin with a name")),
            Some(Step::Key(name)) if name.is_empty() => Err(fail("the name is empty")),
            Some(Step::Key(name)) => {
                Ok(Self { key: ConfigKey { namespace: key.namespace, name }, steps: steps.collect() })
            }
        }
    }
}

impl fmt::Display for ConfigPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.key)?;
        for step in &self.steps {
            match step {
                Step::Key(key) if key.is_empty() || key.contains(['.', '[', ']', '"']) => {
                    write!(f, "[\"{}\"]", key.replace('"', "\\\""))?;
                }
                Step::Key(key) => write!(f, ".{key}")?,
                Step::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

/// Pulumi's strict path grammar. Doubled dots count as one, `*` is a name, and `\` escapes only a quote.
fn steps(path: &str) -> Result<Vec<Step>, &'static str> {
    if path.starts_with('.') {
        return Err("a path must begin with a name");
    }
    let mut found = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix('.') {
            if after.is_empty() {
                return Err("a name is missing after the last `.`");
            }
            if after.starts_with('[') {
                return Err("a name is missing between `.` and `[`");
            }
            rest = after;
        } else if let Some(after) = rest.strip_prefix("[\"") {
            let (key, after) = quoted(after)?;
            found.push(Step::Key(key));
            rest = after.strip_prefix(']').ok_or("a `]` is missing after a quoted name")?;
        } else if let Some(after) = rest.strip_prefix('[') {
            let (inside, after) = after.split_once(']').ok_or("a `]` is missing")?;
            found.push(if inside == "*" {
                Step::Key("*".to_owned())
            } else {
                Step::Index(inside.parse().map_err(|_| "an index must be a number")?)
            });
            rest = after;
        } else {
            let (name, after) = rest.split_at(rest.find(['.', '[']).unwrap_or(rest.len()));
            found.push(Step::Key(name.to_owned()));
            rest = after;
        }
    }
    Ok(found)
}

fn quoted(text: &str) -> Result<(String, &str), &'static str> {
    let mut key = String::new();
    let mut rest = text;
    loop {
        if let Some(after) = rest.strip_prefix("\\\"") {
            key.push('"');
            rest = after;
        } else if let Some(after) = rest.strip_prefix('"') {
            return Ok((key, after));
        } else {
            let mut chars = rest.chars();
            key.push(chars.next().ok_or("a quoted name has no end")?);
            rest = chars.as_str();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> String {
        ConfigPath::parse(text, "proj", true).unwrap().to_string()
    }

    #[test]
    fn keys() {
        let key = |text: &str| ConfigKey::parse(text, "proj").map(|key| key.to_string());
        assert_eq!(key("a").unwrap(), "proj:a");
        assert_eq!(key("aws:region").unwrap(), "aws:region");
        assert_eq!(key("aws:config:region").unwrap(), "aws:region");
        assert!(key("a:b:c").is_err());
        assert!(key("a:b:c:d").is_err());
        assert_eq!(ConfigKey::parse("a", "proj").unwrap().pretty("proj"), "a");
    }

    #[test]
    fn paths() {
        assert_eq!(path("a"), "proj:a");
        assert_eq!(path("aws:a.b[0]"), "aws:a.b[0]");
        assert_eq!(path("a..b"), "proj:a.b");
        assert_eq!(path(r#"["a.b"]["c-d"]"#), "proj:a.b.c-d");
        assert_eq!(path(r#"a["x\"y"]"#), r#"proj:a["x\"y"]"#);
        assert_eq!(path("a[*]"), "proj:a.*");
        for bad in ["", ".a", "a.", "a.[0]", "a[", "a[x]", "a[-1]", "[0]", r#"a["b"#, r#"a["b"x"#, r#"[""]"#] {
            assert!(ConfigPath::parse(bad, "proj", true).is_err(), "{bad}");
        }
    }
}
