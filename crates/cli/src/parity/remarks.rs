//! Words with less or another effect here than in the peer: the command line itself cannot show that.

/// A peer's command, or a command and a flag, and the remark.
type Remarks = &'static [(&'static str, &'static str)];

/// The reason for which a run ends early.
const SETTLED: &str =
    "where the preview finds nothing to change it ends, without a question and without an entry in the history";

const PULUMI: Remarks = &[
    ("install", "writes lock files and checks for plugins, but installs nothing"),
    ("login", "`file://` backends only"),
    ("new", "the templates that come with `outrigger`"),
    ("package add", "writes the lock files that YAML programs need"),
    ("plugin list", "the plugins in the cache"),
    ("destroy", SETTLED),
    ("refresh", SETTLED),
    ("up", SETTLED),
    ("whoami", "the user of the operating system, as with every `file://` backend"),
    ("stack change-secrets-provider", "`passphrase` only"),
    ("stack new --secrets-provider", "`passphrase` only"),
];

const TERRAFORM: Remarks = &[
    ("login", "chooses where state is stored; there is no registry to log in to"),
    ("logout", "logs out of the backend"),
    ("plan", "the state is compared as it is; `--refresh` reads every resource first, as Terraform does"),
    ("plan -target", "takes URNs and patterns"),
    ("refresh", "shows the changes and asks first"),
    ("refresh -target", "takes URNs and patterns"),
];

/// The remarks about a peer.
pub(super) fn of(peer: &str) -> Remarks {
    if peer == "pulumi" { PULUMI } else { TERRAFORM }
}
