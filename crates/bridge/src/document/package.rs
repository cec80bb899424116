//! The parts of the document about the package as a whole. The texts are part of the format.

use std::io::{self, Write};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::json::{Members, Output};
use crate::document::prose;
use crate::naming::provider_names::Naming;

/// The package that every bridged package is made from.
const BASE: &str = "terraform-provider";

/// The pattern by which the importer finds the module in a token.
const MODULE_FORMAT: &str = "(.*)(?:/[^/]*)";

const COMPATIBILITY: &str = "tfbridge20";

/// The license that Pulumi's bridge names for every provider.
const LICENSE: &str = "[MPL 2.0](https://www.mozilla.org/en-US/MPL/2.0/)";

/// Facts that the document contains and the provider's schema does not.
#[derive(Clone, Copy, Debug)]
pub struct About<'a> {
    /// The provider's version.
    pub version: &'a semver::Version,
    /// The version of the bridge that an SDK asks for.
    pub base_version: &'a str,
    /// The parameter with which an SDK gets the same package from the bridge again.
    pub parameter: &'a [u8],
    /// The provider's name in a registry, unless it is a local file.
    pub origin: Option<RegistryName<'a>>,
}

/// The name of a provider in a registry.
#[derive(Clone, Copy, Debug)]
pub struct RegistryName<'a> {
    /// `hashicorp` of `hashicorp/random`. The source is assumed to be in the GitHub organization of the same name.
    pub namespace: &'a str,
    /// `random` of `hashicorp/random`.
    pub name: &'a str,
}

impl RegistryName<'_> {
    fn repository(&self) -> String {
        format!("https://github.com/{}/terraform-provider-{}", self.namespace, self.name)
    }
}

pub(super) fn head(members: &mut Members<'_, '_>, naming: &Naming, about: &About<'_>) -> io::Result<()> {
    let package = &naming.tokens().package;
    let upstream = upstream(package, about);
    let description = format!("A Pulumi provider dynamically bridged from {}.", naming.provider());
    members.text("name", package)?;
    members.text("version", &about.version.to_string())?;
    members.text("description", &description)?;
    let attribution = format!("This Pulumi package is based on the [`{package}` Terraform Provider]({upstream}).");
    members.text("attribution", &attribution)?;
    if let Some(origin) = &about.origin {
        members.text("repository", &origin.repository())?;
        members.text("publisher", origin.namespace)?;
    }
    members.object("meta", |members| members.text("moduleFormat", MODULE_FORMAT))?;
    members.object("language", |members| languages(members, package, &description, about))
}

fn upstream(package: &str, about: &About<'_>) -> String {
    let organization = about.origin.map_or("terraform-providers", |origin| origin.namespace);
    format!("https://github.com/{organization}/terraform-provider-{package}")
}

fn languages(members: &mut Members<'_, '_>, package: &str, description: &str, about: &About<'_>) -> io::Result<()> {
    let readme = readme(package, about);
    members.object("csharp", |members| {
        members.text("compatibility", COMPATIBILITY)?;
        members.flag("liftSingleValueMethodReturns", true)?;
        members.flag("respectSchemaVersion", true)
    })?;
    members.object("go", |members| {
        let major = about.version.major;
        let major = if major > 1 { format!("/v{major}") } else { String::new() };
        let path = format!("github.com/pulumi/pulumi-terraform-provider/sdks/go/{package}{major}/{package}");
        members.text("importBasePath", &path)?;
        members.text("rootPackageName", package)?;
        members.flag("liftSingleValueMethodReturns", true)?;
        members.flag("generateExtraInputTypes", true)?;
        members.flag("respectSchemaVersion", true)
    })?;
    members.object("java", |members| {
        ["basePackage", "buildFiles", "gradleNexusPublishPluginVersion", "gradleTest"]
            .into_iter()
            .try_for_each(|key| members.text(key, ""))
    })?;
    members.object("nodejs", |members| {
        members.text("packageDescription", description)?;
        members.text("readme", &readme)?;
        members.text("compatibility", COMPATIBILITY)?;
        members.flag("disableUnionOutputTypes", true)?;
        members.flag("liftSingleValueMethodReturns", true)?;
        members.flag("respectSchemaVersion", true)
    })?;
    members.object("python", |members| {
        members.text("readme", &readme)?;
        members.text("compatibility", COMPATIBILITY)?;
        members.flag("respectSchemaVersion", true)?;
        members.object("pyproject", |members| members.flag("enabled", true))
    })
}

