//! The plugin's end: from the environment that the host set to services on a socket.

use std::collections::BTreeMap;
use std::io::Write;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use super::broker::Broker;
use super::certificate::{self, Identity};
use super::directory::is_short_enough;
use super::error::PluginError;
use super::handshake::Handshake;
use super::services::{Services, Stdio};
use super::socket::{Network, Sockets, or_last_resort};
use super::tls::{Gate, Tls};
use super::{Cookie, variables};
use crate::server::{self, Grpc};

/// The start of the text for a user who starts a plugin by hand.
pub(super) const NO_HOST: &str = "This program is a plugin";

/// How long running calls may take to be answered after the plugin was asked to end. The host waits for two seconds.
const GRACE: Duration = Duration::from_secs(1);

/// A plugin before it is served.
#[derive(Clone, Debug)]
pub struct PluginSide {
    /// The cookie of the application.
    pub cookie: Cookie,
    /// The versions of the application's protocol that it can serve.
    pub versions: Vec<u32>,
    /// The kind of socket that it listens on.
    pub network: Network,
}

impl PluginSide {
    /// On a Unix socket.
    pub fn new(cookie: Cookie, versions: Vec<u32>) -> Self {
        Self { cookie, versions, network: Network::Unix }
    }

    /// Listens, and announces the address in a line. `environment`: the variables that the host has set; `announcement`: stdout, on which
    /// nothing may be printed before.
    pub async fn listen(
        &self,
        environment: &BTreeMap<String, String>,
        announcement: &mut impl Write,
    ) -> Result<Listening, PluginError> {
        // An empty variable means the same as none.
        let variable = |name: &str| environment.get(name).map(String::as_str).filter(|value| !value.is_empty());
        if variable(self.cookie.key) != Some(self.cookie.value) {
            return Err(PluginError::NoHost { key: self.cookie.key });
        }
        let version = chosen(&self.versions, variable(variables::VERSIONS).unwrap_or_default());
        let (certificate, tls) = match variable(variables::CLIENT_CERTIFICATE) {
            Some(pem) => {
                let identity = Identity::new().map_err(|error| PluginError::Certificate(error.to_string()))?;
                let theirs = certificate::from_pem(pem)
                    .map_err(|reason| PluginError::Variable { variable: variables::CLIENT_CERTIFICATE, reason })?;
                let tls = Tls::new(&identity, theirs).map_err(|error| PluginError::Certificate(error.to_string()))?;
                (Some(identity.certificate().to_vec()), Some(tls))
            }
            // A certificate that was not requested makes hosts in Go panic.
            None => (None, None),
        };
        let sockets = Arc::new(match self.network {
            Network::Unix => sockets(&variable)?,
            Network::Tcp => Sockets::Ports(ports(&variable)?),
        });
        let entrance = sockets.listen().await.map_err(PluginError::Listen)?;
        let handshake = Handshake { version, address: entrance.address().clone(), certificate };
        let line = handshake.line(variable(variables::MULTIPLEX).is_some());
        writeln!(announcement, "{line}").and_then(|()| announcement.flush()).map_err(PluginError::Announce)?;
        let broker = Broker::new(sockets, tls.clone());
        Ok(Listening { gate: Gate { entrance, tls }, version, broker, stdio: Stdio::default() })
    }
}

/// A plugin that was announced, and serves as soon as it has its services.
pub struct Listening {
    gate: Gate,
    version: u32,
    broker: Broker,
    stdio: Stdio,
}

impl Listening {
    /// The version of the application's protocol that host and plugin share.
    pub fn protocol(&self) -> u32 {
        self.version
    }

    /// Further connections.
    pub fn broker(&self) -> &Broker {
        &self.broker
    }

    /// The plugin's output for the host's user.
    pub fn stdio(&self) -> &Stdio {
        &self.stdio
    }

    /// Serves the application's service, or several behind one, until the host asks it to end or `closed` changes. Running calls then have a
    /// second to be answered.
    pub async fn serve<S: Grpc>(self, application: S, mut closed: watch::Receiver<()>) {
        let (end, mut ended) = watch::channel(());
        let services = Services::new(application, self.broker, self.stdio, end.clone()).await;
        let serving = server::serve(self.gate, services, end.subscribe());
        tokio::pin!(serving);
        tokio::select! {
            () = &mut serving => return,
            _ = ended.changed() => {}
            _ = closed.changed() => { end.send_replace(()); }
        }
        let _in_time = tokio::time::timeout(GRACE, serving).await;
    }
}

/// The highest version that both have. If there is none, or the host is too old to name its versions, our lowest: the host refuses it.
fn chosen(ours: &[u32], theirs: &str) -> u32 {
    // Entries that are not numbers are skipped, as in go-plugin.
    let shared = theirs.split(',').filter_map(|text| text.trim().parse().ok()).filter(|version| ours.contains(version));
    shared.max().or_else(|| ours.iter().min().copied()).unwrap_or_default()
}

fn sockets<'a>(variable: &impl Fn(&str) -> Option<&'a str>) -> Result<Sockets, PluginError> {
    let group = variable(variables::SOCKET_GROUP).map(group_id).transpose()?;
    let directory = variable(variables::SOCKET_DIRECTORY).map(PathBuf::from).or_else(|| {
        let temporary = variable("TMPDIR").map(PathBuf::from).filter(|directory| is_short_enough(directory));
        or_last_resort([temporary]).into_iter().next()
    });
    Ok(Sockets::Given { directory: directory.unwrap_or_default(), group })
}

