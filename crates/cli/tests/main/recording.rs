//! A line of shell on a terminal, as a reader of the documentation would see it.

use std::borrow::Cow;

use regex_lite::Regex;

use crate::sandbox::Sandbox;
use crate::screen::Screen;

/// What differs from run to run or from machine to machine, and what stands for it.
const VARIES: [(&str, &str); 8] = [
    (r"\b\d+(\.\d+)?s\b", "0.1s"),
    (r"\b\d{4}-\d{2}-\d{2}([ T])\d{2}:\d{2}:\d{2}(\.\d+)?", "2026-01-02${1}15:04:05"),
    (r"\b(\d+ (second|minute)s?|a moment) ago\b", "now"),
    (r"\bManaged by .*", "Managed by laptop"),
    (r"\bprocess \d+", "process 4242"),
    (r"(file://)?/tmp/\.tmp\w{6}/(bin|home|project|state)\b", "${1}/home/ann/${2}"),
    (r"/\S*/target/debug/", "/usr/local/bin/"),
    (r"\b[\w-]+@[\w.-]+(:| \(|, process)", "ann@laptop${1}"),
];

/// A question without an answer ends the line after so many seconds.
const LIMIT: &str = "60";

/// Runs a line in the project, types answers to what it asks, and returns the exit code and the whole screen with its styles.
#[track_caller]
pub(crate) fn run(sandbox: &Sandbox, line: &str, answers: &[(&str, &str)], columns: u16) -> (i32, String) {
    let (mut screen, terminal) = Screen::open(columns, 60);
    screen.wrap();
    let limited = ["--foreground", LIMIT, "sh", "-c", line];
    let child = sandbox.start_program_on(terminal, "timeout".as_ref(), &limited);
    for (question, answer) in answers {
        screen.await_text(question);
        screen.type_text(&format!("{answer}\n"));
    }
    let code = screen.finish(child);
    (code, settled(&screen.styled()))
}

/// The text with everything replaced that is different each time.
fn settled(text: &str) -> String {
    VARIES.iter().fold(text.to_owned(), |text, (varies, stands)| {
        match Regex::new(varies).unwrap().replace_all(&text, *stands) {
            Cow::Borrowed(_) => text,
            Cow::Owned(changed) => changed,
        }
    })
}
