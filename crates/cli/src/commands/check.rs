//! `outrigger check`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use clap::Args;
use outrigger_diagnostic::Diagnostic;
use outrigger_host::Host;
use outrigger_project::config::Survey;
use outrigger_project::stack_config::StackConfig;
use outrigger_project::{Project, find};
use outrigger_state::StackName;
use outrigger_syntax::Document;
use outrigger_yaml::check_project;
use outrigger_yaml::program::Program;
use serde_json::{Value as Json, json};

use crate::arguments::StackChoice;
use crate::environment::Environment;
use crate::failure::{Exit, Failure};
use crate::operation::runtime;
use crate::output::{data, talk};
use crate::plugins::PluginSettings;
use crate::render::diagnostic::Renderer;
use crate::render::events::diagnostic_body;
use crate::services::Relay;
use crate::source::Source;
use crate::workspace::{home, read_stack_config};

/// Find mistakes in the project, without asking a provider anything.
///
/// Reads the project file, the stack's configuration and the program, and checks names, types and properties against the
/// schemas of the packages. A schema comes from the cache; a plugin is started only to ask it for one that is not there. Nothing
/// is decrypted and no state is read. Without a stack, the program is checked for every stack alike. Ends with 1 if there is a
/// mistake.
#[derive(Args, Debug)]
pub(crate) struct Check {
    #[command(flatten)]
    choice: StackChoice,
    /// As JSON: every finding with its place.
    #[arg(short, long)]
    json: bool,
}

/// What was found, and what was not looked at.
#[derive(Default)]
struct Report {
    findings: Vec<Diagnostic>,
    unchecked: Vec<String>,
    /// Texts that findings point into and that are in no file.
    texts: BTreeMap<String, String>,
}

impl Check {
    pub(crate) fn run(self, environment: &Environment) -> Result<(), Failure> {
        let path = find(&environment.directory)?;
        let mut report = Report::default();
        if let Err(failure) = report.project(&path, self.choice.stack.as_deref(), environment) {
            report.findings.extend(failure.diagnostics);
            report.texts.extend(failure.texts);
        }
        report.findings.sort_by(|a, b| a.place.cmp(&b.place));
        report.findings.dedup();
        let errors = report.findings.iter().filter(|finding| finding.is_error()).count();
        if self.json {
            data(&format!("{:#}", report.json(errors)))?;
        } else {
            report.show(errors, path.parent().unwrap_or(&environment.directory))?;
        }
        if errors > 0 { Err(Failure::said(Exit::Failed)) } else { Ok(()) }
    }
}

impl Report {
    /// Checks as much as can be understood. What is returned as a failure ends the checking, and is a finding too.
    fn project(&mut self, path: &Path, stack: Option<&str>, environment: &Environment) -> Result<(), Failure> {
        let shown = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let bytes = fs::read(path).map_err(|error| {
            Diagnostic::error("project-unreadable", format!("`{shown}` cannot be read"))
                .detail(error.to_string())
                .hint("Check that the file may be read.")
        })?;
        let document = Document::parse_bytes(shown, &bytes)?;
        // The document has its own copy.
        drop(bytes);
        let project = match Project::from_document(path, document.clone()) {
            Ok(project) => project,
            Err(findings) => {
                // The program in the same file can be read all the same.
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
        self.program(&project, stack.as_ref(), survey, source, environment)
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

    fn program(
        &mut self,
        project: &Project,
        stack: Option<&StackName>,
        survey: Survey,
        source: Source,
        environment: &Environment,
    ) -> Result<(), Failure> {
        runtime()?.block_on(async {
            let keeper = crate::bridge::keeper(environment);
            let settings = PluginSettings::of_project(environment, project, keeper, BTreeMap::new())?;
            let host = Host::new(settings.options())?;
            let run = Arc::new(host.run(Arc::new(Relay::default())));
            let name = stack.map(StackName::stack).unwrap_or_default();
            let program = source.program(project, name, &survey.values, run, environment);
            self.findings.extend(program.check().await);
            host.shutdown().await;
            Ok(())
        })
    }

    fn json(&self, errors: usize) -> Json {
        json!({
            "version": 1,
            "errors": errors,
            "warnings": self.findings.len() - errors,
            "findings": self.findings.iter().map(diagnostic_body).collect::<Vec<_>>(),
            "unchecked": self.unchecked,
        })
    }

    fn show(&self, errors: usize, base: &Path) -> Result<(), Diagnostic> {
        let renderer = Renderer { base: base.to_owned(), texts: self.texts.clone() };
        for finding in &self.findings {
            talk(renderer.render(finding).trim_end());
        }
        let counted = |count: usize, one: &str| match count {
            0 => format!("no {one}s"),
            1 => format!("1 {one}"),
            more => format!("{more} {one}s"),
        };
        for unchecked in &self.unchecked {
            talk(&format!("Not checked: {unchecked}."));
        }
        let warnings = self.findings.len() - errors;
        data(&format!("{} and {} found", counted(errors, "mistake"), counted(warnings, "warning")))
    }
}

/// The stack that is meant: named, from the environment, or selected. It need not exist yet.
fn chosen(project: &Project, named: Option<&str>, environment: &Environment) -> Result<Option<StackName>, Diagnostic> {
    let from_environment = environment.text("PULUMI_STACK");
    match named.or(from_environment.as_deref()) {
        Some(name) => StackName::parse(name, Some(&project.name)).map(Some),
        None => home(environment)?.selected_stack(&project.name, &project.path.to_string_lossy()),
    }
}

/// Every stack's file of the project, and what is wrong with those that cannot be read.
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
