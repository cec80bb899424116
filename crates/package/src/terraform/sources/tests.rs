use std::fs;
use std::os::unix::fs::PermissionsExt;

use outrigger_terraform::address::{OPENTOFU_HOST, TERRAFORM_HOST};

use super::*;
use crate::terraform::archive::tests::archive;

/// A home directory, with everything that can be in it.
struct Scene {
    home: tempfile::TempDir,
    around: SearchContext,
}

impl Scene {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let mut around = SearchContext::empty(home.path());
        around.home = Some(home.path().to_owned());
        // The machine's own directories are not part of the scene.
        around.environment.insert("XDG_DATA_DIRS".to_owned(), "/nonexistent".to_owned());
        Self { home, around }
    }

    fn unpacked(&self, mirror: &str, address: &str, version: &str, platform: &str) -> PathBuf {
        let kind = address.rsplit('/').next().unwrap();
        let path = format!("{mirror}/{address}/{version}/{platform}/terraform-provider-{kind}_v{version}");
        let path = self.write(&path, b"#!/bin/sh\n");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    fn packed(&self, mirror: &str, address: &str, version: &str, contents: &[u8]) {
        let kind = address.rsplit('/').next().unwrap();
        let platform = Platform::current();
        self.write(&format!("{mirror}/{address}/terraform-provider-{kind}_{version}_{platform}.zip"), contents);
    }

    fn write(&self, path: &str, contents: &[u8]) -> PathBuf {
        let path = self.home.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, contents).unwrap();
        path
    }

    fn config(&self, text: &str) {
        self.write(".tofurc", text.as_bytes());
    }

    fn find(&self, address: &str, constraint: &str) -> Result<Resolved, Diagnostic> {
        let sources = Sources::new(self.around.clone());
        Ok(sources.search(&address.parse().unwrap(), &constraint.parse().unwrap())?)
    }

    fn version(&self, address: &str, constraint: &str) -> String {
        self.find(address, constraint).unwrap().version.unwrap().to_string()
    }
}

fn here() -> String {
    Platform::current().to_string()
}

#[test]
fn the_newest_version_of_all_methods_is_taken_from_the_first_that_has_it() {
    let scene = Scene::new();
    scene.unpacked("one", "x.io/a/b", "1.0.0", &here());
    let first = scene.unpacked("one", "x.io/a/b", "2.0.0", &here());
    scene.unpacked("two", "x.io/a/b", "2.0.0", &here());
    scene.unpacked("two", "x.io/a/b", "3.0.0", &here());
    scene.config(
        "provider_installation {\n filesystem_mirror { path = \"one\" }\n filesystem_mirror { path = \"two\" }\n}",
    );
    assert_eq!(scene.version("x.io/a/b", ""), "3.0.0");
    assert_eq!(scene.find("x.io/a/b", "~> 2.0").unwrap().executable(), Some(&*first));
    assert_eq!(scene.version("x.io/a/b", "< 2"), "1.0.0");
    scene.config(
        "provider_installation {\n filesystem_mirror { path = \"one\" }\n filesystem_mirror {\n path = \"two\"\n exclude = [\"x.io/a/*\"]\n }\n}",
    );
    assert_eq!(scene.version("x.io/a/b", ""), "2.0.0");
}

#[tokio::test]
async fn an_archive_is_unpacked_and_found_again() {
    let scene = Scene::new();
    scene.packed(".terraform.d/plugins", "x.io/a/b", "1.2.0", &archive(&[("terraform-provider-b_v1.2.0_x5", "one")]));
    let sources = Sources::new(scene.around.clone());
    let wanted = PluginDescriptor::named("x.io/a/b", Some("~> 1.0".to_owned()));
    let found = sources.resolve(&wanted).await.unwrap();
    assert!(found.executable().unwrap().starts_with(scene.home.path().join("cache/x.io/a/b/1.2.0")));
    assert_eq!(fs::read_to_string(found.executable().unwrap()).unwrap(), "one");
    assert_eq!(sources.resolve(&wanted).await.unwrap(), found);
}

