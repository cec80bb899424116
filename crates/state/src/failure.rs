//! Errors of the operating system about a file, as diagnostics.

use std::io::{self, ErrorKind};

use outrigger_diagnostic::Diagnostic;

/// `what` completes "cannot ..."; `file` describes the file.
pub(crate) fn io_failure(file: &str, what: &str, error: &io::Error) -> Diagnostic {
    let (code, hint) = match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            ("disk-full", "Free some space on the disk that holds the state, then run the command again.")
        }
        ErrorKind::PermissionDenied => {
            ("state-not-writable", "Give yourself read and write permission on the directory that holds the state.")
        }
        // EMFILE and ENFILE.
        _ if matches!(error.raw_os_error(), Some(23 | 24)) => {
            ("too-many-files", "Raise the limit on the number of open files (`ulimit -n`), then run the command again.")
        }
        ErrorKind::ReadOnlyFilesystem => ("state-not-writable", "Mount the file system that holds the state writable."),
        _ => ("state-io", "Check the disk that holds the state, then run the command again."),
    };
    Diagnostic::error(code, format!("cannot {what}: {error}")).detail(format!("The file is {file}.")).hint(hint)
}
