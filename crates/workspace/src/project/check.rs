//! Finding mistakes in a project, without asking a provider anything.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use outrigger_diagnostic::Diagnostic;
use outrigger_project::config::Survey;
use outrigger_project::stack_config::StackConfig;
use outrigger_project::{Project, find};
use outrigger_state::StackName;
use outrigger_syntax::Document;
use outrigger_yaml::check_project;
use outrigger_yaml::program::Program;

use super::Environment;
use super::plugins::PluginSettings;
use super::source::Source;
use super::stack::{chosen, read_stack_config};
use crate::Error;
use crate::services::Relay;

/// The diagnostics, and the list of unchecked parts.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The diagnostics, sorted by place.
    pub findings: Vec<Diagnostic>,
    /// The unchecked parts, with the reason.
    pub unchecked: Vec<String>,
    /// Texts that diagnostics point into and that are in no file.
    pub texts: BTreeMap<String, String>,
}

/// Checks the project file, the configuration of a stack and the program against the schemas of the packages. A plugin is started only to ask it
/// for a schema that is not in the cache. Nothing is decrypted and no state is read.
pub async fn check(environment: &Environment, stack: Option<&str>) -> Result<Report, Error> {
    let path = find(&environment.directory)?;
    let mut report = Report::default();
    if let Err(error) = report.project(&path, stack, environment).await {
        report.findings.extend(error.findings);
        report.texts.extend(error.texts);
    }
    report.findings.sort_by(|a, b| a.place.cmp(&b.place));
    report.findings.dedup();
    Ok(report)
}

impl Report {
    /// Checks as much as can be understood. An error that is returned ends the check, and is reported too.
    async fn project(&mut self, path: &Path, stack: Option<&str>, environment: &Environment) -> Result<(), Error> {
        let shown = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let bytes = fs::read(path).map_err(|error| {
            Diagnostic::error("project-unreadable", format!("`{shown}` cannot be read"))
                .detail(error.to_string())
                .hint("Check that the file is readable.")
        })?;
        let document = Document::parse_bytes(shown, &bytes)?;
        // The document has its own copy.
        drop(bytes);
        let project = match Project::from_document(path, document.clone()) {
            Ok(project) => project,
            Err(findings) => {
                // The program in the same file can be read anyway.
                self.findings.extend(Program::parse(&document).1);
                return Err(findings.into());
            }
        };
        self.findings.extend(project.check_version().err());
        check_project(&project)?;
        let stack = chosen(&project, stack, environment)?;
        let mut survey = match &stack {
            Some(stack) => self.stack(&project, stack),
            None => {
                self.unchecked.push("configuration values, because no stack is chosen (`--stack`)".to_owned());
                let (stacks, broken) = stacks(&project);
                self.findings.extend(broken);
                Survey::of_none(&project, &stacks)
            }
        };
        self.findings.append(&mut survey.findings);
        if survey.sealed > 0 {
            let values = if survey.sealed == 1 { "1 value" } else { &format!("{} values", survey.sealed) };
            self.unchecked.push(format!("{values} of the configuration, because they are encrypted"));
        }
        let source = match project.compiler() {
            Some(compiler) => {
                let given = stack.as_ref().map(|stack| (stack.stack(), &survey.plain));
                Source::compile(compiler, &project, given, environment)?
            }
            None => Source::read(&project)?,
        };
        self.texts.extend(source.texts.clone());
        if stack.is_none() {
            survey.declare(source.parsed.0.config.iter().map(|entry| &*entry.key.text), &project);
        }
        self.program(&project, stack.as_ref(), survey, source, environment).await
    }

    /// The configuration of a stack, from its file.
    fn stack(&mut self, project: &Project, stack: &StackName) -> Survey {
        match read_stack_config(project, &project.stack_file(stack.stack())) {
            Ok(config) => Survey::of_stack(project, &config, stack.stack()),
            Err(findings) => {
                self.findings.extend(findings);
                Survey::of_none(project, [])
            }
        }
    }

    async fn program(
        &mut self,
        project: &Project,
        stack: Option<&StackName>,
        survey: Survey,
        source: Source,
        environment: &Environment,
    ) -> Result<(), Error> {
        let settings = PluginSettings::of_project(environment, project, BTreeMap::new())?;
        let (host, run) = settings.start(Arc::new(Relay::default()))?;
        let name = stack.map(StackName::stack).unwrap_or_default();
        let program = source.program(project, name, &survey.values, Arc::new(run), environment);
        self.findings.extend(program.check().await);
        host.shutdown().await;
        Ok(())
    }
}

/// The stack files of the project, and the errors of those that cannot be read.
fn stacks(project: &Project) -> (Vec<StackConfig>, Vec<Diagnostic>) {
    let any = project.stack_file("*");
    let extension = any.extension().unwrap_or_default();
    let entries = any.parent().and_then(|directory| fs::read_dir(directory).ok());
    let mut files: Vec<_> = entries
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            path != &project.path && name.starts_with("Pulumi.") && path.extension() == Some(extension)
        })
        .collect();
    files.sort();
    let (mut stacks, mut broken) = (Vec::new(), Vec::new());
    for file in files {
        match read_stack_config(project, &file) {
            Ok(stack) => stacks.push(stack),
            Err(findings) => broken.extend(findings),
        }
    }
    (stacks, broken)
}
