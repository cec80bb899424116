//! The parameter value that an SDK or a lock file stores, byte for byte as Pulumi's bridge writes it.

use outrigger_diagnostic::Diagnostic;
use outrigger_terraform::address::Address;
use semver::Version;
use serde::{Deserialize, Serialize};

use super::{LocalPath, Parameters, Wanted};

/// A provider that was found, with its exact version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParameterValue {
    /// The parameters; a constraint is one exact version.
    pub parameters: Parameters,
}

/// The fields in the order in which Pulumi's bridge writes them.
#[derive(Serialize, Deserialize)]
struct Fields {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    remote: Option<Remote>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    local: Option<Local>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    includes: Option<Vec<String>>,
    // Only newer bridges write it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    excludes: Option<Vec<String>>,
    #[serde(default, rename = "providerName", skip_serializing_if = "Option::is_none")]
    provider_name: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct Remote {
    #[serde(default)]
    url: String,
    #[serde(default)]
    version: String,
}

#[derive(Serialize, Deserialize)]
struct Local {
    #[serde(default)]
    path: String,
}

impl ParameterValue {
    /// The value for parameters and the version that was found for them. A local provider keeps its path.
    pub fn new(mut parameters: Parameters, version: &Version) -> Result<Self, Diagnostic> {
        if let Wanted::Remote { constraint, .. } = &mut parameters.provider {
            *constraint = version.to_string().parse()?;
        }
        Ok(Self { parameters })
    }

    /// Reads a value.
    pub fn parse(bytes: &[u8]) -> Result<Self, Diagnostic> {
        let fields: Fields = serde_json::from_slice(bytes).map_err(|error| wrong(&error.to_string()))?;
        let provider = match (fields.remote, fields.local) {
            (Some(_), Some(_)) => return Err(wrong("it has both `remote` and `local`")),
            (None, None) => return Err(wrong("it has neither `remote` nor `local`")),
            (None, Some(local)) if local.path.is_empty() => return Err(wrong("`local.path` is empty")),
            (None, Some(local)) => Wanted::Local(LocalPath::parse(&local.path)?),
            (Some(remote), None) if remote.url.is_empty() => return Err(wrong("`remote.url` is empty")),
            (Some(remote), None) if remote.version.is_empty() => return Err(wrong("`remote.version` is empty")),
            (Some(Remote { url, version }), None) => {
                let address: Address = url.parse()?;
                Wanted::Remote { address, constraint: version.parse()? }
            }
        };
        let parameters = Parameters {
            provider,
            includes: fields.includes.unwrap_or_default(),
            excludes: fields.excludes.unwrap_or_default(),
            provider_name: fields.provider_name.filter(|name| !name.is_empty()),
        };
        Ok(Self { parameters })
    }

    /// The bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let Parameters { provider, includes, excludes, provider_name } = &self.parameters;
        let (remote, local) = match provider {
            Wanted::Local(path) => (None, Some(Local { path: path.as_str().to_owned() })),
            Wanted::Remote { address, constraint } => {
                (Some(Remote { url: address.to_string(), version: constraint.to_string() }), None)
            }
        };
        let list = |names: &[String]| (!names.is_empty()).then(|| names.to_vec());
        let fields = Fields {
            remote,
            local,
            includes: list(includes),
            excludes: list(excludes),
            provider_name: provider_name.clone(),
        };
        // Strings and lists of strings can always be written.
        as_go_writes(&serde_json::to_string(&fields).unwrap_or_default()).into_bytes()
    }
}

/// Go's encoder escapes these characters. In JSON they occur only in strings.
fn as_go_writes(json: &str) -> String {
    let mut written = String::with_capacity(json.len());
    for letter in json.chars() {
        match letter {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => written.push_str(&format!("\\u{:04x}", u32::from(letter))),
            letter => written.push(letter),
        }
    }
    written
}

fn wrong(reason: &str) -> Diagnostic {
    Diagnostic::error("terraform-value", "the parameter of a Terraform provider cannot be used")
        .detail(format!("{reason}."))
        .hint("Write the package's lock file again with `outrigger install`.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use outrigger_terraform::address::OPENTOFU_HOST;

    fn value(arguments: &[&str]) -> String {
        let value = ParameterValue::new(Parameters::parse(arguments).unwrap(), &Version::new(3, 6, 0)).unwrap();
        let bytes = value.to_bytes();
        assert_eq!(ParameterValue::parse(&bytes).unwrap(), value);
        String::from_utf8(bytes).unwrap()
    }

    // Each value was written by the encoder of bridge 3.124.0 for the same fields.
    #[test]
    fn values_are_written_as_the_bridge_writes_them() {
        let url = format!("{OPENTOFU_HOST}/hashicorp/random");
        assert_eq!(
            value(&["HashiCorp/random", "~> 3.0"]),
            format!(r#"{{"remote":{{"url":"{url}","version":"3.6.0"}}}}"#)
        );
        assert_eq!(
            value(&["hashicorp/random", "--provider-name", "mine", "--include", "random_pet,random_id"]),
            format!(
                r#"{{"remote":{{"url":"{url}","version":"3.6.0"}},"includes":["random_pet","random_id"],"providerName":"mine"}}"#
            )
        );
        assert_eq!(
            value(&["./a&b/<c>/terraform-provider-x"]),
            r#"{"local":{"path":"./a\u0026b/\u003cc\u003e/terraform-provider-x"}}"#
        );
        assert_eq!(value(&["/ä\"/terraform-provider-x"]), r#"{"local":{"path":"/ä\"/terraform-provider-x"}}"#);
    }

    #[test]
    fn what_is_excluded_stands_between_the_others() {
        assert_eq!(
            value(&["./terraform-provider-x", "--exclude", "a", "--include", "b", "--provider-name", "c"]),
            r#"{"local":{"path":"./terraform-provider-x"},"includes":["b"],"excludes":["a"],"providerName":"c"}"#
        );
    }

    #[test]
    fn mistakes_are_explained() {
        for (text, reason) in [
            ("", "EOF"),
            ("{}", "neither"),
            (r#"{"remote":{"url":"a/b","version":"1.0.0"},"local":{"path":"./terraform-provider-x"}}"#, "both"),
            (r#"{"local":{}}"#, "`local.path` is empty"),
            (r#"{"remote":{"version":"1.0.0"}}"#, "`remote.url` is empty"),
            (r#"{"remote":{"url":"a/b"}}"#, "`remote.version` is empty"),
        ] {
            let error = ParameterValue::parse(text.as_bytes()).unwrap_err();
            assert!(error.detail.as_ref().unwrap().contains(reason), "{text}: {error:?}");
        }
        assert!(
            ParameterValue::parse(br#"{"local":{"path":"./terraform-provider-x"},"includes":null,"later":1}"#).is_ok()
        );
    }
}
