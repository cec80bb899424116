//! Resolves written types and functions to packages, full tokens and schemas.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use futures::future::join_all;
use outrigger_diagnostic::Diagnostic;
use outrigger_provider::{CallContext, PluginDescriptor, tolerant};
use outrigger_schema::{Function, Package, Resource};
use outrigger_syntax::Span;

use super::Surroundings;
use super::names::Scope;
use super::terraform::{self, Table};
use crate::expression::{Invoke, Literal};
use crate::program::package_name;
use crate::suggestion;

/// A resource's resolved type.
#[derive(Clone, Debug)]
pub(crate) struct ResolvedResource {
    /// The package that defines it.
    pub(crate) package: Arc<Package>,
    /// Its schema.
    pub(crate) schema: Arc<Resource>,
    request: Arc<Request>,
}

impl ResolvedResource {
    /// The full token.
    pub(crate) fn token(&self) -> &str {
        &self.schema.token
    }

    /// The plugin to use, if the program or a lock file gives more than the package's name.
    pub(crate) fn descriptor(&self) -> Option<&PluginDescriptor> {
        self.request.asked.as_ref().or(self.locked())
    }

    /// The lock file's plugin.
    pub(crate) fn locked(&self) -> Option<&PluginDescriptor> {
        self.request.locked.as_ref()
    }
}

/// A call's resolved function.
#[derive(Clone, Debug)]
pub(crate) struct ResolvedInvoke {
    /// The package that defines it.
    pub(crate) package: Arc<Package>,
    /// Its schema.
    pub(crate) schema: Arc<Function>,
    request: Arc<Request>,
}

impl ResolvedInvoke {
    /// The plugin to use, if the program or a lock file gives more than the package's name. Unlike a resource, a call uses
    /// the lock file's plugin even if it names a version.
    pub(crate) fn descriptor(&self) -> Option<&PluginDescriptor> {
        self.request.locked.as_ref().or(self.request.asked.as_ref())
    }
}

/// The resolved resources and calls, by number.
pub(super) struct Resolved {
    pub(super) resources: Vec<Option<ResolvedResource>>,
    pub(super) invokes: Vec<Option<ResolvedInvoke>>,
}

pub(super) async fn resolve(around: &Surroundings<'_>, scope: &Scope, findings: &mut Vec<Diagnostic>) -> Resolved {
    let mut resolver = Resolver { around, findings, requests: BTreeSet::new(), schemas: BTreeMap::new() };
    let resources: Vec<_> =
        (0..around.program.resources.len()).map(|number| resolver.resource_request(number, scope)).collect();
    let mut invokes: Vec<Option<(&Invoke, Span, Arc<Request>)>> = (0..around.program.invokes).map(|_| None).collect();
    for (invoke, span) in around.program.invokes() {
        let request = resolver.request(
            &invoke.function,
            invoke.options.version.as_ref(),
            invoke.options.plugin_download_url.as_ref(),
        );
        if let (Some(slot), Some(request)) = (invokes.get_mut(invoke.number), request) {
            *slot = Some((invoke, span, request));
        }
    }
    let wanted: BTreeSet<PluginDescriptor> =
        resolver.requests.iter().map(|request| request.load.clone()).filter(|load| load.name != "pulumi").collect();
    let context = CallContext::background();
    // All at once: the first use of a schema costs starting a plugin.
    let loads = wanted.into_iter().map(|descriptor| async {
        let schema = around.plugins.schema(&context, &descriptor).await;
        (descriptor, schema)
    });
    resolver.schemas = join_all(loads).await.into_iter().collect();
    Resolved {
        resources: resources.into_iter().enumerate().map(|(n, request)| resolver.resource(n, request?)).collect(),
        invokes: invokes
            .into_iter()
            .map(|entry| entry.and_then(|(invoke, span, request)| resolver.invoke(invoke, span, request)))
            .collect(),
    }
}

/// A schema to load, and the plugin to name when the resource is registered. Equal ones are shared: ten thousand resources
/// come from a few packages.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Request {
    load: PluginDescriptor,
    locked: Option<PluginDescriptor>,
    asked: Option<PluginDescriptor>,
}

struct Resolver<'a, 'f> {
    around: &'a Surroundings<'a>,
    findings: &'f mut Vec<Diagnostic>,
    requests: BTreeSet<Arc<Request>>,
    schemas: BTreeMap<PluginDescriptor, Result<Arc<Package>, Diagnostic>>,
}

