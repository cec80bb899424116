//! Pulumi's checkpoint file and deployment document, split and assembled as text.

pub(crate) mod alias;
pub(crate) mod entry;
pub(crate) mod fields;
pub(crate) mod integrity;
pub(crate) mod json;
pub(crate) mod node;
pub(crate) mod order;
pub(crate) mod property;
pub(crate) mod snapshot;
pub(crate) mod table;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;
use outrigger_diagnostic::{Diagnostic, Place};
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};

use crate::checkpoint::json::JsonWriter;
use crate::checkpoint::snapshot::KNOWN_FEATURES;

/// The version that this build writes in a manifest.
const ENGINE: &str = concat!("outrigger v", env!("CARGO_PKG_VERSION"));
/// The newest format that Pulumi and this build support.
const NEWEST: u64 = 4;
const CURRENT: u64 = 3;

/// A deployment, with its entries as text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Deployment {
    /// `manifest`, as stored.
    pub(crate) manifest: Option<String>,
    /// `secrets_providers`, as stored.
    pub(crate) secrets_provider: Option<String>,
    /// The entries, in the order of the file.
    pub(crate) resources: Vec<Arc<str>>,
    /// The pending operations: kind and entry.
    pub(crate) operations: Vec<(String, Arc<str>)>,
    /// Everything else: `metadata`, `snippets`, `extensions`, and unknown fields.
    pub(crate) rest: BTreeMap<String, String>,
}

/// The contents of a checkpoint file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Checkpoint {
    /// The deployment; `None` before the first one.
    pub(crate) deployment: Option<Deployment>,
}

/// The kind of document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Document {
    /// A stack's file in a backend: `{"version", "features", "checkpoint": {"stack", "latest"}}`.
    Checkpoint,
    /// The output of `stack export`: `{"version", "features", "deployment"}`.
    Export,
}

/// A deployment as it appears in the text of a document: nothing is copied, and entries are not parsed.
#[derive(Debug, Default)]
pub(crate) struct Scanned<'a> {
    pub(crate) manifest: Option<&'a str>,
    pub(crate) secrets_provider: Option<&'a str>,
    pub(crate) resources: Vec<&'a str>,
    pub(crate) operations: Vec<(String, &'a str)>,
    rest: BTreeMap<String, &'a str>,
}

impl Deployment {
    /// The same, borrowed.
    pub(crate) fn scanned(&self) -> Scanned<'_> {
        Scanned {
            manifest: self.manifest.as_deref(),
            secrets_provider: self.secrets_provider.as_deref(),
            resources: self.resources.iter().map(|text| &**text).collect(),
            operations: self.operations.iter().map(|(kind, text)| (kind.clone(), &**text)).collect(),
            rest: BTreeMap::new(),
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Scanned<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = Scanned<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a deployment")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut found = Scanned::default();
                while let Some(key) = map.next_key::<String>()? {
                    match key.as_str() {
                        "resources" => {
                            let entries = map.next_value::<Option<Vec<&RawValue>>>()?.unwrap_or_default();
                            found.resources = entries.into_iter().map(RawValue::get).collect();
                        }
                        "pending_operations" => {
                            let operations = map.next_value::<Option<Vec<Operation<'_>>>>()?.unwrap_or_default();
                            let operations = operations.into_iter().map(|each| (each.kind, each.resource.get()));
                            found.operations = operations.collect();
                        }
                        _ => {
                            let text = Some(map.next_value::<&RawValue>()?.get()).filter(|text| *text != "null");
                            match key.as_str() {
                                "manifest" => found.manifest = text,
                                "secrets_providers" => found.secrets_provider = text,
                                _ => drop(found.rest.insert(key, text.unwrap_or("null"))),
                            }
                        }
                    }
                }
                Ok(found)
            }
        }
        deserializer.deserialize_map(Fields)
    }
}

#[derive(Deserialize)]
struct Envelope<T> {
    #[serde(default)]
    version: u64,
    #[serde(default)]
    features: Option<Vec<String>>,
    checkpoint: Option<Inner<T>>,
    deployment: Option<T>,
    latest: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct Inner<T> {
    latest: Option<T>,
}

#[derive(Deserialize)]
struct Operation<'a> {
    #[serde(borrow)]
    resource: &'a RawValue,
    #[serde(rename = "type")]
    kind: String,
}

#[derive(Deserialize)]
#[serde(default)]
#[derive(Default)]
struct Manifest {
    magic: String,
    version: String,
}

/// Reads a document. `file` is its name for messages.
pub(crate) fn read(bytes: &[u8], document: Document, file: &str) -> Result<Checkpoint, Diagnostic> {
    let deployment = scan(bytes, document, file)?.map(|found| Deployment {
        manifest: found.manifest.map(str::to_owned),
        secrets_provider: found.secrets_provider.map(str::to_owned),
        resources: found.resources.into_iter().map(Into::into).collect(),
        operations: found.operations.into_iter().map(|(kind, text)| (kind, text.into())).collect(),
        rest: found.rest.into_iter().map(|(key, text)| (key, text.to_owned())).collect(),
    });
    Ok(Checkpoint { deployment })
}

