//! `config` in a file that a person wrote.

use crate::sandbox::Sandbox;

#[test]
fn a_secret_by_its_name_is_not_stored_in_clear_by_accident() {
    let sandbox = Sandbox::with_stack("name: shop\nruntime: yaml\n");
    sandbox
        .outrigger(&["config", "set", "dbPassword", "hunter2hunter2"])
        .ended(1)
        .says(&["looks like a secret", "--secret"]);
    sandbox.outrigger(&["config", "set", "dbPassword", "hunter2hunter2", "--secret"]).ok();
    assert!(!sandbox.read("Pulumi.dev.yaml").contains("hunter2"));
    sandbox.outrigger(&["config"]).ok().says(&["dbPassword", "[secret]"]);
    sandbox.outrigger(&["config", "--show-secrets"]).ok().says(&["hunter2hunter2"]);
}

#[test]
fn values_are_copied_to_another_stack_with_its_own_key() {
    let sandbox = Sandbox::with_stack("name: shop\nruntime: yaml\n");
    sandbox.outrigger(&["config", "set", "size", "large"]).ok();
    sandbox.outrigger(&["config", "set", "--secret", "token", "canary"]).ok();
    sandbox.outrigger(&["config", "set", "--path", "list[0].name", "a"]).ok();
    sandbox.outrigger(&["config", "set", "--path", "list[0].key", "canary", "--secret"]).ok();
    sandbox.outrigger(&["stack", "init", "prod", "--no-select"]).ok();
    sandbox.outrigger(&["config", "cp", "--dest", "prod", "token"]).ok();
    let shown = |stack: &str| sandbox.outrigger(&["config", "--json", "--show-secrets", "--stack", stack]).ok().stdout;
    assert!(shown("prod").contains("canary") && !shown("prod").contains("large"), "{}", shown("prod"));
    sandbox.outrigger(&["config", "copy", "-d", "prod", "--path", "list[0]"]).ok();
    sandbox.outrigger(&["config", "cp", "--dest", "prod"]).ok();
    assert_eq!(shown("prod"), shown("dev"));
    let secured = |name: &str| -> Vec<String> {
        let text = sandbox.read(name);
        text.lines().filter(|line| line.contains("secure:")).map(|line| line.trim().to_owned()).collect()
    };
    let (dev, prod) = (secured("Pulumi.dev.yaml"), secured("Pulumi.prod.yaml"));
    assert!(dev.len() == 2 && prod.len() == 2 && dev.iter().all(|line| !prod.contains(line)), "{dev:?} {prod:?}");

    let before = sandbox.read("Pulumi.prod.yaml");
    sandbox.outrigger(&["config", "cp", "--dest", "prod", "nope"]).ended(1).says(&["config-not-found"]);
    sandbox.outrigger(&["config", "cp", "--dest", "dev"]).ended(1).says(&["config-copy-same"]);
    sandbox.outrigger(&["config", "cp", "--dest", "nope"]).failed().says(&["no stack `nope`"]);
    assert_eq!(sandbox.read("Pulumi.prod.yaml"), before);

    sandbox.outrigger(&["stack", "init", "bad", "--copy-config-from", "nope"]).failed().says(&["no stack `nope`"]);
    sandbox.outrigger(&["stack", "init", "qa", "--copy-config-from", "dev"]).ok();
    assert_eq!(shown("qa"), shown("dev"));
    assert!(!sandbox.outrigger(&["stack", "ls"]).ok().stdout.contains("bad"));
}

#[test]
fn a_run_sets_values_first_and_may_use_another_file() {
    let program =
        "name: shop\nruntime: yaml\nconfig: {size: {type: string, default: small}}\noutputs: {size: '${size}'}\n";
    let sandbox = Sandbox::with_stack(program);
    let size = || sandbox.outrigger(&["stack", "output", "size"]).ok().stdout;
    sandbox.outrigger(&["preview", "-c", "size=large", "--config", "other=a=b"]).ok().says(&["\"large\""]);
    assert_eq!(sandbox.outrigger(&["config", "get", "other"]).ok().stdout, "a=b\n");
    sandbox.outrigger(&["up", "--yes"]).ok();
    assert_eq!(size(), "large\n");
    for command in ["refresh", "destroy"] {
        sandbox.outrigger(&[command, "--yes", "-c", &format!("{command}=done")]).ok();
        assert_eq!(sandbox.outrigger(&["config", "get", command]).ok().stdout, "done\n");
    }
    let before = sandbox.read("Pulumi.dev.yaml");
    sandbox.write("elsewhere/ci.yaml", &before);
    sandbox.outrigger(&["config", "set", "size", "huge", "--config-file", "elsewhere/ci.yaml"]).ok();
    sandbox.outrigger(&["up", "--yes", "--config-file", "elsewhere/ci.yaml", "-c", "mark=1"]).ok();
    assert_eq!((size().as_str(), sandbox.read("Pulumi.dev.yaml")), ("huge\n", before));
    assert!(sandbox.read("elsewhere/ci.yaml").contains("shop:mark: \"1\""), "{}", sandbox.read("elsewhere/ci.yaml"));
    sandbox.outrigger(&["config", "--config-file", "elsewhere/ci.yaml"]).ok().says(&["huge"]);
}

mod peers {
    use super::*;

