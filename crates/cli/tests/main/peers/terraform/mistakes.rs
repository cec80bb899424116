//! Mistakes of users, and their errors.

use std::fs;

use super::mirrors::Mirror;
use super::world::{Tool, World, provider_path};

/// A mistake in a program, its place, and the error.
const PROGRAMS: [(&str, &str, &[&str]); 12] = [
    (
        "a: {type: 'wide:Primitives', properties: {aString: {a: b}}}",
        ":54",
        &["error[yaml-type]", "Cannot assign '{a: string}' to 'string'"],
    ),
    (
        "a: {type: 'wide:Primitives', properties: {aString: one, anInt64: x}}",
        ":68",
        &["error[yaml-type]", "Cannot assign type 'string' to type 'number'"],
    ),
    (
        "a: {type: 'wide:Primitives', properties: {aString: one, noSuch: 1}}",
        ":59",
        &["error[yaml-unknown-property]", "Property noSuch does not exist on 'wide:index/primitives:Primitives'"],
    ),
    (
        "a: {type: 'classic:Primitives', properties: {aStrin: one}}",
        ":48",
        &["error[yaml-unknown-property]", "Did you mean `aString`?"],
    ),
    (
        "a: {type: 'wide:Blocks', properties: {rules: [{acton: allow}]}}",
        ":49",
        &["error[yaml-type]", "Missing required property 'action'", "Existing properties are: action"],
    ),
    (
        "a: {type: 'wide:Nothing'}",
        ":13",
        &["error[yaml-unknown-type]", "unable to find resource type \"wide:Nothing\""],
    ),
    (
        "a: {type: 'wide:wide_primitives'}",
        ":13",
        &["error[yaml-unknown-type]", "Terraform's `wide_primitives` is `wide:Primitives` here."],
    ),
    (
        "a: {type: wide_primitives}",
        ":13",
        &["error[yaml-unknown-type]", "Terraform's `wide_primitives` is `wide:Primitives` here."],
    ),
    (
        "a: {type: random_pet}",
        ":13",
        &["error[yaml-invalid-token]", "`outrigger package add terraform-provider NAMESPACE/random`", "`random:Pet`"],
    ),
    (
        "a: {type: 'wide:Primitives', properties: {aString: one, anInt64: 1.5}}",
        ":68",
        &["error[provider-check]", "is not an integer", "Examine values at 'a.anInt64'."],
    ),
    (
        "a: {type: 'wide:Checked', properties: {even: 3}}",
        ":48",
        &["error[provider-check]", "Odd. The number has to be even.. Examine values at 'a.even'."],
    ),
    (
        "a: {type: 'wide:Named', properties: {name: x}, options: {import: nowhere}}",
        ":3",
        &["error[engine-import-missing]", "no resource has the id `nowhere`"],
    ),
];

#[test]
fn in_a_program() {
    let world = World::new(Tool::Outrigger, &["wide", "classic"], "");
    for (resource, column, says) in PROGRAMS {
        world.program(&format!("resources:\n  {resource}\n"));
        let answer = world.run(&["preview"]).ended(1).says(says);
        // Two packages come before it.
        let place = format!("Pulumi.yaml:7{column}\n");
        assert!(answer.text().contains(&place), "{place}: {}", answer.text());
    }
}

