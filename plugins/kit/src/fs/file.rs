//! `kit:fs:File`.

use std::fs::{self, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use outrigger_sdk::{
    Asset, AssetSource, Changes, Check, Context, Created, Error, ErrorContext, Inputs, Outputs, Preview, Resource,
    Result, State,
};

use super::content::{Content, REMOTE, Summary};
use super::mode::Mode;
use super::place::{self, There, absolute};
use super::writing::{self, Access, Existing};
use crate::blocking::blocking;
use crate::marked::Marked;

/// The inputs of a file.
#[derive(Clone, Inputs)]
pub(crate) struct FileArgs {
    /// The path. A relative one begins at the program's directory. A new path means a new file.
    #[outrigger(replace)]
    path: String,
    /// The contents, as text. One of `content`, `contentBase64` and `source` is required.
    content: Option<Marked<String>>,
    /// The contents, as base64: for bytes that are not text.
    content_base64: Option<Marked<String>>,
    /// The contents, as an asset: a file of this machine, or a text.
    source: Option<Marked<Asset>>,
    /// The permissions, as octal digits in quotes: `"0644"`. Without them a new file gets the machine's default permissions, or only its
    /// owner may read it if its contents are secret; an existing file keeps its own.
    mode: Option<String>,
    /// Whether to create missing directories above it. Deleting the file leaves them.
    #[outrigger(default = false)]
    create_parents: bool,
    /// Whether to replace an existing file that is not this resource's. Without it, an existing file is an error.
    #[outrigger(default = false)]
    overwrite: bool,
}

/// A file of the machine that the plugin runs on.
///
/// It is written as a whole or not at all: a reader sees the old contents or the new ones. An existing file is not touched unless
/// `overwrite` is set; to take it over as it is, import it by its path. A symbolic link at the path is never
/// followed. Refreshing detects changed contents, changed permissions (if `mode` is given) and a missing file.
#[derive(Outputs)]
pub(crate) struct File {
    /// The path as given.
    path: String,
    /// The absolute path on the machine that wrote it last.
    absolute_path: String,
    /// The permissions, as four octal digits.
    mode: String,
    /// The SHA-256 digest of the contents, in hexadecimal digits. Secret if the contents are.
    sha256: Marked<String>,
    /// The size in bytes. Secret if the contents are.
    size: Marked<u64>,
}

impl FileArgs {
    fn is_secret(&self) -> bool {
        self.content.as_ref().is_some_and(|content| content.secret)
            || self.content_base64.as_ref().is_some_and(|content| content.secret)
            || self.source.as_ref().is_some_and(|source| source.secret)
    }

    fn content(&self) -> Result<Content> {
        match (&self.content, &self.content_base64, &self.source) {
            (Some(text), _, _) => Ok(Content::Bytes(text.value.clone().into_bytes())),
            (_, Some(text), _) => {
                Content::base64(&text.value).map_err(|why| Error::new(why).context("`contentBase64`"))
            }
            (_, _, Some(asset)) => Content::asset(&asset.value),
            (None, None, None) => Err(Error::new("there is nothing to write: `content` is missing")),
        }
    }

    fn mode(&self) -> Result<Option<Mode>> {
        self.mode.as_deref().map(Mode::parse).transpose().map_err(|why| Error::new(why).context("`mode`"))
    }

    /// Records the file's present contents in the input that gave them. The input then differs if the contents do.
    fn describe(&mut self, found: &Found) {
        let Summary { sha256, size } = &found.summary;
        if let Some(content) = &mut self.content {
            content.value = match &found.bytes {
                // Bytes that are no longer text differ from every text; the exact digest is in the outputs.
                Some(bytes) => String::from_utf8_lossy(bytes).into_owned(),
                None => format!("({size} bytes with the SHA-256 digest {sha256})"),
            };
        } else if let Some(content) = &mut self.content_base64 {
            let known = Content::base64(&content.value).ok();
            match (&found.bytes, known) {
                (Some(bytes), Some(Content::Bytes(known))) if *bytes == known => {}
                (Some(bytes), _) => content.value = STANDARD.encode(bytes),
                (None, _) => content.value = format!("({size} bytes with the SHA-256 digest {sha256})"),
            }
        } else if let Some(source) = &mut self.source {
            source.value.hash.clone_from(sha256);
        }
    }
}

/// Larger contents are not put in the state: they could not be sent back.
const LARGEST: u64 = 256 * 1024 * 1024;

/// An existing file.
struct Found {
    /// `None` if not requested, or if there are too many.
    bytes: Option<Vec<u8>>,
    summary: Summary,
    mode: Mode,
}

impl Found {
    /// The regular file at a path; `None` for anything else.
    fn read(path: &Path, want_bytes: bool) -> Result<Option<Self>> {
        let There::File(metadata) = There::look(path)? else { return Ok(None) };
        let mode = Mode::of(&metadata);
        let read = if want_bytes && metadata.len() <= LARGEST {
            fs::read(path).map(|bytes| (Summary::of_bytes(&bytes), Some(bytes)))
        } else {
            Summary::of_file(path).map(|summary| (summary, None))
        };
        match read {
            Ok((summary, bytes)) => Ok(Some(Self { bytes, summary, mode })),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).context(format_args!("reading `{}`", path.display())),
        }
    }
}