/// In a directory that every user can write to, another user could replace the program that is started.
#[test]
fn without_a_cache_no_archive_is_unpacked() {
    let mut scene = Scene::new();
    scene.around.cache = None;
    scene.packed(".terraform.d/plugins", "x.io/a/b", "1.2.0", &archive(&[("terraform-provider-b", "one")]));
    let error = scene.find("x.io/a/b", "").unwrap_err();
    assert_eq!(error.code, "terraform-cache");
    assert!(error.detail.unwrap().starts_with("There is no directory to unpack `"));
    assert!(error.hints[0].contains("XDG_CACHE_HOME or HOME"), "{:?}", error.hints);
    // An unpacked package needs no cache.
    let unpacked = scene.unpacked(".terraform.d/plugins", "x.io/a/b", "1.3.0", &here());
    assert_eq!(scene.find("x.io/a/b", "").unwrap().executable(), Some(&*unpacked));
    let path = unpacked.display().to_string();
    assert_eq!(Sources::new(scene.around.clone()).local(&path).unwrap(), unpacked);
}

#[test]
fn the_cache_of_the_bridge_is_asked_first() {
    let scene = Scene::new();
    let cached = scene.unpacked(".pulumi/dynamic_tf_plugins", "x.io/a/b", "1.5.0", &here());
    scene.unpacked(".pulumi/dynamic_tf_plugins", "x.io/a/b", "1.0.0", &here());
    scene.unpacked(".pulumi/dynamic_tf_plugins", "x.io/a/b", "1.9.0", "plan9_mips");
    scene.unpacked(".terraform.d/plugins", "x.io/a/b", "2.0.0", &here());
    assert_eq!(scene.find("x.io/a/b", "").unwrap().executable(), Some(&*cached));
    assert_eq!(scene.version("x.io/a/b", ">= 2"), "2.0.0");
}

#[test]
fn an_override_for_developers_comes_before_everything() {
    let scene = Scene::new();
    scene.unpacked(".pulumi/dynamic_tf_plugins", "x.io/a/b", "1.5.0", &here());
    scene.config("provider_installation {\n  dev_overrides {\n    \"x.io/a/b\" = \"built\"\n  }\n}");
    let error = scene.find("x.io/a/b", "").unwrap_err();
    assert!(error.place.unwrap().to_string().ends_with(".tofurc:3:5"));
    let path = scene.write("built/terraform-provider-b", b"");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    let found = scene.find("x.io/a/b", "1.5.0").unwrap();
    assert_eq!((found.executable(), found.version.as_ref()), (Some(&*path), Some(&Version::new(0, 0, 0))));
}

#[test]
fn what_terraform_downloaded_stands_for_the_registry() {
    let mut scene = Scene::new();
    scene.unpacked("downloaded", "x.io/a/b", "1.0.0", &here());
    scene.around.environment.insert("TF_PLUGIN_CACHE_DIR".to_owned(), "downloaded".to_owned());
    assert_eq!(scene.version("x.io/a/b", ""), "1.0.0");
    scene.config("provider_installation {\n direct {}\n}");
    assert_eq!(scene.version("x.io/a/b", ""), "1.0.0");
    scene.config("provider_installation {\n direct { exclude = [\"x.io/*/*\"] }\n}");
    assert_eq!(scene.find("x.io/a/b", "").unwrap_err().code, "terraform-missing");
}

/// As in OpenTofu: a provider that the user has put into an implied directory is not searched in a registry.
#[test]
fn what_lies_in_an_implied_directory_is_meant() {
    let scene = Scene::new();
    scene.config("plugin_cache_dir = \"cache\"");
    scene.unpacked("cache", "x.io/a/b", "1.2.0", &here());
    scene.unpacked(".terraform.d/plugins", "x.io/a/b", "1.0.0", &here());
    assert_eq!(scene.version("x.io/a/b", ""), "1.0.0");
    scene.unpacked("cache", "x.io/a/c", "1.2.0", &here());
    assert_eq!(scene.version("x.io/a/c", ""), "1.2.0");
}

