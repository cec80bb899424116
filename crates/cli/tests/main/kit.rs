//! The plugin that is part of the executable, under `outrigger` and under the real `pulumi`.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value as Json;

use crate::sandbox::{Answer, Sandbox, answer};

/// A command line of either program.
type Run = fn(&Sandbox, &[&str]) -> Answer;

/// A server that answers each request with its first line.
fn server() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    // It ends with the process.
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut reader = BufReader::new(stream);
            let mut first = String::new();
            let _gone = reader.read_line(&mut first);
            let mut line = first.clone();
            let mut length = 0;
            while line.len() > 2 {
                line.clear();
                let _gone = reader.read_line(&mut line);
                let header = line.to_ascii_lowercase();
                length = header.strip_prefix("content-length: ").map_or(length, |rest| rest.trim().parse().unwrap());
            }
            let mut body = vec![0; length];
            let _gone = std::io::Read::read_exact(&mut reader, &mut body);
            let said = first.trim();
            let reply = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{said}", said.len());
            let _gone = reader.get_mut().write_all(reply.as_bytes());
        }
    });
    format!("http://{address}")
}

/// Every kind of resource and every function.
fn program(server: &str, version: u32, file: &str) -> String {
    format!(
        "name: kitted
runtime: yaml
variables:
  fetched:
    fn::kit:httpGet: {{url: '{server}/fetch'}}
  own:
    fn::kit:readFile: {{path: Pulumi.yaml}}
  home:
    fn::kit:env: {{name: HOME}}
resources:
  directory: {{type: 'kit:fs:Directory', properties: {{path: out, mode: '0750'}}}}
  file: {{type: 'kit:fs:File', properties: {{path: '${{directory.path}}/{file}', content: 'version {version}', mode: '0640'}}}}
  asset: {{type: 'kit:fs:File', properties: {{path: '${{directory.path}}/asset', source: {{fn::stringAsset: 'asset {version}'}}}}}}
  key: {{type: 'kit:fs:File', properties: {{path: '${{directory.path}}/key', content: '${{password.result}}'}}}}
  text: {{type: 'kit:random:String', properties: {{length: 12, special: false, keepers: {{version: {version}}}}}}}
  password: {{type: 'kit:random:Password', properties: {{length: 20, minSpecial: 1}}}}
  bytes: {{type: 'kit:random:Bytes', properties: {{length: 16}}}}
  number: {{type: 'kit:random:Integer', properties: {{min: 1, max: 6}}}}
  pet: {{type: 'kit:random:Pet'}}
  uuid: {{type: 'kit:random:Uuid'}}
  command:
    type: kit:process:Command
    properties:
      create: echo version {version} of $HOME
      delete: touch deleted
      environment: {{LANG: C}}
  request: {{type: 'kit:http:Request', properties: {{url: '{server}/version', headers: {{X-Version: '{version}'}}, delete: {{}}}}}}
outputs:
  text: ${{text.result}}
  number: ${{number.result}}
  pet: ${{pet.result}}
  password: ${{password.result}}
  digest: ${{file.sha256}}
  keyDigest: ${{key.sha256}}
  stdout: ${{command.stdout}}
  answer: ${{request.responseBody}}
  fetched: ${{fetched.body}}
  size: ${{own.size}}
  home: ${{home.value}}
"
    )
}

fn outputs(sandbox: &Sandbox) -> Json {
    serde_json::from_str(&sandbox.outrigger(&["stack", "output", "--json", "--show-secrets"]).ok().stdout).unwrap()
}

