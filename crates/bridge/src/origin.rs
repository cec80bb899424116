//! The provider that a bridge becomes.

use outrigger_diagnostic::Diagnostic;
use outrigger_provider::{Parameterize, PluginDescriptor};
use outrigger_terraform::address::{Address, OPENTOFU_HOST, TERRAFORM_HOST};
use outrigger_terraform::constraint::Constraint;
use outrigger_transport::{Place, Resolver, Unresolved};
use semver::Version;

use crate::naming::tokens::Selection;
use crate::parameters::{ParameterValue, Parameters, Wanted};

/// A provider that was found.
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    /// Where it is.
    pub(crate) place: Place,
    /// Its name: `random`.
    pub(crate) provider: String,
    /// The package's name: the provider's, or one that the user chose.
    pub(crate) package: String,
    /// Its version; 0.0.0 for a file.
    pub(crate) version: Version,
    /// Its namespace, unless it is a file.
    pub(crate) namespace: Option<String>,
    /// The resources and functions that are included.
    pub(crate) selection: Selection,
    /// A note for the user about the place where it was found.
    pub(crate) note: Option<String>,
    /// The parameter that makes the bridge this package again.
    pub(crate) value: Vec<u8>,
}

impl Origin {
    /// Finds the provider that arguments or a stored value name.
    pub(crate) async fn find(resolver: &dyn Resolver, request: &Parameterize) -> Result<Self, Diagnostic> {
        let mut parameters = match request {
            Parameterize::Arguments(arguments) => Parameters::parse(arguments)?,
            Parameterize::Value(stored) => ParameterValue::parse(&stored.value)?.parameters,
        };
        let (wanted, provider, namespace) = match &parameters.provider {
            Wanted::Local(path) => (PluginDescriptor::named(path.as_str(), None), path.name().to_owned(), None),
            Wanted::Remote { address, constraint } => (
                PluginDescriptor::named(address.to_string(), Some(constraint.to_string())),
                address.kind().to_owned(),
                Some(address.namespace().to_owned()),
            ),
        };
        let mut note = None;
        let mut found = resolver.resolve(&wanted).await;
        if let (Err(Unresolved::Missing(_)), Some(other)) = (&found, in_terraforms_registry(request, &parameters)) {
            let wanted = PluginDescriptor { name: other.to_string(), ..wanted };
            if let Ok(there) = resolver.resolve(&wanted).await {
                found = Ok(there);
                if let Wanted::Remote { address, .. } = &mut parameters.provider {
                    note = Some(format!(
                        "`{address}` was not found, so `{other}` is used: write that address to choose it yourself"
                    ));
                    *address = other;
                }
            }
        }
        let found = found.map_err(|error| match (request, &parameters.provider) {
            (Parameterize::Value(_), Wanted::Remote { constraint, .. }) => of_lock_file(error, constraint),
            _ => error.into(),
        })?;
        let version = found.version.unwrap_or(Version::new(0, 0, 0));
        let selection = Selection {
            package: parameters.provider_name.clone(),
            includes: parameters.includes.clone(),
            excludes: parameters.excludes.clone(),
        };
        let package = parameters.provider_name.clone().unwrap_or_else(|| provider.clone());
        let value = ParameterValue::new(parameters, &version)?.to_bytes();
        Ok(Self { place: found.place, provider, package, version, namespace, selection, note, value })
    }
}

/// Explains a constraint that the user did not write: it comes from a lock file.
fn of_lock_file(error: Unresolved, constraint: &Constraint) -> Diagnostic {
    let (is_version, mut error) = match error {
        Unresolved::OtherVersions(error) => (true, error),
        Unresolved::Missing(error) => (false, error),
        Unresolved::Failed(error) => return error,
    };
    if constraint.to_string() == Version::new(0, 0, 0).to_string() {
        let hint = "Version 0.0.0 was written while a `dev_overrides` or `TF_REATTACH_PROVIDERS` supplied the \
                    provider. Set that variable or block again to find it.";
        error.hints.insert(0, hint.to_owned());
    }
    if is_version {
        let hint = format!(
            "Version {constraint} is the one in the package's lock file below `sdks`; run `outrigger install` to write \
             it again from the versions that are available."
        );
        error.hints.insert(0, hint);
    }
    error
}

