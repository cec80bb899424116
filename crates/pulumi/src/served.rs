//! A gRPC service of ours on a port of this machine.

use std::io;
use std::net::Ipv4Addr;

use outrigger_transport::Address;
use outrigger_transport::server::{self, Grpc};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tonic::server::NamedService;

use crate::routes::Routes;

/// A service that plugins call back. It ends when this is dropped.
pub(crate) struct Served {
    address: Address,
    /// Dropping it closes the connections.
    _open: watch::Sender<()>,
}

impl Served {
    /// Starts to listen and serve.
    pub(crate) async fn start<S: NamedService + Grpc>(service: S) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = Address::Tcp(listener.local_addr()?.to_string());
        let (open, closed) = watch::channel(());
        tokio::spawn(server::serve(listener, Routes::to(service).await, closed));
        Ok(Self { address, _open: open })
    }

    /// The address that a plugin dials.
    pub(crate) fn address(&self) -> &Address {
        &self.address
    }
}
