//! The live tree on a real terminal.

use crate::peers::interruption::interrupt;
use crate::sandbox::Sandbox;
use crate::screen::Screen;

const PROJECT: &str = "name: slow\nruntime: yaml\nresources:\n  a: {type: 'oracle:Thing', properties: {value: a, delayMs: 1500}}\n  b: {type: 'oracle:Thing', properties: {value: '${a.value}b'}}\noutputs: {b: '${b.value}'}\n";

#[test]
fn what_runs_and_what_waits_is_on_the_screen() {
    for (columns, rows) in [(60, 12), (200, 50), (60, 5)] {
        let sandbox = Sandbox::with_stack(PROJECT);
        let (mut screen, terminal) = Screen::open(columns, rows);
        let child = sandbox.start_on(terminal, &["up", "--yes", "--color", "never"]);
        screen.await_text("creating 1s");
        if rows > 5 {
            assert!(screen.shown().contains("waits for a"), "{}", screen.shown());
        }
        assert!(screen.shown().contains("1 running · 1 waiting"), "{}", screen.shown());
        assert_eq!(screen.finish(child), 0, "{}", screen.all());
        // The final tree is there once, and nothing of the frames before.
        let all = screen.all();
        let ended: Vec<&str> = all.lines().skip_while(|line| !line.starts_with("Updating (dev)")).collect();
        assert_eq!(ended.iter().filter(|line| line.contains("─ a ")).count(), 1, "{all}");
        assert!(ended.iter().any(|line| line.starts_with(" +  └─ b") && line.contains("created")), "{all}");
        assert!(!all.contains("running") && !all.contains("waits for") && all.contains("+ 3 created"), "{all}");
        assert!(all.contains("+ b: \"ab\""), "{all}");
    }
}

#[test]
fn someone_who_interrupts_is_told_what_is_waited_for() {
    let sandbox = Sandbox::with_stack(PROJECT);
    let (mut screen, terminal) = Screen::open(80, 24);
    let child = sandbox.start_on(terminal, &["up", "--yes", "--skip-preview"]);
    screen.await_text("─ a Thing");
    screen.await_text("creating 0s");
    interrupt(&child);
    screen.await_text("Stopping: waiting for creating a");
    assert_eq!(screen.finish(child), 1);
    assert!(screen.all().contains("The update was cancelled. Everything that completed is saved."), "{}", screen.all());
}

#[test]
fn someone_who_asks_sees_every_detail_before_the_answer() {
    let sandbox = Sandbox::with_stack(PROJECT);
    let (mut screen, terminal) = Screen::open(80, 40);
    let child = sandbox.start_on(terminal, &["up"]);
    screen.await_text("[y/N, d for details]");
    assert!(!screen.shown().contains("delayMs"), "{}", screen.shown());
    screen.type_text("d\n");
    screen.await_text("+ delayMs: 1500");
    screen.await_text("details] d");
    screen.type_text("n\n");
    assert_eq!(screen.finish(child), 8, "{}", screen.all());
    assert!(screen.all().contains("Nothing was changed."), "{}", screen.all());
}

#[test]
fn an_interrupt_answers_the_question() {
    let sandbox = Sandbox::with_stack(PROJECT);
    let (mut screen, terminal) = Screen::open(80, 40);
    let child = sandbox.start_on(terminal, &["up"]);
    screen.await_text("[y/N, d for details]");
    interrupt(&child);
    assert_eq!(screen.finish(child), 8, "{}", screen.all());
    assert!(screen.all().contains("Nothing was changed."), "{}", screen.all());
}

#[test]
fn a_dumb_terminal_gets_lines() {
    let mut sandbox = Sandbox::with_stack(PROJECT);
    sandbox.set("TERM", Some("dumb"));
    let (mut screen, terminal) = Screen::open(80, 24);
    let child = sandbox.start_on(terminal, &["preview"]);
    assert_eq!(screen.finish(child), 0);
    assert!(screen.all().contains(" +  a oracle:index:Thing create\n"), "{}", screen.all());
}