/// The address that Terraform gives to a provider without a host. A short address is OpenTofu's, but a mirror that Terraform wrote has the provider
/// under this one only.
fn in_terraforms_registry(request: &Parameterize, parameters: &Parameters) -> Option<Address> {
    let (Parameterize::Arguments(arguments), Wanted::Remote { address, .. }) = (request, &parameters.provider) else {
        return None;
    };
    let is_short = address.host() == OPENTOFU_HOST && !arguments.iter().any(|text| text.starts_with(OPENTOFU_HOST));
    is_short.then(|| address.at(TERRAFORM_HOST))
}

#[cfg(test)]
mod tests {
    use async_trait::async_trait;
    use outrigger_provider::Parameterization;
    use outrigger_transport::Resolved;

    use super::*;

    /// Has only version 1.0.0 of the provider `x.io/a/b`.
    struct Few;

    #[async_trait]
    impl Resolver for Few {
        async fn resolve(&self, wanted: &PluginDescriptor) -> Result<Resolved, Unresolved> {
            if wanted.name == format!("{TERRAFORM_HOST}/a/moved") {
                return Ok(Resolved::program("/moved".into(), outrigger_transport::Origin::Project));
            }
            Err(match wanted.name.as_str() {
                "x.io/a/b" => Unresolved::OtherVersions(Diagnostic::error("terraform-version", "another")),
                _ => Unresolved::Missing(Diagnostic::error("terraform-missing", "none")),
            })
        }
    }

    async fn hints(wanted: Parameterize) -> (&'static str, Vec<String>) {
        let error = Origin::find(&Few, &wanted).await.unwrap_err();
        (error.code, error.hints)
    }

    fn stored(kind: &str, version: &str) -> Parameterize {
        let value = format!(r#"{{"remote":{{"url":"x.io/a/{kind}","version":"{version}"}}}}"#).into_bytes();
        Parameterize::Value(Parameterization { name: kind.to_owned(), version: version.to_owned(), value })
    }

    #[tokio::test]
    async fn a_short_address_is_found_where_terraform_keeps_it() {
        let ask = |text: &str| Parameterize::Arguments(vec![text.to_owned()]);
        let found = Origin::find(&Few, &ask("a/moved")).await.unwrap();
        assert!(String::from_utf8(found.value).unwrap().contains(&format!("{TERRAFORM_HOST}/a/moved")));
        assert!(Origin::find(&Few, &ask(&format!("{OPENTOFU_HOST}/a/moved"))).await.is_err());
        assert!(Origin::find(&Few, &ask("a/nowhere")).await.is_err());
    }

    #[tokio::test]
    async fn a_version_that_nobody_wrote_is_the_lock_files() {
        let of_lock_file = |hints: &[String]| hints[0].contains("lock file below `sdks`; run `outrigger install`");
        let (code, said) = hints(stored("b", "3.6.0")).await;
        assert_eq!((code, of_lock_file(&said)), ("terraform-version", true), "{said:?}");
        assert!(said[0].starts_with("Version 3.6.0 is") && !said.concat().contains("dev_overrides"), "{said:?}");
        let (code, said) = hints(stored("b", "0.0.0")).await;
        assert_eq!((code, of_lock_file(&said)), ("terraform-version", true), "{said:?}");
        assert!(said[1].contains("`dev_overrides` or `TF_REATTACH_PROVIDERS`"), "{said:?}");
        // Here the version is not the reason.
        let (code, said) = hints(stored("c", "3.6.0")).await;
        assert_eq!((code, said.concat().contains("lock file")), ("terraform-missing", false), "{said:?}");
        let (code, said) = hints(stored("c", "0.0.0")).await;
        assert_eq!((code, said.concat().contains("lock file")), ("terraform-missing", false), "{said:?}");
        assert!(said[0].contains("`dev_overrides` or `TF_REATTACH_PROVIDERS`"), "{said:?}");
        // The user wrote this version.
        let arguments = ["x.io/a/b", "3.6.0"].map(str::to_owned).to_vec();
        let (code, said) = hints(Parameterize::Arguments(arguments)).await;
        assert_eq!((code, said.concat().contains("lock file")), ("terraform-version", false), "{said:?}");
    }
}
