//! The keeper: a small process that outlives a killed host and ends the processes that the host started.
//!
//! It reads [`Record`]s from its standard input, a socket whose other end only the host holds. Each plugin announces itself there before it
//! becomes a plugin (see `os::birth`), and the host reports each end. After a goodbye from the host the keeper simply exits. If the socket
//! closes without a goodbye, the host was killed: every remaining group gets SIGINT, a grace period, and SIGKILL, all other processes with
//! the mark of a plugin of that host are killed, and then the caller does its own final work (the command line folds the journal into the
//! checkpoint).
//!
//! A group is left alone if its id belongs to another process by now, which the start time shows.

mod link;
mod record;

use std::collections::HashMap;
use std::io::Read;
use std::time::{Duration, Instant};

pub(crate) use link::{KeeperLink, start};
pub(crate) use record::Record;

use crate::mark::Mark;
use crate::os::{self, Identity};

/// How a host left its keeper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parting {
    /// It said goodbye, having ended everything itself.
    Goodbye,
    /// It vanished. Its remaining processes have been ended.
    Vanished {
        /// Its process id. This differs from the keeper's parent if the host vanished before the keeper ran.
        host: Option<u32>,
    },
}

/// How long groups may take to end after SIGINT before they are killed.
const GRACE: Duration = Duration::from_secs(5);

/// How long to wait for killed processes to disappear. The kernel needs only moments, unless one hangs in a system call.
const BURIAL: Duration = Duration::from_secs(2);

/// Runs the keeper until the host is gone, and returns how it left. Waits as long as the host lives, then at most 7 s.
///
/// `input` is the process's standard input. After [`Parting::Vanished`] the caller does the remaining work.
pub fn run(mut input: impl Read) -> Parting {
    let mut groups = HashMap::new();
    let mut host = None;
    loop {
        match Record::read(&mut input) {
            Some(Record::Host(identity)) => host = Some(identity),
            Some(Record::Started(identity)) => {
                groups.insert(identity.pid, identity);
            }
            Some(Record::Ended(identity)) => {
                groups.remove(&identity.pid);
            }
            Some(Record::Goodbye) => return Parting::Goodbye,
            None => break,
        }
    }
    end(groups.into_values().collect());
    if let Some(host) = host {
        end_marked(&Mark::of_host(host));
    }
    Parting::Vanished { host: host.map(|identity| identity.pid) }
}

fn end(mut groups: Vec<Identity>) {
    groups.retain(|identity| !identity.is_taken());
    for identity in &groups {
        os::interrupt(identity.pid);
    }
    wait_for(&mut groups, GRACE);
    for identity in &groups {
        os::kill(identity.pid);
    }
    wait_for(&mut groups, BURIAL);
}

/// Ends processes that left their group. They were not asked to end, so they are killed without waiting.
fn end_marked(mark: &Mark) {
    let begin = Instant::now();
    loop {
        let look = os::look(None, mark);
        let elapsed = begin.elapsed();
        if !look.has_strays(elapsed) || elapsed >= BURIAL {
            return;
        }
        os::kill_each(&look.marked);
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Waits until no group is left or the time is up. The groups are not the keeper's children, so it has to poll.
fn wait_for(groups: &mut Vec<Identity>, limit: Duration) {
    let end = Instant::now() + limit;
    let mut pause = Duration::from_millis(2);
    loop {
        groups.retain(|identity| !identity.is_taken() && os::alive(identity.pid));
        if groups.is_empty() || Instant::now() >= end {
            return;
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(50));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goodbye_is_no_death() {
        assert_eq!(run(&Record::Goodbye.encode()[..]), Parting::Goodbye);
        assert_eq!(run(&[][..]), Parting::Vanished { host: None });
    }

    #[test]
    fn leaves_strangers_and_ended_groups_alone() {
        // Our own process plays a stranger that got the id of a plugin: if it were signalled, this test would not end.
        let own = Identity::own();
        let stranger = Identity { started: own.started + 1, ..own };
        let records = [Record::Started(own), Record::Ended(own), Record::Started(stranger)];
        let input: Vec<u8> = records.iter().flat_map(Record::encode).collect();
        assert_eq!(run(&input[..]), Parting::Vanished { host: None });
    }

    /// Linux shows a process without an environment just like one in the middle of exec.
    #[cfg(target_os = "linux")]
    #[test]
    fn who_may_still_turn_out_to_carry_the_mark_is_waited_for() {
        let mut unclear = std::process::Command::new("/bin/sleep").arg("600").env_clear().spawn().unwrap();
        // No process carries the mark of a host with the id 0.
        let host = Identity { pid: 0, ..Identity::own() };
        let begin = Instant::now();
        end_marked(&Mark::of_host(host));
        let elapsed = begin.elapsed();
        assert!(unclear.try_wait().unwrap().is_none(), "it is not ours");
        unclear.kill().unwrap();
        unclear.wait().unwrap();
        assert!(elapsed >= os::TRANSFORMATION, "{elapsed:?}");
    }

    #[test]
    fn a_cut_record_is_the_end() {
        let own = Record::Started(Identity::own()).encode();
        assert_eq!(run(&own[..own.len() - 1]), Parting::Vanished { host: None });
    }
}
