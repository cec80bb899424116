//! The commands around a run, on state that the real `pulumi` wrote, and read by it afterwards.

use serde_json::Value as Json;

use crate::sandbox::Sandbox;

const PROJECT: &str = "name: shop\nruntime: yaml\nresources:\n  pet: {type: 'random:RandomPet'}\n  password: {type: 'random:RandomPassword', properties: {length: 12}}\n  id: {type: 'random:RandomId', properties: {byteLength: 4, prefix: '${pet.id}'}}\noutputs:\n  name: ${pet.id}\n  password: ${password.result}\n";

fn urn(ty: &str, name: &str) -> String {
    let lower = format!("{}{}", ty[..1].to_lowercase(), &ty[1..]);
    format!("urn:pulumi:dev::shop::random:index/{lower}:{ty}::{name}")
}

fn json(text: &str) -> Json {
    serde_json::from_str(text).unwrap()
}

/// A stack created by `pulumi`, updated once.
fn made_by_pulumi() -> Sandbox {
    let sandbox = Sandbox::new(PROJECT);
    sandbox.pulumi(&["stack", "init", "dev"]).ok();
    sandbox.pulumi(&["up", "--yes", "--skip-preview", "--message", "alpha"]).ok();
    sandbox
}

#[test]
fn shells_are_told_what_comes_next() {
    let mut sandbox = Sandbox::with_stack(PROJECT);
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        sandbox.outrigger(&["completion", shell]).ok().says(&["OUTRIGGER_COMPLETE"]);
    }
    sandbox.set("OUTRIGGER_COMPLETE", Some("fish"));
    let next = |words: &[&str]| sandbox.outrigger(&[&["--", "outrigger"], words].concat()).ok().stdout;
    assert!(next(&["stack", "se"]).contains("select"));
    assert!(next(&["up", "--sho"]).contains("--show-sames"));
    assert_eq!(next(&["up", "--stack", ""]).trim(), "dev");
    assert!(next(&["explain", "stack-lo"]).contains("stack-locked"));
}

#[test]
fn a_new_project_with_the_kit_needs_nothing_else() {
    let sandbox = Sandbox::new("name: other\nruntime: yaml\n");
    sandbox.outrigger(&["new", "kit", "--dir", "../hello", "--yes"]).ok().says(&["Created project `hello`"]);
    let inside = |arguments: &[&str]| sandbox.outrigger(&[&["--cwd", "../hello"], arguments].concat());
    inside(&["up", "--yes"]).ok().says(&["+ 4 created"]);
    inside(&["stack", "output", "words"]).ok().says(&["2"]);
    let greeting = sandbox.path("hello/greeting.txt");
    assert!(std::fs::read_to_string(&greeting).unwrap().starts_with("Hello, "));
    inside(&["up", "--yes", "--expect-no-changes"]).ok();
    inside(&["destroy", "--yes"]).ok();
    assert!(!greeting.exists());
}

mod peers {
    use super::*;

    #[test]
    fn protection_and_taints_are_pulumis() {
        let sandbox = made_by_pulumi();
        let pet = urn("RandomPet", "pet");
        sandbox.outrigger(&["state", "protect", &pet]).ok().says(&["Protected 1 resource."]);
        sandbox
            .outrigger(&["state", "protect", "pet"])
            .ok()
            .says(&["Nothing to do: the resource is protected already."]);
        sandbox.pulumi(&["destroy", "--preview-only"]).ended(1).says(&["protected"]);
        sandbox
            .outrigger(&["destroy", "--preview-only"])
            .ended(1)
            .says(&["protected", "outrigger state unprotect 'urn:"]);
        sandbox.outrigger(&["state", "unprotect", "--all"]).ok();
        sandbox
            .outrigger(&["state", "taint", "password"])
            .ok()
            .says(&["Tainted 1 resource: the next `up` replaces it."]);
        sandbox.pulumi(&["preview"]).ok().says(&["replace", "password"]);
        sandbox.outrigger(&["state", "untaint", "**::password"]).ok();
        sandbox.pulumi(&["preview", "--expect-no-changes"]).ok();
        sandbox.outrigger(&["state", "protect", "nonsense"]).ended(1).says(&["has no resource", "state list"]);
        sandbox.pulumi(&["destroy", "--yes", "--skip-preview"]).ok();
    }

