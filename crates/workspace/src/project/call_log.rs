//! The log of calls: a file that PULUMI_DEBUG_GRPC names.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::sync::{Arc, Mutex, PoisonError};

use outrigger_diagnostic::Diagnostic;
use outrigger_transport::tap::CallLog;

use super::Environment;

/// Pulumi's variable.
const PLUGINS: &str = "PULUMI_DEBUG_GRPC";

/// The variable of Pulumi's bridge, for calls of Terraform providers. Without it they are in the same file as all others.
const TERRAFORM: &str = "PULUMI_TF_DEBUG_GRPC";

/// Where calls of Pulumi's plugins are written down.
pub(super) fn of_plugins(environment: &Environment) -> Result<Option<Arc<dyn CallLog>>, Diagnostic> {
    open(environment, &[PLUGINS])
}

/// Where calls of Terraform's providers are written down.
pub(super) fn of_terraform(environment: &Environment) -> Result<Option<Arc<dyn CallLog>>, Diagnostic> {
    open(environment, &[TERRAFORM, PLUGINS])
}

fn open(environment: &Environment, variables: &[&str]) -> Result<Option<Arc<dyn CallLog>>, Diagnostic> {
    let Some((variable, path)) = variables.iter().find_map(|name| Some((name, environment.text(name)?))) else {
        return Ok(None);
    };
    let path = environment.directory.join(path);
    // The log shows the contents of a project, so it is private to the user, as in Pulumi.
    let file = OpenOptions::new().append(true).create(true).mode(0o600).open(&path).map_err(|error| {
        Diagnostic::error("call-log", format!("the log of calls `{}` cannot be written", path.display()))
            .detail(error.to_string())
            .hint(format!("Set {variable} to a file that can be written, or unset it."))
    })?;
    Ok(Some(Arc::new(LogFile { file: Mutex::new(file) })))
}

#[derive(Debug)]
struct LogFile {
    file: Mutex<File>,
}

impl CallLog for LogFile {
    fn line(&self, line: &str) {
        // In one piece: other processes may write to the same file.
        let whole = format!("{line}\n");
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let _lost = file.write_all(whole.as_bytes());
    }
}
