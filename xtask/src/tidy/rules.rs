//! Calls and words that are forbidden in certain places.

use std::collections::BTreeSet;

use super::Finding;
use super::source::{lines, uses};

/// A longer file has two subjects.
const LONGEST: usize = 700;

/// Runs the compiler command of a project, whose output is the program.
const COMPILER: &str = "crates/workspace/src/project/compiler.rs";

/// A call that is allowed only in certain places.
struct Rule {
    needles: &'static [&'static str],
    message: &'static str,
    /// Whether the rule applies to a file of this path.
    holds: fn(&str) -> bool,
    /// Whether it applies to tests too.
    tests: bool,
}

const RULES: [Rule; 8] = [
    Rule {
        // Constants of the compilation target, and how a path is split, are not read from the process.
        needles: &[
            "use std::env;",
            "env::var",
            "env::var_os",
            "env::vars",
            "env::vars_os",
            "env::args",
            "env::args_os",
            "env::current_dir",
            "env::current_exe",
            "env::temp_dir",
        ],
        message: "the environment is read in `cli` only: pass the value in",
        holds: |path| in_library(path),
        tests: false,
    },
    Rule {
        needles: &["println!", "eprintln!", "print!", "eprint!", "dbg!", "io::stdout", "io::stderr"],
        message: "only `cli` prints: return the value, or send an event",
        holds: |path| in_library(path),
        tests: false,
    },
    // Types and extension traits of `std::os` that only expose data of the standard library are not calls.
    Rule {
        needles: &["rustix", "libc", "nix", "CommandExt", "UnixStream::pair", "UnixListener", "unix::fs::symlink"],
        message: "calls of the operating system belong into `host::os`, `state`'s real files, `transport`'s sockets, or `cli`",
        holds: |path| in_library(path) && !may_call_the_system(path),
        tests: false,
    },
    Rule {
        needles: &["process::Command", "Command::new"],
        message: "processes are started by `host`: ask for one through `Launcher`",
        // A compiler is a command of the user's, not a plugin.
        holds: |path| in_library(path) && !path.starts_with("crates/host/") && path != COMPILER,
        tests: false,
    },
    Rule {
        needles: &[
            "tokio::spawn",
            "task::spawn",
            "spawn_blocking",
            "std::thread",
            "thread::spawn",
            "Instant::now",
            "SystemTime::now",
            "Timestamp::now",
            "tokio::time",
        ],
        message: "the engine gets its clock and its tasks from outside, or it cannot be simulated",
        holds: |path| path.starts_with("crates/engine/src/"),
        tests: false,
    },
    Rule {
        needles: &[
            "Session",
            "SessionOptions",
            "Services",
            "Journal",
            "Lock",
            "outrigger_engine::up",
            "outrigger_engine::refresh",
            "outrigger_engine::destroy",
        ],
        message: "the command asks and shows: what reads, locks or changes a stack belongs into `workspace`",
        holds: |path| path.starts_with("crates/cli/src/"),
        tests: false,
    },
    Rule {
        needles: &["todo!", "unimplemented!"],
        message: "nothing is left to be written later",
        holds: |_| true,
        tests: true,
    },
    Rule {
        needles: &["#[ignore"],
        message: "a test that is not run shows nothing: make it run, or remove it",
        holds: |_| true,
        tests: true,
    },
];

/// Hosts of package registries. The source of a package is the user's setting, never text of ours.
const REGISTRIES: [&str; 10] = [
    "crates.io",
    "proxy.golang.org",
    "sum.golang.org",
    "registry.npmjs.org",
    "pypi.org",
    "registry.terraform.io",
    "registry.opentofu.org",
    "rubygems.org",
    "repo.maven.apache.org",
    "api.nuget.org",
];

/// Crates that are forbidden even as indirect dependencies.
const BANNED: [&str; 5] = ["ring", "openssl", "openssl-sys", "serde_yaml", "lazy_static"];

/// The image is built with the Rust that the workspace asks for.
const CONTAINER: &str = concat!("FROM rust:", env!("CARGO_PKG_RUST_VERSION"), "-");

