//! `kit:index:env`, and the environment variables that it withholds.

use outrigger_provider::WITHHELD;
use outrigger_sdk::{Context, Error, Function, Inputs, Outputs, Result};

use crate::marked::Marked;

/// Reads an environment variable of the command that is running. The engine's own secrets, `PULUMI_CONFIG_PASSPHRASE`,
/// `PULUMI_CONFIG_PASSPHRASE_FILE` and `PULUMI_ACCESS_TOKEN`, cannot be read.
#[derive(Inputs)]
pub(crate) struct Env {
    /// The variable's name.
    name: String,
    /// The value if the variable is not set. Without one, that is an error.
    default: Option<String>,
    /// Whether the value is a secret.
    #[outrigger(default = false)]
    secret: bool,
}

/// An environment variable.
#[derive(Outputs)]
pub(crate) struct Variable {
    /// The variable's value, or the default.
    value: Marked<String>,
    /// Whether the variable is set.
    is_set: bool,
}

impl Function for Env {
    type Result = Variable;
    const TOKEN: &'static str = "kit:index:env";

    async fn call(self, _cx: &Context) -> Result<Variable> {
        let Self { name, default, secret } = self;
        if WITHHELD.contains(&name.as_str()) {
            return Err(Error::new(format!(
                "`{name}` is a secret of the engine and is not passed to programs; store the program's secrets in its \
                 configuration, with `config set --secret`"
            )));
        }
        if name.is_empty() || name.contains(['=', '\0']) {
            return Err(Error::new(format!("`{}` is not the name of a variable", name.escape_debug())));
        }
        let found = match std::env::var_os(&name) {
            None => None,
            Some(value) => Some(value.into_string().map_err(|_| {
                Error::new(format!("the environment variable `{name}` holds bytes that are not text (UTF-8)"))
            })?),
        };
        let is_set = found.is_some();
        let value = found.or(default).ok_or_else(|| {
            Error::new(format!("the environment variable `{name}` is not set; set it, or give `default`"))
        })?;
        Ok(Variable { value: Marked::new(value, secret), is_set })
    }
}