/// The error for a mistake in a program under `pulumi`, with our bridge: in the first its own checks with our schema find everything; mistakes that
/// they miss come to the bridge or to the provider.
const UNDER_PULUMI: [(&str, &[&str]); 6] = [
    (
        "a: {type: 'wide:Primitives', properties: {aString: {a: b}}}
  b: {type: 'wide:Primitives', properties: {aString: one, noSuch: 1}}
  c: {type: 'classic:Primitives', properties: {aStrin: one}}",
        &[
            "on Pulumi.yaml line 7",
            "aString: Cannot assign '{a: string}' to 'string'",
            "on Pulumi.yaml line 8",
            "Property noSuch does not exist on 'wide:index/primitives:Primitives'",
            "aString: Missing required property 'aString'",
        ],
    ),
    (
        "a: {type: 'wide:Nothing'}",
        &["on Pulumi.yaml line 7", "unable to find resource type \"wide:Nothing\" in resource provider \"wide\""],
    ),
    (
        "any: {type: 'wide:Dynamic', properties: {anything: some}}
  a: {type: 'wide:Primitives', properties: {aString: one, anInt64: '${any.anything}'}}",
        &["wide:index/primitives:Primitives resource 'a'", "anInt64", "a number is needed, and this is a string"],
    ),
    (
        "any: {type: 'wide:Dynamic', properties: {anything: {b: c}}}
  a: {type: 'classic:Primitives', properties: {aString: '${any.anything}'}}",
        &["classic:index/primitives:Primitives resource 'a'", "aString", "a string is needed, and this is an object"],
    ),
    (
        "any: {type: 'wide:Dynamic', properties: {anything: [{acton: allow}]}}
  a: {type: 'wide:Blocks', properties: {rules: '${any.anything}'}}",
        &["wide:index/blocks:Blocks resource 'a'", "Missing required property 'rules[0].action'"],
    ),
    (
        "a: {type: 'wide:Checked', properties: {even: 3}}",
        &["wide:index/checked:Checked resource 'a'", "Odd. The number has to be even.. Examine values at 'a.even'."],
    ),
];

#[test]
fn in_a_program_under_pulumi() {
    let world = World::new(Tool::Pulumi, &["wide", "classic"], "");
    for (resources, says) in UNDER_PULUMI {
        world.program(&format!("resources:\n  {resources}\n"));
        let answer = world.run(&["preview"]).failed().says(says);
        assert!(!answer.text().contains("panic"), "{}", answer.text());
    }
}

/// A mistake in a call of a function or in a provider that the program declares, with `^` before its place, the error of `outrigger`, and the text
/// that both show.
const PLACED: [(&str, &str, &str); 10] = [
    (
        "variables:\n  a: {'fn::invoke': {function: 'wide:getLookup', arguments: {name: ^{b: c}}}}\n",
        "error[provider-invoke]: could not call `wide:index/getLookup:getLookup`",
        "a string is needed, and this is an object",
    ),
    (
        "variables:\n  a:\n    fn::invoke:\n      function: wide:getLookup\n      arguments:\n        name: it\n        \
         filters:\n        - field: f\n        - field: ^{b: c}\n",
        "filters[1].field: a string is needed, and this is an object",
        "a string is needed, and this is an object",
    ),
    (
        "variables:\n  a: ^{'fn::invoke': {function: 'wide:getLookup', arguments: {tags: [b]}}}\n",
        "name: Missing Configuration for Required Attribute",
        "Must set a configuration value for the name attribute as the provider has marked it as required.",
    ),
    (
        "variables:\n  a: ^{'fn::invoke': {function: 'wide:getLookup', arguments: {name: missing}}}\n",
        "plugin `wide 0.0.0` answered Invoke: Not found",
        "Not found: There is nothing of this name.",
    ),
    (
        "variables:\n  a: {'fn::invoke': {function: 'wide:picky', arguments: {first: b, second: ^c}}}\n",
        "second: the second has to be empty",
        "the second has to be empty",
    ),
    (
        "variables:\n  a: ^{'fn::invoke': {function: 'wide:picky', arguments: {first: b, second: ''}}}\n",
        "plugin `wide 0.0.0` answered Invoke: nothing is right",
        "nothing is right",
    ),
    (
        "variables:\n  a: {'fn::invoke': {function: 'wide:double', arguments: {aNumber: ^many}}}\n",
        "aNumber: a number is needed, and this is a string",
        "a number is needed, and this is a string",
    ),
    (
        "resources:\n  a: {type: 'pulumi:providers:wide', properties: {retries: ^often}}\n",
        "error[yaml-type]: number is not assignable from string",
        "Cannot assign type 'string' to type 'number'",
    ),
    (
        "resources:\n  a: {type: 'pulumi:providers:wide', properties: {^directry: x}}\n",
        "Did you mean `directory`?",
        "Property directry does not exist on 'pulumi:providers:wide'",
    ),
    (
        "resources:\n  a: {type: 'pulumi:providers:wide', properties: {directory: ^forbidden}}\n  \
         b: {type: 'wide:Named', options: {provider: '${a}'}}\n",
        "could not configure provider `a` (pulumi:providers:wide)",
        "[directory] Forbidden: This directory may not be used.",
    ),
];

