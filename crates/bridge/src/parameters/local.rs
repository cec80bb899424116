//! A provider that is named by the path of its executable.

use outrigger_diagnostic::Diagnostic;
use outrigger_terraform::address::FILE_PREFIX;

/// The path of an executable whose file name contains the provider's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalPath {
    path: String,
    /// Where the provider's name begins in the path.
    name_at: usize,
}

impl LocalPath {
    /// Checks a path and keeps it as written.
    pub fn parse(path: &str) -> Result<Self, Diagnostic> {
        let wrong = |reason: String| {
            Diagnostic::error("terraform-arguments", format!("`{path}` is not the path of a Terraform provider"))
                .detail(reason)
                .hint(format!("Write the path of an executable that is called `{FILE_PREFIX}NAME`."))
        };
        let Some(at) = path.rfind(FILE_PREFIX) else {
            return Err(wrong(format!("It does not contain `{FILE_PREFIX}`.")));
        };
        let found = Self { path: path.to_owned(), name_at: at + FILE_PREFIX.len() };
        if found.name().is_empty() {
            return Err(wrong("The provider's name is missing at its end.".to_owned()));
        }
        if found.name().contains('/') {
            return Err(wrong(format!("Its last part does not begin with `{FILE_PREFIX}`.")));
        }
        Ok(found)
    }

    /// The provider's name: the rest of the file name after the usual prefix.
    pub fn name(&self) -> &str {
        self.path.get(self.name_at..).unwrap_or_default()
    }

    /// The path as written.
    pub fn as_str(&self) -> &str {
        &self.path
    }
}
