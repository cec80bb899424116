//! The standard test of a plugin: real calls, and checks of the properties that every host relies on.
//!
//! [`test`] looks at the schema, configures the plugin, and gives a resource of each type a life from its first check to its second deletion. The
//! life is recorded ([`life`]), and a table of checks judges the record ([`checks`]). Created resources are deleted, whatever fails. A plugin that
//! hangs or crashes fails the check during which it happened, and the next call goes to a new process ([`session`]).

mod checks;
mod compare;
mod given;
mod invented;
mod life;
mod output;
mod schema;
mod session;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use outrigger_diagnostic::Diagnostic;
use outrigger_provider::{Parameterization, Plugin};
use outrigger_schema::Package;
use outrigger_value::PropertyMap;
use tokio_util::sync::CancellationToken;

use crate::redaction::Redaction;
use life::Life;
use session::Session;

pub use given::inputs;
pub use output::PluginOutput;

/// Starts the plugin under test.
#[async_trait]
pub trait Source: Send + Sync {
    /// The name by which hosts ask for it.
    fn name(&self) -> &str;

    /// Starts it in a separate process.
    async fn start(&self) -> Result<Box<dyn Started>, Diagnostic>;
}

/// A process of the plugin under test.
#[async_trait]
pub trait Started: Send + Sync {
    /// The plugin.
    fn plugin(&self) -> &Arc<dyn Plugin>;

    /// The package that it became by its parameters.
    fn package(&self) -> Option<&Parameterization>;

    /// Ends the plugin. Returns a sentence for each process that did not end when it was asked to.
    async fn end(self: Box<Self>) -> Vec<String>;
}

/// The resources to test, and the settings of the test.
pub struct Options {
    /// The plugin's configuration.
    pub config: PropertyMap,
    /// The types of resources; empty for all.
    pub resources: Vec<String>,
    /// Inputs by type: those to create a resource with, then those to update it with.
    pub inputs: BTreeMap<String, Vec<PropertyMap>>,
    /// How long a call may take.
    pub deadline: Duration,
    /// A part of the names of everything that is created, so that nothing else has such a name.
    pub suffix: String,
    /// Receives the plugin's log and output.
    pub output: Arc<PluginOutput>,
    /// Learns the secrets that are passed to the plugin.
    pub redaction: Arc<Redaction>,
    /// Nothing new begins; created resources are deleted.
    pub stop: CancellationToken,
    /// Calls under way are given up, too.
    pub abort: CancellationToken,
}

/// The result of the test.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The plugin's name and version.
    pub plugin: String,
    /// The checks, in order.
    pub checks: Vec<Check>,
    /// Resources that exist, or may exist, after the test.
    pub left: Vec<Left>,
}

/// A check and how it ended.
#[derive(Clone, Debug)]
pub struct Check {
    /// Its name.
    pub name: &'static str,
    /// The type of the resource that it is about; `None` for the plugin as a whole.
    pub resource: Option<String>,
    /// How it ended.
    pub verdict: Verdict,
}

/// How a check ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The plugin does it right.
    Passed,
    /// It does not.
    Failed(Reason),
    /// It could not be found out.
    Skipped(Reason),
}

/// Why a check failed or was skipped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The call, in the words of Pulumi's protocol.
    pub call: &'static str,
    /// The plugin's answer, or why there is none.
    pub answer: String,
    /// The remedy, as a sentence; empty if another check of the resource has it.
    pub hint: String,
}

/// A resource that the test could not delete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    /// Its type.
    pub resource: String,
    /// Its id, if that is known.
    pub id: Option<String>,
    /// Why it is left.
    pub reason: String,
}

impl Options {
    /// A test of every resource with invented inputs. `output` receives the plugin's log and output.
    pub fn new(output: Arc<PluginOutput>) -> Self {
        Self {
            config: PropertyMap::new(),
            resources: Vec::new(),
            inputs: BTreeMap::new(),
            deadline: Duration::from_secs(300),
            suffix: uuid::Uuid::new_v4().simple().to_string().chars().take(8).collect(),
            output,
            redaction: Arc::default(),
            stop: CancellationToken::new(),
            abort: CancellationToken::new(),
        }
    }
}

impl Reason {
    fn new(call: &'static str, answer: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { call, answer: answer.into(), hint: hint.into() }
    }
}

