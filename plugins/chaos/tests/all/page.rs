//! `docs/chaos.md` says what the tables say.

use std::fmt::Write as _;

use crate::calls::{LIMITED, STARTING, unlimited};
use crate::stage::Row;
use crate::{answers, group, made, resources, starts};

#[test]
fn the_page_says_what_the_tests_show() {
    made::check("the host and the plugin", &tables());
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
