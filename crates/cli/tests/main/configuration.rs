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
}
