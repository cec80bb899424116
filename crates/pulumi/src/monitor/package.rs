//! Packages that a plugin registers, to name them by a reference later.
//!
//! A plugin process outlives one monitor: it is kept from preview to update, and serves one component after another, while language SDKs
//! remember a reference for as long as their process lives. So a reference is self-contained, and any monitor understands it.

use std::collections::{BTreeMap, HashMap};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use outrigger_provider::{Parameterization, PluginDescriptor};
use prost::Message;
use tonic::Status;

use crate::generated::pulumirpc::RegisterPackageRequest;

/// The reference of a package.
pub(super) fn reference(request: RegisterPackageRequest) -> Result<String, Status> {
    if request.extension.is_some() {
        return Err(Status::unimplemented(format!(
            "package `{}` is extended by another: extension packages are not supported by this engine",
            request.name
        )));
    }
    Ok(STANDARD_NO_PAD.encode(request.encode_to_vec()))
}

/// The description of a package in a request.
pub(super) struct Said<'r> {
    pub(super) token: &'r str,
    pub(super) version: &'r str,
    pub(super) download_url: &'r str,
    pub(super) checksums: &'r HashMap<String, Vec<u8>>,
    pub(super) reference: &'r str,
}

/// The package of a request, given the field that has its token: the other fields have the same names in all requests.
macro_rules! package_of {
    ($request:ident.$token:ident) => {
        $crate::monitor::package::meant(&$crate::monitor::package::Said {
            token: &$request.$token,
            version: &$request.version,
            download_url: &$request.plugin_download_url,
            checksums: &$request.plugin_checksums,
            reference: &$request.package_ref,
        })
    };
}
pub(super) use package_of;

/// The package of a request; `None` leaves the choice to the engine.
pub(super) fn meant(said: &Said<'_>) -> Result<Option<PluginDescriptor>, Status> {
    if !said.reference.is_empty() {
        return read(said.reference).map(Some);
    }
    if said.version.is_empty() && said.download_url.is_empty() && said.checksums.is_empty() {
        return Ok(None);
    }
    let token = said.token;
    let package = token.strip_prefix("pulumi:providers:").unwrap_or_else(|| token.split(':').next().unwrap_or(token));
    Ok(Some(PluginDescriptor {
        name: package.to_owned(),
        version: text(said.version).map(|version| version.trim_start_matches('v').to_owned()),
        download_url: text(said.download_url),
        checksums: checksums(said.checksums),
        ..PluginDescriptor::default()
    }))
}

fn read(reference: &str) -> Result<PluginDescriptor, Status> {
    let unknown = || Status::invalid_argument(format!("unknown provider package '{reference}'"));
    let bytes = STANDARD_NO_PAD.decode(reference).map_err(|_| unknown())?;
    let package = RegisterPackageRequest::decode(bytes.as_slice()).map_err(|_| unknown())?;
    Ok(PluginDescriptor {
        version: text(&package.version),
        download_url: text(&package.download_url),
        checksums: checksums(&package.checksums),
        name: package.name,
        parameterization: package.parameterization.map(|given| Parameterization {
            name: given.name,
            version: given.version,
            value: given.value,
        }),
        ..PluginDescriptor::default()
    })
}

fn text(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

fn checksums(sums: &HashMap<String, Vec<u8>>) -> BTreeMap<String, String> {
    sums.iter().map(|(platform, sum)| (platform.clone(), hex::encode(sum))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generated::pulumirpc::register_package_request;

    #[test]
    fn a_reference_says_everything_itself() {
        let parameterization = register_package_request::Parameterization {
            name: "pets".into(),
            version: "2.0.0".into(),
            value: vec![0, 255],
        };
        let request = RegisterPackageRequest {
            name: "base".into(),
            version: "1.2.3".into(),
            parameterization: Some(parameterization),
            ..RegisterPackageRequest::default()
        };
        let reference = reference(request).unwrap();
        let none = HashMap::new();
        let said =
            Said { token: "pets:index:Cat", version: "", download_url: "", checksums: &none, reference: &reference };
        let meant = meant(&said).unwrap().unwrap();
        assert_eq!((meant.name.as_str(), meant.version.as_deref(), meant.package()), ("base", Some("1.2.3"), "pets"));
        assert_eq!(meant.parameterization.unwrap().value, [0, 255]);
    }

    #[test]
    fn what_nobody_registered_is_refused() {
        let none = HashMap::new();
        let said = Said { token: "a:b:C", version: "", download_url: "", checksums: &none, reference: "?" };
        assert!(meant(&said).unwrap_err().message().contains("unknown provider package '?'"));
    }
}
