//! `cargo xtask fuzz`: coverage-guided random inputs for the readers of files and messages.
//!
//! The targets are in `fuzz`, which is not part of the workspace, because it is compiled with instrumentation. Findings are kept in
//! `target/fuzz/TARGET`; each finding becomes a test beside the faulty code.

mod seeds;

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::workspace;

/// The command's arguments.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[arg(value_enum)]
    target: Target,
    /// For how long
    #[arg(long, default_value_t = 1)]
    minutes: u64,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Target {
    /// YAML, and the project file
    Project,
    /// A program, and its check against a small schema
    Program,
    /// Text with placeholders
    Interpolation,
    /// Changes of a stack's file
    StackConfig,
    /// The output of a go-plugin plugin: its handshake and its log
    PluginLines,
    /// Values of Terraform, as they travel
    CtyMsgpack,
    /// Values of Terraform, as they are stored
    CtyJson,
    /// The schema of a Terraform provider, and the package schema made from it
    TerraformSchema,
    /// States of Terraform resources, restored from outputs and the data that the bridge keeps among them
    Delta,
    /// The CLI configuration of Terraform
    CliConfig,
    /// Version constraints, addresses of providers, and the parameters of a package
    Parameter,
}

impl Target {
    fn name(self) -> &'static str {
        match self {
            Target::Project => "project",
            Target::Program => "program",
            Target::Interpolation => "interpolation",
            Target::StackConfig => "stack_config",
            Target::PluginLines => "plugin_lines",
            Target::CtyMsgpack => "cty_msgpack",
            Target::CtyJson => "cty_json",
            Target::TerraformSchema => "terraform_schema",
            Target::Delta => "delta",
            Target::CliConfig => "cli_config",
            Target::Parameter => "parameter",
        }
    }

    /// The name of its dictionary.
    fn words(self) -> &'static str {
        match self {
            Target::Project | Target::Program | Target::Interpolation | Target::StackConfig => "programs",
            other => other.name(),
        }
    }
}

/// The LLVM passes behind libFuzzer's coverage. A stable compiler has them, unlike sanitizers.
const FLAGS: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares --cfg fuzzing";

/// The longest input, the most memory in megabytes, and the most seconds for one input.
const LIMITS: [&str; 3] = ["-max_len=4096", "-rss_limit_mb=1024", "-timeout=10"];

/// Runs a target. Fails if it finds anything.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let name = arguments.target.name();
    let folder = workspace::target().join("fuzz");
    let corpus = folder.join(name).join("corpus");
    let findings = folder.join(name).join("findings");
    fs::create_dir_all(&corpus)?;
    fs::create_dir_all(&findings)?;
    for (number, seed) in seeds::of(arguments.target)?.iter().enumerate() {
        fs::write(corpus.join(format!("seed-{number}")), seed)?;
    }
    let fuzz = workspace::root().join("fuzz");
    let triple = host()?;
    // With an explicit target, build scripts and macros are compiled without the flags; with them they would not link.
    let mut build = workspace::cargo();
    build
        .current_dir(&fuzz)
        .args(["build", "--release", "--bin", name, "--target", &triple, "--target-dir"])
        .arg(folder.join("build"))
        .env("RUSTFLAGS", FLAGS);
    workspace::run(&mut build)?;
    let mut command = Command::new(folder.join("build").join(&triple).join("release").join(name));
    command
        .arg(&corpus)
        .arg(format!("-max_total_time={}", arguments.minutes * 60))
        .arg(format!("-artifact_prefix={}/", findings.display()))
        .arg(format!("-dict={}", fuzz.join("words").join(arguments.target.words()).with_extension("txt").display()))
        .args(LIMITS);
    workspace::run(&mut command).with_context(|| found(&findings))
}

fn found(findings: &Path) -> String {
    format!("something was found: make a test of what is in {}", findings.display())
}

/// The compiler's own target.
fn host() -> Result<String> {
    let output = Command::new("rustc").arg("-vV").output().context("cannot run rustc")?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    match text.lines().find_map(|line| line.strip_prefix("host: ")) {
        Some(host) => Ok(host.to_owned()),
        None => bail!("rustc does not say which machine it is for"),
    }
}
