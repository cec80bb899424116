//! `docs/chaos.md` says what the tables say.

use std::fmt::Write as _;
use std::path::Path;

use crate::calls::{LIMITED, STARTING, unlimited};
use crate::stage::Row;
use crate::{answers, group, resources, starts};

const BEGIN: &str = "<!-- made from the tables in plugins/chaos/tests; `OUTRIGGER_WRITE_PAGES=1 cargo test -p outrigger-chaos` writes it -->\n";
const END: &str = "<!-- end of what is made -->\n";

#[test]
fn the_page_says_what_the_tests_show() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/chaos.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once(BEGIN).expect("the page has a place for the tables");
    let (_, after) = rest.split_once(END).expect("the place for the tables ends");
    let wanted = format!("{before}{BEGIN}{}{END}{after}", tables());
    if std::env::var_os("OUTRIGGER_WRITE_PAGES").is_some() {
        std::fs::write(&path, &wanted).unwrap();
    } else {
        assert!(page == wanted, "docs/chaos.md is old: set OUTRIGGER_WRITE_PAGES=1 and run this test again");
    }
}

fn tables() -> String {
    let mut text = String::new();
    section(&mut text, "Starting", &starts::ROWS);
    text.push_str("\n### Ending and hanging, in each call\n\n| `CHAOS` | what happens |\n| --- | --- |\n");
    for call in STARTING {
        let deadline = if call == "Handshake" { "connecting (10 s)" } else { "first calls (30 s)" };
        let _ = writeln!(text, "| `{call}=exit` | refused at once, with the exit code and the last words |");
        let _ = writeln!(text, "| `{call}=hang` | refused after the deadline for {deadline} |");
    }
    for (call, deadline) in LIMITED {
        let _ = writeln!(
            text,
            "| `{call}=exit` `{call}=segfault` | fails at once, with the exit code or the signal, and the last words; the next load starts a new process |"
        );
        let _ = writeln!(text, "| `{call}=hang` | fails after {deadline}, with the last words |");
    }
    for call in unlimited() {
        let pending = match call {
            "Create" | "Update" | "Delete" => "; the operation stays pending",
            _ => "",
        };
        let _ = writeln!(
            text,
            "| `{call}=exit` `{call}=segfault` | fails at once, with the exit code or the signal, and the last words{pending} |"
        );
        let _ = writeln!(text, "| `{call}=hang` | has no deadline: shown as slow until a person interrupts{pending} |");
    }
    section(&mut text, "Answers", &answers::ROWS);
    section(&mut text, "Processes", &group::ROWS);
    section(&mut text, "Memory", &resources::ROWS);
    text.push('\n');
    text
}

fn section<T>(text: &mut String, title: &str, rows: &[Row<T>]) {
    let _ = write!(text, "\n### {title}\n\n| `CHAOS` | the plugin | what happens |\n| --- | --- | --- |\n");
    for Row { chaos, does, happens, .. } in rows {
        let _ = writeln!(text, "| `{chaos}` | {does} | {happens} |");
    }
}