fn readme(package: &str, about: &About<'_>) -> String {
    let upstream = upstream(package, about);
    let repository = about.origin.map(|origin| origin.repository()).unwrap_or_default();
    // Pulumi's bridge takes such a repository for one of Pulumi's own packages.
    let ours = if repository.contains("pulumi") {
        format!(
            "first check the [`pulumi-{package}` repo]({repository}/issues); however, if that doesn't turn up anything,\n> "
        )
    } else {
        String::new()
    };
    format!(
        "> This provider is a derived work of the [Terraform Provider]({upstream})\n\
         > distributed under {LICENSE}. If you encounter a bug or missing feature,\n\
         > {ours}please consult the source [`terraform-provider-{package}` repo]({upstream}/issues)."
    )
}

pub(super) fn provider_description(naming: &Naming) -> String {
    let package = &naming.tokens().package;
    prose::lines(&format!(
        "The provider type for the {package} package. By default, resources use package-wide configuration\n\
         settings, however an explicit `Provider` instance may be created and passed during resource\n\
         construction to achieve fine-grained programmatic control over provider settings. See the\n\
         [documentation](https://www.pulumi.com/docs/reference/programming-model/#providers) for more information."
    ))
}

/// The token of the method that gives a program the provider's configuration, in Terraform's names.
pub(super) fn configuration_method(naming: &Naming) -> String {
    method_of(&naming.tokens().package)
}

fn method_of(package: &str) -> String {
    format!("pulumi:providers:{package}/terraformConfig")
}

pub(super) fn configuration_function(members: &mut Members<'_, '_>, token: &str) -> io::Result<()> {
    members.object(token, |members| {
        members.text(
            "description",
            "This function returns a Terraform config object with terraform-namecased keys,to be used with the Terraform \
             Module Provider.",
        )?;
        members.object("inputs", |members| {
            members.object("properties", |members| {
                members.object("__self__", |members| {
                    members.text("type", "ref")?;
                    members.text("$ref", "#/provider")
                })
            })?;
            members.text("type", token)?;
            members.texts("required", ["__self__"].into_iter())
        })?;
        members.object("outputs", |members| {
            members.object("properties", |members| {
                members.object("result", |members| {
                    members.object("additionalProperties", |members| members.text("$ref", "pulumi.json#/Any"))?;
                    members.text("type", "object")
                })
            })?;
            members.texts("required", ["result"].into_iter())?;
            members.text("type", "object")
        })
    })
}

pub(super) fn parameterization(members: &mut Members<'_, '_>, about: &About<'_>) -> io::Result<()> {
    members.object("parameterization", |members| {
        members.object("baseProvider", |members| {
            members.text("name", BASE)?;
            members.text("version", about.base_version.strip_prefix('v').unwrap_or(about.base_version))
        })?;
        members.text("parameter", &STANDARD.encode(about.parameter))
    })
}

/// Writes the schema of the base package, before it is parameterized with a provider.
pub fn base_document(version: &str, to: &mut dyn Write) -> io::Result<()> {
    const REPOSITORY: &str = "https://github.com/pulumi/pulumi-terraform-provider";
    const LOGO: &str = "https://raw.githubusercontent.com/pulumi/pulumi-terraform-provider/main/assets/logo.png";
    let mut output = Output::new(to);
    output.object(|members| {
        members.text("name", BASE)?;
        members.text("displayName", "Any Terraform Provider")?;
        members.text("version", version)?;
        members.text("description", "Use any Terraform provider with Pulumi")?;
        members.texts("keywords", ["category/utility"].into_iter())?;
        members.text("license", "Apache-2.0")?;
        members.text("repository", REPOSITORY)?;
        members.text("logoUrl", LOGO)?;
        members.object("meta", |members| members.text("moduleFormat", MODULE_FORMAT))?;
        members.object("config", |_| Ok::<(), io::Error>(()))?;
        members.object("provider", |_| Ok::<(), io::Error>(()))?;
        members.object("functions", |members| configuration_function(members, &method_of(BASE)))
    })?;
    output.flush()
}
