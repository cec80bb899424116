//! The address of a listener, and a connection to it.

use std::fmt;
use std::io;
use std::net::Ipv4Addr;
use std::path::PathBuf;

use tokio::net::{TcpStream, UnixStream};
use tokio_util::either::Either;

/// The address of a listener.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// The path of a socket.
    Unix(PathBuf),
    /// A host and a port.
    Tcp(String),
}

impl Address {
    /// A port of this machine.
    pub fn of_port(port: u16) -> Self {
        Self::Tcp(format!("{}:{port}", Ipv4Addr::LOCALHOST))
    }

    /// `HOST:PORT`.
    pub fn tcp(text: &str) -> Option<Self> {
        let (host, port) = text.rsplit_once(':')?;
        (!host.is_empty() && port.parse::<u16>().is_ok()).then(|| Self::Tcp(text.to_owned()))
    }

    /// The name of the network.
    pub fn network(&self) -> &'static str {
        match self {
            Self::Unix(_) => "unix",
            Self::Tcp(_) => "tcp",
        }
    }

    pub(crate) async fn dial(&self) -> io::Result<Socket> {
        match self {
            Self::Unix(path) => UnixStream::connect(path).await.map(Socket::Left),
            Self::Tcp(address) => {
                let stream = TcpStream::connect(address.as_str()).await?;
                // Small requests must not wait for the acknowledgement of the one before.
                stream.set_nodelay(true)?;
                Ok(Socket::Right(stream))
            }
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unix(path) => write!(f, "{}", path.display()),
            Self::Tcp(address) => f.write_str(address),
        }
    }
}

/// A connection: to the path of a socket, or to a port.
pub(crate) type Socket = Either<UnixStream, TcpStream>;
