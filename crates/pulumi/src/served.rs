//! A gRPC service of ours on a port of this machine.

use std::io;
use std::net::Ipv4Addr;

use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tonic::transport::server::{Router, TcpIncoming};

/// Services that plugins call back. They end when this is dropped.
pub(crate) struct Served {
    address: String,
    task: JoinHandle<()>,
}

impl Served {
    /// Starts to listen and serve.
    pub(crate) async fn start(services: Router) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?.to_string();
        let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
        let task = tokio::spawn(async move {
            // It ends only with an error of the listener; plugins then see that the host is gone.
            let _ = services.serve_with_incoming(incoming).await;
        });
        Ok(Self { address, task })
    }

    /// What a plugin dials: `127.0.0.1:PORT`.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.task.abort();
    }
}
