//! All input from outside: variables, directories, names, and the program in front of this crate.
//!
//! Nothing else in this crate depends on the process that it runs in.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use outrigger_diagnostic::Diagnostic;
use outrigger_host::KeeperCommand;
use outrigger_package::pulumi::BuiltIn;
use outrigger_secrets::Phrase;

use crate::redaction::Redaction;

/// Which passphrase is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passphrase {
    /// The one that the stack's secrets were encrypted with.
    Existing,
    /// The one that its secrets will be encrypted with: a mistake in it would lock them up for good.
    New,
}

/// The program that uses this crate: a command on a terminal, a service, a test.
pub trait Frontend: Send + Sync {
    /// The passphrase of the stack, asked for if no variable holds it. `None`: there is no way to ask.
    fn passphrase(&self, _which: Passphrase) -> Result<Option<Phrase>, Diagnostic> {
        Ok(None)
    }

    /// Takes a diagnostic to show immediately.
    fn finding(&self, _finding: &Diagnostic) {}

    /// Takes a line to show immediately: a compiler's messages, a long wait.
    fn notice(&self, _line: &str) {}
}

/// Answers no question and shows nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Frontend for Silent {}

/// The environment in which a project is opened.
#[derive(Clone)]
pub struct Environment {
    /// The environment variables. Plugins get them too, without the secrets of the engine.
    pub variables: Vec<(OsString, OsString)>,
    /// The directory to work in: the project is looked for here and above, and relative paths start here.
    pub directory: PathBuf,
    /// Our own executable; plugins may lie beside it.
    pub executable: Option<PathBuf>,
    /// The user, for locks.
    pub user: String,
    /// The machine's name, for locks.
    pub host: String,
    /// Plugins that come with the program.
    pub built_in: Vec<BuiltIn>,
    /// The bridge to Terraform providers as a plugin that comes with the program, for a host that wants it as a process.
    pub bridge: Option<BuiltIn>,
    /// How to start a keeper: a program that ends with [`outrigger_host::keeper::run`] and understands `--backend`, `--project` and `--stack`.
    pub keeper: Option<KeeperCommand>,
    /// Answers questions and shows messages.
    pub frontend: Arc<dyn Frontend>,
    /// Learns the secrets that commands meet; a log hides them.
    pub redaction: Arc<Redaction>,
}

impl Environment {
    /// An environment with nothing but variables and a directory.
    pub fn new(variables: impl IntoIterator<Item = (OsString, OsString)>, directory: impl Into<PathBuf>) -> Self {
        Self {
            variables: variables.into_iter().collect(),
            directory: directory.into(),
            executable: None,
            user: String::new(),
            host: String::new(),
            built_in: Vec::new(),
            bridge: None,
            keeper: None,
            frontend: Arc::new(Silent),
            redaction: Arc::default(),
        }
    }

    /// The same environment in another directory.
    pub fn at(&self, directory: PathBuf) -> Self {
        Self { directory, ..self.clone() }
    }

    /// A variable; an empty one counts as set.
    pub fn raw(&self, name: &str) -> Option<&OsStr> {
        self.variables.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_os_str())
    }

    /// A variable that is not empty, as text.
    pub fn text(&self, name: &str) -> Option<String> {
        self.raw(name).filter(|value| !value.is_empty()).map(|value| value.to_string_lossy().into_owned())
    }

    /// A switch, as Pulumi reads it.
    pub fn switch(&self, name: &str) -> bool {
        self.text(name).is_some_and(|value| value == "1" || value.eq_ignore_ascii_case("true"))
    }

    /// The user's home directory.
    pub fn home(&self) -> Option<PathBuf> {
        self.raw("HOME").filter(|home| !home.is_empty()).map(PathBuf::from)
    }

    /// Sets the user's home directory where HOME is not set.
    pub fn set_home(&mut self, home: &Path) {
        self.variables.retain(|(key, _)| key != "HOME");
        self.variables.push(("HOME".into(), home.into()));
    }

    /// `PULUMI_HOME`, or `.pulumi` in the user's home directory.
    pub fn pulumi_home(&self) -> Result<PathBuf, Diagnostic> {
        if let Some(home) = self.raw("PULUMI_HOME").filter(|home| !home.is_empty()) {
            return Ok(self.directory.join(home));
        }
        self.home().map(|home| home.join(".pulumi")).ok_or_else(|| {
            Diagnostic::error("no-home", "no directory for settings and plugins is configured")
                .detail("Neither PULUMI_HOME nor HOME is set.")
                .hint("Set PULUMI_HOME to the directory where Pulumi stores its settings.")
        })
    }

    /// The directory for caches; without one, `None`, nothing is cached.
    pub fn cache_directory(&self) -> Option<PathBuf> {
        let base = self.raw("XDG_CACHE_HOME").filter(|path| Path::new(path).is_absolute()).map(PathBuf::from);
        base.or_else(|| self.home().map(|home| home.join(".cache"))).map(|base| base.join("outrigger"))
    }

    /// The directories of `PATH`.
    pub fn search_path(&self) -> Vec<PathBuf> {
        self.raw("PATH").map(|path| std::env::split_paths(path).collect()).unwrap_or_default()
    }
}

/// Without the values: some are secrets.
impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Environment").field("directory", &self.directory).finish_non_exhaustive()
    }
}
