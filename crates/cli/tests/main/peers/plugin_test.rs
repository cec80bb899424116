//! `outrigger plugin test` with real providers: the checks that pass, and the few real faults.

use std::fs;
use std::os::unix::fs::symlink;
use std::thread;

use serde_json::Value as Json;

use crate::place::peer;
use crate::sandbox::Sandbox;

/// Files that the provider `local` writes into the plugin's own directory.
const LOCAL: &str = "local:File:\n- {filename: made.txt, content: hello}\n- {filename: made.txt, content: bye}\nlocal:SensitiveFile:\n- {filename: hidden.txt, content: opensesame}\n";

/// Times in a format that the schema does not name.
const TIME: &str = "time:Static:\n- {rfc3339: '2020-02-12T06:36:13Z'}\ntime:Offset:\n- {baseRfc3339: '2020-02-12T06:36:13Z', offsetDays: 7}\n- {baseRfc3339: '2020-02-12T06:36:13Z', offsetDays: 8}\n";

/// A provider, inputs for it, how many checks pass at least, and the checks that fail with a part of the answer.
struct Row(&'static [&'static str], &'static str, u64, &'static [(&'static str, &'static str)]);

const PROVIDERS: [Row; 17] = [
    // An import leaves `keepers` empty where a program leaves them out, and plans to change that.
    Row(&["random"], "", 47, &[("import", "Update was planned, although nothing has changed: `keepers`")]),
    Row(&["tls"], "", 11, &[]),
    Row(&["terraform-provider", "./terraform-provider-random"], "", 46, &[("import", "`keepers`")]),
    Row(&["terraform-provider", "./terraform-provider-tls"], "", 11, &[]),
    Row(&["terraform-provider", "./terraform-provider-time"], TIME, 13, &[("import", "`triggers`")]),
    Row(&["terraform-provider", "./terraform-provider-null"], "", 8, &[]),
    Row(&["terraform-provider", "./terraform-provider-local"], LOCAL, 17, &[]),
    Row(&["nestedobject@1.42.0"], "", 23, &[]),
    Row(&["replaceonchanges@25.0.0"], "", 11, &[]),
    Row(&["plain@13.0.0"], "", 7, &[]),
    Row(&["primitive-defaults@8.0.0"], "", 3, &[]),
    Row(&["docs@28.0.0"], "", 3, &[]),
    Row(&["config@9.0.0"], "", 2, &[]),
    // Read answers constants, whatever was created.
    Row(&["simple@2.0.0"], "", 7, &[("drift", "Outputs differ"), ("import", "imported true")]),
    Row(&["keywords@20.0.0"], "", 15, &[("drift", "Outputs differ"), ("import", "`builtins`")]),
    // Check takes an unknown string for none.
    Row(&["large@4.3.2"], "", 6, &[("unknown inputs", "value is not a string")]),
    // The type of a property in its schema does not exist.
    Row(&["bad@3.0.0"], "", 2, &[("schema", "`not a type` is not a type")]),
];

#[test]
fn real_providers_pass_but_for_what_is_wrong_with_them() {
    thread::scope(|threads| {
        for Row(plugin, inputs, passing, wrong) in &PROVIDERS {
            threads.spawn(move || {
                let sandbox = Sandbox::new("name: none\nruntime: yaml\n");
                for name in ["local", "null", "random", "time", "tls"] {
                    let name = format!("terraform-provider-{name}");
                    symlink(peer(format!("terraform/{name}")), sandbox.path("project").join(&name)).unwrap();
                }
                sandbox.write("inputs.yaml", inputs);
                let arguments = ["plugin", "test", "--json", "--inputs", "inputs.yaml"];
                let answer = sandbox.outrigger(&[&arguments, *plugin].concat());
                let code = i32::from(!wrong.is_empty());
                let report: Json = serde_json::from_str(&answer.ended(code).stdout).unwrap();
                for check in report["checks"].as_array().unwrap() {
                    let reason = &check["reason"];
                    let answer = reason["answer"].as_str().unwrap_or_default();
                    let known = |(name, text): &(&str, &str)| check["check"] == *name && answer.contains(text);
                    assert!(check["result"] != "fail" || wrong.iter().any(known), "{plugin:?}: {check:#}");
                    assert!(check["result"] == "pass" || !answer.is_empty(), "{plugin:?}: {check:#}");
                }
                assert!(report["passed"].as_u64().unwrap() >= *passing, "{plugin:?}: {report:#}");
                assert_eq!(report["left"], Json::Array(Vec::new()), "{plugin:?}");
                let files = fs::read_dir(sandbox.path("project")).unwrap().count();
                assert_eq!(files, 7, "{plugin:?}");
            });
        }
    });
}
