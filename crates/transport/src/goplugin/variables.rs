//! The environment variables of go-plugin.

/// The host's versions of the application's protocol, separated by commas, in any order.
pub(super) const VERSIONS: &str = "PLUGIN_PROTOCOL_VERSIONS";
/// The host's certificate, in PEM.
pub(super) const CLIENT_CERTIFICATE: &str = "PLUGIN_CLIENT_CERT";
/// The range from which a plugin that listens on TCP chooses its port.
pub(super) const MIN_PORT: &str = "PLUGIN_MIN_PORT";
pub(super) const MAX_PORT: &str = "PLUGIN_MAX_PORT";
/// The directory for a plugin's sockets.
pub(super) const SOCKET_DIRECTORY: &str = "PLUGIN_UNIX_SOCKET_DIR";
/// The group that may connect.
pub(super) const SOCKET_GROUP: &str = "PLUGIN_UNIX_SOCKET_GROUP";
/// Whether the host wants all connections of the broker over one.
pub(super) const MULTIPLEX: &str = "PLUGIN_MULTIPLEX_GRPC";

/// All of them. A host that was itself started as a plugin has inherited them, with other meanings.
pub(super) const ALL: [&str; 7] =
    [VERSIONS, CLIENT_CERTIFICATE, MIN_PORT, MAX_PORT, SOCKET_DIRECTORY, SOCKET_GROUP, MULTIPLEX];
