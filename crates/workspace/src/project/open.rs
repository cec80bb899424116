//! A project and the store of its stacks.

use std::fs::{self, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use outrigger_diagnostic::Diagnostic;
use outrigger_project::{Project, find};
use outrigger_state::{Backend, BackendOptions, Home, LocalDisk, LocalMachine, SystemClock, resolve};

use super::Environment;
use crate::{Error, ErrorKind};

/// The backend, and our identity there.
pub struct Store {
    /// Pulumi's own settings.
    pub home: Home,
    /// The stacks.
    pub backend: Backend,
    /// The URL of the backend.
    pub url: String,
    /// This machine.
    pub machine: LocalMachine,
    /// Its clock.
    pub clock: Arc<SystemClock>,
}

/// A project and the store of its stacks.
pub struct Workspace {
    /// The environment that it was opened with.
    pub environment: Environment,
    /// The project.
    pub project: Project,
    /// Where its state is.
    pub store: Store,
    /// The file of configuration to use for every stack, instead of the stack's own.
    pub config_file: Option<PathBuf>,
}

/// Pulumi's settings.
pub fn home(environment: &Environment) -> Result<Home, Diagnostic> {
    Ok(Home::new(Arc::new(LocalDisk::new(environment.pulumi_home()?))))
}

impl Store {
    /// Opens the store that is in use, in Pulumi's order: the environment, the project, the login.
    pub fn open(environment: &Environment, project: Option<&Project>) -> Result<Self, Error> {
        let home = home(environment)?;
        let url = match environment.text("PULUMI_BACKEND_URL").or_else(|| project?.backend_url.clone()) {
            Some(url) => url,
            None => home.current_backend()?.ok_or_else(not_logged_in)?,
        };
        Self::at(environment, home, url)
    }

    /// Opens the store at a URL.
    pub fn at(environment: &Environment, home: Home, url: String) -> Result<Self, Error> {
        let switch = |name: &str| {
            // Both spellings are Pulumi's; the second is the older one.
            environment.switch(&format!("PULUMI_DIY_BACKEND_{name}"))
                || environment.switch(&format!("PULUMI_SELF_MANAGED_STATE_{name}"))
        };
        let options = BackendOptions {
            disable_backups: switch("DISABLE_CHECKPOINT_BACKUPS")
                || environment.switch("PULUMI_DISABLE_CHECKPOINT_BACKUPS"),
            retain_checkpoints: switch("RETAIN_CHECKPOINTS") || environment.switch("PULUMI_RETAIN_CHECKPOINTS"),
            gzip: switch("GZIP"),
            zstd: switch("ZSTD"),
            legacy_layout: switch("LEGACY_LAYOUT"),
            no_legacy_warning: switch("NO_LEGACY_WARNING"),
        };
        let (backend, warnings) = Backend::open(&url, environment.home().as_deref(), &environment.directory, options)?;
        for warning in warnings {
            environment.frontend.finding(&warning);
        }
        let machine = LocalMachine::new(&environment.user, &environment.host);
        Ok(Self { home, backend, url, machine, clock: Arc::default() })
    }

    /// Makes this the store of every project that names none.
    pub fn login(&self, environment: &Environment) -> Result<(), Diagnostic> {
        let root = resolve(&self.url, environment.home().as_deref(), &environment.directory)?;
        if !root.is_dir() {
            return Err(Diagnostic::error("login-missing", format!("`{}` is not a directory", root.display()))
                .hint("Create the directory first, or correct the URL."));
        }
        self.home.login(&self.url)
    }
}

impl Workspace {
    /// Opens the project of the environment's directory, and its store.
    pub fn open(environment: &Environment) -> Result<Self, Error> {
        let project = project(environment)?;
        let store = Store::open(environment, Some(&project))?;
        Ok(Self { environment: environment.clone(), project, store, config_file: None })
    }

    /// The same with another configuration file, relative to the environment's directory.
    #[must_use]
    pub fn with_config_file(self, file: Option<&Path>) -> Self {
        let config_file = file.map(|file| self.environment.directory.join(file));
        Self { config_file, ..self }
    }
}

/// Writes a new text into the project file.
pub(super) fn write_project(project: &Project, text: &str) -> Result<(), Diagnostic> {
    replace_file(&project.path, text).map_err(|error| {
        Diagnostic::error("project-write", format!("`{}` cannot be written", project.document.file()))
            .detail(error.to_string())
            .hint("Check that the directory is writable and has free space.")
    })
}

/// The project of the environment's directory, of any runtime.
pub fn project(environment: &Environment) -> Result<Project, Error> {
    let path = find(&environment.directory)?;
    let shown = path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned());
    let project = Project::load(&path, &shown)?;
    project.check_version()?;
    Ok(project)
}

/// The directory of the project; that of the environment where there is none.
pub fn project_directory(environment: &Environment) -> PathBuf {
    let project = find(&environment.directory).ok();
    project.as_deref().and_then(Path::parent).unwrap_or(&environment.directory).to_owned()
}

/// Replaces a file atomically: a reader sees the old text or the new one.
pub(super) fn replace_file(path: &Path, text: &str) -> io::Result<()> {
    // A link is followed, so that it stays a link.
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let directory = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(directory)?;
    let mut file = tempfile::Builder::new().permissions(Permissions::from_mode(0o666)).tempfile_in(directory)?;
    file.write_all(text.as_bytes())?;
    if let Ok(before) = fs::metadata(&path) {
        file.as_file().set_permissions(before.permissions())?;
    }
    file.as_file().sync_all()?;
    file.persist(&path)?;
    Ok(())
}

fn not_logged_in() -> Error {
    Error::new(
        ErrorKind::NoBackend,
        Diagnostic::error("not-logged-in", "no state backend is configured")
            .detail(
                "PULUMI_BACKEND_URL is not set, the project has no `backend.url`, and there was no `outrigger login`.",
            )
            .hint("Run `outrigger login file://PATH`, or `outrigger login --local` for a directory in your home.")
            .hint("Pulumi Cloud, which `pulumi` uses by default here, is not supported yet."),
    )
}