    #[test]
    fn resources_are_forgotten_and_renamed() {
        let sandbox = made_by_pulumi();
        let (pet, id) = (urn("RandomPet", "pet"), urn("RandomId", "id"));
        sandbox.outrigger(&["state", "delete", &pet]).ended(1).says(&["depend on", &id, "--target-dependents"]);
        sandbox.outrigger(&["state", "protect", &id]).ok();
        sandbox
            .outrigger(&["state", "delete", &pet, "--target-dependents"])
            .ended(1)
            .says(&["is protected", "--force"]);
        sandbox.outrigger(&["state", "rename", &pet, "cat"]).ok().says(&["RandomPet::cat"]);
        // The new name is in every place: `pulumi` reads the state and finds nothing to do.
        sandbox.write("Pulumi.yaml", &PROJECT.replace("pet", "cat"));
        sandbox.pulumi(&["preview", "--expect-no-changes"]).ok();
        let cat = urn("RandomPet", "cat");
        let password = urn("RandomPassword", "password");
        sandbox.outrigger(&["state", "rename", &cat, ""]).ended(1).says(&["is empty"]);
        sandbox
            .outrigger(&["state", "delete", &cat, "--target-dependents", "--force"])
            .ok()
            .says(&["Removed 2 resources from the state."]);
        let left = sandbox.pulumi(&["stack", "export"]).ok().stdout;
        assert!(
            !left.contains("RandomPet::cat") && !left.contains("RandomId::id") && left.contains(&password),
            "{left}"
        );
        sandbox.pulumi(&["preview"]).ok().says(&["+ 2 to create"]);
        sandbox.outrigger(&["state", "delete", "--all", "--yes"]).ok();
        sandbox.pulumi(&["stack", "rm", "--yes"]).ok();
    }

    #[test]
    fn a_stack_is_renamed_with_its_history() {
        let sandbox = made_by_pulumi();
        sandbox.outrigger(&["stack", "rename", "prod"]).ok().says(&["Renamed stack `dev` to `prod`"]);
        assert!(!sandbox.checkpoint("shop", "dev").exists() && sandbox.path("project/Pulumi.prod.yaml").exists());
        sandbox.pulumi(&["preview", "--expect-no-changes"]).ok();
        assert_eq!(sandbox.pulumi(&["stack", "--show-name"]).ok().stdout.trim(), "prod");
        sandbox.pulumi(&["up", "--yes", "--skip-preview", "--message", "beta"]).ok();
        let (ours, theirs) = (
            json(&sandbox.outrigger(&["stack", "history", "--json"]).ok().stdout),
            json(&sandbox.pulumi(&["stack", "history", "--json"]).ok().stdout),
        );
        assert_eq!(ours.as_array().unwrap().len(), 2);
        for (our, their) in ours.as_array().unwrap().iter().zip(theirs.as_array().unwrap()) {
            for field in
                ["kind", "startTime", "endTime", "message", "environment", "config", "result", "resourceChanges"]
            {
                assert_eq!(our[field], their[field], "{field}");
            }
        }
        let page = sandbox.outrigger(&["stack", "history", "--page-size", "1", "--page", "2"]).ok();
        assert!(page.stdout.contains("alpha") && !page.stdout.contains("beta"), "{}", page.stdout);
        sandbox.outrigger(&["stack", "init", "other"]).ok();
        sandbox.outrigger(&["stack", "rename", "prod"]).ended(1).says(&["already"]);
        sandbox.outrigger(&["stack", "rename", "organization/else/x"]).ended(1).says(&["another project"]);
    }

