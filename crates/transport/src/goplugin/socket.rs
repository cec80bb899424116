//! Making sockets and accepting connections.

use std::fs::{self, Permissions};
use std::io;
use std::net::Ipv4Addr;
use std::ops::RangeInclusive;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::{Builder, TempPath};
use tokio::net::{TcpListener, UnixListener};

use super::directory::PrivateDirectory;
use crate::address::{Address, Socket};

/// The directory for temporary files if none is named.
const LAST_RESORT: &str = "/tmp";

/// The kind of a socket.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Network {
    /// A file of this machine.
    #[default]
    Unix,
    /// A port of this machine.
    Tcp,
}

/// The place where one side makes its sockets.
#[derive(Debug)]
pub(super) enum Sockets {
    /// In a private directory, which is removed with this.
    Private(PrivateDirectory),
    /// Each in a private directory of its own.
    Apart,
    /// In a directory that another program made, for a group or for us alone.
    Given { directory: PathBuf, group: Option<u32> },
    /// On a port among these.
    Ports(RangeInclusive<u16>),
}

impl Sockets {
    /// A new private directory, in the first of `parents` that exists and leaves enough room for the name of a socket.
    pub(super) fn private(parents: &[PathBuf]) -> io::Result<Self> {
        let mut failure = io::Error::other("no directory is named");
        for parent in parents {
            match PrivateDirectory::new_in(parent) {
                Ok(directory) => return Ok(Self::Private(directory)),
                Err(error) => failure = io::Error::new(error.kind(), format!("{}: {error}", parent.display())),
            }
        }
        Err(failure)
    }

    /// The directory, if all sockets share one.
    pub(super) fn directory(&self) -> Option<&Path> {
        match self {
            Self::Private(directory) => Some(directory.path()),
            Self::Given { directory, .. } => Some(directory),
            Self::Apart | Self::Ports(_) => None,
        }
    }

    /// Records the address on which a plugin listens.
    pub(super) fn has_socket(&self, address: &Address) {
        if let (Self::Private(directory), Address::Unix(path)) = (self, address) {
            directory.has_socket(path);
        }
    }

    /// Removes our own directory now, with anything that a killed plugin left in it.
    pub(super) fn remove(&self) {
        if let Self::Private(directory) = self {
            directory.remove();
        }
    }

    /// Removes the directories of owners that died before they could.
    pub(super) fn remove_orphans(&self) {
        if let Self::Private(directory) = self {
            directory.remove_orphans();
        }
    }

    /// Makes a socket and listens.
    pub(super) async fn listen(&self) -> io::Result<Entrance> {
        match self {
            Self::Private(directory) => Entrance::unix(directory.path(), None),
            Self::Apart => {
                let directory = PrivateDirectory::new_in(Path::new(LAST_RESORT))?;
                let entrance = Entrance::unix(directory.path(), None)?;
                Ok(Entrance { _directory: Some(directory), ..entrance })
            }
            Self::Given { directory, group } => Entrance::unix(directory, *group),
            Self::Ports(ports) => Entrance::tcp(ports.clone()).await,
        }
    }
}

/// The absolute paths among `parents`, and finally the one that always exists.
pub(super) fn or_last_resort(parents: impl IntoIterator<Item = Option<PathBuf>>) -> Vec<PathBuf> {
    let named = parents.into_iter().flatten().filter(|parent| parent.is_absolute());
    named.chain([PathBuf::from(LAST_RESORT)]).collect()
}

/// A listening socket. Its file is removed with it.
#[derive(Debug)]
pub(super) struct Entrance {
    listener: Listening,
    address: Address,
    _file: Option<TempPath>,
    _directory: Option<PrivateDirectory>,
}

#[derive(Debug)]
enum Listening {
    Unix(UnixListener),
    Tcp(TcpListener),
}

impl Entrance {
    fn unix(directory: &Path, group: Option<u32>) -> io::Result<Self> {
        let made =
            Builder::new().prefix("plugin").rand_bytes(10).make_in(directory, |path| UnixListener::bind(path))?;
        let (listener, file) = made.into_parts();
        // Connecting needs write permission; without this, a umask that we do not know would decide about it.
        if group.is_some() {
            std::os::unix::fs::chown(&file, None, group)?;
        }
        fs::set_permissions(&file, Permissions::from_mode(if group.is_some() { 0o660 } else { 0o600 }))?;
        let address = Address::Unix(file.to_path_buf());
        Ok(Self { listener: Listening::Unix(listener), address, _file: Some(file), _directory: None })
    }

    async fn tcp(ports: RangeInclusive<u16>) -> io::Result<Self> {
        let mut failure = io::Error::other(format!("no port from {} to {} exists", ports.start(), ports.end()));
        for port in ports {
            match TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await {
                Ok(listener) => {
                    let address = Address::Tcp(listener.local_addr()?.to_string());
                    return Ok(Self { listener: Listening::Tcp(listener), address, _file: None, _directory: None });
                }
                Err(error) => failure = error,
            }
        }
        Err(failure)
    }

    pub(super) fn address(&self) -> &Address {
        &self.address
    }

    pub(super) async fn accept(&self) -> io::Result<Socket> {
        match &self.listener {
            Listening::Unix(listener) => Ok(Socket::Left(listener.accept().await?.0)),
            Listening::Tcp(listener) => {
                let (stream, _) = listener.accept().await?;
                // On failure, the connection is only slower.
                let _slower = stream.set_nodelay(true);
                Ok(Socket::Right(stream))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_directory_that_is_too_long_or_not_there_is_passed_over() {
        let base = tempfile::tempdir().unwrap();
        let long = base.path().join("x".repeat(80));
        fs::create_dir(&long).unwrap();
        let parents = [base.path().join("none"), long.clone(), base.path().to_owned()];
        let sockets = Sockets::private(&parents).unwrap();
        let directory = sockets.directory().unwrap().to_owned();
        assert_eq!(directory.parent(), Some(base.path()));
        // The directory that was tried and was too long is removed again.
        assert_eq!(fs::read_dir(&long).unwrap().count(), 0);
        let error = Sockets::private(&parents[..2]).unwrap_err().to_string();
        assert_eq!(error, format!("{}: the path is too long for a socket in it", long.display()));
        let entrance = sockets.listen().await.unwrap();
        let Address::Unix(path) = entrance.address().clone() else { panic!() };
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        drop(entrance);
        assert!(!path.exists());
        sockets.remove();
        assert!(!directory.exists());
    }

    #[tokio::test]
    async fn the_first_free_port_is_taken() {
        let taken = Sockets::Ports(0..=0).listen().await.unwrap();
        let Address::Tcp(address) = taken.address() else { panic!() };
        let port: u16 = address.rsplit_once(':').unwrap().1.parse().unwrap();
        assert!(Sockets::Ports(port..=port).listen().await.is_err());
        let (dialled, accepted) = tokio::join!(taken.address().dial(), taken.accept());
        assert!(dialled.is_ok() && accepted.is_ok());
    }
}
