//! The packages for which SDKs are generated, and the sources of their schemas.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::peers::Peers;
use crate::sandbox::{Sandbox, Tool};
use crate::workspace::{self, Profile};

/// A package.
pub(super) struct Package {
    pub(super) name: &'static str,
    kind: Kind,
}

/// The source of a schema.
enum Kind {
    /// An example of the command line's crate.
    Example,
    /// A crate as `outrigger plugin new` writes it.
    New,
    /// The plugin built into `outrigger`.
    BuiltIn,
    /// A Terraform provider among the peers, through our bridge: a parameterized package.
    Terraform,
}

const PACKAGES: [Package; 16] = [
    Package { name: "shelf", kind: Kind::Example },
    Package { name: "scribe", kind: Kind::New },
    Package { name: "kit", kind: Kind::BuiltIn },
    terraform("random"),
    terraform("time"),
    terraform("tls"),
    terraform("null"),
    terraform("local"),
    terraform("wide"),
    terraform("narrow"),
    terraform("classic"),
    terraform("ancient"),
    terraform("mixed"),
    terraform("raised"),
    terraform("crude"),
    terraform("aws"),
];

const fn terraform(name: &'static str) -> Package {
    Package { name, kind: Kind::Terraform }
}

/// The packages of these names, or all of them.
pub(super) fn chosen(names: &[String]) -> Result<Vec<&'static Package>> {
    if let Some(unknown) = names.iter().find(|name| PACKAGES.iter().all(|package| package.name != **name)) {
        let known: Vec<&str> = PACKAGES.iter().map(|package| package.name).collect();
        bail!("there is no package `{unknown}` here, only {}", known.join(", "));
    }
    Ok(PACKAGES.iter().filter(|package| names.is_empty() || names.iter().any(|name| name == package.name)).collect())
}

impl Package {
    /// Why its schema is unavailable on this machine: the AWS provider exists on some platforms only.
    pub(super) fn missing(&self, peers: &Peers) -> Option<String> {
        let provider = self.provider(peers);
        let missing = matches!(self.kind, Kind::Terraform) && !provider.is_file();
        missing.then(|| format!("{} is not there", provider.display()))
    }

    /// Properties that no SDK can have, whatever the schema: TypeScript cannot declare a property called `constructor`.
    fn left_out(&self) -> &'static [&'static str] {
        match self.name {
            "wide" => &["wide_reserved"],
            "narrow" => &["narrow_reserved"],
            _ => &[],
        }
    }

    fn provider(&self, peers: &Peers) -> PathBuf {
        peers.terraform().join(format!("terraform-provider-{}", self.name))
    }
}

/// The place in which packages return their schemas.
pub(super) struct Workshop<'a> {
    pub(super) peers: &'a Peers,
    folder: PathBuf,
    outrigger: PathBuf,
    sandbox: Sandbox,
}

impl<'a> Workshop<'a> {
    pub(super) fn open(folder: &Path, peers: &'a Peers) -> Result<Self> {
        let outrigger = workspace::build_outrigger(Profile::Debug)?;
        let mut sandbox = Sandbox::create(folder, peers, &outrigger)?;
        // The AWS provider and others send telemetry.
        sandbox.set("CHECKPOINT_DISABLE", "1");
        Ok(Self { peers, folder: folder.to_owned(), outrigger, sandbox })
    }

    /// Asks a package for its schema.
    pub(super) fn schema(&self, package: &Package, scratch: &Path) -> Result<String> {
        let program = match package.kind {
            Kind::Example => workspace::build_example(package.name)?,
            Kind::New => self.new_plugin(package.name)?,
            Kind::BuiltIn => self.outrigger.clone(),
            Kind::Terraform => {
                let provider = package.provider(self.peers).display().to_string();
                let mut question = vec!["plugin", "schema", "terraform-provider", &provider];
                question.extend(package.left_out().iter().flat_map(|name| ["--exclude", name]));
                return Ok(self.sandbox.succeed(Tool::Outrigger, scratch, &question)?.stdout);
            }
        };
        // The executable of outrigger acts as the plugin whose name it is started under.
        let link = scratch.join(format!("pulumi-resource-{}", package.name));
        std::os::unix::fs::symlink(&program, &link)?;
        let question = ["package", "get-schema", link.to_str().context("an odd path")?];
        Ok(self.sandbox.succeed(Tool::Pulumi, scratch, &question)?.stdout)
    }

    /// A crate as `outrigger plugin new` writes it, built.
    fn new_plugin(&self, name: &str) -> Result<PathBuf> {
        let crate_folder = self.folder.join("new");
        let root = workspace::root();
        let [tree, directory] = [&root, &crate_folder].map(|path| path.to_string_lossy().into_owned());
        let question = ["plugin", "new", name, "--sdk", &tree, "--directory", &directory];
        self.sandbox.succeed(Tool::Outrigger, &self.folder, &question)?;
        // The same versions as ours: nothing has to be resolved.
        fs::copy(root.join("Cargo.lock"), crate_folder.join("Cargo.lock"))?;
        let target = workspace::target();
        let mut build = workspace::cargo();
        build.current_dir(&crate_folder).args(["build", "--quiet", "--target-dir"]).arg(&target);
        // As in our own workspace, so that its build output is reused.
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
}
