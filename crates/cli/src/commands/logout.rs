//! `outrigger logout`.

use clap::Args;
use outrigger_workspace::home;

use crate::environment::Environment;
use crate::failure::Failure;
use crate::output::data;

/// Log out of a backend.
#[derive(Args, Debug)]
pub(crate) struct Logout {
    /// The backend to log out of; otherwise the current one.
    #[arg(value_name = "URL", conflicts_with_all = ["cloud_url", "local"])]
    url: Option<String>,
    /// The same.
    #[arg(short, long, value_name = "URL", conflicts_with = "local")]
    cloud_url: Option<String>,
    /// The same as `file://~`.
    #[arg(short, long)]
    local: bool,
    /// Log out of every backend.
    #[arg(long, conflicts_with_all = ["url", "cloud_url", "local"])]
    all: bool,
}

impl Logout {
    pub(crate) fn run(self, environment: &Environment) -> Result<(), Failure> {
        if self.all {
            home(environment)?.logout_all()?;
            return Ok(data("Logged out of everything")?);
        }
        let url = self.url.or(self.cloud_url).or_else(|| self.local.then(|| "file://~".to_owned()));
        let text = match home(environment)?.logout(url.as_deref())? {
            Some(url) => format!("Logged out of {url}"),
            None => "There was no login.".to_owned(),
        };
        Ok(data(&text)?)
    }
}