/// Finds the deployment in a document, in one pass. A stack's file has none before its first deployment.
pub(crate) fn scan<'a>(bytes: &'a [u8], document: Document, file: &str) -> Result<Option<Scanned<'a>>, Diagnostic> {
    refuse_compressed(bytes, file)?;
    let broken = |error: &serde_json::Error| not_json(error, document, file);
    let text = std::str::from_utf8(bytes);
    let envelope: Result<Envelope<Scanned<'a>>, _> =
        text.map_or_else(|_| serde_json::from_slice(bytes), serde_json::from_str);
    let envelope = envelope.or_else(|error| {
        // Another version may define a deployment differently, so the error about the version is the better one.
        let envelope: Envelope<IgnoredAny> = serde_json::from_slice(bytes).map_err(|_| broken(&error))?;
        check_version(&envelope, document, file)?;
        Err(broken(&error))
    })?;
    check_version(&envelope, document, file)?;
    let latest = match document {
        Document::Export => envelope.deployment,
        Document::Checkpoint => envelope.checkpoint.and_then(|checkpoint| checkpoint.latest),
    };
    if latest.is_none() && document == Document::Export {
        return Err(Diagnostic::error("deployment-missing", format!("{file} holds no deployment"))
            .detail("The field `deployment` is missing.")
            .hint("Import the output of `outrigger stack export` or `pulumi stack export`."));
    }
    if let Some(text) = latest.as_ref().and_then(|latest| latest.manifest) {
        let manifest: Manifest = serde_json::from_str(text).map_err(|error| broken(&error))?;
        if manifest.magic != magic(&manifest.version) {
            return Err(Diagnostic::error("state-integrity", "the state is not sound: its manifest does not match its version")
                .detail(format!("`manifest.magic` in {file} is not the SHA-256 of `manifest.version`, so the file was changed or damaged."))
                .hint("Earlier states are in `.pulumi/backups` and `.pulumi/history` beside the stack; import one with `outrigger stack import`."));
        }
    }
    Ok(latest)
}

fn refuse_compressed(bytes: &[u8], file: &str) -> Result<(), Diagnostic> {
    let how = match bytes {
        [0x1f, 0x8b, ..] => "gzip",
        [0x28, 0xb5, 0x2f, 0xfd, ..] => "zstd",
        _ => return Ok(()),
    };
    Err(compressed(file, how))
}

/// The error for a compressed state.
pub(crate) fn compressed(file: &str, how: &str) -> Diagnostic {
    Diagnostic::error("state-compressed", format!("{file} is compressed with {how}, which is not supported yet"))
        .hint("Unset PULUMI_DIY_BACKEND_GZIP and PULUMI_DIY_BACKEND_ZSTD and run any writing `pulumi` command on the stack, for example `pulumi refresh`: it then writes plain JSON.")
}

fn not_json(error: &serde_json::Error, document: Document, file: &str) -> Diagnostic {
    let line = u32::try_from(error.line()).unwrap_or(u32::MAX);
    // The parser counts the columns of an empty line from 0.
    let column = u32::try_from(error.column()).unwrap_or(u32::MAX).max(1);
    let how =
        if error.is_eof() { "it ends too early, as if a copy of it was cut off" } else { "it is not a Pulumi state" };
    // The parser's message may quote a value. A state has no secrets in clear, but other values do not belong in a message either.
    Diagnostic::error("state-unreadable", format!("the state cannot be read: {how}"))
        .detail(format!("Reading stopped at line {line}, column {column} of {file}."))
        .at(Place::point(file, line, column))
        .hint(match document {
            Document::Export => "Import the output of `outrigger stack export` or `pulumi stack export`. The stack's own state was not changed.",
            Document::Checkpoint => "Earlier states are in `.pulumi/backups` and `.pulumi/history` beside the stack, and in the stack's `.json.bak` file; import one with `outrigger stack import`.",
        })
}

