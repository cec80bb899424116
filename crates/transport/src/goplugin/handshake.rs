//! The line in which a plugin announces its address: `CORE|VERSION|NETWORK|ADDRESS|PROTOCOL|CERTIFICATE|MULTIPLEXING`.

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use base64::engine::{DecodePaddingMode, general_purpose::STANDARD_NO_PAD};
use thiserror::Error;

use crate::Address;
use crate::line::shown;

/// The version of go-plugin's own protocol, the only one.
const CORE: u32 = 1;

/// Old plugins write other text in place of the certificate; none of it is longer.
const NOT_A_CERTIFICATE: usize = 50;

/// A plugin's handshake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handshake {
    /// The version of the application's protocol.
    pub version: u32,
    /// Its address.
    pub address: Address,
    /// Its certificate, if it wants TLS.
    pub certificate: Option<Vec<u8>>,
}

/// Why a line is not the handshake of a usable plugin. Each text completes "it ..."; quoted parts of the line are cut to a readable length.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum HandshakeError {
    /// Fewer than four fields.
    #[error("printed something else before its handshake, as its first line")]
    NotAHandshake,
    /// More than a line may have.
    #[error("printed more than 64 KiB without a line break instead of its handshake")]
    TooLong,
    /// Another core protocol.
    #[error("speaks version `{0}` of go-plugin's core protocol, but only version 1 is supported: rebuild it")]
    Core(String),
    /// A version that is no number.
    #[error("has `{0}` in place of its protocol version")]
    NotAVersion(String),
    /// A version that the host does not speak.
    #[error("speaks version {theirs} of the protocol, and this host speaks {}", list(.ours))]
    Version {
        /// The plugin's.
        theirs: u32,
        /// The host's.
        ours: Vec<u32>,
    },
    /// Neither `unix` nor `tcp`.
    #[error("listens on an unknown network, `{0}`")]
    Network(String),
    /// An address that cannot be dialled.
    #[error("listens at `{0}`, which is not an address")]
    Address(String),
    /// Go's own net/rpc.
    #[error("speaks net/rpc, which plugins did before gRPC: it is too old for this host")]
    NetRpc,
    /// Neither `grpc` nor `netrpc`.
    #[error("speaks `{0}`, and only gRPC is known")]
    Protocol(String),
    /// A certificate that is not base64.
    #[error("sent a certificate that cannot be read ({0})")]
    Certificate(String),
}

impl Handshake {
    /// Parses a line. `versions`: those of the host.
    pub fn parse(line: &[u8], versions: &[u32]) -> Result<Self, HandshakeError> {
        let line = std::str::from_utf8(line).map_err(|_| HandshakeError::NotAHandshake)?;
        let fields: Vec<&str> = line.trim().split('|').collect();
        let [core, version, network, address, rest @ ..] = fields.as_slice() else {
            return Err(HandshakeError::NotAHandshake);
        };
        // A line with bars that is not a handshake begins with words.
        let core_version: u32 = core.parse().map_err(|_| HandshakeError::NotAHandshake)?;
        if core_version != CORE {
            return Err(HandshakeError::Core(shown(core.as_bytes())));
        }
        let version = version.parse().map_err(|_| HandshakeError::NotAVersion(shown(version.as_bytes())))?;
        if !versions.contains(&version) {
            return Err(HandshakeError::Version { theirs: version, ours: versions.to_vec() });
        }
        let address = address_from(network, address)?;
        match rest.first().copied() {
            Some("grpc") => {}
            None | Some("netrpc") => return Err(HandshakeError::NetRpc),
            Some(other) => return Err(HandshakeError::Protocol(shown(other.as_bytes()))),
        }
        let certificate = rest.get(1).filter(|text| text.len() > NOT_A_CERTIFICATE);
        let certificate = certificate.map(|text| certificate_from(text)).transpose()?;
        Ok(Self { version, address, certificate })
    }

    /// The line, without its line break. `multiplexing_asked`: only hosts that ask know the last field; older ones take it for a part of the
    /// certificate.
    pub fn line(&self, multiplexing_asked: bool) -> String {
        let Self { version, address, certificate } = self;
        let certificate = certificate.as_ref().map(|der| STANDARD_NO_PAD.encode(der)).unwrap_or_default();
        let multiplexing = if multiplexing_asked { "|false" } else { "" };
        format!("{CORE}|{version}|{}|{address}|grpc|{certificate}{multiplexing}", address.network())
    }
}

/// The address that the other side announces.
pub(super) fn address_from(network: &str, address: &str) -> Result<Address, HandshakeError> {
    let found = match network {
        "unix" => (!address.is_empty()).then(|| Address::Unix(address.into())),
        "tcp" => Address::tcp(address),
        other => return Err(HandshakeError::Network(shown(other.as_bytes()))),
    };
    found.ok_or_else(|| HandshakeError::Address(shown(address.as_bytes())))
}

/// Go writes it without padding; others may add it.
fn certificate_from(text: &str) -> Result<Vec<u8>, HandshakeError> {
    let config = GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    let decoded = GeneralPurpose::new(&STANDARD, config).decode(text);
    decoded.map_err(|error| HandshakeError::Certificate(error.to_string()))
}