#[test]
fn in_a_call_or_a_declared_provider() {
    let world = World::new(Tool::Outrigger, &["wide"], "");
    for (marked, outrigger, both) in PLACED {
        let before = marked.split_once('^').unwrap().0;
        let used = if marked.starts_with("variables") { "outputs: {a: '${a}'}\n" } else { "" };
        world.program(&format!("{}{used}", marked.replace('^', "")));
        // One package comes before it.
        let (line, column) = (5 + before.matches('\n').count(), before.len() - before.rfind('\n').unwrap());
        let place = format!("Pulumi.yaml:{line}:{column}\n");
        world.run(&["preview"]).ended(1).says(&[outrigger, both, &place]);
        world.run_with(Tool::Pulumi, &["preview"]).failed().says(&[both]);
    }
}

/// An argument that the function does not know is ignored with a warning, as by `pulumi`.
#[test]
fn an_argument_that_nobody_takes() {
    let call = "variables:\n  a: {'fn::invoke': {function: 'wide:getLookup', arguments: {name: it, nam: x}}}\n";
    let world = World::new(Tool::Outrigger, &["wide"], &format!("{call}outputs: {{a: '${{a.name}}'}}\n"));
    let says = ["warning[yaml-unknown-argument]", "Pulumi.yaml:6:72\n", "Did you mean `name`?"];
    world.run(&["preview"]).ok().says(&says);
}

/// The bookkeeping of a resource with a dynamic property contains names of types, and is a secret as a whole; these ordinary words are not redacted.
#[test]
fn ordinary_words_can_be_read() {
    let program = "resources:\n  any: {type: 'wide:Dynamic', properties: {anything: {b: c}}}\n  a: {type: 'wide:Primitives', \
                   properties: {aString: '${any.anything}'}}\n";
    let world = World::new(Tool::Outrigger, &["wide"], program);
    world.run(&["up", "--yes", "--skip-preview"]).ended(1).says(&["a string is needed, and this is an object"]);
}

#[test]
fn in_a_configuration() {
    let world =
        World::new(Tool::Outrigger, &["wide"], "resources:\n  a: {type: 'wide:Named', properties: {name: x}}\n");
    let there = "--> Pulumi.dev.yaml:4:3\n";
    for (key, value, place, says) in [
        (
            "wide:directry",
            "x",
            there,
            "`wide:directry` is not a valid configuration key for the wide provider. Did you mean `wide:directory`?",
        ),
        ("wide:retries", "often", there, "retries: a number is needed, in JSON, for example `3`"),
        ("wide:regions", "here", there, "regions: a list is needed, in JSON, for example `[\"a\"]`"),
        (
            "wide:endpoints[0].serviceUr",
            "x",
            there,
            "missing a required configuration key, try `pulumi config set --path wide:endpoints[0].serviceUrl`",
        ),
        (
            "wide:directory",
            "forbidden",
            "--> Pulumi.dev.yaml:3:3\n",
            "[directory] Forbidden: This directory may not be used.",
        ),
    ] {
        let before = world.sandbox.read("Pulumi.dev.yaml");
        world.sandbox.outrigger(&["config", "set", "--path", key, value]).ok();
        world.run(&["up", "--yes", "--skip-preview"]).ended(1).says(&[says, "wide", place]);
        world.run_with(Tool::Pulumi, &["preview"]).failed().says(&[says, "wide"]);
        world.sandbox.write("Pulumi.dev.yaml", &before);
    }
}

