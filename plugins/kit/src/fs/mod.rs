//! Files and directories.

mod content;
mod directory;
mod file;
mod mode;
mod place;
mod read_file;
mod writing;

pub(crate) use directory::Directory;
pub(crate) use file::File;
pub(crate) use read_file::ReadFile;
