//! Plugins that another program started, such as a debugger.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;
use tokio::time::timeout;

use super::connection::Connection;
use super::crash::CrashWatch;
use super::error::{StartError, StartFailure};
use super::handshake::address_from;
use super::socket::Sockets;
use super::tls;
use crate::Reattach;
use crate::dial::CONNECT_BUDGET;

/// The version of plugins that do not name theirs.
const VERSION_IF_NOT_SAID: u32 = 5;

/// Connects to a plugin that another program started. There is no TLS, since only the first host has the key, and the plugin is never ended.
pub async fn attach(reattach: &Reattach) -> Result<Connection, StartError> {
    let address = &reattach.address;
    let unreachable = |reason| StartFailure::Unreachable { address: address.clone(), reason };
    let dialled = timeout(CONNECT_BUDGET, tls::dial(address, None)).await;
    let dialled = dialled.map_err(|_| StartFailure::Unanswered(CONNECT_BUDGET))?;
    let channel = dialled.map_err(|error| unreachable(error.to_string()))?;
    let crash = Arc::new(CrashWatch::new(None));
    Ok(Connection::new(channel, reattach.version, None, crash, Arc::new(Sockets::Apart), None))
}

/// Reads the JSON of `TF_REATTACH_PROVIDERS`: the plugins by the addresses of their packages.
pub fn reattach_providers(text: &str) -> Result<BTreeMap<String, Reattach>, String> {
    let entries: BTreeMap<String, Entry> = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let read = |(name, entry): (String, Entry)| match entry.read() {
        Ok(reattach) => Ok((name, reattach)),
        Err(reason) => Err(format!("`{name}`: {reason}")),
    };
    entries.into_iter().map(read).collect()
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Entry {
    #[serde(default)]
    protocol: String,
    #[serde(default)]
    protocol_version: u32,
    #[serde(default)]
    pid: u32,
    addr: Addr,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Addr {
    network: String,
    string: String,
}

impl Entry {
    fn read(self) -> Result<Reattach, String> {
        match self.protocol.as_str() {
            "grpc" => {}
            // go-plugin's default.
            "" | "netrpc" => return Err("it speaks net/rpc; only `\"Protocol\": \"grpc\"` is known".to_owned()),
            other => return Err(format!("it speaks `{other}`; only `\"Protocol\": \"grpc\"` is known")),
        }
        let address = address_from(&self.addr.network, &self.addr.string).map_err(|error| format!("it {error}"))?;
        let version = if self.protocol_version == 0 { VERSION_IF_NOT_SAID } else { self.protocol_version };
        Ok(Reattach { version, address, process_id: self.pid })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Address;
    use std::path::PathBuf;

    #[test]
    fn the_json_that_plugins_print() {
        let text = r#"{
            "example.com/a/b": {"Protocol":"grpc","ProtocolVersion":6,"Pid":7,"Test":true,"Addr":{"Network":"unix","String":"/tmp/p"}},
            "c": {"Protocol":"grpc","Addr":{"Network":"tcp","String":"127.0.0.1:9"}}
        }"#;
        let found = reattach_providers(text).unwrap();
        let unix = Reattach { version: 6, address: Address::Unix(PathBuf::from("/tmp/p")), process_id: 7 };
        let tcp = Reattach { version: 5, address: Address::Tcp("127.0.0.1:9".to_owned()), process_id: 0 };
        assert_eq!(found, BTreeMap::from([("example.com/a/b".to_owned(), unix), ("c".to_owned(), tcp)]));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_name() {
        for (text, reason) in [
            ("nonsense", "expected ident at line 1 column 2"),
            (r#"{"a":{}}"#, "missing field `Addr` at line 1 column 7"),
            (
                r#"{"a":{"Addr":{"Network":"unix","String":"/x"}}}"#,
                "`a`: it speaks net/rpc; only `\"Protocol\": \"grpc\"` is known",
            ),
            (
                r#"{"a":{"Protocol":"grpc","Addr":{"Network":"carrier","String":"/x"}}}"#,
                "`a`: it listens on an unknown network, `carrier`",
            ),
        ] {
            assert_eq!(reattach_providers(text), Err(reason.to_owned()), "{text}");
        }
    }

    #[tokio::test]
    async fn who_is_not_there_is_named() {
        let address = Address::Unix(PathBuf::from("/nobody/listens/here"));
        let error = attach(&Reattach { version: 5, address, process_id: 1 }).await.unwrap_err();
        assert!(error.to_string().starts_with("the connection to /nobody/listens/here failed: "), "{error}");
    }
}
