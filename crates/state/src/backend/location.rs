//! Resolves a backend's URL.

use std::path::{Component, Path, PathBuf};

use outrigger_diagnostic::Diagnostic;
use percent_encoding::percent_decode_str;

/// The directory of a `file://` URL, resolved as Pulumi does. `home` and `current` come from the caller.
pub fn resolve(url: &str, home: Option<&Path>, current: &Path) -> Result<PathBuf, Diagnostic> {
    let Some(rest) = url.strip_prefix("file://") else { return Err(not_a_directory(url)) };
    let text = rest.split('?').next().unwrap_or(rest);
    let text = percent_decode_str(text).decode_utf8().unwrap_or(text.into());
    let path = if text == "~" || text.starts_with("~/") {
        let home = home.ok_or_else(|| {
            Diagnostic::error("home-unknown", format!("`{url}` needs a home directory, but none is set"))
                .hint("Set HOME, or write the full path.")
        })?;
        home.join(text.trim_start_matches('~').trim_start_matches('/'))
    } else if text.starts_with('~') {
        return Err(Diagnostic::error("backend-url-invalid", format!("`{url}` names another user's home directory"))
            .detail("Only `file://~` and `file://~/...` are supported.")
            .hint("Write the full path."));
    } else {
        current.join(&*text)
    };
    Ok(cleaned(&path))
}

fn not_a_directory(url: &str) -> Diagnostic {
    let scheme = url.split("://").next().unwrap_or(url);
    let (what, today) = match scheme {
        "http" | "https" => (
            "Pulumi Cloud as a backend",
            "Move the stack with `pulumi stack export`, `outrigger login file://...`, `outrigger stack init` and `outrigger stack import`, or keep using `pulumi` for it.",
        ),
        "s3" | "gs" | "azblob" => (
            "an object store as a backend",
            "Keep using `pulumi` for this stack, or move it to a `file://` backend with `pulumi stack export` and `outrigger stack import`.",
        ),
        "postgres" => ("a database as a backend", "Use a `file://` backend, or keep using `pulumi` for it."),
        _ => {
            return Diagnostic::error("backend-url-invalid", format!("the backend `{scheme}` is not known"))
                .detail("A backend is given as a URL such as `file:///var/state`, `file://./state` or `file://~`.")
                .hint("Run `outrigger login file://...`, or set PULUMI_BACKEND_URL.");
        }
    };
    Diagnostic::error("backend-unsupported", format!("{what} is not supported yet"))
        .detail("This build stores state only in a directory.")
        .hint(today)
}

/// The path without `.` and `..`, resolved on the text alone.
fn cleaned(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                clean.pop();
            }
            other => clean.push(other),
        }
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_a_directory() {
        let cases = [
            ("file:///var/state", "/var/state"),
            ("file:///var/../srv/./state?no_tmp_dir=true", "/srv/state"),
            ("file://./x", "/project/x"),
            ("file://x/y", "/project/x/y"),
            ("file://", "/project"),
            ("file://~", "/home/a"),
            ("file://~/state", "/home/a/state"),
            ("file:///with%20space", "/with space"),
        ];
        for (url, path) in cases {
            assert_eq!(
                resolve(url, Some(Path::new("/home/a")), Path::new("/project")).unwrap(),
                Path::new(path),
                "{url}"
            );
        }
    }

    #[test]
    fn what_is_not_there_yet_is_named() {
        let refusal = |url| resolve(url, None, Path::new("/project")).unwrap_err();
        assert!(refusal("https://api.pulumi.com").summary.contains("Pulumi Cloud"));
        assert!(refusal("s3://bucket").summary.contains("object store"));
        assert_eq!(refusal("nonsense").code, "backend-url-invalid");
        assert_eq!(refusal("file://~").code, "home-unknown");
        assert_eq!(refusal("file://~bob/x").code, "backend-url-invalid");
    }
}
