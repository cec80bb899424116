//! The engine's secrets among the environment variables: plugins and other programs of the user do not get them.

use std::ffi::OsString;

/// The variables that contain the engine's secrets.
pub const WITHHELD: [&str; 3] = ["PULUMI_CONFIG_PASSPHRASE", "PULUMI_CONFIG_PASSPHRASE_FILE", "PULUMI_ACCESS_TOKEN"];

/// Environment variables except the withheld ones.
pub fn without_secrets(variables: impl IntoIterator<Item = (OsString, OsString)>) -> Vec<(OsString, OsString)> {
    variables.into_iter().filter(|(name, _)| WITHHELD.iter().all(|withheld| name != withheld)).collect()
}
