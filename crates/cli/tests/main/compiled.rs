//! `runtime.options.compiler`: the program is a command's output.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::sandbox::Sandbox;

/// A project whose compiler is a script.
fn project(script: &str) -> Sandbox {
    let sandbox = Sandbox::new(
        "name: shop\nruntime:\n  name: yaml\n  options:\n    compiler: ./compile 'two words'\nconfig: {size: 2}\n",
    );
    sandbox.write("compile", &format!("#!/bin/sh\n{script}\n"));
    fs::set_permissions(sandbox.path("project/compile"), fs::Permissions::from_mode(0o755)).unwrap();
    sandbox.outrigger(&["stack", "init", "dev"]).ok();
    sandbox
}

const GIVEN: &str = r#"cat <<END
outputs:
  argument: $1
  stack: ${PULUMI_STACK:-none}
  project: ${PULUMI_PROJECT:-none}
  organization: ${PULUMI_ORGANIZATION:-none}
  here: $(test "$PULUMI_ROOT_DIRECTORY" = "$PWD" && echo same)
  config: '$PULUMI_CONFIG'
  mine: ${MINE:-none}
  size: \${size}
END"#;

#[test]
fn a_compiler_that_fails_is_quoted() {
    let sandbox = project("echo 'line 3: no such field' >&2; exit 7");
    sandbox.outrigger(&["up", "--yes"]).ended(1).says(&["Pulumi.yaml:5:15", "exit status: 7", "line 3: no such field"]);
    sandbox.outrigger(&["destroy", "--yes"]).ok();
    sandbox.write("Pulumi.yaml", "name: shop\nruntime: {name: yaml, options: {compiler: ./nowhere}}\n");
    sandbox.outrigger(&["up", "--yes"]).ended(1).says(&["Pulumi.yaml:2:43", "./nowhere", "could not be started"]);
}

#[test]
fn secrets_that_it_repeats_are_hidden() {
    let sandbox = project("echo \"resources: {a: [$PULUMI_CONFIG]}\" | tr -d '\"'; echo \"saw $PULUMI_CONFIG\" >&2");
    sandbox.outrigger(&["config", "set", "--secret", "key", "canary-1234"]).ok();
    let answer = sandbox.outrigger(&["preview"]).ended(1).says(&["<output of ./compile>:1:"]);
    assert!(!answer.text().contains("canary"), "{}", answer.text());
}

mod peers {
    use super::*;

    #[test]
    fn it_gets_what_pulumi_gives_it() {
        let mut sandbox = project(GIVEN);
        sandbox.set("MINE", Some("kept"));
        sandbox.outrigger(&["config", "set", "word", "a<b"]).ok();
        sandbox.outrigger(&["up", "--yes"]).ok();
        let outputs = |sandbox: &Sandbox| sandbox.outrigger(&["stack", "output", "--json"]).ok().stdout;
        let ours = outputs(&sandbox);
        for part in ["\"two words\"", "\"dev\"", "\"shop\"", "\"same\"", "\"kept\"", "shop:word"] {
            assert!(ours.contains(part), "{part} is missing: {ours}");
        }
        sandbox.pulumi(&["up", "--yes", "--skip-preview", "--expect-no-changes"]).ok();
        assert_eq!(outputs(&sandbox), ours);
        // A variable that is set already wins, with a warning.
        sandbox.set("PULUMI_PROJECT", Some("other"));
        sandbox.outrigger(&["preview"]).ok().says(&["PULUMI_PROJECT is set in the environment", "other"]);
    }

    #[test]
    fn mistakes_point_into_what_it_prints() {
        let sandbox = project("echo 'resources:'; echo '  pet: {type: random:RandomPet, properties: {lenght: 2}}'");
        for command in [["preview"].as_slice(), &["check"]] {
            sandbox.outrigger(command).ended(1).says(&[
                "<output of ./compile>:2:46",
                "properties: {lenght: 2}}",
                "length",
            ]);
        }
        let sandbox = project("echo 'resources: ['");
        sandbox.outrigger(&["preview"]).ended(1).says(&["<output of ./compile>:1:12", "1 | resources: ["]);
    }
}
