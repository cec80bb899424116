//! The executable in a provider's package.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use outrigger_diagnostic::Diagnostic;
use outrigger_terraform::address::{Address, FILE_PREFIX};

/// Whether a file in a provider's package is the one to run: its name may continue after `_` or `.`.
pub(crate) fn is_program(name: &str, kind: &str) -> bool {
    let rest = name.strip_prefix(FILE_PREFIX).and_then(|rest| rest.strip_prefix(kind));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['_', '.']))
}

/// The executable in the package of a provider.
pub(crate) fn program(directory: &Path, address: &Address) -> Result<PathBuf, Diagnostic> {
    program_called(directory, address.kind()).map_err(|reason| {
        Diagnostic::error("terraform-package", format!("the package of `{address}` cannot be used"))
            .detail(reason)
            .hint("Put a complete package there, for instance with `terraform providers mirror`.")
    })
}

/// The first file in a directory, by name, that is named after a provider; or the reason why it cannot be run.
pub(crate) fn program_called(directory: &Path, kind: &str) -> Result<PathBuf, String> {
    let unreadable = |path: &Path, error: io::Error| format!("`{}` cannot be read: {error}.", path.display());
    let found = first(directory, kind).map_err(|error| unreadable(directory, error))?;
    let Some(path) = found else {
        return Err(format!("`{}` has no file called `{FILE_PREFIX}{kind}`.", directory.display()));
    };
    let mode = fs::metadata(&path).map_err(|error| unreadable(&path, error))?.permissions().mode();
    if mode & 0o111 == 0 {
        return Err(format!("`{}` is not executable.", path.display()));
    }
    Ok(path)
}

fn first(directory: &Path, kind: &str) -> io::Result<Option<PathBuf>> {
    let mut names: Vec<OsString> = Vec::new();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let fits = entry.file_name().to_str().is_some_and(|name| is_program(name, kind));
        if fits && !entry.file_type()?.is_dir() {
            names.push(entry.file_name());
        }
    }
    names.sort();
    Ok(names.first().map(|name| directory.join(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_decides_which_file_it_is() {
        let directory = tempfile::tempdir().unwrap();
        let address: Address = "a/b".parse().unwrap();
        let write = |name: &str, mode: u32| {
            let path = directory.path().join(name);
            fs::write(&path, "").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        };
        write("terraform-provider-bc", 0o755);
        write("LICENSE", 0o644);
        fs::create_dir(directory.path().join("terraform-provider-b")).unwrap();
        let error = program(directory.path(), &address).unwrap_err();
        assert!(error.detail.unwrap().ends_with("has no file called `terraform-provider-b`."));
        write("terraform-provider-b_v2", 0o755);
        write("terraform-provider-b.exe", 0o755);
        assert_eq!(program(directory.path(), &address).unwrap(), directory.path().join("terraform-provider-b.exe"));
        write("terraform-provider-b.exe", 0o644);
        let error = program(directory.path(), &address).unwrap_err();
        assert!(error.detail.unwrap().ends_with("is not executable."));
        let error = program(&directory.path().join("none"), &address).unwrap_err();
        assert!(error.detail.unwrap().contains("cannot be read"));
    }
}
