//! Projects that this driver can run, and their program files.

use std::path::PathBuf;

use outrigger_diagnostic::Diagnostic;
use outrigger_project::Project;
use outrigger_syntax::Span;

/// The possible names of a program file, in order of preference.
const PROGRAMS: [&str; 3] = ["Main.json", "Main.yaml", "Pulumi.yaml"];

/// The file of the YAML program. If it is not the project file, program blocks in the project file are ignored.
pub fn program_file(project: &Project) -> Result<PathBuf, Diagnostic> {
    let directory = project.program_directory();
    if let Some(path) = PROGRAMS.iter().map(|name| directory.join(name)).find(|path| path.is_file()) {
        return Ok(path);
    }
    Err(Diagnostic::error("program-not-found", "the project has no YAML program")
        .detail(format!("None of {} is in {}.", PROGRAMS.join(", "), directory.display()))
        .hint("A program is read from `Pulumi.yaml`, `Main.yaml` or `Main.json`; rename the file, or correct `main`."))
}

/// Refuses a project whose program is not a YAML program supported by this build.
pub fn check_project(project: &Project) -> Result<(), Diagnostic> {
    let at = |span| project.document.place(span);
    let Some(runtime) = &project.runtime else {
        return Err(Diagnostic::error("project-no-runtime", "the project names no runtime")
            .at(at(Span::default()))
            .hint("Add `runtime: yaml` to the project file."));
    };
    if runtime.name != "yaml" {
        let summary = format!("programs in the runtime `{}` cannot be run yet", runtime.name);
        return Err(Diagnostic::error("project-runtime", summary)
            .detail("Only Pulumi YAML programs are run. Commands that need no program work in this project.")
            .at(at(runtime.span))
            .hint(
                "Use `pulumi up` for this project; `outrigger refresh`, `destroy`, `stack` and `config` can be used.",
            ));
    }
    let root = project.document.root.as_object();
    for key in ["components", "namespace"] {
        if let Some(entry) = root.and_then(|root| root.entry(key)) {
            return Err(Diagnostic::error("project-component", format!("a program cannot have `{key}`"))
                .detail("It belongs in the `PulumiPlugin.yaml` of a component plugin.")
                .at(at(entry.key.span))
                .hint(format!("Move `{key}` into a separate component plugin.")));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use outrigger_syntax::Document;

    use super::*;

    fn load(path: &Path, text: &str) -> Project {
        Project::from_document(path, Document::parse("Pulumi.yaml", text).unwrap()).unwrap()
    }

    #[test]
    fn other_programs_are_refused() {
        let code = |text: &str| check_project(&load(Path::new("/p/Pulumi.yaml"), text)).map_err(|problem| problem.code);
        assert_eq!(code("name: a\n"), Err("project-no-runtime"));
        assert_eq!(code("name: a\nruntime: nodejs\n"), Err("project-runtime"));
        assert_eq!(code("name: a\nruntime: {name: yaml, options: {compiler: cue}}\n"), Ok(()));
        assert_eq!(code("name: a\nruntime: yaml\ncomponents: {}\n"), Err("project-component"));
    }

    #[test]
    fn the_file_of_the_program() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path();
        let project = load(&root.join("Pulumi.json"), "{\"name\": \"x\", \"main\": \"a/Main.yaml\"}");
        assert_eq!(program_file(&project).unwrap_err().code, "program-not-found");
        std::fs::create_dir(root.join("a")).unwrap();
        std::fs::write(root.join("a/Main.yaml"), "").unwrap();
        assert_eq!(program_file(&project).unwrap(), root.join("a/Main.yaml"));
    }
}
