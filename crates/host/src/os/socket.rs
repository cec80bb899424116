//! A socket to a process that may be dead: writing to it is then an error, never a signal.

use std::io;
use std::os::unix::net::UnixStream;

use rustix::net::{SendFlags, send};

#[cfg(not(target_vendor = "apple"))]
const QUIETLY: SendFlags = SendFlags::NOSIGNAL;

#[cfg(target_vendor = "apple")]
const QUIETLY: SendFlags = SendFlags::empty();

/// Two connected sockets, closed on exec; the first one is for [`send_quietly`].
pub(crate) fn quiet_pair() -> io::Result<(UnixStream, UnixStream)> {
    let pair = UnixStream::pair()?;
    // On Apple's systems this is a property of the socket.
    #[cfg(target_vendor = "apple")]
    rustix::net::sockopt::set_socket_nosigpipe(&pair.0, true)?;
    Ok(pair)
}

/// Sends a few bytes in one piece. Allocates nothing, so it may be called between fork and exec, where SIGPIPE would kill
/// the child and look like a crash of the plugin.
pub(crate) fn send_quietly(socket: &UnixStream, bytes: &[u8]) -> io::Result<()> {
    send(socket, bytes, QUIETLY)?;
    Ok(())
}
