//! The same resources in both languages.

use std::fmt::{self, Write as _};
use std::path::Path;
use std::time::Duration;

use super::Part;
use super::cloud::Cloud;

/// A host that is never contacted: everything is in the mirror.
const HOST: &str = "example.com";

/// The kind and number of resources.
pub(super) enum Program {
    /// `random_string`.
    Strings(usize),
    /// A type with blocks in blocks and sets of blocks.
    Blocks(usize),
    /// `aws_ssm_parameter`, in a cloud.
    Parameters(usize, Cloud),
}

impl Program {
    pub(super) fn part(&self) -> Part {
        match self {
            Program::Strings(_) => Part::Strings,
            Program::Blocks(_) => Part::Blocks,
            Program::Parameters(_, Cloud::Instant(_)) => Part::Parameters,
            Program::Parameters(_, Cloud::Moto(_)) => Part::Moto,
        }
    }

    /// The provider's name, and its version in the mirror.
    pub(super) fn provider(&self) -> (&'static str, &'static str) {
        match self {
            Program::Strings(_) => ("random", "3.6.0"),
            Program::Blocks(_) => ("narrow", "1.0.0"),
            Program::Parameters(..) => ("aws", "3.39.0"),
        }
    }

    pub(super) fn resources(&self) -> usize {
        match self {
            Program::Strings(resources) | Program::Blocks(resources) | Program::Parameters(resources, _) => *resources,
        }
    }

    /// The processor time so far of the program's cloud, if that is a process.
    pub(super) fn cloud_used(&self) -> Option<Duration> {
        match self {
            Program::Strings(_) | Program::Blocks(_) => None,
            Program::Parameters(_, cloud) => cloud.used(),
        }
    }

    /// The provider's source address, in the form of both languages.
    pub(super) fn source(&self) -> String {
        format!("{HOST}/bench/{}", self.provider().0)
    }

    /// `main.tf`. The provider of the blocks keeps them in a directory.
    pub(super) fn terraform(&self, world: &Path) -> String {
        let (name, version) = self.provider();
        let mut text = format!(
            "terraform {{\n  required_providers {{\n    {name} = {{\n      source  = \"{}\"\n      version = \"{version}\"\n    }}\n  }}\n}}\n",
            self.source()
        );
        // Writing to a string cannot fail.
        let _ = match self {
            Program::Strings(_) => Ok(()),
            Program::Blocks(_) => write!(text, "provider \"narrow\" {{\n  directory = \"{}\"\n}}\n", world.display()),
            Program::Parameters(_, cloud) => write!(
                text,
                "provider \"aws\" {{\n  region = \"eu-central-1\"\n  access_key = \"a\"\n  secret_key = \"s\"\n  \
                 skip_credentials_validation = true\n  skip_metadata_api_check = true\n  skip_requesting_account_id = true\n  \
                 skip_get_ec2_platforms = true\n  endpoints {{\n    ssm = \"{0}\"\n    sts = \"{0}\"\n  }}\n}}\n",
                cloud.address()
            ),
        };
        for index in 0..self.resources() {
            let _ = match self {
                Program::Strings(_) => {
                    write!(text, "resource \"random_string\" \"text{index}\" {{\n  length = {}\n}}\n", length(index))
                }
                Program::Blocks(_) => write!(
                    text,
                    "resource \"narrow_blocks\" \"blocks{index}\" {{\n  title = \"title {index}\"\n  single {{\n    \
                     host_name = \"host{index}\"\n    port = 80\n  }}\n  rule {{\n    action = \"allow\"\n    match {{\n      \
                     prefix = \"a\"\n      weight = 1\n    }}\n    match {{\n      prefix = \"b\"\n    }}\n  }}\n  rule {{\n    \
                     action = \"deny\"\n    note = \"the rest\"\n  }}\n  tag {{\n    key = \"one\"\n    value = \"1\"\n  }}\n  \
                     tag {{\n    key = \"two\"\n    value = \"2\"\n  }}\n  tag {{\n    key = \"three\"\n  }}\n}}\n"
                ),
                Program::Parameters(..) => write!(
                    text,
                    "resource \"aws_ssm_parameter\" \"parameter{index}\" {{\n  name = \"/bench/{index}\"\n  \
                     type = \"String\"\n  value = \"value {index}\"\n}}\n"
                ),
            };
        }
        text
    }

    /// `Pulumi.yaml`.
    pub(super) fn pulumi(&self, world: &Path) -> String {
        let (name, version) = self.provider();
        let mut text = format!(
            "name: bench\nruntime: yaml\npackages:\n  {name}:\n    source: terraform-provider\n    version: 1.0.0\n    \
             parameters: ['{}', '{version}']\nresources:\n",
            self.source()
        );
        let _ = match self {
            Program::Strings(_) => Ok(()),
            Program::Blocks(_) => write!(
                text,
                "  narrow:\n    type: pulumi:providers:narrow\n    defaultProvider: true\n    properties:\n      directory: {}\n",
                world.display()
            ),
            Program::Parameters(_, cloud) => write!(
                text,
                "  aws:\n    type: pulumi:providers:aws\n    defaultProvider: true\n    properties:\n      region: eu-central-1\n      \
                 accessKey: a\n      secretKey: s\n      skipCredentialsValidation: true\n      skipMetadataApiCheck: true\n      \
                 skipRequestingAccountId: true\n      skipGetEc2Platforms: true\n      endpoints: [{{ssm: '{0}', sts: '{0}'}}]\n",
                cloud.address()
            ),
        };
        for index in 0..self.resources() {
            let _ = match self {
                Program::Strings(_) => write!(
                    text,
                    "  text{index}:\n    type: random:String\n    properties:\n      length: {}\n",
                    length(index)
                ),
                Program::Blocks(_) => write!(
                    text,
                    "  blocks{index}:\n    type: narrow:Blocks\n    properties:\n      title: title {index}\n      single: \
                     {{hostName: host{index}, port: 80}}\n      rules:\n        - {{action: allow, matches: [{{prefix: a, weight: 1}}, \
                     {{prefix: b}}]}}\n        - {{action: deny, note: the rest}}\n      tags: [{{key: one, value: '1'}}, \
                     {{key: two, value: '2'}}, {{key: three}}]\n"
                ),
                Program::Parameters(..) => write!(
                    text,
                    "  parameter{index}:\n    type: aws:SsmParameter\n    properties:\n      name: /bench/{index}\n      \
                     type: String\n      value: value {index}\n"
                ),
            };
        }
        text
    }
}

/// The lengths of the strings: 8 to 39.
fn length(index: usize) -> usize {
    8 + index % 32
}

impl fmt::Display for Program {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, place) = match self {
            Program::Strings(_) => ("random_string", ""),
            Program::Blocks(_) => ("narrow_blocks", ""),
            Program::Parameters(_, Cloud::Instant(_)) => ("aws_ssm_parameter", " in a cloud that answers at once"),
            Program::Parameters(_, Cloud::Moto(_)) => ("aws_ssm_parameter", " in moto"),
        };
        write!(to, "{} `{kind}`{place}", self.resources())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_languages_have_every_resource() {
        let cloud = Cloud::Instant("http://a".to_owned());
        for program in [Program::Strings(3), Program::Blocks(3), Program::Parameters(3, cloud)] {
            let world = Path::new("/world");
            assert_eq!(program.terraform(world).matches("\nresource ").count(), 3);
            assert!(program.pulumi(world).contains("2:\n    type: "));
        }
    }
}
