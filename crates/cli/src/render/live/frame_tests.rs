//! Frames of fixed boards, at several sizes.

use std::sync::Arc;

use outrigger_engine::{Step, StepResult};
use outrigger_state::Resource;
use outrigger_value::Urn;

use super::*;
use crate::render::hostile;

fn urn(name: &str) -> Urn {
    match name {
        "shop-dev" => Urn::new("dev", "shop", None, "pulumi:pulumi:Stack", name),
        _ => Urn::new("dev", "shop", None, "aws:s3/bucket:Bucket", name),
    }
}

fn step(op: StepOp, name: &str, parent: Option<&str>, needs: &[&str]) -> Arc<Step> {
    let mut resource = Resource::new(urn(name), name != "shop-dev");
    resource.parent = parent.map(urn);
    resource.dependencies = needs.iter().map(|name| urn(name)).collect();
    let resource = Some(Arc::new(resource));
    let (old, new) = if op == StepOp::Delete { (resource, None) } else { (None, resource) };
    Arc::new(Step { op, urn: urn(name), old, new, diff: None })
}

struct Run {
    board: Board,
    begun: Instant,
}

impl Run {
    fn new(board: Board) -> Self {
        Self { board, begun: Instant::now() }
    }

    fn at(&self, seconds: u64) -> Instant {
        self.begun + Duration::from_secs(seconds)
    }

    fn begin(&mut self, second: u64, step: &Arc<Step>) {
        let now = self.at(second);
        self.board.started(step, String::new(), now);
        self.board.calling(&step.urn, now);
    }

    fn end(&mut self, second: u64, step: &Arc<Step>, result: StepResult) {
        let now = self.at(second);
        self.board.ended(step, result, step.op, String::new(), now);
    }

    fn frame(&self, columns: usize, rows: usize, second: u64) -> Frame {
        let (begun, now) = (self.begun, self.at(second));
        Frame {
            columns,
            rows,
            mood: Mood::Done,
            title: "Updating",
            begun,
            now,
            stopping: false,
            over: false,
            listed: false,
        }
    }

    fn lines(&self, columns: usize, rows: usize, second: u64) -> Vec<String> {
        plain(self.frame(columns, rows, second).lines(&self.board))
    }
}

fn plain(lines: Vec<String>) -> Vec<String> {
    lines.iter().map(|line| anstream::adapter::strip_str(line).to_string()).collect()
}

/// A stack with a bucket that is done, one that runs, one that failed, and one that waits.
fn usual() -> Run {
    let stack = step(StepOp::Create, "shop-dev", None, &[]);
    let of = |name: &str, needs: &[&str]| step(StepOp::Create, name, Some("shop-dev"), needs);
    let (logs, site, bad, last) = (of("logs", &[]), of("site", &[]), of("bad", &[]), of("last", &["site", "logs"]));
    let mut preview = Run::new(Board::default());
    for step in [&stack, &logs, &site, &bad, &last] {
        preview.begin(0, step);
        preview.end(0, step, StepResult::Done);
    }
    let mut run = Run::new(Board::expecting(&preview.board.plan()));
    run.begin(0, &stack);
    run.end(0, &stack, StepResult::Done);
    for step in [&logs, &site, &bad] {
        run.begin(1, step);
    }
    run.end(3, &logs, StepResult::Done);
    run.end(4, &bad, StepResult::Failed);
    run
}

#[test]
fn a_wide_screen_shows_everything() {
    let mut run = usual();
    run.board.message(&urn("site"), "checking\r\nthe \x1b[31mregion");
    assert_eq!(
        run.lines(200, 24, 14),
        [
            " +  shop-dev pulumi:pulumi:Stack  created",
            " +  ├─ logs aws:s3:Bucket         created 2.00s",
            " +  ├─ site aws:s3:Bucket         creating 13s slow  checking the region",
            " +  ├─ bad aws:s3:Bucket          failed 3.00s",
            " +  └─ last aws:s3:Bucket         waits for site",
            "Updating 14s · 1 failed · 1 running · 1 waiting · 2 done",
        ]
    );
}

#[test]
fn a_narrow_screen_shortens_types_and_never_wraps() {
    let mut run = usual();
    let long = step(StepOp::Update, "a-bucket-with-a-very-long-name-indeed-日本語の名前", Some("shop-dev"), &[]);
    run.begin(5, &long);
    let lines = run.lines(60, 24, 6);
    assert!(lines.iter().all(|line| width(line) < 60), "{lines:#?}");
    assert_eq!(lines[1], " +  ├─ logs Bucket                 created 2.00s");
    assert_eq!(lines[5], " ~  └─ a-bucket-with-a-very-long…  updating 1s");
}

