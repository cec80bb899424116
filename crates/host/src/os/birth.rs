//! The code that a child runs between fork and exec.
//!
//! Nothing here allocates, locks or formats into memory of its own: another thread may have held any lock at the moment
//! of the fork, and in the child it will never be released.

use std::io;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::Arc;

use crate::keeper::Record;
use crate::os::{Identity, send_quietly};

/// Makes a command start its process as a plugin's: in a group of its own, known to the keeper, and killed with us.
///
/// The order matters.
/// 1. The group: from here on a signal to the group reaches it.
/// 2. The parent-death signal, and then a check of the parent: if we died between the fork and the request, the signal
///    would never come, and the child exits by itself.
/// 3. Signals get their default meaning back: a script starts its background jobs with SIGINT ignored, exec inherits
///    that, and a plugin that ignores SIGINT would have to be killed each time.
/// 4. The child sends the keeper its own id **before** it becomes the plugin. So there is no instant at which a plugin
///    runs that the keeper will not know: records in the socket are read before its end is, even if we are killed now.
///    If the keeper is dead the send fails, the child exits, and the start is repeated with a new keeper.
pub(crate) fn plugin_child(command: &mut Command, keeper: Option<Arc<UnixStream>>) {
    command.process_group(0);
    let parent = i32::try_from(std::process::id()).ok();
    let before_exec = move || {
        die_with_parent()?;
        if rustix::process::getppid().map(|pid| pid.as_raw_nonzero().get()) != parent {
            return Err(io::Error::from_raw_os_error(libc::ESRCH));
        }
        dispose(libc::SIG_DFL)?;
        if let Some(keeper) = &keeper {
            send_quietly(keeper, &Record::Started(Identity::own()).encode())?;
        }
        Ok(())
    };
    // SAFETY: the closure makes only async-signal-safe system calls (prctl, getppid, signal, getpid, open, read, close, send) on
    // memory of its own stack; errors are made from raw codes and allocate nothing.
    unsafe { command.pre_exec(before_exec) };
}

/// Makes a command start its process as a keeper: in a session of its own, ignoring the signals that a terminal or a person sends to
/// the whole job. Ignored signals stay ignored through exec, so there is no instant at which one can hit the keeper.
pub(crate) fn keeper_child(command: &mut Command) {
    let before_exec = || {
        rustix::process::setsid()?;
        dispose(libc::SIG_IGN)
    };
    // SAFETY: setsid and signal are async-signal-safe; nothing is allocated.
    unsafe { command.pre_exec(before_exec) };
}

/// Ignores the signals that a terminal or a person sends, or restores their default meaning.
fn dispose(disposition: libc::sighandler_t) -> io::Result<()> {
    for signal in [libc::SIGINT, libc::SIGHUP, libc::SIGTERM, libc::SIGQUIT] {
        // SAFETY: callers pass SIG_IGN or SIG_DFL, which install no code of ours.
        if unsafe { libc::signal(signal, disposition) } == libc::SIG_ERR {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

/// Only SIGKILL is certain to end a plugin when host and keeper die together. A gentler signal would do while the keeper lives,
/// but it is not known in advance which of them dies.
#[cfg(target_os = "linux")]
fn die_with_parent() -> io::Result<()> {
    rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))?;
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn die_with_parent() -> io::Result<()> {
    Ok(())
}
