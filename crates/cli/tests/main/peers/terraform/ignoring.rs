//! Properties with `ignoreChanges`.

use super::world::{Tool, World};
use crate::peers::providers::life::wanted;

const UP: &[&str] = &["up", "--yes", "--skip-preview"];

/// A provider that stores the digest of a string plans the digest of that digest if it gets it as input, and would replace the resource.
#[test]
fn what_is_stored_otherwise_than_given_stays() {
    for tool in [Tool::Outrigger, Tool::Pulumi] {
        let program = "resources:\n  it:\n    type: classic:Digested\n    properties: {text: one, word: w}\n    \
                       options: {ignoreChanges: [text]}\n";
        let world = World::new(tool, &["classic"], program);
        world.run(UP).ok();
        let before = wanted(&world.sandbox)["it"].clone();
        world.run(&["preview", "--expect-no-changes"]).ok();
        world.program(&program.replace("text: one", "text: two"));
        world.run(&["preview", "--expect-no-changes"]).ok();
        // Beside a change it is none, either. The SDK forgets the digest then, as it does under Terraform.
        world.program(&program.replace("text: one, word: w", "text: two, word: v"));
        world.run(UP).ok();
        let after = wanted(&world.sandbox)["it"].clone();
        assert_eq!(after["outputs"]["word"], "v", "{tool:?}");
        assert_eq!(after["id"], before["id"], "{tool:?}");
        world.run(&["preview", "--expect-no-changes"]).ok();
    }
}

/// An ignored value is taken from the state, where a whole list is secret. A value in it that the program calls secret stays secret, too.
#[test]
fn a_preview_shows_no_secret_that_stays() {
    const CANARY: &str = "canary-0b7f3c52";
    for tool in [Tool::Outrigger, Tool::Pulumi] {
        let program = format!(
            "resources:\n  it:\n    type: classic:Blocks\n    properties:\n      title: one\n      needed: {{value: n}}\n      \
             rules: [{{action: {{'fn::secret': {CANARY}}}, weight: 1}}]\n    options: {{ignoreChanges: ['rules[*].action']}}\n\
             outputs: {{rules: '${{it.rules}}', title: '${{it.title}}'}}\n"
        );
        let world = World::new(tool, &["classic"], &program);
        world.run(UP).ok();
        world.program(&program.replace("title: one", "title: two").replace("weight: 1", "weight: 2"));
        for arguments in [&["preview", "--diff"][..], &["preview", "--json"], &[UP, &["--json"][..]].concat()] {
            let answer = world.run(arguments).ok();
            assert!(!answer.text().contains(CANARY), "{tool:?} {arguments:?}: {}", answer.text());
        }
    }
}