impl File {
    fn new(inputs: &FileArgs, absolute: &Path, mode: Mode, summary: Summary) -> Self {
        let secret = inputs.is_secret();
        Self {
            path: inputs.path.clone(),
            absolute_path: absolute.to_string_lossy().into_owned(),
            mode: mode.text(),
            sha256: Marked::new(summary.sha256, secret),
            size: Marked::new(summary.size, secret),
        }
    }
}

/// Writes the file, and returns its state.
fn put(inputs: &FileArgs, path: &Path, access: Access, existing: Existing) -> Result<File> {
    let summary = writing::write(path, inputs.content()?, access, existing)?;
    let found = fs::symlink_metadata(path).context(format_args!("checking `{}`", path.display()));
    let mode = Mode::of(&found.map_err(Error::in_doubt)?);
    Ok(File::new(inputs, path, mode, summary))
}

fn create(inputs: &FileArgs) -> Result<File> {
    let path = absolute(&inputs.path)?;
    let access = match inputs.mode()? {
        Some(mode) => Access::Exactly(mode),
        None if inputs.is_secret() => Access::Private,
        None => Access::Usual,
    };
    place::parents(&path, inputs.create_parents)?;
    match There::look(&path)? {
        There::Nothing => put(inputs, &path, access, Existing::Refuse),
        There::File(_) if inputs.overwrite => put(inputs, &path, access, Existing::Replace),
        there @ There::File(_) => Err(writing::exists(&path, there.words())),
        there => Err(occupied(&path, &there)),
    }
}

fn update(state: &State<File>, inputs: &FileArgs) -> Result<File> {
    let path = absolute(&inputs.path)?;
    let before = match There::look(&path)? {
        There::File(metadata) => Some(Mode::of(&metadata)),
        There::Nothing => None,
        there => return Err(occupied(&path, &there)),
    };
    let access = match (inputs.mode()?, before) {
        (Some(mode), _) | (None, Some(mode)) => Access::Exactly(mode),
        (None, None) if inputs.is_secret() => Access::Private,
        (None, None) => Access::Usual,
    };
    // The same bytes again: only the permissions change, and the file itself stays.
    if let (Some(found), Access::Exactly(mode)) = (Found::read(&path, false)?, access)
        && found.summary.sha256 == state.outputs.sha256.value
        && planned(inputs).is_some_and(|planned| planned == found.summary.sha256)
    {
        fs::set_permissions(&path, Permissions::from_mode(mode.0))
            .context(format_args!("changing the permissions of `{}`", path.display()))?;
        return Ok(File::new(inputs, &path, mode, found.summary));
    }
    place::parents(&path, inputs.create_parents)?;
    put(inputs, &path, access, if before.is_some() { Existing::Replace } else { Existing::Refuse })
}

/// The digest of the content to write, if it is cheap to compute.
fn planned(inputs: &FileArgs) -> Option<String> {
    match inputs.content() {
        Ok(Content::Bytes(bytes)) => Some(crate::digest::sha256(&bytes)),
        // Engines send an asset with its digest.
        _ => inputs.source.as_ref().map(|source| source.value.hash.clone()).filter(|hash| !hash.is_empty()),
    }
}

fn occupied(path: &Path, there: &There) -> Error {
    Error::new(format!(
        "`{}` exists and is {}, which is neither followed nor replaced; remove it, or choose another path",
        path.display(),
        there.words()
    ))
}

fn remove(path: &Path) -> Result<()> {
    // Anything else at the path now is not this resource.
    let There::File(_) = There::look(path)? else { return Ok(()) };
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).context(format_args!("removing `{}`", path.display()))
        }
        _ => Ok(()),
    }
}

impl Resource for File {
    type Inputs = FileArgs;
    const TOKEN: &'static str = "kit:fs:File";

