//! `kit:fs:Directory`.

use std::fs::{self, DirBuilder, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::Path;

use outrigger_sdk::{
    Changes, Check, Context, Created, Error, ErrorContext, Inputs, Outputs, Preview, Resource, Result, State,
};

use super::mode::Mode;
use super::place::{self, There, absolute};
use crate::blocking::blocking;

/// The inputs of a directory.
#[derive(Clone, Inputs)]
pub(crate) struct DirectoryArgs {
    /// The path. A relative one begins at the program's directory. A new path means a new directory.
    #[outrigger(replace)]
    path: String,
    /// The permissions, as octal digits in quotes: `"0755"`. Without them a new directory gets the machine's default permissions, and an
    /// existing one keeps its own.
    mode: Option<String>,
    /// Whether to create missing directories above it. Deleting the resource leaves them.
    #[outrigger(default = false)]
    create_parents: bool,
    /// Whether to take over an existing directory. Without it, an existing directory is an error.
    #[outrigger(default = false)]
    adopt: bool,
    /// Whether deleting the directory also deletes its contents. Without it, deleting a directory that is not empty is an error.
    #[outrigger(default = false)]
    delete_contents: bool,
}

/// A directory of the machine that the plugin runs on.
///
/// An existing directory is not touched unless `adopt` is set; it can also be imported by its path. Deleting a directory that
/// is not empty fails unless `deleteContents` is set.
#[derive(Outputs)]
pub(crate) struct Directory {
    /// The path as given.
    path: String,
    /// The absolute path on the machine that created it.
    absolute_path: String,
    /// The permissions, as four octal digits.
    mode: String,
}

impl DirectoryArgs {
    fn mode(&self) -> Result<Option<Mode>> {
        self.mode.as_deref().map(Mode::parse).transpose().map_err(|why| Error::new(why).context("`mode`"))
    }
}

impl Directory {
    fn new(inputs: &DirectoryArgs, absolute: &Path, mode: Mode) -> Self {
        Self { path: inputs.path.clone(), absolute_path: absolute.to_string_lossy().into_owned(), mode: mode.text() }
    }
}

/// Creates or updates the directory; `adopt` allows an existing one.
fn ensure(inputs: &DirectoryArgs, adopt: bool) -> Result<Directory> {
    let path = absolute(&inputs.path)?;
    let mode = inputs.mode()?;
    match There::look(&path)? {
        There::Directory(_) if adopt => {}
        There::Nothing => {
            place::parents(&path, inputs.create_parents)?;
            // Private until its permissions are set, if any are given.
            let first = if mode.is_some() { 0o700 } else { 0o777 };
            DirBuilder::new()
                .mode(first)
                .create(&path)
                .context(format_args!("creating the directory `{}`", path.display()))?;
        }
        There::Directory(_) => {
            return Err(Error::new(format!(
                "the directory `{}` already exists and does not belong to this resource; import it or set `adopt: \
                 true` to adopt it, or choose another path",
                path.display()
            )));
        }
        there => {
            return Err(Error::new(format!(
                "`{}` exists and is {}; remove it, or choose another path",
                path.display(),
                there.words()
            )));
        }
    }
    if let Some(mode) = mode {
        fs::set_permissions(&path, Permissions::from_mode(mode.0))
            .context(format_args!("changing the permissions of `{}`", path.display()))
            .map_err(Error::in_doubt)?;
    }
    let found = fs::symlink_metadata(&path).context(format_args!("checking `{}`", path.display()));
    Ok(Directory::new(inputs, &path, Mode::of(&found.map_err(Error::in_doubt)?)))
}

fn remove(inputs: &DirectoryArgs) -> Result<()> {
    let path = absolute(&inputs.path)?;
    // Anything else at the path now is not this resource.
    let There::Directory(_) = There::look(&path)? else { return Ok(()) };
    match fs::remove_dir(&path) {
        Ok(()) => return Ok(()),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) if error.kind() == ErrorKind::DirectoryNotEmpty => {}
        Err(error) => return Err(error).context(format_args!("removing `{}`", path.display())),
    }
    if !inputs.delete_contents {
        return Err(Error::new(format!(
            "the directory `{}` is not empty and was not deleted: it holds {}; remove the files that you do not need, or set \
             `deleteContents: true` and run `up` before you delete the directory",
            path.display(),
            inventory(&path)
        )));
    }
    if let Some(reason) = precious(&path) {
        return Err(Error::new(format!("`{}` is {reason}; it is not deleted with its contents", path.display())));
    }
    // Symbolic links inside are removed, not followed.
    fs::remove_dir_all(&path).context(format_args!("removing `{}` and its contents", path.display()))
}