fn check_version<T>(envelope: &Envelope<T>, document: Document, file: &str) -> Result<(), Diagnostic> {
    let version = envelope.version;
    // A stack that was never deployed to has version 0 and no content.
    let fresh = version == 0 && document == Document::Checkpoint && envelope.latest.is_none();
    if version > NEWEST {
        return Err(Diagnostic::error(
            "state-too-new",
            format!("the state has version {version}, which is newer than this build knows"),
        )
        .detail(format!("{file} was written by a newer tool; this build knows versions up to {NEWEST}."))
        .hint("Use a newer version of Outrigger, or the tool that wrote it."));
    }
    if version < CURRENT && !fresh {
        return Err(Diagnostic::error(
            "state-too-old",
            format!("the state has version {version}, which is older than this build reads"),
        )
        .detail(format!("{file} was written by an old `pulumi`; this build reads versions 3 and 4."))
        .hint("Upgrade it with `pulumi stack export | pulumi stack import`."));
    }
    let unknown: Vec<&str> = match (&envelope.features, version) {
        (Some(features), NEWEST) => {
            features.iter().map(String::as_str).filter(|name| !KNOWN_FEATURES.contains(name)).collect()
        }
        _ => Vec::new(),
    };
    if unknown.is_empty() {
        return Ok(());
    }
    Err(Diagnostic::error(
        "state-feature-unknown",
        format!("the state uses features that this build does not know: {}", unknown.join(", ")),
    )
    .detail(format!("{file} lists them in `features`. Continuing without support for them could damage the state."))
    .hint("Use a newer version of Outrigger, or the tool that wrote it."))
}

/// When the state with this manifest was written.
pub(crate) fn last_update(manifest: &str) -> Option<String> {
    let manifest: serde_json::Value = serde_json::from_str(manifest).ok()?;
    let time = manifest.get("time")?.as_str()?.to_owned();
    // Go's zero time means never.
    (!time.starts_with("0001-")).then_some(time)
}

/// The error for an entry that cannot be read.
pub(crate) fn not_an_entry(file: &str) -> Diagnostic {
    Diagnostic::error("state-malformed", "an entry of the state cannot be read")
        .detail(format!("It is in {file}."))
        .hint("Restore the state from `.pulumi/backups`, or import a good export with `outrigger stack import`.")
}

fn magic(version: &str) -> String {
    if version.is_empty() { String::new() } else { hex::encode(Sha256::digest(version.as_bytes())) }
}

/// The digest of a file's contents.
pub(crate) fn digest(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

/// Writes a document. Entries and operations must be in their final order; `features` sorted. With `time`, a new manifest is made;
/// without it the stored one is kept.
pub(crate) fn write(
    document: Document,
    stack: &str,
    time: Option<Timestamp>,
    features: &[&str],
    deployment: &Deployment,
) -> String {
    // The text around the entries is short.
    let entries = deployment.resources.iter().chain(deployment.operations.iter().map(|(_, text)| text));
    let mut out = JsonWriter::with_room(4096 + entries.map(|text| text.len() + 64).sum::<usize>());
    out.raw("{");
    out.key("version");
    out.raw(if features.is_empty() { "3" } else { "4" });
    if !features.is_empty() {
        out.key("features");
        out.strings(features);
    }
    match document {
        Document::Checkpoint => {
            out.key("checkpoint");
            out.raw("{");
            out.key("stack");
            out.string(stack);
            out.key("latest");
            write_deployment(&mut out, time, deployment);
            out.raw("}");
        }
        Document::Export => {
            out.key("deployment");
            write_deployment(&mut out, time, deployment);
        }
    }
    out.raw("}");
    out.finish()
}

/// A stack's file before the first deployment, as `pulumi stack init` leaves it without secrets.
pub(crate) fn write_fresh(stack: &str) -> String {
    let mut out = JsonWriter::new();
    out.raw(r#"{"version":0,"checkpoint":{"stack":"#);
    out.string(stack);
    out.raw("}}");
    out.finish()
}

fn write_deployment(out: &mut JsonWriter, time: Option<Timestamp>, deployment: &Deployment) {
    out.raw("{");
    out.key("manifest");
    match (&deployment.manifest, time) {
        (Some(stored), None) => out.raw(stored),
        (_, time) => write_manifest(out, time.unwrap_or_default()),
    }
    if let Some(provider) = &deployment.secrets_provider {
        out.key("secrets_providers");
        out.raw(provider);
    }
    if !deployment.resources.is_empty() {
        out.key("resources");
        out.raw("[");
        for entry in &deployment.resources {
            out.separate();
            out.raw(entry);
        }
        out.raw("]");
    }
    if !deployment.operations.is_empty() {
        out.key("pending_operations");
        out.raw("[");
        for (kind, entry) in &deployment.operations {
            out.separate();
            out.raw("{");
            out.key("resource");
            out.raw(entry);
            out.key("type");
            out.string(kind);
            out.raw("}");
        }
        out.raw("]");
    }
    if !deployment.rest.contains_key("metadata") {
        out.key("metadata");
        out.raw("{}");
    }
    for (key, value) in &deployment.rest {
        out.key(key);
        out.raw(value);
    }
    out.raw("}");
}

fn write_manifest(out: &mut JsonWriter, time: Timestamp) {
    out.raw("{");
    for (key, value) in [("time", time.to_string()), ("magic", magic(ENGINE)), ("version", ENGINE.to_owned())] {
        out.key(key);
        out.string(&value);
    }
    out.raw("}");
}
