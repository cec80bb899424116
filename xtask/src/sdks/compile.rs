//! Compiles generated SDKs with each language's own tools.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::peers::{self, Peers};
use crate::workspace;

/// The package versions with which Node's SDKs are compiled.
const NODE_PACKAGES: [&str; 3] = ["typescript@5.9.3", "@pulumi/pulumi@3.248.0", "@types/node@20.19.43"];

/// The memory limit of `tsc` in megabytes: its default is too low for the SDK of a large provider.
const NODE_MEMORY: &str = "--max-old-space-size=12288";

/// A language that Pulumi generates SDKs for.
#[derive(Clone, Copy)]
pub(super) enum Language {
    Go,
    Node,
    Python,
}

/// The result for an SDK without errors.
pub(super) enum Verdict {
    Compiles,
    LeftOut(String),
}

impl Language {
    pub(super) const ALL: [Language; 3] = [Language::Go, Language::Node, Language::Python];

    /// The folder that the generator writes it to.
    pub(super) fn name(self) -> &'static str {
        match self {
            Language::Go => "go",
            Language::Node => "nodejs",
            Language::Python => "python",
        }
    }
}

/// Compiles the SDK of a package in `folder`.
pub(super) fn compile(language: Language, peers: &Peers, package: &str, folder: &Path) -> Result<Verdict> {
    match language {
        Language::Go => go(peers, package, folder),
        Language::Node => node(folder),
        Language::Python => python(package, folder),
    }
}

/// Compiles with the dependencies of the `pulumi` that generated it, in the same versions. A part of Pulumi's SDK that `pulumi` itself does
/// not use may need another one, which is verified like all others.
fn go(peers: &Peers, package: &str, folder: &Path) -> Result<Verdict> {
    // The SDK of a parameterized package is already a module with a name.
    let (folder, module) = match fs::read_to_string(folder.join("go.mod")) {
        Ok(text) => {
            let named = text.lines().find_map(|line| line.strip_prefix("module "));
            (folder.to_owned(), named.context("the SDK's go.mod has no name")?.to_owned())
        }
        Err(_) => (folder.join(package), format!("example.com/pulumi-{package}/sdk/go/{package}")),
    };
    peers::lay_module(peers, &module, &folder)?;
    let mut build = peers::go()?;
    build.current_dir(&folder).env("GOFLAGS", "-buildvcs=false -mod=mod");
    // It is never run, and the SDK of a large provider is one package: optimising it takes most of the time.
    workspace::run(build.args(["build", "-gcflags=-N -l", "./..."]))?;
    Ok(Verdict::Compiles)
}

fn node(folder: &Path) -> Result<Verdict> {
    for tool in ["node", "npm"] {
        if !answers(tool) {
            return Ok(missing(tool));
        }
    }
    // The generated manifest has a placeholder version, which npm rejects.
    let manifest = folder.join("package.json");
    let text = fs::read_to_string(&manifest).context("the SDK has no package.json")?;
    fs::write(&manifest, text.replace("${VERSION}", "0.0.0"))?;
    let mut install = Command::new("npm");
    install.current_dir(folder).args(["install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts"]);
    workspace::run(install.args(NODE_PACKAGES))?;
    workspace::run(Command::new("node_modules/.bin/tsc").current_dir(folder).env("NODE_OPTIONS", NODE_MEMORY))?;
    Ok(Verdict::Compiles)
}

/// Installs it as a user would, with its requirements, compiles every file, and imports every module.
fn python(package: &str, folder: &Path) -> Result<Verdict> {
    if !answers("python3") {
        return Ok(missing("python3"));
    }
    // Not inside, where it would count as a second package of the same project.
    let environment = folder.with_file_name("environment");
    if workspace::output(Command::new("python3").args(["-m", "venv"]).arg(&environment)).is_err() {
        return Ok(Verdict::LeftOut("`python3 -m venv` does not work here".to_owned()));
    }
    let python = environment.join("bin/python");
    let module = format!("pulumi_{package}");
    workspace::run(Command::new(&python).current_dir(folder).args(["-m", "compileall", "-q", &module]))?;
    let mut install = Command::new(&python);
    install.current_dir(folder).args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "."]);
    workspace::run(&mut install)?;
    // Outside its sources, so that the installed package is imported. The configuration first, through the package, as in programs:
    // the generated modules import each other in cycles, which resolve only in that order.
    let script = format!(
        "import importlib, pkgutil, {module} as root\ngetattr(getattr(root, 'config', None), 'vars', None)\nfor each in pkgutil.walk_packages(root.__path__, '{module}.'):\n    importlib.import_module(each.name)"
    );
    workspace::run(Command::new(&python).current_dir(&environment).args(["-c", &script]))?;
    Ok(Verdict::Compiles)
}

fn missing(tool: &str) -> Verdict {
    Verdict::LeftOut(format!("`{tool}` is not installed"))
}

fn answers(tool: &str) -> bool {
    Command::new(tool).arg("--version").output().is_ok_and(|output| output.status.success())
}
