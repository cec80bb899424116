//! Addresses of Terraform providers: `[HOST/][NAMESPACE/]TYPE`.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use outrigger_diagnostic::Diagnostic;

/// The host of an address that names none, to OpenTofu and to Pulumi's bridge.
pub const OPENTOFU_HOST: &str = "registry.opentofu.org";

/// The host of an address that names none, to Terraform.
pub const TERRAFORM_HOST: &str = "registry.terraform.io";

/// The start of the name of every executable and archive of a provider.
pub const FILE_PREFIX: &str = "terraform-provider-";

/// A provider: its registry, its owner and its name. Always in its normal form.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address {
    host: String,
    namespace: String,
    kind: String,
}

impl Address {
    /// The registry's host, with a port if it is not the usual one.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The provider's owner.
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// The provider's own name, which is part of its executable's name. Terraform calls it the type.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// Reads an address as OpenTofu reads a `source`: without a namespace, it is HashiCorp's.
    pub fn of_source(text: &str) -> Result<Self, Diagnostic> {
        with_namespace(text).parse()
    }

    /// The same provider at another host.
    pub fn at(&self, host: &str) -> Self {
        Self { host: host.to_owned(), ..self.clone() }
    }
}

/// A source with its namespace: like OpenTofu, it takes one without a namespace for HashiCorp's.
pub fn with_namespace(source: &str) -> Cow<'_, str> {
    if source.contains('/') { Cow::Borrowed(source) } else { Cow::Owned(format!("hashicorp/{source}")) }
}

/// The whole address; this is the `url` that Pulumi's bridge writes into SDKs and lock files.
impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.host, self.namespace, self.kind)
    }
}

impl FromStr for Address {
    type Err = Diagnostic;

    fn from_str(text: &str) -> Result<Self, Diagnostic> {
        let wrong = |reason: String| {
            Diagnostic::error("terraform-address", format!("`{text}` is not the address of a Terraform provider"))
                .detail(reason)
        };
        let parts: Vec<&str> = text.split('/').collect();
        let (host, namespace, kind) = match parts.as_slice() {
            [kind] => {
                let hint = match part(kind) {
                    Ok(kind) => format!("Write the namespace of the provider, as in `hashicorp/{kind}`."),
                    Err(_) => "Write an address such as `hashicorp/random`.".to_owned(),
                };
                return Err(wrong("It has no namespace.".to_owned()).hint(hint));
            }
            [namespace, kind] => (OPENTOFU_HOST, *namespace, *kind),
            [host, namespace, kind] => (*host, *namespace, *kind),
            _ => {
                return Err(wrong(format!("It has {} parts; it can have two or three.", parts.len()))
                    .hint("Write `NAMESPACE/TYPE` or `HOST/NAMESPACE/TYPE`."));
            }
        };
        let bad_part = |reason: String| wrong(reason).hint("Write an address such as `hashicorp/random`.");
        let host = self::host(host).map_err(|reason| bad_part(format!("The host `{host}` {reason}.")))?;
        let namespace = part(namespace).map_err(|reason| bad_part(format!("The namespace `{namespace}` {reason}.")))?;
        let kind = part(kind).map_err(|reason| bad_part(format!("The type `{kind}` {reason}.")))?;
        for prefix in ["terraform-", "opentofu-"] {
            let Some(rest) = kind.strip_prefix(prefix) else { continue };
            let rest = rest.strip_prefix("provider-").unwrap_or(rest);
            let error = wrong(format!("A provider's type does not begin with `{prefix}`."));
            return Err(match part(rest) {
                Ok(kind) => error.hint(format!("Write `{}`.", Self { host, namespace, kind }.short())),
                Err(_) => error.hint("Leave the prefix out."),
            });
        }
        Ok(Self { host, namespace, kind })
    }
}

impl Address {
    /// As a person would write it.
    fn short(&self) -> String {
        match self.host.as_str() {
            OPENTOFU_HOST => format!("{}/{}", self.namespace, self.kind),
            _ => self.to_string(),
        }
    }
}

