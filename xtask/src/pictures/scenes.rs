//! The scenes of the pictures: programs, commands, and the moments to capture.

/// A program run in a terminal.
pub(super) struct Scene {
    pub(super) name: &'static str,
    pub(super) columns: u16,
    pub(super) rows: u16,
    pub(super) colored: bool,
    /// The program; if there is one `after` it, this one is deployed before the scene begins.
    pub(super) before: fn() -> String,
    pub(super) after: Option<fn() -> String>,
    pub(super) arguments: &'static str,
    pub(super) shots: &'static [Shot],
}

/// A moment to capture.
pub(super) struct Shot {
    /// The text on the screen that triggers it.
    pub(super) when: &'static str,
    pub(super) name: &'static str,
    /// Keys to press afterwards.
    pub(super) then: &'static [&'static str],
}

const WHOLE_RUN: &[Shot] = &[
    Shot { when: "Do you want", name: "question", then: &["y", "Enter"] },
    Shot { when: "creating 2s", name: "during", then: &[] },
    Shot { when: "Duration: 1", name: "after", then: &[] },
];

/// The same run on screens of several sizes.
const fn run(name: &'static str, columns: u16, colored: bool) -> Scene {
    Scene { name, columns, rows: 30, colored, before: shop, after: None, arguments: "up", shots: WHOLE_RUN }
}

pub(super) const SCENES: [Scene; 10] = [
    run("up-60", 60, true),
    run("up-100", 100, true),
    run("up-200", 200, true),
    run("up-100-plain", 100, false),
    Scene {
        name: "slow",
        columns: 100,
        rows: 16,
        colored: true,
        before: slow,
        after: None,
        arguments: "up --skip-preview",
        shots: &[
            Shot { when: "slow", name: "during", then: &["C-c"] },
            Shot { when: "Stopping", name: "stopping", then: &[] },
        ],
    },
    Scene {
        name: "small",
        columns: 60,
        rows: 6,
        colored: true,
        before: many,
        after: None,
        arguments: "up --skip-preview",
        shots: &[Shot { when: "Updating 2s", name: "during", then: &[] }],
    },
    Scene {
        name: "many",
        columns: 100,
        rows: 20,
        colored: true,
        before: many,
        after: None,
        arguments: "up --skip-preview --parallel 8",
        shots: &[Shot { when: "Updating 3s", name: "during", then: &[] }],
    },
    Scene {
        name: "diff",
        columns: 100,
        rows: 44,
        colored: true,
        before: old,
        after: Some(new),
        arguments: "preview --diff",
        shots: &[Shot { when: "outrigger up", name: "after", then: &[] }],
    },
    Scene {
        name: "failure",
        columns: 100,
        rows: 34,
        colored: true,
        before: failing,
        after: None,
        arguments: "up --skip-preview --continue-on-error",
        shots: &[Shot { when: "again to continue", name: "after", then: &[] }],
    },
    Scene {
        name: "mistake",
        columns: 100,
        rows: 36,
        colored: true,
        before: mistaken,
        after: None,
        arguments: "preview",
        shots: &[Shot { when: "to read more", name: "after", then: &[] }],
    },
];

fn thing(name: &str, value: &str, delay: u32) -> String {
    format!("  {name}: {{type: 'oracle:Thing', properties: {{value: '{value}', delayMs: {delay}}}}}\n")
}

fn shop() -> String {
    let things = [
        thing("network", "10.0.0.0/16", 1500),
        thing("subnet-a", "${network.value}-a", 1000),
        thing("subnet-b", "${network.value}-b", 4000),
        thing("database", "${subnet-a.value}", 6000),
        thing("cache", "c", 3000),
        thing("service", "${database.value} ${cache.value}", 2500),
    ];
    format!(
        "name: shop\nruntime: yaml\nresources:\n{}  name: {{type: 'random:RandomPet'}}\n  password: {{type: 'random:RandomPassword', properties: {{length: 20}}}}\noutputs:\n  url: https://${{name.id}}.example.com\n  password: ${{password.result}}\n",
        things.concat()
    )
}

fn slow() -> String {
    let things =
        [thing("certificate", "c", 14_000), thing("zone", "z", 500), thing("record", "${certificate.value}", 0)];
    format!("name: shop\nruntime: yaml\nresources:\n{}", things.concat())
}

fn many() -> String {
    let things: String =
        (0..400).map(|number| thing(&format!("bucket-{number:03}"), "b", 100 + number * 37 % 900)).collect();
    format!("name: shop\nruntime: yaml\nresources:\n{things}")
}

fn old() -> String {
    changed(r#"{"Effect":"Allow","Action":["s3:GetObject"]}"#, "#!/bin/sh\nset -e\necho one\nexit 0\n", "shop", "one")
}

fn new() -> String {
    let text = "#!/bin/sh\nset -eu\necho one\necho two\nexit 0\n";
    changed(r#"{"Effect":"Allow","Action":["s3:ListBucket","s3:GetObject"]}"#, text, "store", "two")
}

fn changed(policy: &str, script: &str, prefix: &str, key: &str) -> String {
    let script = serde_json::Value::from(script);
    format!(
        "name: shop\nruntime: yaml\nresources:\n  policy: {{type: 'oracle:Thing', properties: {{value: '{policy}'}}}}\n  script: {{type: 'oracle:Thing', properties: {{value: {script}}}}}\n  bucket: {{type: 'oracle:Thing', properties: {{value: b, replaceKey: {key}}}}}\n  name: {{type: 'random:RandomPet', properties: {{prefix: {prefix}, keepers: {{region: eu, stage: {key}}}}}}}\noutputs:\n  name: ${{name.id}}\n"
    )
}

fn failing() -> String {
    let things = [
        thing("network", "n", 300),
        "  bucket: {type: 'oracle:Thing', properties: {value: b, failOn: create}}\n".to_owned(),
        thing("site", "${bucket.value}", 0),
        thing("cache", "c", 400),
    ];
    format!("name: shop\nruntime: yaml\nresources:\n{}", things.concat())
}

fn mistaken() -> String {
    "name: shop\nruntime: yaml\nresources:\n  name:\n    type: random:RandomPet\n    properties:\n      lenght: 3\noutputs:\n  name: ${nmae.id}\n".to_owned()
}
