//! `cargo xtask peers`: the real programs that the tests run against, built from pinned sources.

mod place;
mod python;
mod recipe;
mod terraform;

pub(crate) use self::recipe::{copy_tree, go, lay_module, remove, yaml_sources};

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::Args;

/// The command's arguments.
#[derive(Debug, Default, Args)]
pub(crate) struct Arguments {
    /// Also the engines that only benchmarks need: OpenTofu, which takes three minutes
    #[arg(long)]
    engines: bool,
}

/// Builds the programs that are missing or were built by an older recipe. The last line printed is the `bin` directory.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let peers = Peers::locate()?;
    fs::create_dir_all(&peers.root).with_context(|| format!("cannot create {}", peers.root.display()))?;
    // Two builds at once would conflict in the same source folders. The lock ends with the process.
    let lock = fs::File::create(peers.root.join("lock")).context("cannot create the peers' lock file")?;
    lock.lock().context("cannot lock the peers' directory")?;
    recipe::build(&peers)?;
    terraform::build(&peers)?;
    python::build(&peers)?;
    if arguments.engines {
        terraform::build_engines(&peers)?;
    }
    println!("{}", peers.bin().display());
    Ok(())
}

/// The directory of the peers.
pub(crate) struct Peers {
    root: PathBuf,
}

impl Peers {
    /// `$OUTRIGGER_PEERS`, or a folder of our own in the user's cache.
    pub(crate) fn locate() -> Result<Self> {
        let root = place::directory().context("neither OUTRIGGER_PEERS nor HOME is set")?;
        Ok(Peers { root: std::path::absolute(root)? })
    }

    /// Like [`Peers::locate`], for a command that needs them built.
    pub(crate) fn ready() -> Result<Self> {
        let peers = Peers::locate()?;
        for name in ["pulumi", "pulumi-language-yaml", "pulumi-resource-random", "pulumi-resource-oracle"] {
            if !peers.bin().join(name).is_file() {
                bail!("`{name}` is not in {}: run `cargo xtask peers` first", peers.bin().display());
            }
        }
        if !peers.conformance().join("pulumi-resource-simple").exists() {
            bail!("the conformance providers are not in {}: run `cargo xtask peers`", peers.conformance().display());
        }
        Ok(peers)
    }

    /// The programs: `pulumi`, its YAML host, the providers.
    pub(crate) fn bin(&self) -> PathBuf {
        self.root.join("bin")
    }

    /// One link `pulumi-resource-NAME` for each conformance provider.
    pub(crate) fn conformance(&self) -> PathBuf {
        self.root.join("conformance")
    }

    /// Pulumi's dynamic Terraform bridge. It has a separate folder because its name is the same as ours.
    pub(crate) fn go_bridge(&self) -> PathBuf {
        self.root.join("go-bridge")
    }

    /// Terraform providers, `terraform-provider-NAME`.
    pub(crate) fn terraform(&self) -> PathBuf {
        self.root.join("terraform")
    }

    /// A Python environment with `bin/moto_server`, a cloud that answers like AWS.
    pub(crate) fn moto(&self) -> PathBuf {
        self.root.join("moto")
    }

    /// Cached answers of the peers.
    pub(crate) fn cache(&self) -> PathBuf {
        self.root.join("cache")
    }

    /// The peers' working directory for a command. It is the same for every clone, because their cached answers may contain it.
    pub(crate) fn scratch(&self, command: &str) -> PathBuf {
        self.root.join("scratch").join(command)
    }

    /// The sources of peers that are built from our own Go modules.
    pub(crate) fn src(&self) -> PathBuf {
        self.root.join("src")
    }
}
