//! The keeper: a small process that outlives a killed host and ends what the host started.
//!
//! It reads [`Record`]s from its standard input, a socket whose other end only the host holds. Each plugin announces
//! itself there before it becomes a plugin (see `os::birth`), the host reports each end. When the host says goodbye the keeper just
//! leaves. When the socket closes without a goodbye, the host was killed: every group that is left gets SIGINT, a grace, and
//! SIGKILL, whatever else carries the mark of a plugin of that host is killed, and then the caller's own last act is done (the
//! command line folds the journal into the checkpoint).
//!
//! A group is left alone if its id belongs to another process by now, which the start time tells.

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
    /// It said goodbye: it has ended everything itself.
    Goodbye,
    /// It vanished. What it had started is ended now.
    Vanished {
        /// Its process id. A keeper's parent is another one if the host vanished before the keeper ran.
        host: Option<u32>,
    },
}

/// How long groups may take to end after SIGINT before they are killed.
const GRACE: Duration = Duration::from_secs(5);

/// How long to wait for killed processes to be gone. The kernel needs moments, unless one hangs in a system call.
const BURIAL: Duration = Duration::from_secs(2);

/// Does the keeper's work until the host is gone, and says how it left. Waits as long as the host lives, then at most 7 s.
///
/// `input` is the process's standard input. After [`Parting::Vanished`] the caller does what else is to be done.
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

/// Ends what left its group. It was asked by nobody, so there is nothing to wait for before it is killed.
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

/// Waits until no group is left or the time is up. These are not the keeper's children, so there is nothing to wait on: it looks.
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
        // Our own process stands for a stranger that got the id of a plugin: were it signalled, this test would not end.
        let own = Identity::own();
        let stranger = Identity { started: own.started + 1, ..own };
        let records = [Record::Started(own), Record::Ended(own), Record::Started(stranger)];
        let input: Vec<u8> = records.iter().flat_map(Record::encode).collect();
        assert_eq!(run(&input[..]), Parting::Vanished { host: None });
    }

    /// Linux shows a process without an environment like one that is just becoming another program.
    #[cfg(target_os = "linux")]
    #[test]
    fn who_may_still_turn_out_to_carry_the_mark_is_waited_for() {
        let mut unclear = std::process::Command::new("/bin/sleep").arg("600").env_clear().spawn().unwrap();
        // Nobody carries the mark of a host with the id 0.
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