fn whole_life(sandbox: &Sandbox, run: Run) {
    let server = server();
    let file = sandbox.path("project/out/file");
    sandbox.write("Pulumi.yaml", &program(&server, 1, "file"));
    run(sandbox, &["preview"]).ok();
    assert!(!file.exists(), "a preview made something");
    run(sandbox, &["up", "--yes", "--skip-preview"]).ok();
    let first = outputs(sandbox);
    assert_eq!(fs::read_to_string(&file).unwrap(), "version 1");
    assert_eq!(fs::read_to_string(sandbox.path("project/out/key")).unwrap(), first["password"].as_str().unwrap());
    assert_eq!(first["stdout"], format!("version 1 of {}", sandbox.path("home").display()));
    assert_eq!((&first["answer"], &first["fetched"]), (&"GET /version HTTP/1.1".into(), &"GET /fetch HTTP/1.1".into()));
    assert!((1..=6).contains(&first["number"].as_i64().unwrap()));
    for secret in ["password", "keyDigest"] {
        assert_eq!(sandbox.outrigger(&["stack", "output", secret]).ok().stdout.trim(), "[secret]");
        assert!(sandbox.files_with(first[secret].as_str().unwrap()).iter().all(|path| path.ends_with("out/key")));
    }

    run(sandbox, &["preview", "--expect-no-changes"]).ok();
    run(sandbox, &["up", "--yes", "--skip-preview", "--expect-no-changes"]).ok();

    // Updates in place, and a replacement.
    sandbox.write("Pulumi.yaml", &program(&server, 2, "file"));
    run(sandbox, &["up", "--yes", "--skip-preview"]).ok();
    let second = outputs(sandbox);
    assert_eq!(fs::read_to_string(&file).unwrap(), "version 2");
    assert_eq!(fs::read_to_string(sandbox.path("project/out/asset")).unwrap(), "asset 2");
    assert_ne!((&first["text"], &first["digest"]), (&second["text"], &second["digest"]));
    assert_eq!((&first["pet"], &first["password"]), (&second["pet"], &second["password"]));
    assert!(second["stdout"].as_str().unwrap().starts_with("version 2"));
    assert!(!sandbox.path("project/deleted").exists(), "an update deletes nothing");
    sandbox.write("Pulumi.yaml", &program(&server, 2, "renamed"));
    run(sandbox, &["up", "--yes", "--skip-preview"]).ok();
    let renamed = sandbox.path("project/out/renamed");
    assert!(renamed.exists() && !file.exists());

    // Drift: changed contents and permissions, and a file that is gone.
    fs::write(&renamed, "drift").unwrap();
    fs::set_permissions(&renamed, fs::Permissions::from_mode(0o600)).unwrap();
    fs::write(sandbox.path("project/out/asset"), "drift").unwrap();
    fs::remove_file(sandbox.path("project/out/key")).unwrap();
    run(sandbox, &["refresh", "--yes", "--skip-preview"]).ok();
    let state = sandbox.export().to_string();
    assert!(state.contains("\"content\":\"drift\"") && state.contains("\"mode\":\"0600\""), "{state}");
    assert!(!state.contains("::key\""), "what is gone is forgotten");
    run(sandbox, &["up", "--yes", "--skip-preview"]).ok();
    assert_eq!(fs::read_to_string(&renamed).unwrap(), "version 2");
    assert_eq!(fs::metadata(&renamed).unwrap().permissions().mode() & 0o777, 0o640);
    assert_eq!(fs::read_to_string(sandbox.path("project/out/asset")).unwrap(), "asset 2");
    assert!(sandbox.path("project/out/key").exists());
    run(sandbox, &["refresh", "--yes", "--skip-preview", "--expect-no-changes"]).ok();

    // A file that exists already is imported.
    sandbox.write("mine.txt", "precious");
    let mine = |options: &str| {
        let resource = format!(
            "resources:\n  mine:\n    type: kit:fs:File\n    properties: {{path: mine.txt, content: precious}}\n{options}"
        );
        program(&server, 2, "renamed").replacen("resources:\n", &resource, 1)
    };
    sandbox.write("Pulumi.yaml", &mine(""));
    run(sandbox, &["up", "--yes", "--skip-preview"]).ended(1).says(&["already exists", "overwrite: true"]);
    sandbox.write("Pulumi.yaml", &mine("    options: {import: mine.txt}\n"));
    run(sandbox, &["up", "--yes", "--skip-preview"]).ok();
    run(sandbox, &["preview", "--expect-no-changes"]).ok();
    assert_eq!(sandbox.read("mine.txt"), "precious");

    run(sandbox, &["destroy", "--yes", "--skip-preview"]).ok();
    for (path, there) in [("out", false), ("mine.txt", false), ("deleted", true)] {
        assert_eq!(sandbox.path("project").join(path).exists(), there, "{path}");
    }
}

