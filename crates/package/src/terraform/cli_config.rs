//! The CLI configuration that Terraform and OpenTofu share: `~/.tofurc` or `~/.terraformrc`, and files in `~/.terraform.d`.

mod installation;
mod syntax;

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use outrigger_diagnostic::Diagnostic;

pub use installation::{Absent, CliConfig, Installation, Method, MethodSource, Override, Unknown};

use crate::terraform::search_context::SearchContext;

/// Reads the files that apply, in OpenTofu's order.
pub(crate) fn load(surroundings: &SearchContext) -> Result<CliConfig, Diagnostic> {
    let mut config = CliConfig::default();
    for (path, named_by) in files(surroundings) {
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                config.absent = named_by.map(|variable| Absent { variable, path });
                continue;
            }
            Err(error) => {
                return Err(mistake(&format!("`{}` cannot be read: {error}", path.display())));
            }
        };
        merge(&mut config, CliConfig::parse(&path.display().to_string(), &text)?)?;
    }
    let cache = config.plugin_cache.take().map(|path| PathBuf::from(surroundings.expand(&path.to_string_lossy())));
    config.plugin_cache = surroundings.variable("TF_PLUGIN_CACHE_DIR").map(PathBuf::from).or(cache);
    Ok(config)
}

/// The files, each with the variable that names it.
fn files(surroundings: &SearchContext) -> Vec<(PathBuf, Option<&'static str>)> {
    let given = ["TF_CLI_CONFIG_FILE", "TERRAFORM_CONFIG"].into_iter();
    let mut given = given.filter_map(|name| Some((surroundings.variable(name)?, name)));
    if let Some((path, name)) = given.next() {
        return vec![(surroundings.absolute(Path::new(path)), Some(name))];
    }
    let mut files = Vec::new();
    let foreign = surroundings.variable("XDG_CONFIG_HOME").map(|path| Path::new(path).join("opentofu"));
    let own = surroundings.home.as_ref().map(|home| [home.join(".tofurc"), home.join(".terraformrc")]);
    let own = own.iter().flatten().find(|path| path.exists()).cloned();
    files.extend(own.or(foreign.as_ref().map(|directory| directory.join("tofurc"))).map(|path| (path, None)));
    let directory = surroundings.home.as_ref().map(|home| home.join(".terraform.d")).filter(|path| path.is_dir());
    if let Some(entries) = directory.or(foreign).and_then(|directory| fs::read_dir(directory).ok()) {
        let ours = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.ends_with(".tfrc") || name.ends_with(".tfrc.json")
        };
        let mut found: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(ours).collect();
        found.sort();
        files.extend(found.into_iter().map(|path| (path, None)));
    }
    files
}

fn merge(config: &mut CliConfig, more: CliConfig) -> Result<(), Diagnostic> {
    match (&config.installation, more.installation) {
        (Some(first), Some(second)) => {
            return Err(mistake(&format!(
                "there may be only one block `provider_installation`; another one is at {}",
                first.place
            ))
            .at(second.place));
        }
        (None, second) => config.installation = second,
        (Some(_), None) => {}
    }
    config.plugin_cache = config.plugin_cache.take().or(more.plugin_cache);
    config.unknown.extend(more.unknown);
    Ok(())
}

/// `reason` is a sentence without its full stop.
fn mistake(reason: &str) -> Diagnostic {
    Diagnostic::error("terraform-config", "the CLI configuration of Terraform cannot be used")
        .detail(format!("{reason}."))
        .hint("Correct the file, or name another one in TF_CLI_CONFIG_FILE.")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn surroundings(home: &Path) -> SearchContext {
        SearchContext { home: Some(home.to_owned()), ..SearchContext::empty(home) }
    }

    #[test]
    fn files_are_found_and_merged_in_order() {
        let home = tempfile::tempdir().unwrap();
        let mut around = surroundings(home.path());
        let write = |name: &str, text: &str| {
            let path = home.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let cache = |around: &SearchContext| load(around).unwrap().plugin_cache;
        assert_eq!(cache(&around), None);
        write("xdg/opentofu/tofurc", "plugin_cache_dir = \"/xdg\"");
        around.environment.insert("XDG_CONFIG_HOME".to_owned(), home.path().join("xdg").display().to_string());
        assert_eq!(cache(&around), Some("/xdg".into()));
        write(".terraformrc", "plugin_cache_dir = \"$BASE/${LEAF}\"");
        around.environment.insert("BASE".to_owned(), "/base".to_owned());
        around.environment.insert("LEAF".to_owned(), "leaf".to_owned());
        assert_eq!(cache(&around), Some("/base/leaf".into()));
        write(".tofurc", "provider_installation {\n}\n");
        assert_eq!(cache(&around), None);
        write(".terraform.d/credentials.tfrc.json", r#"{"credentials": {"x.io": {"token": "t"}}}"#);
        write(".terraform.d/more.tfrc", "plugin_cache_dir = \"/more\"");
        assert_eq!(cache(&around), Some("/more".into()));
        around.environment.insert("TF_PLUGIN_CACHE_DIR".to_owned(), "/variable".to_owned());
        assert_eq!(cache(&around), Some("/variable".into()));
        write(".terraform.d/more.tfrc", "\n provider_installation {\n}\n");
        let error = load(&around).unwrap_err();
        assert!(error.place.unwrap().to_string().ends_with(".terraform.d/more.tfrc:2:2"));
        assert!(error.detail.unwrap().ends_with(".tofurc:1:1."));
    }

    #[test]
    fn a_file_that_is_named_is_the_only_one() {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join(".tofurc"), "plugin_cache_dir = \"/x\"").unwrap();
        let mut around = surroundings(home.path());
        around.environment.insert("TF_CLI_CONFIG_FILE".to_owned(), "rc".to_owned());
        let config = load(&around).unwrap();
        assert_eq!(config.absent, Some(Absent { variable: "TF_CLI_CONFIG_FILE", path: home.path().join("rc") }));
        assert_eq!(config.plugin_cache, None);
        fs::create_dir(home.path().join("rc")).unwrap();
        assert!(load(&around).unwrap_err().detail.unwrap().contains("cannot be read"));
        fs::remove_dir(home.path().join("rc")).unwrap();
        fs::write(home.path().join("rc"), "plugin_cache_dir = \"/y\"").unwrap();
        assert_eq!(load(&around).unwrap().plugin_cache, Some("/y".into()));
    }
}
