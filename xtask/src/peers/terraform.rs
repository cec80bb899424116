//! Terraform's side: OpenTofu, providers, and Pulumi's bridge to them.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::Peers;
use super::recipe::{self, BRIDGE, Module, Package, Program};
use crate::workspace;

/// Also part of the bridge's test providers, like [`TLS`].
pub(super) const RANDOM: Module = Module {
    name: "random",
    path: "github.com/terraform-providers/terraform-provider-random",
    version: "v1.3.2-0.20231204135814-c6e90de46687",
};
pub(super) const TLS: Module = Module {
    name: "tls",
    path: "github.com/hashicorp/terraform-provider-tls",
    version: "v1.2.1-0.20230117062332-afdd54107aba",
};
const TIME: Module = Module { name: "time", path: "github.com/hashicorp/terraform-provider-time", version: "v0.14.2" };
const LOCAL: Module = Module {
    name: "local",
    path: "github.com/terraform-providers/terraform-provider-local",
    version: "v1.4.1-0.20260513075820-3561e410f9fe",
};
const NULL: Module = Module {
    name: "null",
    path: "github.com/terraform-providers/terraform-provider-null",
    version: "v1.0.1-0.20191204185112-e5c592237f62",
};
const TOFU: Module = Module { name: "tofu", path: "github.com/opentofu/opentofu", version: "v1.10.10" };

const BRIDGES: [Program; 1] = [Program {
    binary: "pulumi-resource-terraform-provider",
    module: &BRIDGE,
    package: Package::Upstream("dynamic"),
    link: "-X github.com/pulumi/pulumi-terraform-bridge/v3/dynamic/version.version=v1.0.0",
}];

const ENGINES: [Program; 1] = [Program {
    binary: "tofu",
    module: &TOFU,
    package: Package::Upstream("cmd/tofu"),
    link: "-X github.com/opentofu/opentofu/version.dev=no",
}];

const PROVIDERS: [Program; 5] = [
    Program { binary: "terraform-provider-random", module: &RANDOM, package: Package::Root, link: "" },
    Program { binary: "terraform-provider-tls", module: &TLS, package: Package::Root, link: "" },
    Program { binary: "terraform-provider-time", module: &TIME, package: Package::Root, link: "" },
    Program { binary: "terraform-provider-local", module: &LOCAL, package: Package::Root, link: "" },
    Program { binary: "terraform-provider-null", module: &NULL, package: Package::Root, link: "" },
];

/// Providers of our own on the real frameworks: a binary, a module below `xtask/peers`, a package of it.
const OWN: [(&str, &str, &str); 7] = [
    ("terraform-provider-wide", "terraform", "./framework6"),
    ("terraform-provider-narrow", "terraform", "./framework5"),
    ("terraform-provider-classic", "terraform", "./sdk2"),
    ("terraform-provider-mixed", "terraform", "./mux"),
    ("terraform-provider-raised", "terraform", "./mux6"),
    ("terraform-provider-crude", "terraform", "./raw"),
    ("terraform-provider-ancient", "terraform/sdk1", "."),
];

/// Builds every program that is missing or out of date.
pub(super) fn build(peers: &Peers) -> Result<()> {
    recipe::build_into(peers, &peers.go_bridge(), &BRIDGES)?;
    recipe::build_into(peers, &peers.terraform(), &PROVIDERS)?;
    let stamp = sources(&workspace::root().join("xtask/peers/terraform"))?;
    for (name, module, package) in OWN {
        let binary = peers.terraform().join(name);
        let folder = workspace::root().join("xtask/peers").join(module);
        recipe::when_stale(peers, name, &binary, stamp.clone(), || {
            recipe::go_build(&folder, "readonly", "", package, &binary)
        })?;
    }
    Ok(())
}

/// Builds the engines that ours is compared with.
pub(super) fn build_engines(peers: &Peers) -> Result<()> {
    recipe::build_into(peers, &peers.bin(), &ENGINES)
}

/// Every file of a folder, as one text.
fn sources(folder: &Path) -> Result<String> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        paths.push(entry?.path());
    }
    paths.sort();
    let mut text = String::new();
    for path in paths {
        if path.is_dir() {
            text.push_str(&sources(&path)?);
        } else {
            text.push_str(&fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?);
        }
    }
    Ok(text)
}
