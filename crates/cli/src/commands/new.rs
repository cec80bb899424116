//! `outrigger new`.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use outrigger_diagnostic::Diagnostic;
use outrigger_state::StackName;
use outrigger_workspace::Workspace;

use crate::environment::Environment;
use crate::failure::Failure;
use crate::output::{data, talk};
use crate::render::table::columns;
use crate::templates::{TEMPLATES, Template};
use crate::terminal::Terminal;

/// Create a project from a template.
#[derive(Args, Debug)]
pub(crate) struct New {
    /// The template; `--list` shows them.
    #[arg(value_name = "TEMPLATE")]
    template: Option<String>,
    /// The project's name; otherwise that of its directory.
    #[arg(short, long)]
    name: Option<String>,
    /// The project's description.
    #[arg(short, long)]
    description: Option<String>,
    /// Where to put it; otherwise the current directory.
    #[arg(long, value_name = "DIRECTORY")]
    dir: Option<PathBuf>,
    /// A stack to create at once, such as `dev`.
    #[arg(short, long, value_name = "STACK")]
    stack: Option<String>,
    /// Only write the files; create no stack.
    #[arg(short, long, conflicts_with = "stack")]
    generate_only: bool,
    /// Use the defaults instead of asking.
    #[arg(short, long)]
    yes: bool,
    /// Show the templates.
    #[arg(long, exclusive = true)]
    list: bool,
}

impl New {
    pub(crate) fn run(self, environment: &Environment, terminal: Terminal) -> Result<(), Failure> {
        if self.list {
            return Ok(data(listed().trim_end())?);
        }
        let asking = terminal.is_interactive() && !self.yes;
        let ask = |question: &str, usual: &str| match asking {
            true => {
                let answer = terminal.line(&format!("{question} ({usual}): ")).unwrap_or_default();
                if answer.trim().is_empty() { usual.to_owned() } else { answer.trim().to_owned() }
            }
            false => usual.to_owned(),
        };
        let template = match &self.template {
            Some(name) => find(name)?,
            None if asking => {
                talk(listed().trim_end());
                find(&ask("Template", TEMPLATES[0].name))?
            }
            None => return Err(no_template().into()),
        };
        let directory = match &self.dir {
            Some(directory) => environment.directory.join(directory),
            None => environment.directory.clone(),
        };
        let name = self.name.unwrap_or_else(|| ask("Project name", &usual_name(&directory)));
        // A project's name has to be valid for the files of its stacks.
        StackName::new(&name, "dev")?;
        let description = self.description.unwrap_or_else(|| ask("Project description", template.about));
        let stack = match self.stack {
            Some(stack) => Some(stack),
            None if self.generate_only => None,
            None if asking || self.yes => Some(ask("Stack name", "dev")),
            None => None,
        };
        let stack = stack.map(|stack| StackName::parse(&stack, Some(&name))).transpose()?;
        let written = write(template, &name, &description, &directory)?;
        if let Some(stack) = &stack {
            // A selection is stored by the text of a path: use the one that `cd` leads to.
            let inside = environment.at(directory.canonicalize().unwrap_or(directory));
            // Without its stack the project is incomplete, and would be in the way of the next try.
            create_stack(&inside, stack).inspect_err(|_| take_back(&written))?;
        }
        talk(&format!("Created project `{name}`."));
        if let Some(stack) = &stack {
            talk(&format!("Created stack `{stack}`."));
        }
        talk(&next(self.dir.as_deref(), stack.is_some()));
        Ok(())
    }
}

fn create_stack(environment: &Environment, stack: &StackName) -> Result<(), Failure> {
    let workspace = Workspace::open(environment)?;
    workspace.create_stack(stack)?;
    Ok(workspace.select(Some(stack))?)
}

/// Removes the files that were just written, and the directories that were created for them.
fn take_back(written: &[PathBuf]) {
    for path in written.iter().rev() {
        // A file that cannot be removed stays; the first error is the one to report.
        let _ = if path.is_dir() { fs::remove_dir(path) } else { fs::remove_file(path) };
    }
}

fn next(directory: Option<&Path>, has_stack: bool) -> String {
    let change = directory.map(|directory| format!("    cd {}\n", directory.display())).unwrap_or_default();
    let make = if has_stack { "" } else { "    outrigger stack init dev\n" };
    format!("\nNext:\n{change}{make}    outrigger up")
}

fn listed() -> String {
    let rows = TEMPLATES.each_ref().map(|template| [template.name.to_owned(), template.about.to_owned()]);
    columns(["TEMPLATE", "WHAT IT IS"], &rows)
}

fn find(name: &str) -> Result<&'static Template, Diagnostic> {
    TEMPLATES.iter().find(|template| template.name == name).ok_or_else(|| {
        let known: Vec<&str> = TEMPLATES.iter().map(|template| template.name).collect();
        Diagnostic::error("template-unknown", format!("there is no template `{name}`"))
            .detail(format!("The templates are: {}.", known.join(", ")))
            .hint("`pulumi new` has more templates. Its projects with the runtime `yaml` work here as they are; other runtimes do not work yet.")
    })
}

fn no_template() -> Diagnostic {
    Diagnostic::error("template-missing", "no template was given")
        .hint("Run `outrigger new TEMPLATE`; `outrigger new --list` shows the templates.")
}

/// The directory's name, without characters that a project's name cannot have.
fn usual_name(directory: &Path) -> String {
    let name = directory.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let kept: String = name.chars().map(|letter| if is_plain(letter) { letter } else { '-' }).collect();
    if kept.trim_matches('-').is_empty() { "project".to_owned() } else { kept }
}

fn is_plain(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || "-_.".contains(letter)
}

/// Writes the files, none of them over another. Returns the created directories and files.
fn write(template: &Template, name: &str, description: &str, directory: &Path) -> Result<Vec<PathBuf>, Diagnostic> {
    let files = template.render(name, description);
    let taken = ["Pulumi.yaml", "Pulumi.yml", "Pulumi.json"].into_iter().chain(files.iter().map(|(path, _)| *path));
    if let Some(path) = taken.map(|path| directory.join(path)).find(|path| path.exists()) {
        return Err(Diagnostic::error("new-exists", format!("`{}` already exists", path.display()))
            .detail("Nothing is overwritten.")
            .hint("Choose another directory with `--dir`."));
    }
    let failed = |path: &Path, error: &io::Error| {
        Diagnostic::error("new-write", format!("`{}` cannot be written", path.display()))
            .detail(error.to_string())
            .hint("Choose a directory that may be written to with `--dir`.")
    };
    let mut made = Vec::new();
    for (path, text) in files {
        let path = directory.join(path);
        let folder = path.parent().unwrap_or(directory);
        let new: Vec<PathBuf> = folder.ancestors().take_while(|folder| !folder.exists()).map(Path::to_owned).collect();
        made.extend(new.into_iter().rev());
        let ready = fs::create_dir_all(folder).map_err(|error| failed(folder, &error));
        let written = ready.and_then(|()| {
            // Another program may create the file at the same moment.
            let mut file =
                OpenOptions::new().write(true).create_new(true).open(&path).map_err(|error| failed(&path, &error))?;
            made.push(path.clone());
            file.write_all(text.as_bytes()).map_err(|error| failed(&path, &error))
        });
        written.inspect_err(|_| take_back(&made))?;
    }
    Ok(made)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_projects_usual_name_is_its_directorys() {
        assert_eq!(usual_name(Path::new("/a/my shop")), "my-shop");
        assert_eq!(usual_name(Path::new("/")), "project");
        assert_eq!(usual_name(Path::new("/a/店")), "project");
    }
}
