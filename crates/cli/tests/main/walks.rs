//! Runs a page of `docs` whose code blocks are a session: `yaml FILE` and `hcl FILE` blocks are written, `console` blocks are typed. The page must
//! contain the output of the commands; `UPDATE_EXPECT=1` writes it there.

use std::fs;
use std::path::Path;

use expect_test::expect_file;

use crate::recording::{self, Recording};
use crate::sandbox::Sandbox;

const COLUMNS: u16 = 100;

/// Runs a page in a project that is empty before it.
pub(crate) fn walk(sandbox: &Sandbox, name: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
    let page = fs::read_to_string(&path).unwrap();
    expect_file![path].assert_eq(&played(sandbox, &page));
}

/// The page with the current output of its commands.
fn played(sandbox: &Sandbox, page: &str) -> String {
    let mut out = String::new();
    // Every line has a separate shell, which starts with the directory and the variables that earlier lines set.
    let mut before = String::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        out.push_str(line);
        out.push('\n');
        let Some(info) = line.strip_prefix("```").filter(|info| !info.is_empty()) else { continue };
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        if info == "console" {
            for line in block.iter().filter_map(|line| line.strip_prefix("$ ")) {
                out.push_str(&format!("$ {line}\n"));
                if line.starts_with("cd ") || line.starts_with("export ") {
                    before.push_str(&format!("{line} && "));
                } else {
                    out.push_str(&typed(sandbox, &before, line));
                }
            }
        } else {
            let text = block.join("\n") + "\n";
            if let Some((_, file)) = info.split_once(' ') {
                sandbox.write(file, &text);
            }
            out.push_str(&text);
        }
        out.push_str("```\n");
    }
    out
}

/// Types a command, which has to succeed unless it ends in `# fails`.
fn typed(sandbox: &Sandbox, before: &str, line: &str) -> String {
    let whole = format!("{before}{line}");
    let Recording { code, text, .. } = if line.starts_with("outrigger ") {
        recording::run(sandbox, &whole, &[], COLUMNS)
    } else {
        recording::quietly(sandbox, &whole)
    };
    assert_eq!(code != 0, line.ends_with("# fails"), "{line}:\n{text}");
    if text.trim().is_empty() { String::new() } else { text.trim_end().to_owned() + "\n" }
}