/// Checks one file. `path` is relative to the workspace.
pub(super) fn check(path: &str, text: &str) -> Vec<Finding> {
    // This folder has to contain the forbidden words.
    if path.starts_with("xtask/src/tidy/") {
        return length(path, text);
    }
    let mut findings = foreign_names(path, text);
    if path == "Containerfile" && !text.contains(CONTAINER) {
        findings.push(at(path, 1, format!("the build starts with `{CONTAINER}...`")));
    }
    if path.ends_with(".rs") {
        findings.extend(length(path, text));
        findings.extend(calls(path, text));
    }
    findings
}

fn calls(path: &str, text: &str) -> Vec<Finding> {
    let rules: Vec<&Rule> = RULES.iter().filter(|rule| (rule.holds)(path)).collect();
    let mut findings = Vec::new();
    for line in lines(path, text) {
        for rule in rules.iter().filter(|rule| rule.tests || !line.test) {
            if let Some(needle) = rule.needles.iter().find(|needle| uses(line.code, needle)) {
                findings.push(at(path, line.number, format!("`{needle}`: {}", rule.message)));
            }
        }
    }
    findings
}

fn length(path: &str, text: &str) -> Vec<Finding> {
    let count = text.lines().count();
    if count <= LONGEST || path.contains("/generated/") {
        return Vec::new();
    }
    vec![at(path, count, format!("{count} lines: a file has one subject and at most {LONGEST} lines"))]
}

/// Finds paths of a developer's machine and hosts of registries, in any file.
fn foreign_names(path: &str, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if let Some(found) = machine_path(line) {
            findings.push(at(path, index + 1, format!("`{found}` is a path of one machine")));
        }
        let named = |host: &&&str| names_host(line, host) && !is_default_of_an_address(path, host);
        if let Some(host) = REGISTRIES.iter().find(named) {
            findings.push(at(path, index + 1, format!("`{host}` is the host of a package registry")));
        }
    }
    findings
}

/// The address of a Terraform provider has an implied host, so one file has to contain it.
fn is_default_of_an_address(path: &str, host: &str) -> bool {
    path == "crates/terraform/src/address.rs" && ["registry.terraform.io", "registry.opentofu.org"].contains(&host)
}

fn machine_path(line: &str) -> Option<&str> {
    ["/root", "/work"].into_iter().find_map(|start| {
        line.match_indices(start).find_map(|(at, _)| {
            let before = line.get(..at).unwrap_or_default();
            let rest = line.get(at + start.len()..).unwrap_or_default();
            let whole = !rest.starts_with(|next: char| next.is_alphanumeric() || "_-.".contains(next));
            let absolute = before.ends_with("file://")
                || !before.ends_with(|last: char| last.is_alphanumeric() || "_-./}>)*~$".contains(last));
            (whole && absolute).then(|| line.get(at..at + start.len()).unwrap_or_default())
        })
    })
}

fn names_host(line: &str, host: &str) -> bool {
    line.match_indices(host).any(|(at, _)| {
        let after = line.get(at + host.len()..).and_then(|rest| rest.chars().next());
        !after.is_some_and(|next| next.is_alphanumeric() || next == '-')
    })
}

/// Checks the output of `cargo tree`, one package per line: everything that can be built, for any target and with any feature. The lock
/// file also contains packages that never are, such as optional dependencies of dependencies that are mentioned with a `?`.
pub(super) fn banned_crates(tree: &str) -> Vec<Finding> {
    let names: BTreeSet<&str> = tree.lines().filter_map(|line| line.split_whitespace().next()).collect();
    let banned = names.into_iter().filter(|name| BANNED.contains(name));
    banned
        .map(|name| Finding { place: "Cargo.lock".to_owned(), message: format!("the crate `{name}` is banned") })
        .collect()
}

/// Library code: every crate's sources except those of `cli`, and except a plugin's `main`, which has its own file.
fn in_library(path: &str) -> bool {
    let main = path.starts_with("crates/cli/") || path == "crates/sdk/src/serve.rs";
    path.starts_with("crates/") && path.contains("/src/") && !main
}

fn may_call_the_system(path: &str) -> bool {
    let places = [
        "crates/host/src/os.rs",
        "crates/host/src/os/",
        "crates/state/src/store/local.rs",
        // A plugin of ours has no host to make a socket for it.
        "crates/transport/src/goplugin/socket.rs",
    ];
    places.iter().any(|place| path.starts_with(place))
}