impl Resolver<'_, '_> {
    fn resource_request(&mut self, number: usize, scope: &Scope) -> Option<Arc<Request>> {
        let program = self.around.program;
        // A resource without a type was reported when it was read.
        let resource = program.resources.get(number).filter(|resource| !resource.ty.text.is_empty())?;
        if let Some(reason) = blocked(&resource.ty.text) {
            self.error(resource.ty.span, "yaml-unsupported-type", &resource.ty.text, reason);
            return None;
        }
        // A default provider's version also applies to its resources.
        let provider = scope.default_providers.get(&number).and_then(|&provider| program.resources.get(provider));
        let version = match provider {
            Some(provider) => provider.options.version.as_ref(),
            None => resource.options.version.as_ref(),
        };
        self.request(&resource.ty, version, resource.options.plugin_download_url.as_ref())
    }

    fn request(&mut self, token: &Literal, version: Option<&Literal>, url: Option<&Literal>) -> Option<Arc<Request>> {
        let parts: Vec<&str> = token.text.split(':').collect();
        let name = self.package_of(&token.text);
        let known = name != package_name(&token.text);
        if !known && !(2..=3).contains(&parts.len())
            || parts.iter().any(|part| part.is_empty()) && parts.first() == Some(&"")
        {
            let summary = format!("invalid type token \"{}\"", token.text);
            let mut diagnostic = Diagnostic::error("yaml-invalid-token", summary)
                .detail("a token has two or three parts")
                .at(self.around.document.place(token.span))
                .hint("Write `package:module:Name` or `package:Name`.");
            if let Some((package, rest)) = terraform::split(&token.text) {
                let add = format!("outrigger package add terraform-provider NAMESPACE/{package}");
                let name = terraform::title(rest);
                diagnostic =
                    diagnostic.hint(format!("For a Terraform type, run `{add}` and write `{package}:{name}`."));
            }
            self.findings.push(diagnostic);
            return None;
        }
        let version = match version.filter(|version| !version.text.is_empty()) {
            None => None,
            Some(literal) => match tolerant(&literal.text) {
                Some(version) => Some(version.to_string()),
                None => {
                    let summary = format!("`{}` is not a version", literal.text);
                    let place = self.around.document.place(literal.span);
                    self.findings
                        .push(Diagnostic::error("yaml-version", summary).at(place).hint("Write it like `1.2.3`."));
                    return None;
                }
            },
        };
        let url = url.map(|url| url.text.to_string()).filter(|url| !url.is_empty());
        let locked = self.around.packages.get(name).cloned();
        let asked = (version.is_some() || url.is_some()).then(|| PluginDescriptor {
            name: name.to_owned(),
            version: version.clone(),
            download_url: url.clone(),
            ..PluginDescriptor::default()
        });
        let mut load = locked.clone().unwrap_or_else(|| PluginDescriptor::named(name, None));
        load.version = version.or(load.version);
        load.download_url = url.or(load.download_url);
        let request = Request { load, locked, asked };
        if let Some(known) = self.requests.get(&request) {
            return Some(Arc::clone(known));
        }
        let request = Arc::new(request);
        self.requests.insert(Arc::clone(&request));
        Some(request)
    }

