//! `outrigger whoami`.

use clap::Args;
use outrigger_workspace::{Store, project};
use serde_json::json;

use crate::environment::Environment;
use crate::failure::Failure;
use crate::output::data;

/// Show the backend's current user.
#[derive(Args, Debug)]
pub(crate) struct Whoami {
    /// Show the backend, too.
    // The flag for logging has this name, too: both count, or clap would not know the type of its value.
    #[arg(short, long, action = clap::ArgAction::Count)]
    verbose: u8,
    /// As JSON.
    #[arg(short, long)]
    json: bool,
}

impl Whoami {
    pub(crate) fn run(self, environment: &Environment) -> Result<(), Failure> {
        let store = Store::open(environment, project(environment).ok().as_ref())?;
        let user = environment.user.clone();
        let text = if self.json {
            format!("{:#}", json!({"user": user, "url": store.url}))
        } else if self.verbose > 0 {
            format!("User: {user}\nBackend URL: {}", store.url)
        } else {
            user
        };
        Ok(data(&text)?)
    }
}
