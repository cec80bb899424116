//! The process's surroundings, read once: environment variables, working directory, names of user and machine.
//!
//! No other module and no other crate reads them, so everything a command depends on is in its arguments or in here.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use outrigger_diagnostic::Diagnostic;

/// What the process was started with.
#[derive(Clone)]
pub(crate) struct Environment {
    variables: Vec<(OsString, OsString)>,
    /// The directory that the command works in: the current one, or what `--cwd` names.
    pub(crate) directory: PathBuf,
    /// Our own executable.
    pub(crate) executable: Option<PathBuf>,
}

impl Environment {
    /// Reads everything. `cwd` is the value of `--cwd`.
    pub(crate) fn read(cwd: Option<&Path>) -> Result<Self, Diagnostic> {
        let current = std::env::current_dir().map_err(|error| {
            Diagnostic::error("no-directory", "the current directory cannot be read")
                .detail(error.to_string())
                .hint("Change to a directory that exists and may be read, or name one with `--cwd`.")
        })?;
        let directory = match cwd {
            None => logical(&current).unwrap_or(current),
            Some(cwd) => current.join(cwd).canonicalize().map_err(|error| {
                Diagnostic::error("no-directory", format!("`{}` is not a directory that can be used", cwd.display()))
                    .detail(error.to_string())
                    .hint("Correct the value of `--cwd`.")
            })?,
        };
        if !directory.is_dir() {
            return Err(Diagnostic::error("no-directory", format!("`{}` is not a directory", directory.display()))
                .hint("Correct the value of `--cwd`."));
        }
        let executable = std::env::current_exe().and_then(|path| path.canonicalize()).ok();
        Ok(Self { variables: std::env::vars_os().collect(), directory, executable })
    }

    /// The same surroundings, seen from another directory.
    pub(crate) fn at(&self, directory: PathBuf) -> Self {
        Self { directory, ..self.clone() }
    }

    /// All variables.
    pub(crate) fn variables(&self) -> &[(OsString, OsString)] {
        &self.variables
    }

    /// A variable; an empty one counts as set.
    pub(crate) fn raw(&self, name: &str) -> Option<&OsStr> {
        self.variables.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_os_str())
    }

    /// A variable that is set to something, as text.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        self.raw(name).filter(|value| !value.is_empty()).map(|value| value.to_string_lossy().into_owned())
    }

    /// A switch, as Pulumi reads it.
    pub(crate) fn switch(&self, name: &str) -> bool {
        self.text(name).is_some_and(|value| value == "1" || value.eq_ignore_ascii_case("true"))
    }

    /// The user's home directory.
    pub(crate) fn home(&self) -> Option<PathBuf> {
        self.raw("HOME").filter(|home| !home.is_empty()).map(PathBuf::from)
    }

    /// `PULUMI_HOME`, or `.pulumi` in the user's home directory.
    pub(crate) fn pulumi_home(&self) -> Result<PathBuf, Diagnostic> {
        if let Some(home) = self.raw("PULUMI_HOME").filter(|home| !home.is_empty()) {
            return Ok(self.directory.join(home));
        }
        self.home().map(|home| home.join(".pulumi")).ok_or_else(|| {
            Diagnostic::error("no-home", "there is no directory for settings and plugins")
                .detail("Neither PULUMI_HOME nor HOME is set.")
                .hint("Set PULUMI_HOME to the directory that Pulumi keeps its settings in.")
        })
    }

    /// Where we may keep what can be made again; `None` keeps nothing.
    pub(crate) fn cache_directory(&self) -> Option<PathBuf> {
        let base = self.raw("XDG_CACHE_HOME").filter(|path| Path::new(path).is_absolute()).map(PathBuf::from);
        base.or_else(|| self.home().map(|home| home.join(".cache"))).map(|base| base.join("outrigger"))
    }

    /// The directories of `PATH`.
    pub(crate) fn search_path(&self) -> Vec<PathBuf> {
        self.raw("PATH").map(|path| std::env::split_paths(path).collect()).unwrap_or_default()
    }

    /// Who runs this, for locks.
    pub(crate) fn user(&self) -> String {
        let uid = rustix::process::getuid().as_raw().to_string();
        let named = || {
            let accounts = std::fs::read_to_string("/etc/passwd").ok()?;
            let mut lines = accounts.lines().map(|line| line.split(':'));
            lines.find_map(|mut fields| fields.next().filter(|_| fields.nth(1) == Some(&uid)).map(str::to_owned))
        };
        self.text("USER").or_else(|| self.text("LOGNAME")).or_else(named).unwrap_or_else(|| format!("uid {uid}"))
    }

    /// The machine's name, for locks.
    pub(crate) fn host(&self) -> String {
        rustix::system::uname().nodename().to_string_lossy().into_owned()
    }
}

/// The current directory as the shell knows it, through symbolic links. Pulumi finds the selected stack by the text of this
/// path, so it must be the same text.
fn logical(current: &Path) -> Option<PathBuf> {
    let shell = PathBuf::from(std::env::var_os("PWD")?);
    let same = |a: &std::fs::Metadata, b: &std::fs::Metadata| a.dev() == b.dev() && a.ino() == b.ino();
    let usable = shell.is_absolute() && same(&shell.metadata().ok()?, &current.metadata().ok()?);
    usable.then_some(shell)
}

/// Without the values: some are secrets.
impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Environment").field("directory", &self.directory).finish_non_exhaustive()
    }
}
