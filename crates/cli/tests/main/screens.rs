//! The screens that a new user meets. Each is compared with its picture in `docs/images/screens`; `UPDATE_EXPECT=1` draws them again.

use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};

use expect_test::expect_file;

use crate::recording;
use crate::sandbox::Sandbox;
use crate::svg;

const COLUMNS: u16 = 100;

const SHOP: &str = "name: shop
runtime: yaml
config:
  greeting: {type: string, default: Ahoy}
resources:
  site:
    type: kit:fs:Directory
    properties: {path: site}
  page:
    type: kit:fs:File
    properties:
      path: ${site.path}/index.html
      content: |
        <h1>${greeting}</h1>
        <p>Open from nine to five.</p>
  key:
    type: kit:random:Password
    properties: {length: 20}
outputs:
  page: ${page.path}
  key: ${key.result}
";

const FAILING: &str = "name: shop
runtime: yaml
resources:
  site:
    type: kit:fs:Directory
    properties: {path: site}
  migration:
    type: kit:process:Command
    properties: {create: 'echo cannot reach the database >&2; exit 4'}
  server:
    type: kit:process:Command
    properties: {create: 'echo ${migration.stdout}'}
";

const MISTAKEN: &str = "name: shop
runtime: yaml
resources:
  site:
    type: kit:fs:Directroy
    properties: {path: site}
  page:
    type: kit:fs:File
    properties: {pth: index.html, content: 5}
outputs:
  page: ${pages.path}
";

const TYPESCRIPT: &str = "name: shop\nruntime: nodejs\n";

/// A screen: a directory, earlier commands there, and a command.
struct Screen {
    name: &'static str,
    /// `Pulumi.yaml`; without one, the directory is empty.
    program: &'static str,
    before: &'static [&'static str],
    command: &'static str,
    answers: &'static [(&'static str, &'static str)],
}

const fn screen(
    name: &'static str,
    program: &'static str,
    before: &'static [&'static str],
    command: &'static str,
) -> Screen {
    Screen { name, program, before, command, answers: &[] }
}

const INIT: &str = "outrigger stack init dev";
const UP: &str = "outrigger up --yes --skip-preview";
const NO_PASSPHRASE: &str = "unset PULUMI_CONFIG_PASSPHRASE";
const NO_BACKEND: &str = "unset PULUMI_BACKEND_URL";

