//! A key-value plugin as in go-plugin's examples, on our plugin side. The tests run it under our host and under hosts in Go.
#![allow(clippy::print_stderr, reason = "a program of its own")]

#[path = "../tests/main/kv.rs"]
#[allow(dead_code, reason = "the plugin asks only its host")]
mod kv;

use std::collections::BTreeMap;
use std::io;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};

use outrigger_transport::OutputStream;
use outrigger_transport::goplugin::{Accepted, Broker, Cookie, Network, PluginSide, Stdio};
use tokio::sync::watch;
use tonic::Status;

use self::kv::{Kv, get};

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let environment: BTreeMap<String, String> = std::env::vars().collect();
    let mut side = PluginSide::new(Cookie { key: "BASIC_PLUGIN", value: "hello" }, vec![2, 3]);
    // The host of go-plugin's example supports no other version.
    if environment.contains_key("KV_PLUGIN") {
        side.versions = vec![1];
    }
    if environment.get("KV_NETWORK").is_some_and(|network| network == "tcp") {
        side.network = Network::Tcp;
    }
    let listening = match side.listen(&environment, &mut io::stdout()).await {
        Ok(listening) => listening,
        Err(error) => {
            eprintln!("{error}");
            return error.exit_code().into();
        }
    };
    let store = Store {
        broker: listening.broker().clone(),
        stdio: listening.stdio().clone(),
        accepted: Arc::default(),
        version: listening.protocol(),
    };
    // It runs until its host asks it to end.
    let (_open, closed) = watch::channel(());
    listening.serve(Kv::new(move |key| store.clone().answer(key)), closed).await;
    ExitCode::SUCCESS
}

#[derive(Clone)]
struct Store {
    broker: Broker,
    stdio: Stdio,
    /// The services behind the broker.
    accepted: Arc<Mutex<Vec<Accepted>>>,
    version: u32,
}

impl Store {
    /// Carries out the command in the key.
    async fn answer(self, key: String) -> Result<String, Status> {
        let (verb, argument) = key.split_once(':').unwrap_or((key.as_str(), ""));
        let failed = |error: &dyn std::error::Error| Status::internal(error.to_string());
        match verb {
            "version" => Ok(self.version.to_string()),
            "print" => {
                self.stdio.print(OutputStream::Stdout, b"printed on stdout\n");
                self.stdio.print(OutputStream::Stderr, b"printed on stderr\n");
                Ok(String::new())
            }
            "dial" => {
                let id = argument.parse().map_err(|error| failed(&error))?;
                let channel = self.broker.dial(id).await.map_err(|error| failed(&error))?;
                get(channel, "asked by the plugin").await
            }
            "accept" => {
                let id = self.broker.next_id();
                let service = Kv::new(|key| async move { Ok(format!("{key}, said the plugin")) });
                let accepted = self.broker.accept(id, service).await.map_err(|error| failed(&error))?;
                self.accepted.lock().map_err(|error| failed(&error))?.push(accepted);
                Ok(id.to_string())
            }
            "wait" => std::future::pending().await,
            _ => Ok(argument.to_owned()),
        }
    }
}