    #[test]
    fn small_commands_answer() {
        let sandbox = made_by_pulumi();
        let ours = sandbox.outrigger(&["whoami"]).ok().stdout;
        assert_eq!(ours, sandbox.pulumi(&["whoami"]).ok().stdout);
        sandbox.outrigger(&["whoami", "--verbose"]).ok().says(&["Backend URL: file://"]);
        let about = json(&sandbox.outrigger(&["about", "--json"]).ok().stdout);
        assert_eq!((&about["project"], &about["currentStack"]), (&"shop".into(), &"organization/shop/dev".into()));
        let graph = sandbox.outrigger(&["stack", "graph", "-"]).ok().stdout;
        assert!(
            graph.contains(&format!("\"{}\" -> \"{}\";", urn("RandomId", "id"), urn("RandomPet", "pet"))),
            "{graph}"
        );
        sandbox.outrigger(&["stack", "graph", "graph.dot", "--short-node-name", "--ignore-parent-edges"]).ok();
        assert!(!sandbox.read("graph.dot").contains("dashed"));
        sandbox.outrigger(&["explain", "stack-locked"]).ok().says(&["outrigger cancel"]);
        sandbox.outrigger(&["explain", "stack-loked"]).ended(1).says(&["stack-locked", "error[explain-unknown]"]);
        sandbox
            .outrigger(&["stack", "output", "nope"])
            .ended(1)
            .says(&["error[output-unknown]", "outrigger explain output-unknown"]);
        sandbox.outrigger(&["stack", "tag", "set", "owner", "platform"]).ok();
        assert_eq!(sandbox.pulumi(&["stack", "tag", "get", "owner"]).ok().stdout.trim(), "platform");
        sandbox.outrigger(&["stack", "tag", "rm", "owner"]).ok();
        sandbox.outrigger(&["stack", "tag", "get", "owner"]).ended(1).says(&["no tag `owner`"]);
        let all = [
            "config",
            "set-all",
            "--plaintext",
            "size=large=x",
            "--secret",
            "token=canary",
            "--plaintext",
            "aws:region=eu",
        ];
        sandbox.outrigger(&all).ok();
        assert!(!sandbox.read("Pulumi.dev.yaml").contains("canary"));
        for (key, value) in [("size", "large=x"), ("token", "canary"), ("aws:region", "eu")] {
            assert_eq!(sandbox.pulumi(&["config", "get", key]).ok().stdout.trim(), value);
        }
        sandbox.outrigger(&["config", "set-all", "--secret", "canary"]).ended(1).says(&["has no `=`"]);
        sandbox.outrigger(&["config", "rm-all", "size", "token", "nope"]).ok();
        let left = json(&sandbox.pulumi(&["config", "--json"]).ok().stdout);
        assert_eq!(left.as_object().unwrap().keys().collect::<Vec<_>>(), ["aws:region"]);
        sandbox.outrigger(&["stack", "unselect"]).ok();
        sandbox.outrigger(&["stack", "output"]).ended(1).says(&["no stack is selected"]);
    }

    #[test]
    fn a_new_project_comes_up() {
        let sandbox = Sandbox::new("name: other\nruntime: yaml\n");
        sandbox.outrigger(&["new", "random"]).ended(1).says(&["already exists", "--dir"]);
        sandbox
            .outrigger(&["new", "nonsense", "--dir", "x"])
            .ended(1)
            .says(&["no template `nonsense`", "yaml, random, kit"]);
        sandbox.outrigger(&["new"]).ended(1).says(&["--list"]);
        sandbox.outrigger(&["new", "random", "--dir", "../fresh shop", "--yes"]).ok().says(&[
            "Created project `fresh-shop`",
            "Created stack `dev`",
            "cd ../fresh shop",
        ]);
        let inside = |arguments: &[&str]| sandbox.outrigger(&[&["--cwd", "../fresh shop"], arguments].concat());
        inside(&["up", "--yes"]).ok().says(&["+ 3 created", "password: [secret]"]);
        inside(&["config", "set", "words", "3"]).ok();
        inside(&["up", "--yes"]).ok().says(&["+- 1 replaced"]);
        inside(&["destroy", "--yes", "--remove"]).ok();
        sandbox
            .outrigger(&["new", "yaml", "--name", "empty", "--dir", "../empty", "--generate-only"])
            .ok()
            .says(&["outrigger stack init dev"]);
        sandbox.outrigger(&["--cwd", "../empty", "stack", "init", "dev"]).ok();
        sandbox.outrigger(&["--cwd", "../empty", "up", "--yes"]).ok().says(&["+ 1 created"]);
    }
}
