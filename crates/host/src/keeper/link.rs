//! The host's end of the connection: starts a keeper and sends it records.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::channel;

use super::Record;
use crate::KeeperCommand;
use crate::mark;
use crate::os::{self, Identity};

/// A connection to one keeper.
#[derive(Debug)]
pub(crate) struct KeeperLink {
    socket: Arc<UnixStream>,
}

impl KeeperLink {
    /// The socket, through which children announce themselves.
    pub(crate) fn socket(&self) -> Arc<UnixStream> {
        Arc::clone(&self.socket)
    }

    /// Sends the keeper a record; an error means that the keeper is gone.
    pub(crate) fn tell(&self, record: Record) -> io::Result<()> {
        os::send_quietly(&self.socket, &record.encode())
    }
}

/// Starts a keeper that knows these groups. It may still be loading when this returns: records sent meanwhile wait in
/// the socket, and so does the end of the stream if we die. So there is no need to wait for it, and nothing is lost. The groups are in the
/// socket before the process exists: a replacement keeper knows them even if we are killed at once.
///
/// `ended` is called, on a separate thread, when that keeper has ended.
pub(crate) fn start<'a>(
    command: &KeeperCommand,
    living: impl Iterator<Item = &'a Identity>,
    ended: impl FnOnce() + Send + 'static,
) -> io::Result<KeeperLink> {
    // This thread reaps the keeper and so is first to know of its end. It is started before the keeper: if starting it failed with the
    // keeper running, the keeper would take the closed socket for our death and end every group it knows.
    let (hand_over, handed_over) = channel::<Child>();
    std::thread::Builder::new().name("outrigger-keeper-watch".to_owned()).stack_size(128 * 1024).spawn(move || {
        if let Ok(mut keeper) = handed_over.recv() {
            let _how = keeper.wait();
            ended();
        }
    })?;
    let (ours, theirs) = os::quiet_pair()?;
    // In one piece: an unread socket takes many bytes, but only some hundred pieces.
    let known = [Record::Host(Identity::own())].into_iter().chain(living.map(|identity| Record::Started(*identity)));
    os::send_quietly(&ours, &known.flat_map(|record| record.encode()).collect::<Vec<u8>>())?;
    let mut process = Command::new(&command.program);
    process
        .args(&command.arguments)
        .env_clear()
        .envs(command.environment.iter().map(|(name, value)| (name, value)))
        // If we are part of a plugin ourselves, ending that plugin must leave the keeper to its work.
        .env_remove(mark::VARIABLE)
        .stdin(Stdio::from(OwnedFd::from(theirs)))
        // It outlives us: a program that reads our output to its end must not wait for the keeper as well.
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    os::keeper_child(&mut process);
    // The thread waits for nothing else.
    let _taken = hand_over.send(process.spawn()?);
    Ok(KeeperLink { socket: Arc::new(ours) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_keeper_that_cannot_be_started_does_not_end() {
        let command = |program: &str| KeeperCommand { program: program.into(), ..KeeperCommand::default() };
        let (tell, told) = channel();
        let also = tell.clone();
        start(&command("/nowhere"), [].into_iter(), move || also.send("one that was never there").unwrap())
            .unwrap_err();
        let link = start(&command("/bin/cat"), [].into_iter(), move || tell.send("the other").unwrap()).unwrap();
        drop(link);
        // Until every sender is gone.
        assert_eq!(told.iter().collect::<Vec<_>>(), ["the other"]);
    }
}
