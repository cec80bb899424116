//! The process's surroundings, read once: environment variables, working directory, names of user and machine.
//!
//! No other module and no other crate reads them, so everything a command depends on is in its arguments or in here.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use outrigger_diagnostic::Diagnostic;
pub(crate) use outrigger_workspace::Environment;

use crate::terminal::Terminal;
use crate::{bridge, keeper, kit};

/// Reads everything. `cwd` is the value of `--cwd`. With `anywhere`, the current directory may be gone.
pub(crate) fn read(cwd: Option<&Path>, anywhere: bool, terminal: Terminal) -> Result<Environment, Diagnostic> {
    let current = std::env::current_dir().or_else(|error| if anywhere { Ok("/".into()) } else { Err(error) });
    let current = current.map_err(|error| {
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
    let mut environment = Environment::new(std::env::vars_os(), directory);
    let account = account();
    if environment.home().is_none()
        && let Some((_, home)) = &account
    {
        // As in Go programs: a service that is started without HOME still has a home.
        environment.set_home(home);
    }
    let set = environment.text("USER").or_else(|| environment.text("LOGNAME"));
    let user = set.or_else(|| account.map(|(user, _)| user));
    environment.user = user.unwrap_or_else(|| format!("uid {}", rustix::process::getuid().as_raw()));
    environment.host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    environment.frontend = Arc::new(terminal);
    if let Ok(executable) = std::env::current_exe().and_then(|path| path.canonicalize()) {
        environment.built_in = vec![kit::built_in(executable.clone())];
        environment.bridge = Some(bridge::built_in(executable.clone()));
        environment.keeper = Some(keeper::command(executable.clone()));
        environment.executable = Some(executable);
    }
    Ok(environment)
}

/// The name and the home directory of the user who runs this, from the system's own list of accounts.
fn account() -> Option<(String, PathBuf)> {
    let uid = rustix::process::getuid().as_raw().to_string();
    let accounts = std::fs::read_to_string("/etc/passwd").ok()?;
    accounts.lines().find_map(|line| {
        let fields: Vec<&str> = line.split(':').collect();
        let [user, _, id, _, _, home, ..] = fields[..] else { return None };
        (id == uid).then(|| (user.to_owned(), PathBuf::from(home)))
    })
}

/// The current directory as the shell knows it, through symbolic links. Pulumi finds the selected stack by the text of this
/// path, so it must be the same text.
fn logical(current: &Path) -> Option<PathBuf> {
    let shell = PathBuf::from(std::env::var_os("PWD")?);
    let same = |a: &std::fs::Metadata, b: &std::fs::Metadata| a.dev() == b.dev() && a.ino() == b.ino();
    let usable = shell.is_absolute() && same(&shell.metadata().ok()?, &current.metadata().ok()?);
    usable.then_some(shell)
}