fn at(path: &str, line: usize, message: String) -> Finding {
    Finding { place: format!("{path}:{line}"), message }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(path: &str, text: &str) -> Vec<String> {
        check(path, text).into_iter().map(|finding| finding.place).collect()
    }

    #[test]
    fn calls_out_of_place_are_found_with_their_line() {
        assert_eq!(
            places("crates/value/src/a.rs", "fn a() {\n    std::env::var(\"A\");\n}"),
            ["crates/value/src/a.rs:2"]
        );
        assert_eq!(places("crates/host/src/pool.rs", "println!();"), ["crates/host/src/pool.rs:1"]);
        assert_eq!(places("crates/host/src/pool.rs", "use rustix::fs;"), ["crates/host/src/pool.rs:1"]);
        assert_eq!(places("crates/engine/src/run.rs", "tokio::spawn(x);"), ["crates/engine/src/run.rs:1"]);
        assert_eq!(places("crates/engine/src/run.rs", "let a = Instant::now();"), ["crates/engine/src/run.rs:1"]);
        assert_eq!(places("crates/cli/src/run.rs", "todo!()"), ["crates/cli/src/run.rs:1"]);
        assert_eq!(places("crates/cli/src/up.rs", "outrigger_engine::up(a);"), ["crates/cli/src/up.rs:1"]);
        assert_eq!(places("crates/cli/src/up.rs", "Session::open(a);"), ["crates/cli/src/up.rs:1"]);
        assert!(places("crates/workspace/src/run.rs", "Session::open(a);").is_empty());
        assert_eq!(places("crates/cli/tests/all.rs", "#[ignore = \"slow\"]"), ["crates/cli/tests/all.rs:1"]);
    }

    #[test]
    fn calls_in_their_place_are_fine() {
        assert!(places("crates/cli/src/run.rs", "println!(\"{:?}\", std::env::args());").is_empty());
        assert!(places("crates/host/src/os.rs", "use rustix::fs;").is_empty());
        assert!(places("crates/host/src/os/linux.rs", "use rustix::fs;").is_empty());
        assert!(places("crates/host/src/pool.rs", "use std::os::fd::OwnedFd;").is_empty());
        assert_eq!(places("crates/yaml/src/a.rs", "use std::process::Command;").len(), 1);
        assert!(places("crates/host/src/pool.rs", "tokio::spawn(x);").is_empty());
        assert!(places("crates/value/src/a.rs", "#[cfg(test)]\nmod tests {\nfn a() { println!(); }\n}").is_empty());
        assert!(places("crates/value/tests/all.rs", "std::env::var(\"A\");").is_empty());
        assert!(places("crates/value/src/a.rs", "// println! is for others").is_empty());
    }

    #[test]
    fn long_files_are_found_unless_generated() {
        let text = "\n".repeat(LONGEST + 1);
        assert_eq!(places("crates/value/src/a.rs", &text).len(), 1);
        assert!(places("crates/pulumi/src/generated/a.rs", &text).is_empty());
        assert!(places("crates/value/src/a.rs", &"\n".repeat(LONGEST)).is_empty());
    }

    #[test]
    fn paths_of_a_machine_are_found_in_any_file() {
        for line in ["cd /root/x", "\"/work/x\"", "file:///work/x", "PATH=/root"] {
            assert_eq!(places("docs/a.md", line), ["docs/a.md:1"], "{line}");
        }
        for line in ["https://example.com/work/x", "$HOME/work/x", "./root", "/rooted", "target/work/a", "/workspace"] {
            assert!(places("docs/a.md", line).is_empty(), "{line}");
        }
    }

    #[test]
    fn registries_are_found_in_any_file() {
        assert_eq!(places("docs/a.md", "see https://pypi.org/x"), ["docs/a.md:1"]);
        assert!(places("docs/a.md", "see https://pypi.organic/x").is_empty());
    }

    #[test]
    fn banned_crates_are_found_among_what_is_built() {
        let found = banned_crates("a v1.0.0 (/a)\nring v0.17.0\nb v1.0.0\nring v0.17.0\n");
        assert_eq!(
            found.iter().map(ToString::to_string).collect::<Vec<_>>(),
            ["Cargo.lock: the crate `ring` is banned"]
        );
        assert!(banned_crates("string v1.0.0\n").is_empty());
    }
}
