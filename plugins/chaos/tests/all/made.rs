//! The parts of `docs/chaos.md` generated from tables in tests.

use std::path::Path;
use std::sync::Mutex;

/// Checks that a part of the page matches the tables, or writes it if `OUTRIGGER_WRITE_PAGES` is set.
pub(crate) fn check(part: &str, text: &str) {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _one_at_a_time = ONE_AT_A_TIME.lock();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/chaos.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (begin, end) = (format!("<!-- made: {part} -->\n"), format!("<!-- made: end of {part} -->\n"));
    let split = page.split_once(&begin).and_then(|(before, rest)| Some((before, rest.split_once(&end)?.1)));
    let (before, after) = split.unwrap_or_else(|| panic!("docs/chaos.md has no place for the part `{part}`"));
    let wanted = format!("{before}{begin}{text}{end}{after}");
    if std::env::var_os("OUTRIGGER_WRITE_PAGES").is_some() {
        std::fs::write(&path, &wanted).unwrap();
    } else {
        assert!(page == wanted, "docs/chaos.md is old: run this test with OUTRIGGER_WRITE_PAGES=1");
    }
}