impl Report {
    /// How many checks passed, failed and were skipped.
    pub fn counts(&self) -> [usize; 3] {
        let count = |test: fn(&Verdict) -> bool| self.checks.iter().filter(|check| test(&check.verdict)).count();
        [
            count(|verdict| *verdict == Verdict::Passed),
            count(|verdict| matches!(verdict, Verdict::Failed(_))),
            count(|verdict| matches!(verdict, Verdict::Skipped(_))),
        ]
    }
}

/// Tests a plugin. Each check is handed over when it has ended. An error means that there was nothing to test: the plugin did not start, or has no such resource.
pub async fn test(
    source: &dyn Source,
    options: &Options,
    ended: &mut (dyn FnMut(&Check) + Send),
) -> Result<Report, Diagnostic> {
    let mut session = Session::start(source, options).await?;
    let mut record = Record { report: Report::default(), redaction: &options.redaction, ended };
    let outcome = run(&mut session, options, &mut record).await;
    let cancelled = session.end().await;
    record.add("cancel", None, cancelled);
    outcome.map(|()| record.report)
}

async fn run(session: &mut Session<'_>, options: &Options, record: &mut Record<'_>) -> Result<(), Diagnostic> {
    let (label, package) = session.schema().await;
    record.report.plugin = label;
    let package = match package {
        Ok((package, mistakes)) => {
            record.add("schema", None, mistakes);
            package
        }
        Err(verdict) => {
            record.add("schema", None, verdict);
            return Ok(());
        }
    };
    let types = types(&package, options)?;
    let given = resolved(&package, options)?;
    let configured = session.configure(&package).await;
    let usable = configured == Verdict::Passed;
    record.add("configure", None, configured);
    for ty in types.iter().take_while(|_| usable) {
        if options.stop.is_cancelled() {
            break;
        }
        match package.resource(ty) {
            Ok(Some(resource)) if resource.is_component => {
                let hint = "Test a component with a program, under `outrigger-testing` or `outrigger up`.";
                let reason = Reason::new("Construct", "A component is created by its program.", hint);
                record.add("lifecycle", Some(ty), Verdict::Skipped(reason));
            }
            Ok(Some(resource)) => {
                let mut life = Life::new(ty, resource, &package, options, given.get(ty).map(Vec::as_slice));
                life.live(session).await;
                for (name, verdict) in checks::all(&life, &options.output.text()) {
                    record.add(name, Some(ty), verdict);
                }
                record.report.left.append(&mut life.left);
            }
            // The schema check has named it.
            Ok(None) | Err(_) => {}
        }
    }
    Ok(())
}

/// The types to test, as the schema writes them.
fn types(package: &Package, options: &Options) -> Result<Vec<String>, Diagnostic> {
    if options.resources.is_empty() {
        return Ok(package.resource_tokens().map(str::to_owned).collect());
    }
    options.resources.iter().map(|written| resolve(package, written)).collect()
}

fn resolved(package: &Package, options: &Options) -> Result<BTreeMap<String, Vec<PropertyMap>>, Diagnostic> {
    let entries = options.inputs.iter();
    entries.map(|(written, inputs)| Ok((resolve(package, written)?, inputs.clone()))).collect()
}

fn resolve(package: &Package, written: &str) -> Result<String, Diagnostic> {
    package.resolve_resource(written).ok_or_else(|| {
        Diagnostic::error("plugin-test-type", format!("package `{}` has no resource type `{written}`", package.name()))
            .hint("`outrigger plugin schema` shows the types.")
    })
}

/// Collects checks, without secrets, and passes them on.
struct Record<'a> {
    report: Report,
    redaction: &'a Redaction,
    ended: &'a mut (dyn FnMut(&Check) + Send),
}

impl Record<'_> {
    fn add(&mut self, name: &'static str, resource: Option<&str>, verdict: Verdict) {
        let hidden = |reason: Reason| Reason {
            call: reason.call,
            answer: self.redaction.hide(&reason.answer),
            hint: self.redaction.hide(&reason.hint),
        };
        let verdict = match verdict {
            Verdict::Passed => Verdict::Passed,
            Verdict::Failed(reason) => Verdict::Failed(hidden(reason)),
            Verdict::Skipped(reason) => Verdict::Skipped(hidden(reason)),
        };
        let check = Check { name, resource: resource.map(str::to_owned), verdict };
        (self.ended)(&check);
        self.report.checks.push(check);
    }
}

#[cfg(test)]
mod tests;
