//! The providers of Pulumi's bridge: from the parameters of a package to the program.

use async_trait::async_trait;
use outrigger_bridge::tokens::Selection;
use outrigger_bridge::{Origin, Origins, Place};
use outrigger_diagnostic::Diagnostic;
use outrigger_provider::Parameterize;
use outrigger_transport::goplugin::{Reattach, reattach_providers};
use semver::Version;

use crate::Address;
use crate::constraint::Constraint;
use crate::parameters::{ParameterValue, Parameters, Wanted};
use crate::sources::Sources;

/// Variables that name providers which run already: Terraform's own, and the one of Pulumi's bridge.
const REATTACH: [&str; 2] = ["PULUMI_BRIDGE_REATTACH_PROVIDERS", "TF_REATTACH_PROVIDERS"];

#[async_trait]
impl Origins for Sources {
    async fn find(&self, wanted: &Parameterize) -> Result<Origin, Diagnostic> {
        let parameters = match wanted {
            Parameterize::Arguments(arguments) => Parameters::parse(arguments)?,
            Parameterize::Value(stored) => ParameterValue::parse(&stored.value)?.parameters,
        };
        let (place, provider, version, namespace) = match &parameters.provider {
            Wanted::Local(path) => {
                (Place::Program(self.local(path)?), path.name().to_owned(), Version::new(0, 0, 0), None)
            }
            Wanted::Remote { address, constraint } => {
                let (place, version) = match self.running(address)? {
                    Some(reattach) => (Place::Running(reattach), Version::new(0, 0, 0)),
                    None => {
                        let installed = Sources::find(self, address, constraint).await;
                        let installed = installed.map_err(|error| match wanted {
                            Parameterize::Arguments(_) => error,
                            Parameterize::Value(_) => of_lock_file(error, constraint),
                        })?;
                        (Place::Program(installed.program), installed.version)
                    }
                };
                (place, address.kind().to_owned(), version, Some(address.namespace().to_owned()))
            }
        };
        let selection = Selection {
            package: parameters.provider_name.clone(),
            includes: parameters.includes.clone(),
            excludes: parameters.excludes.clone(),
        };
        let package = parameters.provider_name.clone().unwrap_or_else(|| provider.clone());
        let value = ParameterValue::new(parameters, &version)?.to_bytes();
        Ok(Origin { place, provider, package, version, namespace, selection, value })
    }
}

/// Says where a constraint comes from that nobody wrote.
fn of_lock_file(mut error: Diagnostic, constraint: &Constraint) -> Diagnostic {
    let developed = constraint.to_string() == Version::new(0, 0, 0).to_string();
    if developed && ["terraform-version", "terraform-missing"].contains(&error.code) {
        let hint = "Version 0.0.0 was written while a `dev_overrides` or `TF_REATTACH_PROVIDERS` stood for the provider; with \
                    that again, it is found.";
        error.hints.insert(0, hint.to_owned());
    }
    if error.code == "terraform-version" {
        let hint = format!(
            "Version {constraint} is the one in the package's lock file below `sdks`; `outrigger install` writes it anew from what \
             is there."
        );
        error.hints.insert(0, hint);
    }
    error
}

