//! A sandbox for one run of `pulumi` or `outrigger`, with its own home, backend and environment.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::peers::Peers;
use crate::process::{self, Finished};

/// The passphrase of every scratch stack.
const PASSPHRASE: &str = "test";

/// No command of a test takes this long unless it hangs.
const LIMIT: Duration = Duration::from_secs(180);

/// How long processes may outlive the command that started them.
const MOMENT: Duration = Duration::from_secs(2);

/// The program to run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Tool {
    Pulumi,
    Outrigger,
}

/// The folders and variables of a run.
#[derive(Clone)]
pub(crate) struct Sandbox {
    root: PathBuf,
    pulumi: PathBuf,
    outrigger: PathBuf,
    path: String,
    variables: Vec<(String, String)>,
}

impl Sandbox {
    /// An empty sandbox in `root`, which is created.
    pub(crate) fn create(root: &Path, peers: &Peers, outrigger: &Path) -> Result<Self> {
        for folder in ["home", "backend", "tmp"] {
            let folder = root.join(folder);
            fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
        }
        Ok(Sandbox {
            root: root.to_owned(),
            pulumi: peers.bin().join("pulumi"),
            outrigger: outrigger.to_owned(),
            path: format!("{}:{}:/usr/bin:/bin", peers.bin().display(), peers.conformance().display()),
            variables: Vec::new(),
        })
    }

    /// Sets a variable for every command.
    pub(crate) fn set(&mut self, name: &str, value: impl Into<String>) {
        self.variables.push((name.to_owned(), value.into()));
    }

    /// Looks for programs in this folder first.
    pub(crate) fn prefer(&mut self, folder: &Path) {
        self.path = format!("{}:{}", folder.display(), self.path);
    }

    /// Pulumi's home folder.
    pub(crate) fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    /// A command of `tool` in `folder`. The caller's environment is not passed on.
    pub(crate) fn command(&self, tool: Tool, folder: &Path, arguments: &[&str]) -> Command {
        let program = match tool {
            Tool::Pulumi => &self.pulumi,
            Tool::Outrigger => &self.outrigger,
        };
        self.command_of(program, folder, arguments)
    }

    /// A command of any program, like those of the tools.
    pub(crate) fn command_of(&self, program: &Path, folder: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(folder)
            .env_clear()
            .env("PATH", &self.path)
            .env("HOME", self.home())
            .env("TMPDIR", self.root.join("tmp"))
            .env("LANG", "C.UTF-8")
            .env("NO_COLOR", "1")
            .env("PULUMI_HOME", self.home())
            .env("PULUMI_BACKEND_URL", format!("file://{}", self.root.join("backend").display()))
            .env("PULUMI_CONFIG_PASSPHRASE", PASSPHRASE)
            .env("PULUMI_SKIP_UPDATE_CHECK", "true")
            .env("PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION", "true")
            .envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Runs a command to its end, whatever its exit status.
    pub(crate) fn run(&self, tool: Tool, folder: &Path, arguments: &[&str]) -> Result<Finished> {
        process::finish(&mut self.command(tool, folder, arguments), LIMIT)
    }

    /// Runs a command that must succeed.
    pub(crate) fn succeed(&self, tool: Tool, folder: &Path, arguments: &[&str]) -> Result<Finished> {
        let finished = self.run(tool, folder, arguments)?;
        if finished.code != Some(0) {
            bail!("`{} {}` failed\n{}", tool.name(), arguments.join(" "), finished.transcript());
        }
        Ok(finished)
    }

    /// Gives the remaining processes a moment to end by themselves, ends the others, and returns their names.
    pub(crate) fn end_the_rest(&self) -> Result<Vec<String>> {
        let asked = Instant::now();
        loop {
            // Every command has its home here, and so have its descendants.
            let rest = process::marked(&self.home().display().to_string())?;
            if rest.is_empty() || asked.elapsed() > MOMENT {
                rest.iter().for_each(|process| process::kill(process.id));
                return Ok(rest.into_iter().map(|process| process.name).collect());
            }
            std::thread::sleep(MOMENT / 100);
        }
    }
}

impl Tool {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Tool::Pulumi => "pulumi",
            Tool::Outrigger => "outrigger",
        }
    }
}