/// A few of the names in a directory. A name that is not valid text is shown as far as possible.
fn inventory(path: &Path) -> String {
    const SHOWN: usize = 3;
    let mut names: Vec<String> = match fs::read_dir(path) {
        Ok(entries) => entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect(),
        Err(_) => return "files that cannot be listed".to_owned(),
    };
    names.sort();
    let rest = names.len().saturating_sub(SHOWN);
    let shown = names.iter().take(SHOWN).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    if rest == 0 { shown } else { format!("{shown} and {rest} more") }
}

/// Why a directory must not be deleted with its contents, if there is a reason. Links in the path are resolved.
fn precious(path: &Path) -> Option<&'static str> {
    let real = path.canonicalize().ok()?;
    let above = |other: Option<std::path::PathBuf>| {
        other.and_then(|other| other.canonicalize().ok()).is_some_and(|other| other.starts_with(&real))
    };
    if above(std::env::current_dir().ok()) {
        return Some("the program's directory, or holds it");
    }
    above(std::env::home_dir()).then_some("your home directory, or holds it")
}

impl Resource for Directory {
    type Inputs = DirectoryArgs;
    const TOKEN: &'static str = "kit:fs:Directory";

    async fn check(_cx: &Context, check: &mut Check<DirectoryArgs>) -> Result<()> {
        if let Some(reason) = place::refusal(&check.inputs.path) {
            check.refuse("path", reason);
        }
        match check.inputs.mode.as_deref().map(Mode::parse) {
            Some(Ok(mode)) => check.inputs.mode = Some(mode.text()),
            Some(Err(why)) => check.refuse("mode", why),
            None => {}
        }
        Ok(())
    }

    async fn diff(_cx: &Context, state: &State<Self>, inputs: &DirectoryArgs, changes: &mut Changes) -> Result<()> {
        // The same directory under another spelling.
        if changes.touches("path") && absolute(&state.inputs.path)? == absolute(&inputs.path)? {
            changes.ignore("path");
        }
        // These only affect creation, and it exists.
        changes.ignore("adopt");
        changes.ignore("createParents");
        Ok(())
    }

    async fn preview(_cx: &Context, preview: &mut Preview) -> Result<()> {
        if let Some(path) = preview.input::<String>("path").and_then(|path| absolute(&path).ok()) {
            preview.foretell("absolutePath", path.to_string_lossy().into_owned());
        }
        Ok(())
    }

    async fn create(_cx: &Context, inputs: DirectoryArgs) -> Result<Created<Self>> {
        let id = inputs.path.clone();
        let made = blocking(move || ensure(&inputs, inputs.adopt)).await?;
        Ok(Created::new(id, made))
    }

    async fn read(_cx: &Context, mut state: State<Self>) -> Result<Option<State<Self>>> {
        blocking(move || {
            let path = absolute(&state.inputs.path)?;
            let There::Directory(metadata) = There::look(&path)? else { return Ok(None) };
            let mode = Mode::of(&metadata);
            if state.inputs.mode.is_some() {
                state.inputs.mode = Some(mode.text());
            }
            state.outputs = Self::new(&state.inputs, &path, mode);
            Ok(Some(state))
        })
        .await
    }

    async fn import(_cx: &Context, id: String) -> Result<Option<State<Self>>> {
        if let Some(reason) = place::refusal(&id) {
            return Err(Error::new(format!("the id of a directory is its path: {reason}")));
        }
        blocking(move || {
            let path = absolute(&id)?;
            let metadata = match There::look(&path)? {
                There::Directory(metadata) => metadata,
                There::Nothing => return Ok(None),
                there => return Err(Error::new(format!("`{}` is {}, not a directory", path.display(), there.words()))),
            };
            let inputs = DirectoryArgs {
                path: id.clone(),
                mode: None,
                create_parents: false,
                adopt: false,
                delete_contents: false,
            };
            let outputs = Self::new(&inputs, &path, Mode::of(&metadata));
            Ok(Some(State { id, inputs, outputs }))
        })
        .await
    }

    async fn update(_cx: &Context, _state: State<Self>, inputs: DirectoryArgs) -> Result<Self> {
        blocking(move || ensure(&inputs, true)).await
    }

    async fn delete(_cx: &Context, state: State<Self>) -> Result<()> {
        blocking(move || remove(&state.inputs)).await
    }
}