#[test]
fn a_tiny_screen_shows_what_matters() {
    let run = usual();
    let lines = run.lines(60, 5, 14);
    assert_eq!(
        lines,
        [
            " +  shop-dev Stack  created",
            " +  ├─ site Bucket  creating 13s slow",
            " +  └─ bad Bucket   failed 3.00s",
            "Updating 14s · 1 failed · 1 running · 1 waiting · 2 done",
        ]
    );
}

#[test]
fn someone_who_stops_it_is_told_what_it_waits_for() {
    let run = usual();
    let frame = Frame { stopping: true, ..run.frame(80, 24, 14) };
    let lines = plain(frame.lines(&run.board));
    assert_eq!(lines[4], " +  └─ last Bucket  not started");
    assert_eq!(lines[5], "Updating 14s · 1 failed · 1 running · 1 not started · 2 done");
    assert_eq!(lines[6], "Stopping: waiting for creating site");
    assert!(lines[7].starts_with("Interrupt again to end now"));
}

#[test]
fn ten_thousand_resources_cost_no_more_than_a_screen() {
    let mut run = Run::new(Board::default());
    let stack = step(StepOp::Create, "shop-dev", None, &[]);
    run.begin(0, &stack);
    run.end(0, &stack, StepResult::Done);
    for number in 0..10_000 {
        let step = step(StepOp::Create, &format!("bucket-{number}"), Some("shop-dev"), &[]);
        run.begin(1, &step);
        if number % 1000 != 0 {
            run.end(2, &step, StepResult::Done);
        }
    }
    let lines = run.lines(100, 24, 5);
    assert_eq!(lines.len(), 23);
    // All running steps, then the latest results.
    assert_eq!(lines.iter().filter(|line| line.contains("creating 4s")).count(), 10);
    assert!(lines.iter().any(|line| line.contains("bucket-9999")), "{lines:#?}");
    assert_eq!(lines[22], "Updating 5s · 10 running · 9991 done");
    // A frame looks at as many resources as there are rows: a thousand frames take a moment, not minutes.
    let begun = Instant::now();
    (0..1000).for_each(|_| drop(run.frame(100, 24, 5).lines(&run.board)));
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
}

#[test]
fn what_happened_is_kept_as_a_tree() {
    let mut run = Run::new(Board::default());
    for (name, op) in [("shop-dev", StepOp::Same), ("a", StepOp::Create), ("b", StepOp::Same)] {
        let step = step(op, name, (name != "shop-dev").then_some("shop-dev"), &[]);
        run.begin(0, &step);
        run.end(1, &step, StepResult::Done);
    }
    let chosen: BTreeSet<usize> = run.board.settled().flat_map(|id| run.board.above(id)).collect();
    let text = run.frame(80, 24, 1).settled(&run.board, &chosen, &|_| "      more\n".to_owned());
    let text = anstream::adapter::strip_str(&text).to_string();
    assert_eq!(text, "    shop-dev Stack\n      more\n +  └─ a Bucket     created 1.00s\n      more\n");
}

#[test]
fn an_import_that_the_program_agrees_with_stays_an_import() {
    let mut run = Run::new(Board::default());
    for op in [StepOp::Import, StepOp::Same] {
        let step = step(op, "a", None, &[]);
        run.begin(0, &step);
        run.end(1, &step, StepResult::Done);
    }
    let chosen: BTreeSet<usize> = run.board.settled().collect();
    let text = run.frame(80, 24, 1).settled(&run.board, &chosen, &|_| String::new());
    assert_eq!(anstream::adapter::strip_str(&text).to_string(), " =  a Bucket  imported 1.00s\n");
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { cases: 48, max_shrink_iters: 200, failure_persistence: None, ..Default::default() })]

    /// Every name, message and note may come from an attacker, and a terminal may have any size.
    #[test]
    fn a_hostile_board_fits_and_is_harmless(
        names in [hostile::text(), hostile::text()],
        message in hostile::text(),
        columns in proptest::sample::select(vec![0_usize, 1, 2, 10, 80, 65_536]),
        rows in proptest::sample::select(vec![0_usize, 1, 3, 24, 65_536]),
    ) {
        let mut run = Run::new(Board::default());
        let [one, two] = names;
        let first = step(StepOp::Create, &one, None, &[]);
        let second = step(StepOp::Update, &two, Some(&one), &[&one]);
        run.begin(0, &first);
        run.begin(1, &second);
        run.board.message(&second.urn, &message);
        for line in run.frame(columns, rows, 5).lines(&run.board) {
            hostile::assert_harmless(&line);
            let shown = anstream::adapter::strip_str(&line).to_string();
            assert!(!shown.contains('\n') && crate::render::text::width(&shown) <= columns.max(10), "{columns}: {shown:?}");
        }
        run.end(6, &first, StepResult::Done);
        run.end(6, &second, StepResult::Failed);
        let all = (0..2).collect();
        hostile::assert_harmless(&run.frame(columns, rows, 7).settled(&run.board, &all, &|_| String::new()));
    }
}
