//! Pulumi's checkpoint file and deployment document, taken apart and put together at the level of text.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use outrigger_diagnostic::{Diagnostic, Place};
use serde::Deserialize;
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};

use crate::json::JsonWriter;
use crate::snapshot::KNOWN_FEATURES;

/// The version that this build gives in a manifest.
const ENGINE: &str = concat!("outrigger v", env!("CARGO_PKG_VERSION"));
/// The newest format that Pulumi and this build know.
const NEWEST: u64 = 4;
const CURRENT: u64 = 3;

/// A deployment, its entries as text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Deployment {
    /// `manifest`, as stored.
    pub(crate) manifest: Option<String>,
    /// `secrets_providers`, as stored.
    pub(crate) secrets_provider: Option<String>,
    /// The entries, in the order of the file.
    pub(crate) resources: Vec<Arc<str>>,
    /// The operations under way: kind and entry.
    pub(crate) operations: Vec<(String, Arc<str>)>,
    /// Everything else: `metadata`, `snippets`, `extensions`, and what is not known.
    pub(crate) rest: BTreeMap<String, String>,
}

/// What a checkpoint file holds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Checkpoint {
    /// The deployment; `None` before the first one.
    pub(crate) deployment: Option<Deployment>,
}

/// Which document is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Document {
    /// A stack's file in a backend: `{"version", "features", "checkpoint": {"stack", "latest"}}`.
    Checkpoint,
    /// What `stack export` prints: `{"version", "features", "deployment"}`.
    Export,
}

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(default)]
    version: u64,
    #[serde(default)]
    features: Option<Vec<String>>,
    #[serde(borrow, default)]
    checkpoint: Option<&'a RawValue>,
    #[serde(borrow, default)]
    deployment: Option<&'a RawValue>,
    #[serde(borrow, default)]
    latest: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Inner<'a> {
    #[serde(borrow, default)]
    latest: Option<&'a RawValue>,
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
    refuse_compressed(bytes, file)?;
    let broken = |error: &serde_json::Error| not_json(error, file);
    let envelope: Envelope<'_> = serde_json::from_slice(bytes).map_err(|error| broken(&error))?;
    check_version(&envelope, document, file)?;
    let latest = match document {
        Document::Export => envelope.deployment,
        Document::Checkpoint => match envelope.checkpoint {
            Some(checkpoint) => {
                serde_json::from_str::<Inner<'_>>(checkpoint.get()).map_err(|error| broken(&error))?.latest
            }
            None => None,
        },
    };
    let Some(latest) = latest.filter(|latest| latest.get() != "null") else {
        return if document == Document::Export {
            Err(Diagnostic::error("deployment-missing", format!("{file} holds no deployment"))
                .detail("The field `deployment` is missing.")
                .hint("Import what `outrigger stack export` or `pulumi stack export` wrote."))
        } else {
            Ok(Checkpoint { deployment: None })
        };
    };
    let deployment = read_deployment(latest.get(), file)?;
    Ok(Checkpoint { deployment: Some(deployment) })
}

fn read_deployment(text: &str, file: &str) -> Result<Deployment, Diagnostic> {
    let broken = |error: serde_json::Error| not_json(&error, file);
    let mut fields: BTreeMap<String, &RawValue> = serde_json::from_str(text).map_err(broken)?;
    let mut take = |key: &str| fields.remove(key).filter(|value| value.get() != "null");
    let manifest = take("manifest").map(RawValue::get);
    if let Some(text) = manifest {
        let manifest: Manifest = serde_json::from_str(text).map_err(broken)?;
        if manifest.magic != magic(&manifest.version) {
            return Err(Diagnostic::error("state-integrity", "the state is not sound: its manifest does not match its version")
                .detail(format!("`manifest.magic` in {file} is not the SHA-256 of `manifest.version`, so the file was changed or damaged."))
                .hint("Earlier states are in `.pulumi/backups` and `.pulumi/history` beside the stack; import one with `outrigger stack import`."));
        }
    }
    let secrets_provider = take("secrets_providers").map(|value| value.get().to_owned());
    let resources = match take("resources") {
        Some(list) => serde_json::from_str::<Vec<&RawValue>>(list.get()).map_err(broken)?,
        None => Vec::new(),
    };
    let operations = match take("pending_operations") {
        Some(list) => serde_json::from_str::<Vec<Operation<'_>>>(list.get()).map_err(broken)?,
        None => Vec::new(),
    };
    Ok(Deployment {
        manifest: manifest.map(str::to_owned),
        secrets_provider,
        resources: resources.into_iter().map(|entry| entry.get().into()).collect(),
        operations: operations.into_iter().map(|each| (each.kind, each.resource.get().into())).collect(),
        rest: fields.into_iter().map(|(key, value)| (key, value.get().to_owned())).collect(),
    })
}

