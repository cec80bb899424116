//! Printing. Data goes to standard output, messages to standard error.

use std::io::{self, Write};

use outrigger_diagnostic::Diagnostic;

/// Prints data with a line end. A reader that closed the pipe is no error: it has everything it wanted.
pub(crate) fn data(text: &str) -> Result<(), Diagnostic> {
    let mut out = anstream::stdout().lock();
    let written = writeln!(out, "{text}").and_then(|()| out.flush());
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Diagnostic::error("output", "the output could not be written")
                .detail(error.to_string())
                .hint("Check that the file or device that it goes to has room."))
        }
        _ => Ok(()),
    }
}

/// Prints a message for the user. A closed stderr is ignored.
pub(crate) fn talk(text: &str) {
    let mut out = anstream::stderr().lock();
    let _ = writeln!(out, "{text}").and_then(|()| out.flush());
}