pub(super) fn list(versions: &[u32]) -> String {
    let versions: Vec<String> = versions.iter().map(u32::to_string).collect();
    versions.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::path::PathBuf;

    fn parse(line: &str) -> Result<Handshake, HandshakeError> {
        Handshake::parse(line.as_bytes(), &[5, 6])
    }

    fn unix(version: u32) -> Handshake {
        Handshake { version, address: Address::Unix(PathBuf::from("/tmp/p")), certificate: None }
    }

    #[test]
    fn four_to_seven_fields() {
        assert_eq!(parse("1|5|unix|/tmp/p|grpc|"), Ok(unix(5)));
        assert_eq!(parse(" 1|6|unix|/tmp/p|grpc \r"), Ok(unix(6)));
        assert_eq!(parse("1|6|unix|/tmp/p|grpc||false"), Ok(unix(6)));
        let tcp = Handshake { address: Address::Tcp("127.0.0.1:1234".to_owned()), ..unix(5) };
        assert_eq!(parse("1|5|tcp|127.0.0.1:1234|grpc"), Ok(tcp));
        assert_eq!(parse("1|5|unix|/tmp/p"), Err(HandshakeError::NetRpc));
        assert_eq!(parse("1|5|unix|/tmp/p|netrpc|"), Err(HandshakeError::NetRpc));
    }

    #[test]
    fn what_old_plugins_put_in_the_place_of_a_certificate_is_none() {
        assert_eq!(parse(&format!("1|5|unix|/tmp/p|grpc|{}", "x".repeat(50))), Ok(unix(5)));
        for padding in ["", "=="] {
            let line = format!("1|5|unix|/tmp/p|grpc|{}{padding}", "A".repeat(54));
            assert_eq!(parse(&line).map(|found| found.certificate), Ok(Some(vec![0; 40])), "{line}");
        }
        let bad = parse(&format!("1|5|unix|/tmp/p|grpc|{}", "-".repeat(60)));
        assert!(matches!(bad, Err(HandshakeError::Certificate(_))), "{bad:?}");
    }

    #[test]
    fn every_other_line_is_refused_with_its_reason() {
        for (line, reason) in [
            ("", "printed something else before its handshake, as its first line"),
            ("usage: a|b|c|d", "printed something else before its handshake, as its first line"),
            (
                "2|5|unix|/tmp/p|grpc|",
                "speaks version `2` of go-plugin's core protocol, but only version 1 is supported: rebuild it",
            ),
            ("1|five|unix|/tmp/p|grpc|", "has `five` in place of its protocol version"),
            ("1|4|unix|/tmp/p|netrpc", "speaks version 4 of the protocol, and this host speaks 5, 6"),
            ("1|5|pipe|/tmp/p|grpc|", "listens on an unknown network, `pipe`"),
            ("1|5|unix||grpc|", "listens at ``, which is not an address"),
            ("1|5|tcp|1234|grpc|", "listens at `1234`, which is not an address"),
            ("1|5|unix|/tmp/p|http|", "speaks `http`, and only gRPC is known"),
        ] {
            assert_eq!(parse(line).map_err(|error| error.to_string()), Err(reason.to_owned()), "{line}");
        }
        assert_eq!(Handshake::parse(b"1|5|unix|/\xff|grpc|", &[5]), Err(HandshakeError::NotAHandshake));
    }

    #[test]
    fn what_is_repeated_of_a_line_is_short_and_moves_no_cursor() {
        let odd = "\u{1b}[2J".repeat(500);
        for line in [
            format!("1|{odd}|unix|/tmp/p|grpc|"),
            format!("1|5|{odd}|/tmp/p|grpc|"),
            format!("1|5|tcp|{odd}|grpc|"),
            format!("1|5|unix|/tmp/p|{odd}|"),
        ] {
            let reason = parse(&line).unwrap_err().to_string();
            assert!(reason.len() < 1000 && !reason.contains(char::is_control), "{reason:?}");
        }
    }

    #[test]
    fn only_who_asks_hears_of_multiplexing() {
        assert_eq!(unix(5).line(false), "1|5|unix|/tmp/p|grpc|");
        assert_eq!(unix(5).line(true), "1|5|unix|/tmp/p|grpc||false");
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(line in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _either = Handshake::parse(&line, &[5]);
        }

        #[test]
        fn what_is_said_is_heard(
            version in 0_u32..9, path in "/[a-z/.]{0,80}[a-z]", tcp: bool, port: u16,
            certificate in proptest::option::of(proptest::collection::vec(any::<u8>(), 39..900)),
            asked: bool,
        ) {
            let address = if tcp { Address::Tcp(format!("127.0.0.1:{port}")) } else { Address::Unix(path.into()) };
            let said = Handshake { version, address, certificate };
            let line = format!("{}\n", said.line(asked));
            prop_assert_eq!(Handshake::parse(line.as_bytes(), &[version]), Ok(said));
        }
    }
}
