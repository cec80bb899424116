//! `package add` and `install`: `outrigger` writes the same as `pulumi`.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::place::peer;
use crate::sandbox::Sandbox;

const PROJECT: &str = "# mine\nname: shop   # the name\nruntime: yaml\n\n# nothing yet\nresources: {}\n";

/// A project in which both tools find the plugins `parametric` and `simple`: `pulumi` uses only installed ones here.
fn sandbox() -> Sandbox {
    let mut sandbox = Sandbox::new(PROJECT);
    let plugin = sandbox.install("parametric");
    let home = sandbox.path("home/.pulumi/plugins/resource-parametric-v1.0.0");
    fs::create_dir_all(&home).unwrap();
    fs::hard_link(plugin, home.join("pulumi-resource-parametric")).unwrap();
    let home = sandbox.path("home/.pulumi/plugins/resource-simple-v2.0.0");
    fs::create_dir_all(&home).unwrap();
    symlink(peer("conformance/pulumi-resource-simple"), home.join("pulumi-resource-simple")).unwrap();
    sandbox
}

/// Every file below `sdks`, by its path.
fn locks(sandbox: &Sandbox) -> BTreeMap<String, String> {
    fn walk(directory: &Path, base: &Path, found: &mut BTreeMap<String, String>) {
        for entry in fs::read_dir(directory).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, base, found);
            } else {
                let name = path.strip_prefix(base).unwrap().display().to_string();
                found.insert(name, fs::read_to_string(path).unwrap());
            }
        }
    }
    let mut found = BTreeMap::new();
    let base = sandbox.path("project/sdks");
    walk(&base, &base, &mut found);
    found
}

#[test]
fn the_executable_of_a_plugin_can_be_named() {
    let mut sandbox = Sandbox::new(PROJECT);
    let plugin = sandbox.install("parametric");
    sandbox.set("PATH", Some("/usr/bin:/bin"));
    let path = plugin.display().to_string();
    let added = sandbox.outrigger(&["package", "add", &path, "planet", "0.1.0", "Moon"]).ok();
    added.says(&["Put `pulumi-resource-parametric` into a directory of PATH"]);
    assert!(sandbox.read("Pulumi.yaml").contains("    source: parametric\n    version: 1.0.0\n"));
}

mod peers {
    use super::*;

    #[test]
    fn both_tools_write_the_same_lock_files_and_read_each_others() {
        let (ours, theirs) = (sandbox(), sandbox());
        for arguments in [
            ["package", "add", "parametric@1.0.0", "planet", "0.1.0", "Moon", "Ring"].as_slice(),
            &["package", "add", "parametric@1.0.0", "comet", "2.0.0-beta.1", "Tail"],
            &["package", "add", "simple@2.0.0"],
            // A newer one replaces the first.
            &["package", "add", "parametric@1.0.0", "--", "planet", "0.2.0", "Moon", "--ringless"],
        ] {
            ours.outrigger(arguments).ok().says(&["Added package"]);
            theirs.pulumi(arguments).ok();
            assert_eq!(locks(&ours), locks(&theirs), "{arguments:?}");
        }
        let paths: Vec<String> = locks(&ours).into_keys().collect();
        assert_eq!(paths, ["comet/comet-2.0.0-beta.1.yaml", "planet/planet-0.2.0.yaml", "simple/simple-2.0.0.yaml"]);

        // The project file keeps everything, and each tool reads the other's files in the same way.
        let text = ours.read("Pulumi.yaml");
        assert!(text.starts_with(PROJECT), "{text}");
        for (reader, writer) in [(&ours, &theirs), (&theirs, &ours)] {
            let before = locks(reader);
            fs::remove_dir_all(reader.path("project/sdks")).unwrap();
            let text = writer.read("Pulumi.yaml");
            reader.write("Pulumi.yaml", &text);
            match std::ptr::eq(reader, &ours) {
                true => {
                    drop(reader.outrigger(&["install"]).ok().says(&["planet: wrote sdks/planet/planet-0.2.0.yaml"]))
                }
                false => drop(reader.pulumi(&["install"]).ok()),
            }
            assert_eq!(locks(reader), before);
        }
        ours.outrigger(&["install"]).ok().says(&["planet: sdks/planet/planet-0.2.0.yaml is up to date"]);
    }

    #[test]
    fn a_package_that_was_added_can_be_used() {
        let sandbox = sandbox();
        let program = PROJECT.replace("resources: {}", "resources:\n  it: {type: 'planet:Moon'} # one");
        sandbox.write("Pulumi.yaml", &program);
        sandbox.outrigger(&["check"]).failed();
        sandbox.outrigger(&["install"]).ended(1).says(&["plugin `planet` was not found"]);
        sandbox.outrigger(&["package", "add", "parametric", "planet", "0.1.0", "Moon"]).ok();
        assert!(sandbox.read("Pulumi.yaml").starts_with(&program));
        // Without a version, that of the plugin which was found is written down.
        assert!(sandbox.read("Pulumi.yaml").contains("    version: 1.0.0\n"));
        sandbox.outrigger(&["check"]).ok().says(&["no mistakes"]);
        sandbox.outrigger(&["install"]).ok().says(&["All plugins are installed."]);
    }

    #[test]
    fn what_goes_wrong_changes_nothing() {
        let sandbox = sandbox();
        for (arguments, says) in [
            (["package", "add", "parametric", "planet"].as_slice(), "a name and a version are wanted"),
            (&["package", "add", "parametric", "planet", "not-a-version"], "`not-a-version` is not a version"),
            (&["package", "add", "parametric", "../evil", "1.0.0"], "`../evil` is not a name"),
            (&["package", "add", "nothing@1.0.0"], "plugin `nothing` version 1.0.0 was not found"),
            (&["package", "add", "github.com/acme/thing"], "are not downloaded yet"),
            (&["package", "add", "./schema.json"], "a package cannot be loaded from `./schema.json`"),
        ] {
            sandbox.outrigger(arguments).ended(1).says(&[says]);
            assert_eq!(sandbox.read("Pulumi.yaml"), PROJECT);
            assert!(locks(&sandbox).is_empty());
        }
        sandbox.write("Pulumi.yaml", "name: shop\nruntime: python\n");
        sandbox.outrigger(&["package", "add", "parametric"]).ended(1).says(&["the runtime `python`"]);
    }
}
