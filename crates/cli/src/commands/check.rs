//! `outrigger check`.

use std::path::Path;

use clap::Args;
use outrigger_diagnostic::Diagnostic;
use outrigger_workspace::events::diagnostic_body;
use outrigger_workspace::{Report, check, project_directory};
use serde_json::{Value as Json, json};

use crate::arguments::StackChoice;
use crate::environment::Environment;
use crate::failure::{Exit, Failure};
use crate::operation::runtime;
use crate::output::{data, talk};
use crate::render::diagnostic::Renderer;
use crate::render::waiting::waiting;

/// Find mistakes in the project, without calling a provider.
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

impl Check {
    pub(crate) fn run(self, environment: &Environment) -> Result<(), Failure> {
        let work = check(environment, self.choice.stack.as_deref());
        let report = runtime()?.block_on(waiting("Checking", work))?;
        let errors = report.findings.iter().filter(|finding| finding.is_error()).count();
        if self.json {
            data(&format!("{:#}", as_json(&report, errors)))?;
        } else {
            show(&report, errors, &project_directory(environment))?;
        }
        if errors > 0 { Err(Failure::said(Exit::Failed)) } else { Ok(()) }
    }
}

fn as_json(report: &Report, errors: usize) -> Json {
    json!({
        "version": 1,
        "errors": errors,
        "warnings": report.findings.len() - errors,
        "findings": report.findings.iter().map(diagnostic_body).collect::<Vec<_>>(),
        "unchecked": report.unchecked,
    })
}

fn show(report: &Report, errors: usize, base: &Path) -> Result<(), Diagnostic> {
    let renderer = Renderer { base: base.to_owned(), texts: report.texts.clone() };
    for finding in &report.findings {
        talk(renderer.render(finding).trim_end());
    }
    let counted = |count: usize, one: &str| match count {
        0 => format!("no {one}s"),
        1 => format!("1 {one}"),
        more => format!("{more} {one}s"),
    };
    for unchecked in &report.unchecked {
        talk(&format!("Not checked: {unchecked}."));
    }
    let warnings = report.findings.len() - errors;
    data(&format!("{} and {} found", counted(errors, "mistake"), counted(warnings, "warning")))
}