/// A namespace or a type in its normal form, or the reason why it is not valid: it follows the rules for a label of a host name.
pub fn part(text: &str) -> Result<String, &'static str> {
    if text.is_empty() {
        return Err("is empty");
    }
    if text.contains("--") {
        return Err("has two dashes in a row");
    }
    label(text)
}

/// A host in its normal form: lower case, without the default port.
pub fn host(text: &str) -> Result<String, &'static str> {
    let (name, port) = match text.split_once(':') {
        Some((name, port)) => (name, Some(port)),
        None => (text, None),
    };
    if name.is_empty() {
        return Err("is empty");
    }
    let labels = name.split('.').map(|text| if text.is_empty() { Err("has an empty label") } else { label(text) });
    let name = labels.collect::<Result<Vec<_>, _>>()?.join(".");
    match port {
        None | Some("443") => Ok(name),
        Some(port) if !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) => match port.parse::<u16>() {
            Ok(port) => Ok(format!("{name}:{port}")),
            Err(_) => Err("has a port beyond 65535"),
        },
        Some(_) => Err("has a port that is not a number"),
    }
}

fn label(text: &str) -> Result<String, &'static str> {
    if !text.is_ascii() {
        return Err("has letters outside ASCII, which are not supported");
    }
    if !text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
        return Err("may have only letters, digits and dashes");
    }
    if text.starts_with('-') || text.ends_with('-') {
        return Err("may not begin or end with a dash");
    }
    Ok(text.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_brought_into_their_normal_form() {
        for (text, normal) in [
            ("hashicorp/random", format!("{OPENTOFU_HOST}/hashicorp/random")),
            ("HashiCorp/Random", format!("{OPENTOFU_HOST}/hashicorp/random")),
            ("Example.COM/a/google-beta", "example.com/a/google-beta".to_owned()),
            ("example.com:443/a/b", "example.com/a/b".to_owned()),
            ("localhost:8080/a/b", "localhost:8080/a/b".to_owned()),
        ] {
            let address: Address = text.parse().unwrap();
            assert_eq!(address.to_string(), normal);
            assert_eq!(normal.parse::<Address>().unwrap(), address);
        }
    }

    #[test]
    fn mistakes_are_explained() {
        for (text, reason, hint) in [
            ("random", "no namespace", "`hashicorp/random`"),
            ("", "no namespace", "`hashicorp/random`"),
            ("a/b/c/d", "4 parts", "HOST/NAMESPACE/TYPE"),
            ("/random", "The namespace `` is empty", "`hashicorp/random`"),
            ("a/", "The type `` is empty", "`hashicorp/random`"),
            ("a/b--c", "two dashes", "`hashicorp/random`"),
            ("a/-b", "begin or end", "`hashicorp/random`"),
            ("a/b_c", "letters, digits and dashes", "`hashicorp/random`"),
            ("a.b/c", "letters, digits and dashes", "`hashicorp/random`"),
            ("a/bücher", "outside ASCII", "`hashicorp/random`"),
            ("a..b/c/d", "empty label", "`hashicorp/random`"),
            ("a:b/c/d", "not a number", "`hashicorp/random`"),
            ("a:99999/c/d", "65535", "`hashicorp/random`"),
            ("hashicorp/terraform-provider-aws", "begin with `terraform-`", "`hashicorp/aws`"),
            ("hashicorp/terraform-aws", "begin with `terraform-`", "`hashicorp/aws`"),
            ("x.io/a/opentofu-b", "begin with `opentofu-`", "`x.io/a/b`"),
        ] {
            let error = text.parse::<Address>().unwrap_err();
            assert!(error.detail.as_ref().unwrap().contains(reason), "{text}: {error:?}");
            assert!(error.hints[0].contains(hint), "{text}: {error:?}");
        }
    }
}
