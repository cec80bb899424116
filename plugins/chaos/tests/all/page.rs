//! `docs/chaos.md` matches the tables.

use std::fmt::Write as _;

use outrigger_host::Deadlines;

use crate::calls::{LIMITED, STARTING, deadline_of, unlimited};
use crate::stage::Row;
use crate::{answers, group, made, resources, starts};

#[test]
fn the_tables_name_the_defaults() {
    let Deadlines { start, connect, cancel, grace, .. } = Deadlines::default();
    assert_eq!([start, connect, cancel, grace].map(|deadline| deadline.as_secs()), [60, 10, 5, 5]);
}

#[test]
fn the_page_says_what_the_tests_show() {
    made::check("the host and the plugin", &tables());
}

fn tables() -> String {
    let mut text = String::new();
    section(&mut text, "Starting", &starts::ROWS);
    text.push_str("\n### Ending and hanging, in each call\n\n| `CHAOS` | what happens |\n| --- | --- |\n");
    let deadline = |call: &str| deadline_of(call, &Deadlines::default()).as_secs();
    for call in STARTING {
        let _ = writeln!(text, "| `{call}=exit` | refused at once, with the exit code and the end of its stderr |");
        let _ = writeln!(text, "| `{call}=hang` | refused after {} s |", deadline(call));
    }
    for call in LIMITED {
        let _ = writeln!(
            text,
            "| `{call}=exit` `{call}=segfault` | fails at once, with the exit code or the signal, and the end of its stderr; the next load starts a new process |"
        );
        let _ = writeln!(text, "| `{call}=hang` | fails after {} s, with the end of its stderr |", deadline(call));
    }
    for call in unlimited() {
        let pending = match call {
            "Create" | "Update" | "Delete" => "; the operation stays pending",
            _ => "",
        };
        let _ = writeln!(
            text,
            "| `{call}=exit` `{call}=segfault` | fails at once, with the exit code or the signal, and the end of its stderr{pending} |"
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
