//! `cargo xtask sdks`: Pulumi's own generators make SDKs of our plugins' schemas, and the compilers of their languages take them.
//!
//! The schema goes the way that a user's goes: `pulumi package get-schema` starts the plugin and asks it. Go is always
//! compiled. Node and Python need packages from their registries; where a tool is missing the language is left out,
//! and that is said.

mod compile;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use self::compile::{Language, Verdict};
use crate::peers::{Peers, remove};
use crate::sandbox::{Sandbox, Tool};
use crate::workspace::{self, Profile};

/// Pulumi's generators, as a program.
const GENERATOR: &str = "pulumi-generate";

/// A plugin of ours.
struct Plugin {
    name: &'static str,
    program: PathBuf,
}

/// Generates and compiles everything. The last line printed is `N SDKs of M plugins compile`.
pub(crate) fn run() -> Result<()> {
    let peers = Peers::ready()?;
    if !peers.bin().join(GENERATOR).is_file() {
        bail!("`{GENERATOR}` is not in {}: run `cargo xtask peers` first", peers.bin().display());
    }
    let folder = workspace::target().join("sdks");
    remove(&folder)?;
    let outrigger = workspace::build_outrigger(Profile::Debug)?;
    let sandbox = Sandbox::create(&folder, &peers, &outrigger)?;
    let plugins = [
        Plugin { name: "shelf", program: workspace::build_example("outrigger-cli", "shelf")? },
        Plugin { name: "scribe", program: new_plugin(&sandbox, &folder, "scribe")? },
        Plugin { name: "kit", program: outrigger },
    ];
    let mut compiled = 0;
    for plugin in &plugins {
        let sdks = folder.join(plugin.name);
        generate(&peers, &sandbox, plugin, &sdks)?;
        for language in Language::ALL {
            let verdict = compile::compile(language, &peers, plugin.name, &sdks.join(language.name()))
                .with_context(|| format!("the {} SDK of `{}`", language.name(), plugin.name))?;
            match verdict {
                Verdict::Compiles => {
                    compiled += 1;
                    println!("{} {}: compiles", plugin.name, language.name());
                }
                Verdict::LeftOut(reason) => println!("{} {}: left out, {reason}", plugin.name, language.name()),
            }
        }
    }
    println!("{compiled} SDKs of {} plugins compile", plugins.len());
    Ok(())
}

/// A crate as `outrigger plugin new` writes it, built.
fn new_plugin(sandbox: &Sandbox, folder: &Path, name: &str) -> Result<PathBuf> {
    let crate_folder = folder.join("new");
    let root = workspace::root();
    let [tree, directory] = [&root, &crate_folder].map(|path| path.to_string_lossy().into_owned());
    sandbox.succeed(Tool::Outrigger, folder, &["plugin", "new", name, "--sdk", &tree, "--directory", &directory])?;
    // The same versions as ours: nothing has to be looked up.
    fs::copy(root.join("Cargo.lock"), crate_folder.join("Cargo.lock"))?;
    let target = workspace::target();
    let mut build = workspace::cargo();
    build.current_dir(&crate_folder).args(["build", "--quiet", "--target-dir"]).arg(&target);
    // As in our own workspace, so that what is built already is used.
    for setting in [
        "profile.dev.debug=\"line-tables-only\"",
        "profile.dev.package.\"*\".opt-level=2",
        "profile.dev.package.\"*\".debug=false",
    ] {
        build.args(["--config", setting]);
    }
    workspace::run(&mut build)?;
    Ok(target.join("debug").join(format!("pulumi-resource-{name}")))
}

/// Asks the plugin for its schema and writes one folder for each language into `sdks`.
fn generate(peers: &Peers, sandbox: &Sandbox, plugin: &Plugin, sdks: &Path) -> Result<()> {
    fs::create_dir_all(sdks).with_context(|| format!("cannot create {}", sdks.display()))?;
    // The executable of outrigger is the plugin whose name it is started under.
    let program = sdks.join(format!("pulumi-resource-{}", plugin.name));
    std::os::unix::fs::symlink(&plugin.program, &program)?;
    let answer =
        sandbox.succeed(Tool::Pulumi, sdks, &["package", "get-schema", program.to_str().context("an odd path")?])?;
    let schema = sdks.join("schema.json");
    fs::write(&schema, answer.stdout)?;
    workspace::run(Command::new(peers.bin().join(GENERATOR)).arg(&schema).arg(sdks))
}