    /// The package of a token. A Terraform name belongs to the package named by its first word, if the program uses that package.
    fn package_of<'t>(&self, token: &'t str) -> &'t str {
        let used = |package: &str| {
            let resources = &self.around.program.resources;
            self.around.packages.get(package).is_some()
                || resources.iter().any(|other| package_name(&other.ty.text) == package)
        };
        match terraform::split(token) {
            Some((package, _)) if used(package) => package,
            _ => package_name(token),
        }
    }

    fn package(&mut self, request: &Request, span: Span, what: &str) -> Option<Arc<Package>> {
        if request.load.name == "pulumi" {
            return Some(Package::builtin());
        }
        match self.schemas.get(&request.load)? {
            Ok(package) => Some(package.clone()),
            Err(reason) => {
                let mut diagnostic = reason.clone();
                diagnostic.summary = format!("{what} cannot be resolved: {}", reason.summary);
                diagnostic.place.get_or_insert(self.around.document.place(span));
                // One message for each package, at its first use, is enough.
                let known = |finding: &Diagnostic| {
                    finding.code == reason.code
                        && finding.notes == reason.notes
                        && finding.detail == reason.detail
                        && finding.hints == reason.hints
                        && finding.summary.ends_with(&reason.summary)
                };
                if !self.findings.iter().any(known) {
                    self.findings.push(diagnostic);
                }
                None
            }
        }
    }

    fn resource(&mut self, number: usize, request: Arc<Request>) -> Option<ResolvedResource> {
        let resource = self.around.program.resources.get(number)?;
        let written = &resource.ty;
        let package =
            self.package(&request, written.span, &format!("the type of resource \"{}\"", resource.key.text))?;
        if matches!(&*written.text, "docker:Image" | "docker:image:Image") && is_before_4(package.version()) {
            self.error(
                written.span,
                "yaml-unsupported-type",
                &written.text,
                "images need version 4 or later of the docker provider",
            );
            return None;
        }
        let Some(token) = package.resolve_resource(&written.text) else {
            let summary = format!(
                "unable to find resource type \"{}\" in resource provider \"{}\"",
                written.text,
                package.name()
            );
            let here = terraform::token(&package, Table::Resources, &written.text);
            self.unknown(written, summary, "yaml-unknown-type", here, package.resource_tokens(), "types");
            return None;
        };
        let schema = match package.resource(&token) {
            Ok(schema) => schema?,
            Err(error) => {
                self.schema_error(written.span, &error.to_string());
                return None;
            }
        };
        Some(ResolvedResource { package, schema, request })
    }

    fn invoke(&mut self, invoke: &Invoke, span: Span, request: Arc<Request>) -> Option<ResolvedInvoke> {
        let written = &invoke.function;
        let package = self.package(&request, written.span, &format!("function \"{}\"", written.text))?;
        let Some(token) = package.resolve_function(&written.text) else {
            let summary =
                format!("unable to find function \"{}\" in resource provider \"{}\"", written.text, package.name());
            let here = terraform::token(&package, Table::Functions, &written.text);
            self.unknown(written, summary, "yaml-unknown-function", here, package.function_tokens(), "functions");
            return None;
        };
        match package.function(&token) {
            Ok(schema) => Some(ResolvedInvoke { package, schema: schema?, request }),
            Err(error) => {
                self.schema_error(span, &error.to_string());
                None
            }
        }
    }

    fn unknown<'t>(
        &mut self,
        written: &Literal,
        summary: String,
        code: &'static str,
        of_terraform: Option<String>,
        existing: impl Iterator<Item = &'t str>,
        kind: &str,
    ) {
        let diagnostic = Diagnostic::error(code, summary).at(self.around.document.place(written.span));
        self.findings.push(match of_terraform {
            Some(token) => {
                let name = written.text.rsplit(':').next().unwrap_or_default();
                diagnostic.hint(format!("Terraform's `{name}` is `{token}` here."))
            }
            None => suggestion::suggest(diagnostic, &written.text, existing, kind),
        });
    }

    fn schema_error(&mut self, span: Span, reason: &str) {
        let diagnostic = Diagnostic::error("yaml-schema", reason)
            .at(self.around.document.place(span))
            .hint("The plugin's schema is broken; try another version of the plugin.");
        self.findings.push(diagnostic);
    }

    fn error(&mut self, span: Span, code: &'static str, ty: &str, reason: &str) {
        let diagnostic = Diagnostic::error(code, format!("the resource type \"{ty}\" is not supported in YAML"))
            .detail(reason)
            .at(self.around.document.place(span))
            .hint("Use another resource type.");
        self.findings.push(diagnostic);
    }
}

fn is_before_4(version: &str) -> bool {
    semver::Version::parse(version).map_or(true, |version| version.major < 4)
}

/// Types that are in a schema but that only an SDK can create.
fn blocked(ty: &str) -> Option<&'static str> {
    match ty {
        "kubernetes:apiextensions.k8s.io:CustomResource"
        | "kubernetes:kustomize:Directory"
        | "kubernetes:yaml:ConfigFile"
        | "kubernetes:yaml:ConfigGroup" => Some("it is made by code in the language SDKs"),
        "kubernetes:helm.sh/v2:Chart" | "kubernetes:helm.sh/v3:Chart" => Some(
            "charts are rendered by code in the language SDKs; kubernetes:helm.sh/v3:Release does the same in the cluster",
        ),
        _ => None,
    }
}