/// A state of a newer provider is not passed to an older one.
#[test]
fn a_state_from_the_future() {
    let world =
        World::new(Tool::Outrigger, &["wide"], "resources:\n  a: {type: 'wide:Versioned', properties: {amount: 3}}\n");
    world.run(&["up", "--yes", "--skip-preview"]).ok();
    let checkpoint = world.sandbox.checkpoint("shop", "dev");
    let text = fs::read_to_string(&checkpoint).unwrap();
    assert!(text.contains(r#"{\"schema_version\":\"2\"}"#), "{text}");
    fs::write(&checkpoint, text.replace(r#"{\"schema_version\":\"2\"}"#, r#"{\"schema_version\":\"9\"}"#)).unwrap();
    let says = &[
        "the state was written by a newer version of the provider",
        "schema version 9 of `wide:index/versioned:Versioned`, this provider has 2",
        "use the newer provider",
    ];
    world.program("resources:\n  a: {type: 'wide:Versioned', properties: {amount: 4}}\n");
    world.run(&["preview"]).ended(1).says(&["could not compare `a`", "Pulumi.yaml:6:3"]);
    for tool in [Tool::Outrigger, Tool::Pulumi] {
        world.run_with(tool, &["preview"]).failed().says(says);
        world.run_with(tool, &["refresh", "--yes", "--skip-preview"]).failed().says(says);
        world.run_with(tool, &["destroy", "--yes", "--skip-preview"]).failed().says(says);
    }
    assert_eq!(world.things("wide", "versioned").len(), 1);
}

/// The errors for providers that cannot be found.
#[test]
fn in_the_name_of_a_provider() {
    let mut world = World::new(Tool::Outrigger, &[], "");
    let mirror = Mirror::new(&mut world);
    mirror.unpacked("wide", "1.2.3");
    mirror.foreign("distant", "1.0.0");
    mirror.damaged("broken", "1.0.0");
    for (arguments, says) in [
        (&["example.com/tests/nosuch"][..], &["`example.com/tests/nosuch` was not found", "has no version of it"][..]),
        (&["example.com/tests/wide", ">= 2.0.0"], &["no version of", "meets `>= 2.0.0`", "which has 1.2.3"]),
        (&["example.com/tests/wide", "two"], &["`two`"]),
        (&["example.com/tests/distant"], &["is not available for `linux_", "It is available for plan9_mips"]),
        (&["example.com/tests/broken"], &["terraform-provider-broken_1.0.0_", "the archive is damaged"]),
        (&["example.com//wide"], &["is not the address of a Terraform provider"]),
        (&["./wide"], &["`./wide` is not the path of a Terraform provider"]),
    ] {
        let answer = world.run(&[&["package", "add", "terraform-provider"], arguments].concat());
        answer.ended(1).says(says).says(&["error[package-plugin]"]);
    }
    assert_eq!(world.everything(), Vec::<String>::new());
}

/// A lock file that names a program which is gone.
#[test]
fn a_provider_that_was_removed() {
    let world = World::new(Tool::Outrigger, &[], "");
    let copy = world.sandbox.path("terraform-provider-wide");
    fs::copy(provider_path("wide"), &copy).unwrap();
    world.run(&["package", "add", "terraform-provider", &copy.display().to_string()]).ok();
    let project = world.sandbox.read("Pulumi.yaml");
    world.sandbox.write("Pulumi.yaml", &format!("{project}resources:\n  a: {{type: 'wide:Named'}}\n"));
    fs::remove_file(&copy).unwrap();
    world.run(&["preview"]).ended(1).says(&["terraform-provider-wide"]);
}