fn refuse_compressed(bytes: &[u8], file: &str) -> Result<(), Diagnostic> {
    let how = match bytes {
        [0x1f, 0x8b, ..] => "gzip",
        [0x28, 0xb5, 0x2f, 0xfd, ..] => "zstd",
        _ => return Ok(()),
    };
    Err(compressed(file, how))
}

/// The answer for a compressed state.
pub(crate) fn compressed(file: &str, how: &str) -> Diagnostic {
    Diagnostic::error("state-compressed", format!("{file} is compressed with {how}, which is not supported yet"))
        .hint("Unset PULUMI_DIY_BACKEND_GZIP and PULUMI_DIY_BACKEND_ZSTD and run any writing `pulumi` command on the stack, for example `pulumi refresh`: it then writes plain JSON.")
}

fn not_json(error: &serde_json::Error, file: &str) -> Diagnostic {
    let line = u32::try_from(error.line()).unwrap_or(u32::MAX);
    let column = u32::try_from(error.column()).unwrap_or(u32::MAX);
    let how = if error.is_eof() { "it ends too early, as after a cut-off copy" } else { "it is not a Pulumi state" };
    // The parser's message may quote a value; a state holds no secret in clear, but values are nobody's business either.
    Diagnostic::error("state-unreadable", format!("the state cannot be read: {how}"))
        .detail(format!("Reading stopped at line {line}, column {column} of {file}."))
        .at(Place::point(file, line, column))
        .hint("Earlier states are in `.pulumi/backups` and `.pulumi/history` beside the stack, and in the stack's `.json.bak` file; import one with `outrigger stack import`.")
}

fn check_version(envelope: &Envelope<'_>, document: Document, file: &str) -> Result<(), Diagnostic> {
    let version = envelope.version;
    // A stack that was made but never deployed to has version 0 and nothing in it.
    let fresh = version == 0 && document == Document::Checkpoint && envelope.latest.is_none();
    if version > NEWEST {
        return Err(Diagnostic::error(
            "state-too-new",
            format!("the state has version {version}, which is newer than this build knows"),
        )
        .detail(format!("{file} was written by a newer tool; this build knows versions up to {NEWEST}."))
        .hint("Use a newer Outrigger, or the tool that wrote it."));
    }
    if version < CURRENT && !fresh {
        return Err(Diagnostic::error(
            "state-too-old",
            format!("the state has version {version}, which is older than this build reads"),
        )
        .detail(format!("{file} was written by an old `pulumi`; this build reads versions 3 and 4."))
        .hint("Bring it up to date with `pulumi stack export | pulumi stack import`."));
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
    .detail(format!("{file} lists them in `features`. Going on without understanding them could damage the state."))
    .hint("Use a newer Outrigger, or the tool that wrote it."))
}

fn magic(version: &str) -> String {
    if version.is_empty() { String::new() } else { hex::encode(Sha256::digest(version.as_bytes())) }
}

/// The name of a file's contents.
pub(crate) fn digest(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

/// Writes a document. Entries and operations must be in their final order; `features` sorted. A new manifest is made with
/// `time`; without it the stored one is kept.
pub(crate) fn write(
    document: Document,
    stack: &str,
    time: Option<Timestamp>,
    features: &[&str],
    deployment: &Deployment,
) -> String {
    let mut out = JsonWriter::new();
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