const SCREENS: [Screen; 34] = [
    // Before there is a project.
    screen("help", "", &[], "outrigger"),
    screen("help-up", "", &[], "outrigger up --help"),
    screen("new-list", "", &[], "outrigger new --list"),
    Screen {
        answers: &[("New passphrase:", "open sesame"), ("Repeat the passphrase:", "open sesame")],
        ..screen("new", "", &[NO_PASSPHRASE], "outrigger new kit --name shop --stack dev --yes")
    },
    screen("new-without-backend", "", &[NO_BACKEND], "outrigger new kit --name shop --stack dev --yes"),
    screen("no-project", "", &[], "outrigger up"),
    screen("no-project-terraform", "", &["touch main.tf"], "outrigger up"),
    screen("no-command", "", &[], "outrigger apply -auto-approve"),
    screen("no-language", TYPESCRIPT, &[INIT], "outrigger up"),
    screen("no-backend", SHOP, &[NO_BACKEND], "outrigger preview"),
    screen("no-bucket", SHOP, &["export PULUMI_BACKEND_URL=s3://shop-state"], "outrigger preview"),
    screen("no-stack", SHOP, &[], "outrigger preview --non-interactive"),
    Screen {
        answers: &[("Name or number:", "2")],
        ..screen(
            "stack-select",
            SHOP,
            &[INIT, "outrigger stack init prod", "outrigger stack unselect"],
            "outrigger stack select",
        )
    },
    // The first run.
    screen("check", SHOP, &[INIT], "outrigger check"),
    screen("check-mistakes", MISTAKEN, &[INIT], "outrigger check"),
    screen("preview", SHOP, &[INIT], "outrigger preview"),
    Screen { answers: &[("Do you want", "y")], ..screen("up", SHOP, &[INIT], "outrigger up") },
    screen("up-again", SHOP, &[INIT, UP], "outrigger up --yes"),
    Screen {
        answers: &[("Do you want", "d"), ("five.</p>\n\nDo you want", "y")],
        ..screen("up-details", SHOP, &[INIT, UP, "outrigger config set greeting Hello"], "outrigger up")
    },
    screen("up-failed", FAILING, &[INIT], "outrigger up --yes --skip-preview"),
    screen("up-continued", FAILING, &[INIT], "outrigger up --yes --skip-preview --continue-on-error"),
    screen("wrong-passphrase", SHOP, &[INIT, UP, "export PULUMI_CONFIG_PASSPHRASE=sesame"], "outrigger up --yes"),
    // Looking around.
    screen("stack", SHOP, &[INIT, UP], "outrigger stack"),
    screen("stack-output", SHOP, &[INIT, UP], "outrigger stack output"),
    screen(
        "config",
        SHOP,
        &[INIT, "outrigger config set greeting Hello", "outrigger config set --secret token abc"],
        "outrigger config",
    ),
    screen("state-show", SHOP, &[INIT, UP], "outrigger state show page"),
    screen("package-info", "", &[], "outrigger package info kit fs:File --no-pager"),
    screen("install", SHOP, &[INIT], "outrigger install"),
    screen("explain", "", &[], "outrigger explain stack-locked"),
    // Changes from outside, and the end.
    screen("refresh", SHOP, &[INIT, UP, "rm site/index.html"], "outrigger refresh --yes"),
    screen(
        "stack-locked",
        SHOP,
        &[
            INIT,
            "mkdir -p ../state/.pulumi/locks/organization/shop/dev",
            "echo '{\"pid\":4242,\"username\":\"ben\",\"hostname\":\"desk\",\"timestamp\":\"2026-01-02T15:04:05Z\"}' > ../state/.pulumi/locks/organization/shop/dev/1.json",
        ],
        "outrigger up --yes",
    ),
    screen("state-delete", SHOP, &[INIT, UP], "outrigger state delete page --yes"),
    Screen {
        answers: &[("Type `dev` to confirm:", "dev")],
        ..screen("stack-rm", SHOP, &[INIT, UP], "outrigger stack rm --force")
    },
    Screen { answers: &[("Do you want", "y")], ..screen("destroy", SHOP, &[INIT, UP], "outrigger destroy") },
];

#[test]
fn screens_look_as_in_the_documentation() {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(screen) = SCREENS.get(next.fetch_add(1, Ordering::Relaxed)) {
                    compare(screen);
                }
            });
        }
    });
}

fn compare(screen: &Screen) {
    let mut sandbox = Sandbox::new(screen.program);
    sandbox.with_outrigger_on_path();
    if screen.program.is_empty() {
        fs::remove_file(sandbox.path("project/Pulumi.yaml")).unwrap();
    }
    let mut exports = String::new();
    for line in screen.before {
        match line.split_once(' ') {
            Some(("export" | "unset", _)) => exports += &format!("{line}; "),
            _ => _ = sandbox.run("/bin/sh".as_ref(), &["-c", line]).ok(),
        }
    }
    let shown = recording::run(&sandbox, &format!("{exports}{}", screen.command), screen.answers, COLUMNS).styled;
    let picture = svg::render(&wrapped(&format!("$ {}\n{shown}", screen.command)), COLUMNS.into());
    expect_file![format!("{}/../../docs/images/screens/{}.svg", env!("CARGO_MANIFEST_DIR"), screen.name)]
        .assert_eq(&picture);
}

/// The text with its long lines broken where a terminal breaks them.
fn wrapped(text: &str) -> String {
    let mut out = String::new();
    let (mut column, mut escape) = (0, false);
    for letter in text.chars() {
        escape |= letter == '\x1b';
        if letter == '\n' {
            column = 0;
        } else if !escape {
            if column == COLUMNS {
                out.push('\n');
                column = 0;
            }
            column += 1;
        }
        out.push(letter);
        escape &= !letter.is_ascii_alphabetic();
    }
    out
}
