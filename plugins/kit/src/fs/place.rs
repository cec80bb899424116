//! Paths as programs write them, and the files they lead to.

use std::fs::{self, Metadata};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use outrigger_sdk::{Error, ErrorContext, Result};

/// The absolute path, computed from its text alone: symbolic links stay. Relative paths begin at the plugin's working directory, which is
/// the program's.
pub(super) fn absolute(path: &str) -> Result<PathBuf> {
    std::path::absolute(path).context(format_args!("`{path}`"))
}

/// Why a path is refused before anything is done, if it is.
pub(super) fn refusal(path: &str) -> Option<&'static str> {
    match path {
        "" => Some("a path cannot be empty"),
        path if path.contains('\0') => Some("a path cannot contain a zero byte"),
        path if Path::new(path).file_name().is_none() => Some("the path does not end with a name"),
        _ => None,
    }
}

/// The file at a path, without following a symbolic link at its end.
#[derive(Debug)]
pub(super) enum There {
    /// Nothing.
    Nothing,
    /// A regular file.
    File(Metadata),
    /// A directory.
    Directory(Metadata),
    /// Something else, described in words.
    Other(String),
}

impl There {
    pub(super) fn look(path: &Path) -> Result<Self> {
        let metadata = match fs::symlink_metadata(path) {
            Ok(metadata) => metadata,
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Ok(Self::Nothing);
            }
            Err(error) => return Err(error).context(format_args!("checking `{}`", path.display())),
        };
        let kind = metadata.file_type();
        Ok(if kind.is_file() {
            Self::File(metadata)
        } else if kind.is_dir() {
            Self::Directory(metadata)
        } else if kind.is_symlink() {
            let target = fs::read_link(path).map(|target| format!(" to `{}`", target.display())).unwrap_or_default();
            Self::Other(format!("a symbolic link{target}"))
        } else {
            Self::Other("a device, a pipe or a socket".to_owned())
        })
    }

    /// A description in words.
    pub(super) fn words(&self) -> &str {
        match self {
            Self::Nothing => "nothing",
            Self::File(_) => "a file",
            Self::Directory(_) => "a directory",
            Self::Other(words) => words,
        }
    }
}

/// Creates the directories above a path, or fails with a hint at `createParents`.
pub(super) fn parents(path: &Path, create: bool) -> Result<()> {
    let Some(parent) = path.parent() else { return Ok(()) };
    if create {
        return fs::create_dir_all(parent).context(format_args!("creating the directory `{}`", parent.display()));
    }
    match fs::metadata(parent) {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(_) => Err(Error::new(format!("`{}` is not a directory", parent.display()))),
        Err(error) if error.kind() == ErrorKind::NotFound => Err(Error::new(format!(
            "the directory `{}` does not exist; create it first, or set `createParents: true`",
            parent.display()
        ))),
        Err(error) => Err(error).context(format_args!("checking `{}`", parent.display())),
    }
}
