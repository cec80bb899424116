//! Pulumi's marks for values that JSON lacks: objects with a signature key that gives their kind. The wire and the state file use
//! the same marks.

/// The key whose value gives the kind of object.
pub const SIGNATURE: &str = "4dabf18193072939515e22adb298388d";
/// A secret.
pub const SECRET: &str = "1b47061264138c4ac30d75fd1eb44270";
/// An asset.
pub const ASSET: &str = "c44067f5952c0a294b673a41bacd8c17";
/// An archive.
pub const ARCHIVE: &str = "0def7320c3a5731c473e5ecbe6d01bc7";
/// A reference to a resource.
pub const RESOURCE: &str = "5cf8f73096256a8f31e491e813e4eb8e";
/// An output value.
pub const OUTPUT: &str = "d0e6a833031e9bbcd3f4e8bde6ca49a4";