#[test]
fn what_was_searched_is_said() {
    let scene = Scene::new();
    scene.unpacked(".terraform.d/plugins", &format!("{TERRAFORM_HOST}/hashicorp/random"), "3.6.0", &here());
    let error = scene.find("hashicorp/random", "").unwrap_err();
    assert_eq!(error.code, "terraform-missing");
    let detail = error.detail.unwrap();
    assert!(detail.contains(".terraform.d/plugins`, which has no version of it"), "{detail}");
    assert!(detail.contains("not supported yet:") && detail.contains(&format!("the registry `{OPENTOFU_HOST}`")));
    assert!(error.hints[0].contains(&format!("has `{TERRAFORM_HOST}/hashicorp/random`")), "{:?}", error.hints);
    assert!(error.hints[1].contains("terraform providers mirror"));
    assert!(error.hints[2].contains("./terraform-provider-random"));
}

/// The search continues after it.
#[test]
fn a_directory_that_cannot_be_read_is_said() {
    let scene = Scene::new();
    let shut = [".pulumi/dynamic_tf_plugins", ".terraform.d/plugins"];
    let set_mode = |directory: &str, mode: u32| {
        fs::set_permissions(scene.home.path().join(directory), fs::Permissions::from_mode(mode)).unwrap();
    };
    for directory in shut {
        let path = scene.home.path().join(directory);
        fs::create_dir_all(&path).unwrap();
        set_mode(directory, 0);
        // Root may read everything.
        let reason = if fs::read_dir(&path).is_err() { "cannot be read: " } else { "has no version of it" };
        let detail = scene.find("x.io/a/b", "").unwrap_err().detail.unwrap();
        assert!(detail.contains(&format!("{directory}`, which {reason}")), "{detail}");
    }
    scene.unpacked(".local/share/terraform/plugins", "x.io/a/b", "1.0.0", &here());
    assert_eq!(scene.version("x.io/a/b", ""), "1.0.0");
    // Unreadable directories cannot be removed either.
    for directory in shut {
        set_mode(directory, 0o755);
    }
}

#[test]
fn versions_that_do_not_fit_are_listed() {
    let scene = Scene::new();
    scene.unpacked(".terraform.d/plugins", "x.io/a/b", "1.0.0", &here());
    scene.packed(".terraform.d/plugins", "x.io/a/b", "2.0.0-rc1", b"");
    let error = scene.find("x.io/a/b", ">= 2").unwrap_err();
    assert_eq!((error.code, error.summary.ends_with("meets `>= 2.0.0`")), ("terraform-version", true));
    assert!(error.detail.unwrap().contains(".terraform.d/plugins`, which has 1.0.0, 2.0.0-rc1"));
    assert!(error.hints[0].ends_with("2.0.0-rc1."));
}

#[test]
fn a_package_for_another_machine_is_said() {
    let scene = Scene::new();
    scene.unpacked(".terraform.d/plugins", "x.io/a/b", "1.0.0", &here());
    scene.unpacked(".terraform.d/plugins", "x.io/a/b", "2.0.0", "plan9_mips");
    let error = scene.find("x.io/a/b", "").unwrap_err();
    assert_eq!(error.code, "terraform-platform");
    assert!(error.detail.unwrap().starts_with("It is available for plan9_mips."));
    assert!(error.hints[1].starts_with("Version 1.0.0 is available for it"));
}

#[test]
fn a_mirror_that_is_named_must_be_there() {
    let scene = Scene::new();
    scene.config("strange {}\nprovider_installation {\n  filesystem_mirror {\n    path = \"nowhere\"\n  }\n}");
    let error = scene.find("x.io/a/b", "").unwrap_err();
    assert_eq!(error.code, "terraform-mirror");
    assert!(error.place.unwrap().to_string().ends_with(".tofurc:3:3"));
    fs::create_dir(scene.home.path().join("nowhere")).unwrap();
    let error = scene.find("x.io/a/b", "").unwrap_err();
    assert!(error.notes[0].ends_with(".tofurc:1:1: the setting `strange` is not known"), "{:?}", error.notes);
    assert!(!error.detail.unwrap().contains("not supported yet"));
}

/// As in OpenTofu, which warns and continues; the implied mirrors count.
#[test]
fn a_configuration_that_is_named_and_not_there_is_said_where_nothing_is_found() {
    let mut scene = Scene::new();
    scene.around.environment.insert("TF_CLI_CONFIG_FILE".to_owned(), "/nonexistent/rc".to_owned());
    let error = scene.find("x.io/a/b", "").unwrap_err();
    assert_eq!(error.notes, ["TF_CLI_CONFIG_FILE names `/nonexistent/rc`, which does not exist"]);
    scene.unpacked(".terraform.d/plugins", "x.io/a/b", "1.0.0", &here());
    assert_eq!(scene.version("x.io/a/b", ""), "1.0.0");
}

