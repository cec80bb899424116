//! Patterns of addresses, which select the providers of an installation method in a CLI configuration.

use outrigger_terraform::address::{self, Address, OPENTOFU_HOST, TERRAFORM_HOST};

/// A pattern of addresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    host: Host,
    /// `None`: any.
    namespace: Option<String>,
    kind: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Host {
    Any,
    /// No host is named. The file may have been written for Terraform or for OpenTofu, whose default hosts differ.
    Default,
    Named(String),
}

impl Pattern {
    /// Parses `[HOST/]NAMESPACE/TYPE`, whose last parts can be `*`. The error completes "the pattern ...".
    pub fn parse(text: &str) -> Result<Self, String> {
        let parts: Vec<&str> = text.split('/').collect();
        let (host, namespace, kind) = match parts.as_slice() {
            [namespace, kind] => (Host::Default, *namespace, *kind),
            ["*", namespace, kind] => (Host::Any, *namespace, *kind),
            [host, namespace, kind] => {
                let host = address::host(host).map_err(|reason| format!("has a host that {reason}"))?;
                (Host::Named(host), *namespace, *kind)
            }
            _ => return Err("must have two or three parts, as in `hashicorp/*`".to_owned()),
        };
        let part = |text: &str, what: &str| match text {
            "*" => Ok(None),
            text => address::part(text).map(Some).map_err(|reason| format!("has a {what} that {reason}")),
        };
        let (namespace, kind) = (part(namespace, "namespace")?, part(kind, "type")?);
        if kind.is_some() && namespace.is_none() {
            return Err("may have `*` for its namespace only where the type is `*` too".to_owned());
        }
        if host == Host::Any && namespace.is_some() {
            return Err("may have `*` for its host only where the namespace and the type are `*` too".to_owned());
        }
        Ok(Self { host, namespace, kind })
    }

    /// A pattern for exactly one provider, parsed as OpenTofu parses a `source`: without a namespace, it is HashiCorp's.
    pub(crate) fn exact(text: &str) -> Result<Self, String> {
        let pattern = Self::parse(&address::with_namespace(text))?;
        match pattern.kind {
            Some(_) => Ok(pattern),
            None => Err("must name one provider, without `*`".to_owned()),
        }
    }

    /// Whether an address matches.
    pub fn matches(&self, address: &Address) -> bool {
        let host = match &self.host {
            Host::Any => true,
            Host::Default => [OPENTOFU_HOST, TERRAFORM_HOST].contains(&address.host()),
            Host::Named(host) => host == address.host(),
        };
        let part = |pattern: &Option<String>, part: &str| pattern.as_deref().is_none_or(|pattern| pattern == part);
        host && part(&self.namespace, address.namespace()) && part(&self.kind, address.kind())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, address: &str) -> bool {
        Pattern::parse(pattern).unwrap().matches(&address.parse().unwrap())
    }

    #[test]
    fn a_pattern_can_leave_its_last_parts_open() {
        assert!(matches("*/*/*", "x.io/a/b"));
        assert!(matches("x.io/*/*", "x.io/a/b"));
        assert!(!matches("x.io/*/*", "y.io/a/b"));
        assert!(matches("x.io/A/*", "x.io/a/b"));
        assert!(!matches("x.io/a/*", "x.io/c/b"));
        assert!(matches("x.io/a/b", "X.io/a/B"));
        assert!(!matches("x.io/a/b", "x.io/a/c"));
    }

    #[test]
    fn a_pattern_without_a_host_means_both_default_hosts() {
        for host in [OPENTOFU_HOST, TERRAFORM_HOST] {
            assert!(matches("hashicorp/*", &format!("{host}/hashicorp/aws")));
        }
        assert!(!matches("hashicorp/*", "x.io/hashicorp/aws"));
    }

    #[test]
    fn one_provider_can_be_named_without_its_namespace() {
        let random = Pattern::exact("Random").unwrap();
        for host in [OPENTOFU_HOST, TERRAFORM_HOST] {
            assert!(random.matches(&format!("{host}/hashicorp/random").parse().unwrap()));
        }
        for other in ["a/random", "hashicorp/random2", "x.io/hashicorp/random"] {
            assert!(!random.matches(&other.parse().unwrap()), "{other}");
        }
    }

    #[test]
    fn mistakes_are_explained() {
        for (pattern, reason) in [
            ("aws", "two or three parts"),
            ("a/b/c/d", "two or three parts"),
            ("*/a/b", "for its host only"),
            ("*/a/*", "for its host only"),
            ("x.io/*/b", "for its namespace only"),
            ("a/b_c", "a type that may have only"),
            ("a b/c/d", "a host that may have only"),
        ] {
            assert!(Pattern::parse(pattern).unwrap_err().contains(reason), "{pattern}");
        }
        for several in ["a/*", "*"] {
            assert!(Pattern::exact(several).unwrap_err().contains("one provider"), "{several}");
        }
    }
}