/// A group by its number or its name.
fn group_id(group: &str) -> Result<u32, PluginError> {
    let unknown = |reason: String| PluginError::Variable { variable: variables::SOCKET_GROUP, reason };
    if let Ok(number) = group.parse() {
        return Ok(number);
    }
    let groups = std::fs::read_to_string("/etc/group").map_err(|error| unknown(format!("/etc/group: {error}")))?;
    let line = groups.lines().map(|line| line.split(':')).find_map(|mut fields| {
        let found = fields.next() == Some(group);
        found.then(|| fields.nth(1)).flatten()
    });
    line.and_then(|number| number.parse().ok()).ok_or_else(|| unknown(format!("there is no group `{group}`")))
}

/// Without bounds, any port.
fn ports<'a>(variable: &impl Fn(&str) -> Option<&'a str>) -> Result<RangeInclusive<u16>, PluginError> {
    let bound = |name: &'static str| match variable(name) {
        None => Ok(0),
        Some(text) => text
            .parse()
            .map_err(|_| PluginError::Variable { variable: name, reason: format!("`{text}` is not a port") }),
    };
    let (first, last) = (bound(variables::MIN_PORT)?, bound(variables::MAX_PORT)?);
    if first > last {
        let reason = format!("it is {first}, and {} is {last}", variables::MAX_PORT);
        return Err(PluginError::Variable { variable: variables::MIN_PORT, reason });
    }
    Ok(first..=last)
}

#[cfg(test)]
mod tests {
    use super::*;

    const COOKIE: Cookie = Cookie { key: "COOKIE", value: "yes" };

    async fn listen(side: &PluginSide, variables: &[(&str, &str)]) -> Result<String, PluginError> {
        let environment = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let mut line = Vec::new();
        side.listen(&environment, &mut line).await.map(|_| String::from_utf8(line).unwrap())
    }

    #[tokio::test]
    async fn nothing_is_printed_without_the_cookie() {
        let side = PluginSide::new(COOKIE, vec![5]);
        for variables in [&[][..], &[("COOKIE", "no")]] {
            let error = listen(&side, variables).await.unwrap_err();
            assert!(error.to_string().starts_with(NO_HOST), "{error}");
            assert_eq!(error.exit_code(), 1);
        }
    }

    #[tokio::test]
    async fn the_line_says_what_was_agreed_on() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().display().to_string();
        let side = PluginSide::new(COOKIE, vec![5, 6]);
        let base = [("COOKIE", "yes"), ("TMPDIR", path.as_str()), ("PLUGIN_PROTOCOL_VERSIONS", "6,x,5")];
        let line = listen(&side, &base).await.unwrap();
        assert!(line.starts_with(&format!("1|6|unix|{path}/plugin")) && line.ends_with("|grpc|\n"), "{line}");
        let asked = listen(&side, &[&base[..], &[("PLUGIN_MULTIPLEX_GRPC", "true")]].concat()).await.unwrap();
        assert!(asked.ends_with("|grpc||false\n"), "{asked}");
        let pem = Identity::new().unwrap().pem();
        let secured = listen(&side, &[&base[..], &[("PLUGIN_CLIENT_CERT", &pem)]].concat()).await.unwrap();
        assert!(Handshake::parse(secured.as_bytes(), &[6]).unwrap().certificate.is_some(), "{secured}");
        let tcp = PluginSide { network: Network::Tcp, ..side };
        assert!(listen(&tcp, &base).await.unwrap().starts_with("1|6|tcp|127.0.0.1:"));
        // Sockets without a listener leave nothing behind.
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    }

    #[tokio::test]
    async fn what_the_host_has_set_wrong_is_said() {
        let unix = PluginSide::new(COOKIE, vec![5]);
        let tcp = PluginSide { network: Network::Tcp, ..unix.clone() };
        for (side, name, value, reason) in [
            (&unix, "PLUGIN_UNIX_SOCKET_GROUP", "no such group", "there is no group `no such group`"),
            (&unix, "PLUGIN_CLIENT_CERT", "x", "no items found"),
            (&tcp, "PLUGIN_MIN_PORT", "many", "`many` is not a port"),
            (&tcp, "PLUGIN_MIN_PORT", "7", "it is 7, and PLUGIN_MAX_PORT is 0"),
        ] {
            let error = listen(side, &[("COOKIE", "yes"), (name, value)]).await.unwrap_err();
            let text = error.to_string();
            assert!(text.contains(name) && text.contains(reason), "{text}");
        }
        assert_eq!(group_id("0").unwrap(), 0);
        assert_eq!(group_id("root").unwrap(), 0);
    }

    #[test]
    fn the_highest_shared_version_or_the_lowest_of_ours() {
        assert_eq!(chosen(&[5, 6], "4,6,5"), 6);
        assert_eq!(chosen(&[5, 6], " 5 "), 5);
        assert_eq!(chosen(&[6, 5], "7"), 5);
        assert_eq!(chosen(&[6, 5], ""), 5);
        assert_eq!(chosen(&[6, 5], "six,,5"), 5);
    }
}
