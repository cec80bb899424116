//! `cargo xtask musl`: an executable that runs on any Linux of this architecture, because it needs no shared library.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, bail};

use crate::workspace;

pub(crate) fn run() -> Result<()> {
    let target = format!("{}-unknown-linux-musl", std::env::consts::ARCH);
    let libraries = workspace::output(Command::new("rustc").args(["--print", "target-libdir", "--target", &target]))?;
    if !Path::new(libraries.trim()).is_dir() {
        bail!("Rust's library for {target} is not installed: run `rustup target add {target}`");
    }
    if Command::new("musl-gcc").arg("--version").output().is_err() {
        bail!(
            "`musl-gcc` compiles the C code of the TLS library and is not installed: on Debian, run `apt-get install musl-tools`"
        );
    }
    let mut command = workspace::cargo();
    command.args([
        "build",
        "--release",
        "--locked",
        "--package",
        "outrigger-cli",
        "--bin",
        "outrigger",
        "--target",
        &target,
    ]);
    workspace::run(&mut command)?;
    let executable = workspace::target().join(&target).join("release/outrigger");
    // It must start here, too, and say which version it is.
    print!("{}", workspace::output(Command::new(&executable).arg("--version"))?);
    println!("{}", executable.display());
    Ok(())
}
