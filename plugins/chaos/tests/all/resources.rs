//! Memory: data from a plugin does not stay in the host's memory.
//!
//! Each row runs in a separate process, this test executable again, because memory is measured for a whole process.

use std::process::{Command, Stdio};

use outrigger_provider::CallContext;

use crate::stage::{Row, Stage};
use crate::thing::{Reply, make};

const PLAN: &str = "OUTRIGGER_TEST_CHAOS";

/// The table: by how many megabytes the host may grow.
pub(crate) const ROWS: [Row<u64>; 7] = [
    Row {
        chaos: "Check=flood",
        does: "writes 100 MB of lines to each stream during a call",
        happens: FLOOD,
        expected: 20,
    },
    Row { chaos: "Check=flood-unbroken", does: "the same without a line break", happens: FLOOD, expected: 20 },
    Row { chaos: "Check=flood-binary", does: "the same with every byte there is", happens: FLOOD, expected: 20 },
    Row {
        chaos: "Check=gorge",
        does: "takes 256 MB of memory and uses the processor",
        happens: "the host needs less than 20 MB more; the plugin's memory and time are the plugin's",
        expected: 20,
    },
    Row {
        chaos: "Create=too-large",
        does: "announces an answer one byte above 400 MiB",
        happens: "refused by its length; the host needs less than 20 MB more",
        expected: 20,
    },
    Row {
        chaos: "Create=deep",
        does: "answers objects in objects, 10,000 deep",
        happens: "refused at the limit of the protocol; the host needs less than 20 MB more",
        expected: 20,
    },
    Row {
        chaos: "Create=huge",
        does: "answers 300 MB, below the limit",
        happens: "taken; the host needs less than 800 MB more while it reads it",
        expected: 800,
    },
];

const FLOOD: &str =
    "the output is read and all but its end is dropped: the call is answered, and the host needs less than 20 MB more";

#[test]
fn every_row_stays_within_its_memory() {
    for row in &ROWS {
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "resources::measured", "--nocapture"])
            .env(PLAN, row.chaos)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "`{}`:\n{text}\n{}", row.chaos, String::from_utf8_lossy(&output.stderr));
        let grown = text.lines().find_map(|line| line.split_once("grown by ")?.1.parse::<u64>().ok()).unwrap();
        println!("{}: {} MB", row.chaos, grown / 1000);
        assert!(grown / 1000 < row.expected, "`{}`: {grown} kB", row.chaos);
    }
}

/// Plays one row, if any, and reports by how much this process has grown; otherwise checks that it can be measured.
#[tokio::test]
async fn measured() {
    let Ok(chaos) = std::env::var(PLAN) else {
        assert!(kilobytes("VmHWM:") > 0);
        return;
    };
    let stage = Stage::new(&format!("{chaos};Delete=exit"), |_| {});
    // The memory of a first load does not belong to the row.
    stage.provider().await;
    // From here on the peak counts from zero.
    std::fs::write("/proc/self/clear_refs", "5").unwrap();
    let before = kilobytes("VmRSS:");
    let call = chaos.split('=').next().unwrap();
    let reply = make(&stage, &CallContext::background(), call).await;
    let refused = ["Create=too-large", "Create=deep"].contains(&chaos.as_str());
    assert_eq!(matches!(reply, Reply::Fine(_)), !refused, "{:.300}", format!("{reply:?}"));
    println!("\ngrown by {}", kilobytes("VmHWM:").saturating_sub(before));
    if chaos.contains("flood") {
        // The kept part is the end of the flood, so all of it has arrived.
        let reply = make(&stage, &CallContext::background(), "Delete").await;
        let words = reply.error().unwrap().last_words.join("\n");
        assert!(words.contains("chaos: the flood is over"), "{words:.1000}");
    }
    stage.end().await;
}

fn kilobytes(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}