    #[test]
    fn comments_order_and_quoting_stay() {
        let sandbox = Sandbox::with_stack("name: shop\nruntime: nodejs\n");
        let salt = sandbox.read("Pulumi.dev.yaml");
        let file =
            format!("{salt}# ours\nconfig:\n  shop:b: 'two'   # second\n  aws:region: eu-west-1\n  shop:a: \"1\"\n");
        sandbox.write("Pulumi.dev.yaml", &file);
        sandbox.outrigger(&["config", "set", "b", "three"]).ok();
        let text = sandbox.read("Pulumi.dev.yaml");
        assert!(text.contains("# ours\n") && text.contains("# second") && text.contains("shop:a: \"1\""), "{text}");
        assert_eq!(sandbox.outrigger(&["config", "get", "b"]).ok().stdout, "three\n");
        assert_eq!(sandbox.pulumi(&["config", "get", "b"]).ok().stdout, "three\n");
        sandbox.outrigger(&["config", "set", "--path", "list[0].inner", "true"]).ok();
        assert_eq!(sandbox.outrigger(&["config", "get", "--path", "list[0].inner"]).ok().stdout, "true\n");
        sandbox.outrigger(&["config", "rm", "aws:region"]).ok();
        sandbox.outrigger(&["config", "get", "aws:region"]).ended(1).says(&["aws:region", "config set"]);
        let same = |arguments: &[&str]| {
            assert_eq!(sandbox.outrigger(arguments).ok().stdout.trim(), sandbox.pulumi(arguments).ok().stdout.trim());
        };
        same(&["config", "--json"]);
        same(&["config", "get", "list", "--json"]);
    }

    #[test]
    fn values_given_to_a_run_are_stored_as_pulumi_stores_them() {
        let program = "name: shop\nruntime: yaml\n";
        let lines: [&[&str]; 5] = [
            &["preview", "-c", "size=large", "-c", "aws:region=eu=1", "-c", "empty", "-c", "port=080"],
            &["preview", "--config", "a.b=1", "-c", "size=small"],
            &["preview", "--config-path", "-c", "tree.x=1", "-c", "tree.list[0]=true", "-c", "plain=5"],
            // The value that a path leads into loses its other parts.
            &["up", "--yes", "--skip-preview", "--config-path", "-c", "tree.y=text"],
            &["refresh", "--yes", "-c", "port=81"],
        ];
        let (ours, theirs) = (Sandbox::with_stack(program), Sandbox::with_stack(program));
        for line in lines {
            ours.outrigger(line).ok();
            theirs.pulumi(line).ok();
            let stored = |sandbox: &Sandbox| sandbox.pulumi(&["config", "--json"]).ok().stdout;
            assert_eq!(stored(&ours), stored(&theirs), "{line:?}");
        }
        assert!(!ours.pulumi(&["config", "--json"]).ok().stdout.contains("list"));
        // Another file, beside the stack's own.
        for sandbox in [&ours, &theirs] {
            sandbox.write("ci.yaml", &sandbox.read("Pulumi.dev.yaml"));
        }
        let line = ["preview", "--config-file", "ci.yaml", "-c", "size=other"];
        ours.outrigger(&line).ok();
        theirs.pulumi(&line).ok();
        let stored = |sandbox: &Sandbox| sandbox.pulumi(&["config", "--json", "--config-file", "ci.yaml"]).ok().stdout;
        assert_eq!(stored(&ours), stored(&theirs));
        assert_eq!(ours.pulumi(&["config", "get", "size"]).ok().stdout, "small\n");
    }

    #[test]
    fn copies_and_new_passphrases_are_read_by_pulumi() {
        let mut sandbox = Sandbox::with_stack(
            "name: shop\nruntime: yaml\nresources:\n  key: {type: 'random:RandomPassword', properties: {length: 9}}\noutputs: {key: '${key.result}'}\n",
        );
        sandbox.outrigger(&["config", "set", "--secret", "token", "canary"]).ok();
        sandbox.outrigger(&["up", "--yes"]).ok();
        let key = sandbox.pulumi(&["stack", "output", "key", "--show-secrets"]).ok().stdout;
        sandbox.pulumi(&["stack", "init", "prod", "--no-select"]).ok();
        sandbox.outrigger(&["config", "cp", "--dest", "prod"]).ok();
        assert_eq!(sandbox.pulumi(&["config", "get", "token", "--stack", "prod"]).ok().stdout, "canary\n");

        sandbox.answered("new one\n", &["stack", "change-secrets-provider", "passphrase"]).ok();
        sandbox.set("PULUMI_CONFIG_PASSPHRASE", Some("new one"));
        assert_eq!(sandbox.pulumi(&["config", "get", "token"]).ok().stdout, "canary\n");
        assert_eq!(sandbox.pulumi(&["stack", "output", "key", "--show-secrets"]).ok().stdout, key);
        sandbox.pulumi(&["preview", "--expect-no-changes"]).ok();
        let history = sandbox.pulumi(&["stack", "history", "--show-secrets", "--json"]).ok();
        assert!(history.stdout.contains("canary"), "{}", history.stdout);
        sandbox.pulumi(&["up", "--yes", "--skip-preview"]).ok();
        sandbox.outrigger(&["preview", "--expect-no-changes"]).ok();
    }
}