/// The executable under the plugin's name, where plugins are looked for.
fn link(sandbox: &mut Sandbox) {
    fs::create_dir(sandbox.path("bin")).unwrap();
    symlink(env!("CARGO_BIN_EXE_outrigger"), sandbox.path("bin/pulumi-resource-kit")).unwrap();
    let directory = sandbox.path("bin");
    sandbox.prefer(&directory);
}

#[test]
fn a_whole_life_under_outrigger() {
    let sandbox = Sandbox::with_stack("name: kitted\nruntime: yaml\n");
    whole_life(&sandbox, Sandbox::outrigger);
    assert!(fs::read_dir(sandbox.path("home/.cache/outrigger/schemas")).unwrap().count() > 0, "its schema is kept");
}

#[test]
fn mistakes_are_found_by_check() {
    let sandbox = Sandbox::with_stack(
        "name: wrong\nruntime: yaml\nresources:\n  file:\n    type: kit:fs:File\n    properties: {path: a, contents: x}\n  other: {type: 'kit:fs:Fil'}\n",
    );
    sandbox.outrigger(&["check"]).ended(1).says(&[
        "Pulumi.yaml:6:",
        "contents",
        "`content`",
        "Pulumi.yaml:7:",
        "kit:fs:File",
    ]);
}

#[test]
fn the_examples_of_the_page_work() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/kit.md");
    let page = fs::read_to_string(page).unwrap();
    let examples: Vec<&str> = page.split("```yaml\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert_eq!(examples.len(), 4);
    let server = server();
    for example in examples {
        let sandbox = Sandbox::with_stack(example);
        if example.contains("endpoint") {
            sandbox.outrigger(&["config", "set", "endpoint", &server]).ok();
        }
        sandbox.outrigger(&["up", "--yes"]).ok();
        sandbox.outrigger(&["preview", "--expect-no-changes"]).ok();
        sandbox.outrigger(&["destroy", "--yes"]).ok();
    }
}

#[test]
fn another_plugin_of_the_name_comes_first() {
    let mut sandbox = Sandbox::with_stack("name: other\nruntime: yaml\nresources:\n  pet: {type: 'kit:random:Pet'}\n");
    sandbox.outrigger(&["preview"]).ok();
    fs::create_dir(sandbox.path("bin")).unwrap();
    let plugin = sandbox.path("bin/pulumi-resource-kit");
    fs::write(&plugin, "#!/bin/sh\necho this is another kit >&2\nexit 3\n").unwrap();
    fs::set_permissions(&plugin, fs::Permissions::from_mode(0o755)).unwrap();
    let directory = sandbox.path("bin");
    sandbox.prefer(&directory);
    sandbox.outrigger(&["preview"]).ended(1).says(&["this is another kit"]);
    sandbox.set("PULUMI_IGNORE_AMBIENT_PLUGINS", Some("true"));
    sandbox.outrigger(&["preview"]).ok();
}

/// Waits for a file with a line in it.
fn appears(path: &Path, child: &mut Child) -> String {
    let begun = Instant::now();
    loop {
        match fs::read_to_string(path) {
            Ok(text) if text.ends_with('\n') => return text.trim().to_owned(),
            _ => {
                assert!(begun.elapsed() < Duration::from_secs(60), "`{}` did not appear", path.display());
                assert_eq!(child.try_wait().unwrap(), None, "it ended too early");
                thread::yield_now();
            }
        }
    }
}

/// Waits until a process is gone.
fn goes(pid: &str) {
    let begun = Instant::now();
    while fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z ")) {
        assert!(begun.elapsed() < Duration::from_secs(60), "process {pid} is still there");
        thread::yield_now();
    }
}

/// The parent of a process; empty if it is gone.
fn parent(pid: &str) -> String {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(')').and_then(|(_, rest)| rest.split_whitespace().nth(1)).unwrap_or_default().to_owned()
}

fn children(pid: &str) -> Vec<String> {
    let processes = fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let numbers = processes.filter(|name| name.bytes().all(|byte| byte.is_ascii_digit()));
    numbers.filter(|other| parent(other) == pid).collect()
}

fn signal(name: &str, pid: &str) {
    assert!(Command::new("kill").args([name, pid]).status().unwrap().success());
}

