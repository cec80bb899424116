//! A line of shell on a terminal, as a reader of the documentation would see it.

use std::borrow::Cow;
use std::path::Path;

use regex_lite::Regex;

use crate::sandbox::Sandbox;
use crate::screen::Screen;

/// Texts that differ from run to run or from machine to machine, and their replacements.
const VARIES: [(&str, &str); 9] = [
    (r"\b\d+(\.\d+)?s\b", "0.1s"),
    (r"\b\d{4}-\d{2}-\d{2}([ T])\d{2}:\d{2}:\d{2}(\.\d+)?", "2026-01-02${1}15:04:05"),
    (r"\b(\d+ (second|minute)s?|a moment) ago\b", "now"),
    (r"\bManaged by .*", "Managed by laptop"),
    (r"\bprocess \d+", "process 4242"),
    (r"/tmp/\.tmp\w{6}/home\b", "/home/ann"),
    (r"/tmp/\.tmp\w{6}/(bin|project|state)\b", "/home/ann/$1"),
    (r"/\S*/target/debug/", "/usr/local/bin/"),
    (r"\b[\w-]+@[\w.-]+(:| \(|, process)", "ann@laptop${1}"),
];

/// A question without an answer ends the line after so many seconds.
const LIMIT: &str = "300";

/// A line that compiles takes minutes on a slow machine.
const LONG_LIMIT: &str = "1800";

/// A line that has ended.
pub(crate) struct Recording {
    pub(crate) code: i32,
    pub(crate) text: String,
    /// The text with escape codes for its styles.
    pub(crate) styled: String,
}

/// Runs a line in the project and types answers to its questions.
#[track_caller]
pub(crate) fn run(sandbox: &Sandbox, line: &str, answers: &[(&str, &str)], columns: u16) -> Recording {
    let (mut screen, terminal) = Screen::open(columns, 60);
    screen.accept_long_lines();
    let limited = ["--foreground", LIMIT, "sh", "-c", line];
    let child = sandbox.start_program_on(terminal, "timeout".as_ref(), &limited);
    for (question, answer) in answers {
        screen.await_text(question);
        screen.type_text(&format!("{answer}\n"));
    }
    let code = screen.finish(child);
    Recording { code, text: settled(&screen.all()), styled: settled(&screen.styled()) }
}

/// Runs a line of a program whose output is not drawn.
pub(crate) fn quietly(sandbox: &Sandbox, line: &str) -> Recording {
    let answer = sandbox.run("timeout".as_ref(), &[LONG_LIMIT, "sh", "-c", &format!("exec 2>&1; {line}")]);
    let text = settled(&answer.stdout);
    Recording { code: answer.code, styled: text.clone(), text }
}

/// The text with its varying parts replaced.
fn settled(text: &str) -> String {
    let tree = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let text = text.replace(tree.to_str().unwrap(), "/home/ann/outrigger");
    VARIES.iter().fold(text, |text, (varies, stands)| match Regex::new(varies).unwrap().replace_all(&text, *stands) {
        Cow::Borrowed(_) => text,
        Cow::Owned(changed) => changed,
    })
}