impl Sources {
    /// A provider that somebody started for us to attach to.
    fn running(&self, address: &Address) -> Result<Option<Reattach>, Diagnostic> {
        for variable in REATTACH {
            let Some(text) = self.variable(variable) else { continue };
            let unreadable = |reason: String| {
                Diagnostic::error("terraform-reattach", format!("`{variable}` cannot be read"))
                    .detail(reason)
                    .hint("A provider that is started with `-debug` prints the text for it.")
            };
            let mut found = None;
            // One that is no address is an error even if it is not the one that is wanted, as it is to OpenTofu: most likely it
            // was meant to be.
            for (key, reattach) in reattach_providers(text).map_err(unreadable)? {
                let running = Address::of_source(&key).map_err(|error| {
                    let reason = error.detail.unwrap_or_default();
                    unreadable(format!("`{key}` is not the address of a Terraform provider: {reason}"))
                })?;
                if running == *address {
                    found.get_or_insert(reattach);
                }
            }
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use outrigger_provider::Parameterization;

    use super::*;
    use crate::{OPENTOFU_HOST, Platform, SearchContext, TERRAFORM_HOST};

    /// The process that stands for a provider, if these keys name it; each has the number of its place.
    fn found(address: &str, keys: &[&str]) -> Result<Option<u32>, Diagnostic> {
        let entry = |(place, key): (usize, &&str)| {
            format!(r#""{key}":{{"Protocol":"grpc","Pid":{place},"Addr":{{"Network":"unix","String":"/x"}}}}"#)
        };
        let text = keys.iter().enumerate().map(entry).collect::<Vec<_>>().join(",");
        let mut around = SearchContext::empty(Path::new("/nonexistent"));
        around.environment.insert(REATTACH[1].to_owned(), format!("{{{text}}}"));
        let address = address.parse().unwrap();
        Ok(Sources::new(around).running(&address)?.map(|reattach| reattach.process_id))
    }

    /// What is hinted where a provider is asked for and only version 1.0.0 of another type is there.
    async fn hints(wanted: Parameterize) -> (&'static str, Vec<String>) {
        let home = tempfile::tempdir().unwrap();
        let package = home.path().join(format!("x.io/a/b/1.0.0/{}", Platform::current()));
        fs::create_dir_all(&package).unwrap();
        let mut around = SearchContext::empty(home.path());
        let mirror = home.path().display().to_string();
        around.environment.insert("PULUMI_DYNAMIC_TF_PLUGIN_CACHE_DIR".to_owned(), mirror);
        around.environment.insert("XDG_DATA_DIRS".to_owned(), "/nonexistent".to_owned());
        let error = Origins::find(&Sources::new(around), &wanted).await.unwrap_err();
        (error.code, error.hints)
    }

    fn stored(kind: &str, version: &str) -> Parameterize {
        let value = format!(r#"{{"remote":{{"url":"x.io/a/{kind}","version":"{version}"}}}}"#).into_bytes();
        Parameterize::Value(Parameterization { name: kind.to_owned(), version: version.to_owned(), value })
    }

    #[tokio::test]
    async fn a_version_that_nobody_wrote_is_the_lock_files() {
        let of_lock_file = |hints: &[String]| hints[0].contains("lock file below `sdks`; `outrigger install` writes");
        let (code, said) = hints(stored("b", "3.6.0")).await;
        assert_eq!((code, of_lock_file(&said)), ("terraform-version", true), "{said:?}");
        assert!(said[0].starts_with("Version 3.6.0 is") && !said.concat().contains("dev_overrides"), "{said:?}");
        let (code, said) = hints(stored("b", "0.0.0")).await;
        assert_eq!((code, of_lock_file(&said)), ("terraform-version", true), "{said:?}");
        assert!(said[1].contains("`dev_overrides` or `TF_REATTACH_PROVIDERS`"), "{said:?}");
        // There the version is not the reason.
        let (code, said) = hints(stored("c", "3.6.0")).await;
        assert_eq!((code, said.concat().contains("lock file")), ("terraform-missing", false), "{said:?}");
        let (code, said) = hints(stored("c", "0.0.0")).await;
        assert_eq!((code, said.concat().contains("lock file")), ("terraform-missing", false), "{said:?}");
        assert!(said[0].contains("`dev_overrides` or `TF_REATTACH_PROVIDERS`"), "{said:?}");
        // This one somebody wrote.
        let arguments = ["x.io/a/b", "3.6.0"].map(str::to_owned).to_vec();
        let (code, said) = hints(Parameterize::Arguments(arguments)).await;
        assert_eq!((code, said.concat().contains("lock file")), ("terraform-version", false), "{said:?}");
    }

    #[test]
    fn keys_are_addresses() {
        for key in [
            format!("{OPENTOFU_HOST}/hashicorp/random"),
            format!("{}/HashiCorp/Random", OPENTOFU_HOST.to_uppercase()),
            format!("{OPENTOFU_HOST}:443/hashicorp/random"),
            "hashicorp/random".to_owned(),
            // What has no namespace is HashiCorp's.
            "random".to_owned(),
        ] {
            assert_eq!(found("hashicorp/random", &["example.com/a/b", &key]).unwrap(), Some(1), "{key}");
        }
        let terraform = format!("{TERRAFORM_HOST}/hashicorp/random");
        // Providers that do not say their address are called `provider`.
        for other in [&terraform, "example/random", "hashicorp/random2", "provider"] {
            assert_eq!(found("hashicorp/random", &[other]).unwrap(), None, "{other}");
        }
        assert_eq!(found(&terraform, &["hashicorp/random", &terraform]).unwrap(), Some(1));
    }

    #[test]
    fn a_key_that_is_no_address_is_named() {
        for (key, reason) in [
            ("a/b/c/d", "It has 4 parts"),
            ("", "The type `` is empty"),
            ("exa mple.com/a/b", "The host `exa mple.com`"),
            ("hashicorp/terraform-provider-random", "does not begin with `terraform-`"),
        ] {
            // Also beside the one that is wanted.
            let error = found("hashicorp/random", &["hashicorp/random", key]).unwrap_err();
            assert_eq!(error.summary, "`TF_REATTACH_PROVIDERS` cannot be read");
            let detail = error.detail.unwrap();
            assert!(detail.starts_with(&format!("`{key}` is not the address of a Terraform provider: ")), "{detail}");
            assert!(detail.contains(reason), "{detail}");
        }
    }
}