/// A command that would take for ever, with a process that left its session. In YAML programs `$$` is a `$`.
const SLOW: &str = "name: slow
runtime: yaml
resources:
  slow:
    type: kit:process:Command
    properties:
      create: setsid sleep 1000 & echo $! > left; trap '' TERM; echo $$$$ > pid; while :; do sleep 0.1; done
      gracePeriod: 0.5
";

/// Lets the command run, does something to it, and waits until nothing of it is left.
fn interrupted(sandbox: &Sandbox, mut child: Child, interrupt: impl FnOnce(&Child, &str)) -> Answer {
    let pid = appears(&sandbox.path("project/pid"), &mut child);
    let left = appears(&sandbox.path("project/left"), &mut child);
    interrupt(&child, &pid);
    let answer = answer(child);
    goes(&pid);
    goes(&left);
    answer
}

#[test]
fn time_that_the_program_limits_is_up() {
    let sandbox = Sandbox::with_stack(&format!("{SLOW}    options: {{customTimeouts: {{create: 5s}}}}\n"));
    let child = sandbox.start(&["up", "--yes", "--skip-preview"]);
    interrupted(&sandbox, child, |_, _| {})
        .ended(1)
        .says(&["slow", "was ended, because the run was cancelled or timed out"]);
}

mod peers {
    use super::*;

    #[test]
    fn a_whole_life_under_pulumi() {
        let mut sandbox = Sandbox::with_stack("name: kitted\nruntime: yaml\n");
        link(&mut sandbox);
        whole_life(&sandbox, Sandbox::pulumi);
    }

    #[test]
    fn pulumi_accepts_the_schema_and_goes_on_where_outrigger_stopped() {
        let mut sandbox = Sandbox::with_stack(&program(&server(), 1, "file"));
        sandbox.outrigger(&["up", "--yes", "--skip-preview"]).ok();
        link(&mut sandbox);
        let plugin = sandbox.path("bin/pulumi-resource-kit");
        let schema = sandbox.pulumi(&["package", "get-schema", plugin.to_str().unwrap()]).ok().stdout;
        let schema: Json = serde_json::from_str(&schema).unwrap();
        assert_eq!((&schema["name"], &schema["version"]), (&"kit".into(), &env!("CARGO_PKG_VERSION").into()));
        assert_eq!(schema["resources"].as_object().unwrap().len(), 10);
        sandbox.pulumi(&["preview", "--expect-no-changes"]).ok();
        sandbox.pulumi(&["refresh", "--yes", "--skip-preview", "--expect-no-changes"]).ok();
        sandbox.pulumi(&["destroy", "--yes", "--skip-preview"]).ok();
        assert!(!sandbox.path("project/out").exists());
    }

    #[test]
    fn a_killed_plugin_takes_its_commands_along() {
        let kill_plugin = |_: &Child, pid: &str| signal("-KILL", &parent(&parent(pid)));
        let mut sandbox = Sandbox::with_stack(SLOW);
        let child = sandbox.start(&["up", "--yes", "--skip-preview"]);
        interrupted(&sandbox, child, kill_plugin).ended(1).says(&["slow", "kit"]);
        fs::remove_file(sandbox.path("project/pid")).unwrap();
        fs::remove_file(sandbox.path("project/left")).unwrap();
        link(&mut sandbox);
        let child = sandbox.start_pulumi(&["up", "--yes", "--skip-preview"]);
        interrupted(&sandbox, child, kill_plugin).ended(1);
    }

    #[test]
    fn a_killed_host_takes_its_commands_along() {
        let kill_host = |child: &Child, _: &str| signal("-KILL", &child.id().to_string());
        let sandbox = Sandbox::with_stack(SLOW);
        let child = sandbox.start(&["up", "--yes", "--skip-preview"]);
        interrupted(&sandbox, child, kill_host);
        let mut sandbox = Sandbox::with_stack(SLOW);
        link(&mut sandbox);
        let child = sandbox.start_pulumi(&["up", "--yes", "--skip-preview"]);
        let mut orphans = Vec::new();
        interrupted(&sandbox, child, |child, pid| {
            orphans = children(&child.id().to_string());
            kill_host(child, pid);
        });
        // The plugin ends by itself; pulumi's language host does not.
        for orphan in orphans {
            let _already_gone = Command::new("kill").args(["-KILL", &orphan]).output();
        }
    }
}
