//! The live tree: the running steps with their times, and the waiting ones with the reason, redrawn in place while a phase runs.
//!
//! Events change the [`Board`]; a separate thread paints it. The engine never waits for the terminal, and the painter wakes only when something has
//! changed, or once a second for the clocks.

mod board;
mod frame;
mod screen;

use std::collections::{BTreeSet, VecDeque};
use std::io::Write;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use outrigger_engine::Step;
use outrigger_workspace::Mood;

use crate::terminal::Silence;
use board::Node;
pub(crate) use board::{Board, Intention};
use frame::Frame;
use screen::Screen;
pub(crate) use screen::size;

/// The shortest time between two frames.
const FRAME: Duration = Duration::from_millis(100);

/// How often a running clock is redrawn.
const TICK: Duration = Duration::from_secs(1);

/// How many lines may wait to be printed: a terminal that does not read must not fill the memory.
const WAITING_LINES: usize = 10_000;

/// The live tree of one phase.
pub(crate) struct Live {
    shared: Arc<Shared>,
    title: &'static str,
    mood: Mood,
    begun: Instant,
    painter: Option<JoinHandle<Screen>>,
    silence: Option<Silence>,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    board: Board,
    /// Lines that are to be printed permanently, above the tree.
    above: VecDeque<String>,
    left_out: usize,
    stopping: bool,
    changed: bool,
    ended: bool,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Live {
    /// Starts painting. If no thread can be started, only the end is shown.
    pub(crate) fn start(
        out: Box<dyn Write + Send>,
        colored: bool,
        title: &'static str,
        mood: Mood,
        board: Board,
    ) -> Self {
        let state = State { board, above: VecDeque::new(), left_out: 0, stopping: false, changed: true, ended: false };
        let shared = Arc::new(Shared { state: Mutex::new(state), changed: Condvar::new() });
        let begun = Instant::now();
        let painted = Arc::clone(&shared);
        let screen = Screen::new(out, colored);
        let paint = move || paint(&painted, screen, title, mood, begun);
        let painter = thread::Builder::new().name("screen".to_owned()).spawn(paint).ok();
        Self { shared, title, mood, begun, painter, silence: Silence::begin() }
    }

    /// Changes the board.
    pub(crate) fn update(&self, change: impl FnOnce(&mut Board)) {
        let mut state = self.shared.state();
        change(&mut state.board);
        state.changed = true;
        self.shared.changed.notify_one();
    }

    /// Prints a text permanently, above the tree.
    pub(crate) fn print(&self, text: &str) {
        let mut state = self.shared.state();
        state.above.push_back(text.to_owned());
        if state.above.len() > WAITING_LINES {
            state.above.pop_front();
            state.left_out += 1;
        }
        state.changed = true;
        self.shared.changed.notify_one();
    }

    /// The user asked to stop: from now on the tree shows the operations that are still running.
    pub(crate) fn stop(&self) {
        let mut state = self.shared.state();
        state.stopping = true;
        state.changed = true;
        self.shared.changed.notify_one();
    }

    /// The steps that the phase found, for the phase that follows a preview.
    pub(crate) fn plan(&self) -> Vec<Intention> {
        self.shared.state().board.plan()
    }

    /// The tree of everything that happened, with the text of `below`, if given, under each resource that had a step. `same` and `reads` include
    /// unchanged resources and those that were only read.
    pub(crate) fn settled(&self, same: bool, reads: bool, below: Option<&dyn Fn(&Step) -> String>) -> String {
        let state = self.shared.state();
        let board = &state.board;
        let wanted = |id: &usize| reads || !board.get(*id).is_read();
        let mut chosen: BTreeSet<usize> = board.settled().filter(wanted).flat_map(|id| board.above(id)).collect();
        if same {
            chosen.extend(board.unchanged().flat_map(|id| board.above(id)));
        }
        let frame = Frame { listed: below.is_some(), ..self.frame(state.stopping) };
        let below = |node: &Node| match (below, &node.step) {
            (Some(below), Some(step)) => below(step),
            _ => String::new(),
        };
        frame.settled(board, &chosen, &below)
    }

    /// Removes the tree and prints the final text.
    pub(crate) fn end(&mut self, text: &str) {
        let Some(mut screen) = self.halt() else { return };
        let rest = taken(&mut self.shared.state());
        screen.end(&format!("{rest}{text}"), size().0);
    }

    fn halt(&mut self) -> Option<Screen> {
        self.shared.state().ended = true;
        self.shared.changed.notify_one();
        let screen = self.painter.take()?.join().ok();
        self.silence = None;
        screen
    }

    fn frame(&self, stopping: bool) -> Frame {
        frame(self.title, self.mood, self.begun, stopping)
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        if self.painter.is_some() {
            self.end("");
        }
    }
}

fn frame(title: &'static str, mood: Mood, begun: Instant, stopping: bool) -> Frame {
    let (columns, rows) = size();
    Frame { columns, rows, mood, title, begun, now: Instant::now(), stopping, over: false, listed: false }
}

fn taken(state: &mut State) -> String {
    let mut text = String::new();
    if state.left_out > 0 {
        text.push_str(&format!("… {} messages were left out: the terminal was too slow for them\n", state.left_out));
        state.left_out = 0;
    }
    for line in state.above.drain(..) {
        text.push_str(&line);
        text.push('\n');
    }
    text
}

/// Paints until the end, and returns the screen.
fn paint(shared: &Shared, mut screen: Screen, title: &'static str, mood: Mood, begun: Instant) -> Screen {
    loop {
        let mut state = shared.state();
        while !state.changed && !state.ended {
            let waited = shared.changed.wait_timeout(state, TICK).unwrap_or_else(PoisonError::into_inner);
            state = waited.0;
            state.changed |= waited.1.timed_out();
        }
        if state.ended {
            return screen;
        }
        state.changed = false;
        let above = taken(&mut state);
        let frame = frame(title, mood, begun, state.stopping);
        let lines = frame.lines(&state.board);
        drop(state);
        screen.draw(&above, lines, frame.columns);
        let state = shared.state();
        let paused = shared.changed.wait_timeout_while(state, FRAME, |state| !state.ended);
        drop(paused.unwrap_or_else(PoisonError::into_inner));
    }
}
