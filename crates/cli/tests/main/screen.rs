//! A terminal for the program to draw on: a real pseudo-terminal, and as much of an emulator as is needed to read its contents.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::process::Child;
use std::rc::Rc;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

/// The contents of the screen, and the lines that have scrolled away above it.
pub(crate) struct Screen {
    lines: Vec<Vec<Cell>>,
    style: Rc<str>,
    long_lines: bool,
    row: usize,
    column: usize,
    rows: usize,
    columns: usize,
    pending: Vec<u8>,
    terminal: File,
}

/// A character, and the escape codes for its style.
#[derive(Clone)]
struct Cell {
    letter: char,
    style: Rc<str>,
}

impl Screen {
    /// A terminal of a size, and the end of it that a program gets.
    pub(crate) fn open(columns: u16, rows: u16) -> (Self, File) {
        let own = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&own).unwrap();
        unlockpt(&own).unwrap();
        let name = ptsname(&own, Vec::new()).unwrap().into_string().unwrap();
        let other = OpenOptions::new().read(true).write(true).open(name).unwrap();
        let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&other, size).unwrap();
        let screen = Self {
            lines: vec![Vec::new()],
            style: Rc::default(),
            long_lines: false,
            row: 0,
            column: 0,
            rows: rows.into(),
            columns: columns.into(),
            pending: Vec::new(),
            terminal: File::from(own),
        };
        (screen, other)
    }

    /// Accepts lines that are wider than the screen. Otherwise they fail the test: a tree that is drawn again may not have any.
    pub(crate) fn accept_long_lines(&mut self) {
        self.long_lines = true;
    }

    /// Reads until the screen shows a text; fails if the program ends first.
    #[track_caller]
    pub(crate) fn await_text(&mut self, text: &str) {
        while !self.shown().contains(text) {
            assert!(self.step(), "it ended before `{text}` came:\n{}", self.all());
        }
    }

    /// Types a text.
    pub(crate) fn type_text(&mut self, text: &str) {
        self.terminal.write_all(text.as_bytes()).unwrap();
    }

    /// Reads to the end, and waits for the program.
    pub(crate) fn finish(&mut self, mut child: Child) -> i32 {
        while self.step() {}
        child.wait().unwrap().code().unwrap_or(-1)
    }

    /// The present contents of the screen.
    pub(crate) fn shown(&self) -> String {
        self.text(self.top())
    }

    /// That, and everything that has scrolled away.
    pub(crate) fn all(&self) -> String {
        self.text(0)
    }

    /// Everything, with escape codes for its styles.
    pub(crate) fn styled(&self) -> String {
        let mut out = String::new();
        for line in &self.lines {
            let mut last: Rc<str> = Rc::default();
            for Cell { letter, style } in line {
                if *style != last {
                    out.push_str("\x1b[0m");
                    out.push_str(style);
                    last = style.clone();
                }
                out.push(*letter);
            }
            out.push_str(if last.is_empty() { "\n" } else { "\x1b[0m\n" });
        }
        out
    }

    fn text(&self, from: usize) -> String {
        let line = |line: &Vec<Cell>| line.iter().map(|cell| cell.letter).collect::<String>().trim_end().to_owned();
        self.lines[from..].iter().map(line).collect::<Vec<_>>().join("\n")
    }

    fn top(&self) -> usize {
        self.lines.len().saturating_sub(self.rows)
    }

    /// Reads new output; `false` at the end.
    fn step(&mut self) -> bool {
        let mut bytes = [0; 4096];
        match self.terminal.read(&mut bytes) {
            // The other end is closed.
            Err(_) | Ok(0) => false,
            Ok(count) => {
                self.pending.extend_from_slice(&bytes[..count]);
                let whole = match std::str::from_utf8(&self.pending) {
                    Ok(text) => text.len(),
                    Err(error) => error.valid_up_to(),
                };
                let text = String::from_utf8(self.pending[..whole].to_vec()).unwrap();
                // An escape that is not complete waits for its rest.
                let end = match text.rfind('\x1b') {
                    Some(at) if !text[at + 1..].contains(|c: char| c.is_ascii_alphabetic()) => at,
                    _ => text.len(),
                };
                self.pending.drain(..end);
                self.feed(&text[..end]);
                true
            }
        }
    }

    fn feed(&mut self, text: &str) {
        let mut letters = text.chars();
        while let Some(letter) = letters.next() {
            match letter {
                '\r' => self.column = 0,
                '\n' => self.next_row(),
                '\x1b' => {
                    let mut code = String::new();
                    while !code.ends_with(|letter: char| letter.is_ascii_alphabetic()) {
                        code.push(letters.next().unwrap());
                    }
                    self.obey(code.trim_start_matches('['));
                }
                letter => self.put(letter),
            }
        }
    }

    fn next_row(&mut self) {
        self.row += 1;
        if self.row == self.lines.len() {
            self.lines.push(Vec::new());
        }
    }

    fn put(&mut self, letter: char) {
        let fits = self.long_lines || self.column < self.columns;
        assert!(fits, "a line is wider than the screen:\n{}", self.all());
        let line = &mut self.lines[self.row];
        if line.len() <= self.column {
            line.resize(self.column + 1, Cell { letter: ' ', style: Rc::default() });
        }
        line[self.column] = Cell { letter, style: self.style.clone() };
        self.column += 1;
    }

    fn obey(&mut self, code: &str) {
        let count = code[..code.len() - 1].parse::<usize>().unwrap_or(1);
        match code {
            "J" => {
                self.lines.truncate(self.row + 1);
                self.lines[self.row].truncate(self.column);
            }
            "2K" => self.lines[self.row].clear(),
            "?2026h" | "?2026l" => {}
            _ if code.ends_with('A') => self.row = self.row.saturating_sub(count).max(self.top()),
            "m" | "0m" => self.style = Rc::default(),
            _ if code.ends_with('m') => self.style = format!("{}\x1b[{code}", self.style).into(),
            _ => panic!("an escape that nobody expects: {code:?}"),
        }
    }
}