    async fn check(_cx: &Context, check: &mut Check<FileArgs>) -> Result<()> {
        if let Some(reason) = place::refusal(&check.inputs.path) {
            check.refuse("path", reason);
        }
        let inputs = &check.inputs;
        let given: Vec<&str> = [
            ("content", inputs.content.is_some()),
            ("contentBase64", inputs.content_base64.is_some()),
            ("source", inputs.source.is_some()),
        ]
        .into_iter()
        .filter_map(|(name, given)| given.then_some(name))
        .collect();
        match given.as_slice() {
            [] => check.refuse("content", "one of `content`, `contentBase64` and `source` is required"),
            [_] => {}
            [_, others @ ..] => {
                for name in others {
                    check.refuse(*name, format!("`{}` is set as well; only one of them can be", given[0]));
                }
            }
        }
        if let Some(Err(why)) = check.inputs.content_base64.as_ref().map(|text| Content::base64(&text.value)) {
            check.refuse("contentBase64", why);
        }
        if let Some(Marked { value: Asset { source: AssetSource::Uri(_), .. }, .. }) = &check.inputs.source {
            check.refuse("source", REMOTE);
        }
        match check.inputs.mode.as_deref().map(Mode::parse) {
            Some(Ok(mode)) => check.inputs.mode = Some(mode.text()),
            Some(Err(why)) => check.refuse("mode", why),
            None => {}
        }
        Ok(())
    }

    async fn diff(_cx: &Context, state: &State<Self>, inputs: &FileArgs, changes: &mut Changes) -> Result<()> {
        // The same file under another spelling.
        if changes.touches("path") && absolute(&state.inputs.path)? == absolute(&inputs.path)? {
            changes.ignore("path");
        }
        // These only affect creation, and it exists.
        changes.ignore("overwrite");
        changes.ignore("createParents");
        Ok(())
    }

    async fn preview(_cx: &Context, preview: &mut Preview) -> Result<()> {
        if let Some(path) = preview.input::<String>("path").and_then(|path| absolute(&path).ok()) {
            preview.foretell("absolutePath", path.to_string_lossy().into_owned());
        }
        let text = preview.input::<Marked<String>>("content").map(|text| (text.value.into_bytes(), text.secret));
        let bytes = preview.input::<Marked<String>>("contentBase64").and_then(|text| {
            let Ok(Content::Bytes(bytes)) = Content::base64(&text.value) else { return None };
            Some((bytes, text.secret))
        });
        if let Some((bytes, secret)) = text.or(bytes) {
            let summary = Summary::of_bytes(&bytes);
            preview.foretell("sha256", Marked::new(summary.sha256, secret));
            preview.foretell("size", Marked::new(summary.size, secret));
        }
        let asset = preview.input::<Marked<Asset>>("source").filter(|asset| !asset.value.hash.is_empty());
        if let Some(Marked { value, secret }) = asset {
            preview.foretell("sha256", Marked::new(value.hash, secret));
        }
        Ok(())
    }

    async fn create(_cx: &Context, inputs: FileArgs) -> Result<Created<Self>> {
        let id = inputs.path.clone();
        let made = blocking(move || create(&inputs)).await?;
        Ok(Created::new(id, made))
    }

    async fn read(_cx: &Context, mut state: State<Self>) -> Result<Option<State<Self>>> {
        blocking(move || {
            let path: PathBuf = absolute(&state.inputs.path)?;
            let Some(found) = Found::read(&path, state.inputs.source.is_none())? else { return Ok(None) };
            state.inputs.describe(&found);
            if state.inputs.mode.is_some() {
                state.inputs.mode = Some(found.mode.text());
            }
            state.outputs = Self::new(&state.inputs, &path, found.mode, found.summary);
            Ok(Some(state))
        })
        .await
    }

    async fn import(_cx: &Context, id: String) -> Result<Option<State<Self>>> {
        if let Some(reason) = place::refusal(&id) {
            return Err(Error::new(format!("the id of a file is its path: {reason}")));
        }
        blocking(move || {
            let path = absolute(&id)?;
            let there = There::look(&path)?;
            if !matches!(there, There::File(_) | There::Nothing) {
                return Err(Error::new(format!("`{}` is {}, not a file", path.display(), there.words())));
            }
            let Some(found) = Found::read(&path, true)? else { return Ok(None) };
            let bytes = found.bytes.ok_or_else(|| {
                let message =
                    format!("`{}` has more than {LARGEST} bytes, which is too much to import", path.display());
                Error::new(message)
            })?;
            let (content, content_base64) = match String::from_utf8(bytes) {
                Ok(text) => (Some(Marked::new(text, false)), None),
                Err(error) => (None, Some(Marked::new(STANDARD.encode(error.as_bytes()), false))),
            };
            let inputs = FileArgs {
                path: id.clone(),
                content,
                content_base64,
                source: None,
                mode: None,
                create_parents: false,
                overwrite: false,
            };
            let outputs = Self::new(&inputs, &path, found.mode, found.summary);
            Ok(Some(State { id, inputs, outputs }))
        })
        .await
    }

    async fn update(_cx: &Context, state: State<Self>, inputs: FileArgs) -> Result<Self> {
        blocking(move || update(&state, &inputs)).await
    }

    async fn delete(_cx: &Context, state: State<Self>) -> Result<()> {
        blocking(move || remove(&absolute(&state.inputs.path)?)).await
    }
}
