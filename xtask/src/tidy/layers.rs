//! The order of the crates: each may use only those above it in the design's list.

use anyhow::{Context, Result};
use serde::Deserialize;

use super::Finding;

/// The design's list of crates, top to bottom.
const ORDER: [&str; 28] = [
    "diagnostic",
    "value",
    "schema",
    "provider",
    "transport",
    "pulumi",
    "terraform",
    "bridge",
    "scafctl",
    "package",
    "host",
    "node",
    "secrets",
    "state",
    "engine",
    "syntax",
    "project",
    "yaml",
    "stacks",
    "language",
    "workspace",
    "agent",
    "sdk-derive",
    "sdk",
    "testing",
    // Part of the command.
    "kit",
    "cli",
    // Our own plugins use the crates that test them.
    "chaos",
];

/// The crates that the SDK may use besides the server halves: a plugin author's crate stays small.
const SDK_MAY_USE: [&str; 7] = ["value", "schema", "provider", "transport", "pulumi", "terraform", "sdk-derive"];

/// The crates that the command may use: it asks and shows, and the library does everything else. It uses `state` and `engine` for the data
/// that it shows.
const CLI_MAY_USE: [&str; 8] = ["diagnostic", "value", "provider", "state", "engine", "workspace", "sdk", "kit"];

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    dependencies: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
    /// `dev` and `build`; `None` for a normal dependency.
    kind: Option<String>,
}

/// Checks the output of `cargo metadata --no-deps`.
pub(super) fn check(metadata: &str) -> Result<Vec<Finding>> {
    let metadata: Metadata = serde_json::from_str(metadata).context("`cargo metadata` answered oddly")?;
    let mut findings = Vec::new();
    for package in &metadata.packages {
        let Some(user) = package.name.strip_prefix("outrigger-") else { continue };
        let mut report = |message: String| {
            findings.push(Finding { place: format!("crates/{user}/Cargo.toml"), message });
        };
        let Some(height) = height(user) else {
            report(format!("the crate `{user}` has no place in the order of crates"));
            continue;
        };
        for dependency in &package.dependencies {
            let Some(used) = dependency.name.strip_prefix("outrigger-") else { continue };
            if self::height(used).is_none_or(|used| used >= height) {
                report(format!("`{user}` may not use `{used}`, which does not stand above it"));
            } else if user == "sdk" && !SDK_MAY_USE.contains(&used) {
                report(format!("`sdk` may not use `{used}`: it stays small for plugin authors"));
            } else if user == "cli" && dependency.kind.is_none() && !CLI_MAY_USE.contains(&used) {
                report(format!(
                    "`cli` may not use `{used}`: what is more than flags, questions and output belongs into `workspace`"
                ));
            }
        }
    }
    Ok(findings)
}

fn height(name: &str) -> Option<usize> {
    ORDER.iter().position(|crate_name| *crate_name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_one(user: &str, used: &str) -> Vec<String> {
        let metadata = format!(
            r#"{{"packages": [{{"name": "outrigger-{user}", "dependencies": [{{"name": "outrigger-{used}"}}]}},
                              {{"name": "xtask", "dependencies": [{{"name": "anyhow"}}]}}]}}"#
        );
        check(&metadata).unwrap().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_crate_may_use_what_stands_above_it() {
        assert!(check_one("engine", "state").is_empty());
        assert!(check_one("sdk", "pulumi").is_empty());
    }

    #[test]
    fn a_crate_may_not_use_what_stands_below_or_beside_it() {
        assert_eq!(
            check_one("state", "engine"),
            ["crates/state/Cargo.toml: `state` may not use `engine`, which does not stand above it"]
        );
        assert_eq!(check_one("value", "value").len(), 1);
        assert_eq!(check_one("cli", "nonsense").len(), 1);
    }

    #[test]
    fn a_crate_without_a_place_is_found() {
        assert_eq!(check_one("helpers", "value").len(), 1);
    }

    #[test]
    fn the_command_uses_the_library() {
        assert!(check_one("cli", "workspace").is_empty());
        assert_eq!(check_one("cli", "host").len(), 1);
        assert_eq!(check_one("cli", "yaml").len(), 1);
        let tests =
            r#"{"packages": [{"name": "outrigger-cli", "dependencies": [{"name": "outrigger-yaml", "kind": "dev"}]}]}"#;
        assert!(check(tests).unwrap().is_empty());
    }

    #[test]
    fn the_sdk_stays_small() {
        assert_eq!(check_one("sdk", "engine").len(), 1);
    }
}
