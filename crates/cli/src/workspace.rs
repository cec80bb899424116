//! What a command works on: where state is kept, the project, the stack and its file.

use std::fs::{self, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;

use outrigger_diagnostic::Diagnostic;
use outrigger_project::stack_config::StackConfig;
use outrigger_project::{Project, find};
use outrigger_state::{Backend, BackendOptions, Home, LocalDisk, LocalMachine, StackName, SystemClock};

use crate::environment::Environment;
use crate::failure::{Exit, Failure};
use crate::output::talk;

/// Where state is kept, and who we are there.
pub(crate) struct Store {
    /// Pulumi's own settings.
    pub(crate) home: Home,
    /// The stacks.
    pub(crate) backend: Backend,
    /// The URL of the backend.
    pub(crate) url: String,
    /// This machine.
    pub(crate) machine: LocalMachine,
    /// Its clock.
    pub(crate) clock: Arc<SystemClock>,
}

/// A project and the store of its stacks.
pub(crate) struct Workspace {
    /// The project.
    pub(crate) project: Project,
    /// Where its state is.
    pub(crate) store: Store,
}

/// Pulumi's settings.
pub(crate) fn home(environment: &Environment) -> Result<Home, Diagnostic> {
    Ok(Home::new(Arc::new(LocalDisk::new(environment.pulumi_home()?))))
}

impl Store {
    /// Opens the store that is in use, in Pulumi's order: the environment, the project, the login.
    pub(crate) fn open(environment: &Environment, project: Option<&Project>) -> Result<Self, Failure> {
        let home = home(environment)?;
        let url = match environment.text("PULUMI_BACKEND_URL").or_else(|| project?.backend_url.clone()) {
            Some(url) => url,
            None => home.current_backend()?.ok_or_else(not_logged_in)?,
        };
        Self::at(environment, home, url)
    }

    /// Opens the store at a URL.
    pub(crate) fn at(environment: &Environment, home: Home, url: String) -> Result<Self, Failure> {
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
            talk(&format!("warning: {warning}"));
        }
        let machine = LocalMachine::new(environment.user(), environment.host());
        Ok(Self { home, backend, url, machine, clock: Arc::default() })
    }
}

impl Workspace {
    /// The project of the current directory and its store.
    pub(crate) fn open(environment: &Environment) -> Result<Self, Failure> {
        let project = project(environment)?;
        let store = Store::open(environment, Some(&project))?;
        Ok(Self { project, store })
    }

    /// The stack that the user means: named, from the environment, or selected.
    pub(crate) fn stack(&self, named: Option<&str>, environment: &Environment) -> Result<StackName, Failure> {
        let from_environment = environment.text("PULUMI_STACK");
        if let Some(name) = named.or(from_environment.as_deref()) {
            return Ok(StackName::parse(name, Some(&self.project.name))?);
        }
        self.selected()?.ok_or_else(|| {
            Diagnostic::error("stack-not-selected", "no stack is selected")
                .detail("Neither `--stack` nor PULUMI_STACK names one, and none was selected for this project before.")
                .hint("Make one with `outrigger stack init NAME`, or choose one with `outrigger stack select NAME`.")
                .into()
        })
    }

    /// The stack that is selected for this project.
    pub(crate) fn selected(&self) -> Result<Option<StackName>, Diagnostic> {
        self.store.home.selected_stack(&self.project.name, &self.project.path.to_string_lossy())
    }

    /// Selects a stack for this project, or none.
    pub(crate) fn select(&self, stack: Option<&StackName>) -> Result<(), Diagnostic> {
        self.store.home.select_stack(&self.project.name, &self.project.path.to_string_lossy(), stack)
    }

    /// A stack that must exist.
    pub(crate) fn existing_stack(&self, named: Option<&str>, environment: &Environment) -> Result<StackName, Failure> {
        let stack = self.stack(named, environment)?;
        // Asking for the summary gives the right error, with the stacks that there are.
        if !self.store.backend.exists(&stack)? {
            self.store.backend.secrets_provider(&stack)?;
        }
        Ok(stack)
    }

    /// The stack's file; one that does not exist is empty.
    pub(crate) fn stack_config(&self, stack: &StackName) -> Result<StackConfig, Failure> {
        let config = read_stack_config(&self.project, &self.project.stack_file(stack.stack()))?;
        for warning in config.warnings() {
            talk(&format!("warning: {warning}"));
        }
        Ok(config)
    }

    /// Puts a new text into the stack's file, at once: a reader sees the old text or the new one.
    pub(crate) fn write_stack_config(&self, stack: &StackName, text: &str) -> Result<(), Diagnostic> {
        let path = self.project.stack_file(stack.stack());
        replace_file(&path, text).map_err(|error| {
            Diagnostic::error("stack-config-write", format!("`{}` cannot be written", self.shown(&path)))
                .detail(error.to_string())
                .hint("Check that the directory may be written to and has room.")
        })
    }

    /// A path as the user would write it: relative to the project.
    pub(crate) fn shown(&self, path: &Path) -> String {
        path.strip_prefix(self.project.directory()).unwrap_or(path).display().to_string()
    }
}

/// Reads a stack's file; one that does not exist is empty.
pub(crate) fn read_stack_config(project: &Project, path: &Path) -> Result<StackConfig, Vec<Diagnostic>> {
    let shown = path.strip_prefix(project.directory()).unwrap_or(path).display().to_string();
    let bytes = match fs::read(path) {
        Ok(bytes) => Some(bytes),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => {
            return Err(vec![
                Diagnostic::error("stack-config-unreadable", format!("`{shown}` cannot be read"))
                    .detail(error.to_string())
                    .hint("Check that the file may be read."),
            ]);
        }
    };
    StackConfig::parse(&shown, bytes.as_deref(), &project.name)
}

/// Puts a new text into the project file.
pub(crate) fn write_project(project: &Project, text: &str) -> Result<(), Diagnostic> {
    replace_file(&project.path, text).map_err(|error| {
        Diagnostic::error("project-write", format!("`{}` cannot be written", project.document.file()))
            .detail(error.to_string())
            .hint("Check that the directory may be written to and has room.")
    })
}

/// The project of the current directory, of any runtime.
pub(crate) fn project(environment: &Environment) -> Result<Project, Failure> {
    let path = find(&environment.directory)?;
    let shown = path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned());
    let project = Project::load(&path, &shown)?;
    project.check_version()?;
    Ok(project)
}

/// Puts a file in place at once: a reader sees the old text or the new one.
pub(crate) fn replace_file(path: &Path, text: &str) -> io::Result<()> {
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

fn not_logged_in() -> Failure {
    Failure::new(
        Exit::Failed,
        Diagnostic::error("not-logged-in", "it is not said where state is kept")
            .detail("PULUMI_BACKEND_URL is not set, the project names no `backend.url`, and nobody is logged in.")
            .hint("Run `outrigger login file://PATH`, or `outrigger login --local` for a directory in your home.")
            .hint("Pulumi Cloud, which `pulumi` takes by default here, is not supported yet."),
    )
}
