//! `outrigger login`.

use clap::Args;
use outrigger_diagnostic::Diagnostic;
use outrigger_workspace::{Store, home};

use crate::environment::Environment;
use crate::failure::Failure;
use crate::output::data;

/// Choose where state is stored.
#[derive(Args, Debug)]
pub(crate) struct Login {
    /// A `file://` URL.
    #[arg(value_name = "URL", conflicts_with_all = ["cloud_url", "local"])]
    url: Option<String>,
    /// The same.
    #[arg(short, long, value_name = "URL", conflicts_with = "local")]
    cloud_url: Option<String>,
    /// Store state in the home directory: the same as `file://~`.
    #[arg(short, long)]
    local: bool,
}

impl Login {
    pub(crate) fn run(self, environment: &Environment) -> Result<(), Failure> {
        let url = match self.url.or(self.cloud_url) {
            Some(url) => url,
            None if self.local => "file://~".to_owned(),
            None => {
                return Err(Diagnostic::error("login-nowhere", "no backend was given")
                    .detail("Without a URL, `pulumi` logs in to Pulumi Cloud. That is not supported yet.")
                    .hint("Give a directory: `outrigger login file://PATH`, or `--local` for one in your home.")
                    .into());
            }
        };
        // A store that cannot be opened is refused.
        let store = Store::at(environment, home(environment)?, url)?;
        store.login(environment)?;
        Ok(data(&format!("Logged in to {} as {} ({})", environment.host, environment.user, store.url))?)
    }
}
