//! A canary goes through everything and comes out nowhere.

use crate::sandbox::Sandbox;

const CANARY: &str = "canary-7f3a91c2";

#[test]
fn it_is_shown_to_whoever_asks() {
    let sandbox =
        Sandbox::with_stack(&format!("name: birds\nruntime: yaml\noutputs:\n  song:\n    fn::secret: {CANARY}\n"));
    let up = sandbox.outrigger(&["up", "--yes"]).ok();
    assert!(!up.text().contains(CANARY), "{}", up.text());
    sandbox.outrigger(&["stack", "output", "song", "--show-secrets"]).ok().says(&[CANARY]);
    sandbox.outrigger(&["stack", "export", "--show-secrets"]).ok().says(&[CANARY]);
}

mod peers {
    use super::*;

    #[test]
    fn no_file_and_no_stream_has_it() {
        let project = |extra: &str| {
            format!(
                "name: birds\nruntime: yaml\nconfig:\n  song: {{type: string}}\nresources:\n  string:\n    type: random:RandomString\n    properties:\n      length: 8\n      keepers: {{song: '${{song}}'}}\n{extra}outputs:\n  song: ${{song}}\n  joined: ${{song}}-more\n"
            )
        };
        let sandbox = Sandbox::with_stack(&project(""));
        sandbox.outrigger(&["config", "set", "--secret", "song", CANARY]).ok();
        let mut said = String::new();
        for arguments in [
            ["up", "--yes", "--diff"].as_slice(),
            &["up", "--yes", "--json"],
            &["preview", "--diff"],
            &["refresh", "--yes", "--diff"],
            &["stack"],
            &["stack", "output", "--json"],
            &["stack", "export"],
            &["config", "--json"],
        ] {
            said.push_str(&sandbox.outrigger(arguments).ok().text());
        }
        // The provider's refusal of this value quotes it.
        let broken = "  broken:\n    type: tls:PrivateKey\n    properties: {algorithm: '${song}'}\n";
        sandbox.write("Pulumi.yaml", &project(broken));
        for arguments in [["up", "--yes", "--skip-preview"].as_slice(), &["up", "--yes", "--skip-preview", "--json"]] {
            said.push_str(&sandbox.outrigger(arguments).ended(1).says(&["must be one of", "[secret]"]).text());
        }
        sandbox.write("Pulumi.yaml", &project(""));
        said.push_str(&sandbox.outrigger(&["destroy", "--yes", "--diff"]).ok().text());
        assert!(!said.contains(CANARY), "{said}");
        assert_eq!(sandbox.files_with(CANARY), Vec::<std::path::PathBuf>::new());
    }
}