#[test]
fn a_package_without_its_executable_is_said() {
    let scene = Scene::new();
    scene.write(&format!(".terraform.d/plugins/x.io/a/b/1.0.0/{}/README", here()), b"");
    let error = scene.find("x.io/a/b", "").unwrap_err();
    assert_eq!(error.code, "terraform-package");
    scene.packed(".terraform.d/plugins", "x.io/a/b", "2.0.0", b"PK");
    assert!(scene.find("x.io/a/b", "").unwrap_err().detail.unwrap().contains("is damaged"));
}

/// The running process for a provider, if one of these keys names it; each has its position as its number.
fn found(address: &str, keys: &[&str]) -> Result<Option<u32>, Diagnostic> {
    let entry = |(place, key): (usize, &&str)| {
        format!(r#""{key}":{{"Protocol":"grpc","Pid":{place},"Addr":{{"Network":"unix","String":"/x"}}}}"#)
    };
    let text = keys.iter().enumerate().map(entry).collect::<Vec<_>>().join(",");
    let mut around = SearchContext::empty(Path::new("/nonexistent"));
    around.environment.insert(REATTACH[1].to_owned(), format!("{{{text}}}"));
    let address = address.parse().unwrap();
    Ok(Sources::new(around).running(&address)?.map(|reattach| reattach.process_id))
}

#[test]
fn keys_are_addresses() {
    for key in [
        format!("{OPENTOFU_HOST}/hashicorp/random"),
        format!("{}/HashiCorp/Random", OPENTOFU_HOST.to_uppercase()),
        format!("{OPENTOFU_HOST}:443/hashicorp/random"),
        "hashicorp/random".to_owned(),
        // Without a namespace, it is HashiCorp's.
        "random".to_owned(),
    ] {
        assert_eq!(found("hashicorp/random", &["example.com/a/b", &key]).unwrap(), Some(1), "{key}");
    }
    let terraform = format!("{TERRAFORM_HOST}/hashicorp/random");
    // Providers that do not give their address are called `provider`.
    for other in [&terraform, "example/random", "hashicorp/random2", "provider"] {
        assert_eq!(found("hashicorp/random", &[other]).unwrap(), None, "{other}");
    }
    assert_eq!(found(&terraform, &["hashicorp/random", &terraform]).unwrap(), Some(1));
}

#[test]
fn a_key_that_is_no_address_is_named() {
    for (key, reason) in [
        ("a/b/c/d", "It has 4 parts"),
        ("", "The type `` is empty"),
        ("exa mple.com/a/b", "The host `exa mple.com`"),
        ("hashicorp/terraform-provider-random", "does not begin with `terraform-`"),
    ] {
        // Even beside the wanted one.
        let error = found("hashicorp/random", &["hashicorp/random", key]).unwrap_err();
        assert_eq!(error.summary, "`TF_REATTACH_PROVIDERS` cannot be read");
        let detail = error.detail.unwrap();
        assert!(detail.starts_with(&format!("`{key}` is not the address of a Terraform provider: ")), "{detail}");
        assert!(detail.contains(reason), "{detail}");
    }
}

#[tokio::test]
async fn another_version_is_told_from_none() {
    let scene = Scene::new();
    scene.unpacked(".terraform.d/plugins", "x.io/a/b", "1.0.0", &here());
    let resolve = async |name: &str| {
        let wanted = PluginDescriptor::named(name, Some("3.6.0".to_owned()));
        Sources::new(scene.around.clone()).resolve(&wanted).await.unwrap_err()
    };
    assert!(matches!(resolve("x.io/a/b").await, Unresolved::OtherVersions(error) if error.code == "terraform-version"));
    assert!(matches!(resolve("x.io/a/c").await, Unresolved::Missing(error) if error.code == "terraform-missing"));
    assert!(
        matches!(resolve("./terraform-provider-c").await, Unresolved::Failed(error) if error.code == "terraform-package")
    );
}
