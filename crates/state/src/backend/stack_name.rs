//! A stack's name, and the paths of its files.

use std::fmt;

use outrigger_diagnostic::Diagnostic;

/// Project and stack. Both are safe as file names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StackName {
    project: String,
    stack: String,
}

impl StackName {
    /// A stack of a project.
    pub fn new(project: &str, stack: &str) -> Result<Self, Diagnostic> {
        check("project", project)?;
        check("stack", stack)?;
        Ok(Self { project: project.to_owned(), stack: stack.to_owned() })
    }

    /// Parses `STACK`, `organization/STACK` or `organization/PROJECT/STACK`, as Pulumi does.
    pub fn parse(text: &str, current_project: Option<&str>) -> Result<Self, Diagnostic> {
        let parts: Vec<&str> = text.split('/').collect();
        let (organization, project, stack) = match parts[..] {
            [stack] => ("organization", None, stack),
            [organization, stack] => (organization, None, stack),
            [organization, project, stack] => (organization, Some(project), stack),
            _ => ("organization", None, text),
        };
        if organization != "organization" {
            return Err(Diagnostic::error(
                "stack-name-invalid",
                format!("`{text}` names the organization `{organization}`"),
            )
            .detail("A self-managed backend has one organization, which is always called `organization`.")
            .hint(format!("Write `{stack}` or `organization/PROJECT/{stack}`.")));
        }
        let Some(project) = project.or(current_project) else {
            return Err(Diagnostic::error(
                "stack-project-unknown",
                format!("`{text}` does not name the stack's project"),
            )
            .detail("There is no project here to take the name from.")
            .hint(format!("Write `organization/PROJECT/{stack}`, or run the command in a project's directory.")));
        };
        Self::new(project, stack)
    }

    /// The project.
    pub fn project(&self) -> &str {
        &self.project
    }

    /// The stack.
    pub fn stack(&self) -> &str {
        &self.stack
    }

    /// `organization/PROJECT/STACK`.
    pub fn qualified(&self) -> String {
        format!("organization/{}/{}", self.project, self.stack)
    }

    pub(crate) fn checkpoint_path(&self) -> String {
        format!(".pulumi/stacks/{}/{}.json", self.project, self.stack)
    }

    pub(crate) fn tags_path(&self) -> String {
        format!(".pulumi/stacks/{}/{}.pulumi-tags", self.project, self.stack)
    }

    pub(crate) fn history_directory(&self) -> String {
        format!(".pulumi/history/{}/{}", self.project, self.stack)
    }

    pub(crate) fn backup_directory(&self) -> String {
        format!(".pulumi/backups/{}/{}", self.project, self.stack)
    }

    pub(crate) fn lock_directory(&self) -> String {
        format!(".pulumi/locks/organization/{}/{}", self.project, self.stack)
    }

    /// The directory of journals, which Pulumi does not list.
    pub(crate) fn journal_directory(&self) -> String {
        format!(".pulumi/outrigger/journal/{}/{}", self.project, self.stack)
    }

    /// Contains the last of our locks, in a store whose lists lag.
    pub(crate) fn claim_path(&self) -> String {
        format!(".pulumi/outrigger/claim/{}/{}", self.project, self.stack)
    }

    /// Held while taking the lock.
    pub(crate) fn guard_path(&self) -> String {
        format!(".pulumi/outrigger/guard/{}/{}", self.project, self.stack)
    }
}

impl fmt::Display for StackName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.stack)
    }
}

fn check(what: &str, name: &str) -> Result<(), Diagnostic> {
    let reason = if name.is_empty() {
        "It is empty.".to_owned()
    } else if name.len() > 100 {
        "It has more than 100 characters.".to_owned()
    } else if name == "." || name == ".." {
        // Pulumi accepts these and then escapes its own directory.
        "As a path, it means the current or the parent directory.".to_owned()
    } else if let Some(bad) = name.chars().find(|each| !each.is_ascii_alphanumeric() && !"_.-".contains(*each)) {
        format!("The character `{bad}` is not allowed: only letters, digits, `_`, `.` and `-` are.")
    } else {
        return Ok(());
    };
    Err(Diagnostic::error("stack-name-invalid", format!("`{name}` cannot be the name of a {what}"))
        .detail(reason)
        .hint("Choose a name of letters, digits, `_`, `.` and `-`."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_forms() {
        for text in ["dev", "organization/dev", "organization/shop/dev"] {
            let name = StackName::parse(text, Some("shop")).unwrap();
            assert_eq!(name.qualified(), "organization/shop/dev");
        }
        assert_eq!(StackName::parse("organization/other/dev", Some("shop")).unwrap().project(), "other");
        assert_eq!(StackName::parse("dev", None).unwrap_err().code, "stack-project-unknown");
        assert_eq!(StackName::parse("acme/shop/dev", Some("shop")).unwrap_err().code, "stack-name-invalid");
    }

    #[test]
    fn names_cannot_leave_the_directory() {
        for bad in ["", ".", "..", "a b", "a/b/c/d", "é", &"x".repeat(101)] {
            assert_eq!(StackName::parse(bad, Some("shop")).unwrap_err().code, "stack-name-invalid", "{bad}");
        }
        assert!(StackName::new("..", "dev").is_err());
    }
}
