//! Running a program: every resource and variable is a future that waits for its dependencies, all of them in one set, none of
//! them spawned. A few times as many as the engine makes calls are evaluated and registered at once; the others wait as small futures.

mod declared;
mod expression;
mod function;
mod invocation;
mod lookup;
mod options;
mod places;
mod registration;
mod size;
mod text;
mod value;

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use futures::channel::oneshot;
use futures::future::Shared;
use futures::stream::FuturesUnordered;
use futures::{FutureExt, StreamExt};
use outrigger_diagnostic::{Diagnostic, Place, Severity};
use outrigger_project::packages::Packages;
use outrigger_provider::{
    Goal, Monitor, PULUMI_VERSION, PackageReference, Plugins, Program as DriverProgram, ProgramError, RegisterError,
    VersionRange,
};
use outrigger_syntax::{Document, Span};
use outrigger_value::{PropertyMap, Value};
use tokio::sync::{OnceCell, Semaphore};

use crate::check::{self, Checked, Node, Surroundings};
use crate::program::Program;
use value::{Evaluated, Handle, Reader};

/// The settings of a program's run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The project's name.
    pub project: String,
    /// The stack's name.
    pub stack: String,
    /// The organization's name; empty means `organization`.
    pub organization: String,
    /// The project file's directory.
    pub root_directory: PathBuf,
    /// The directory that the program's relative paths start from.
    pub program_directory: PathBuf,
    /// The severity of a value that does not have the type its place expects: an error, unless the user chose otherwise.
    pub type_mismatch: Severity,
}

/// A YAML program, ready to be run by the engine.
pub struct YamlProgram {
    document: Arc<Document>,
    program: Arc<Program>,
    packages: Packages,
    config: BTreeMap<String, Value>,
    plugins: Arc<dyn Plugins>,
    settings: Settings,
    /// The project's name with a colon: the prefix that its own keys may have.
    own: String,
    /// Errors and warnings about the file, except about types.
    findings: Vec<Diagnostic>,
}

impl YamlProgram {
    /// Takes a parsed program with the parser's findings. `config` has the effective values by `namespace:name`, with [`Value::Unknown`]
    /// for a value that is not known, as when no stack is chosen. Errors are reported by [`YamlProgram::check`] and when the program runs,
    /// which then ends before anything but the stack is registered.
    pub fn new(
        document: Document,
        (program, mut findings): (Program, Vec<Diagnostic>),
        config: &BTreeMap<String, Value>,
        packages: Packages,
        plugins: Arc<dyn Plugins>,
        settings: Settings,
    ) -> Self {
        let own = format!("{}:", settings.project);
        let mut config: BTreeMap<String, Value> = config
            .iter()
            .map(|(key, value)| (key.strip_prefix(&own).unwrap_or(key).to_owned(), value.clone()))
            .collect();
        declared::complete(&document, &program, &own, &mut config, &mut findings);
        let (document, program) = (Arc::new(document), Arc::new(program));
        Self { document, program, packages, config, plugins, settings, own, findings }
    }

    /// Every finding that needs no registration: shape, names, cycles, types, properties. Sorted by place.
    pub async fn check(&self) -> Vec<Diagnostic> {
        self.checked().await.1
    }

    /// The program if it has no error, and all findings.
    async fn checked(&self) -> (Option<Checked>, Vec<Diagnostic>) {
        let (checked, mut findings) = check::check(&self.surroundings()).await;
        findings.extend(self.findings.iter().cloned());
        // The same order in every run: by place, those without one first. A value written once and used often gets one finding.
        findings.sort_by(|a, b| a.place.cmp(&b.place));
        findings.dedup();
        let broken = findings.iter().any(Diagnostic::is_error);
        (checked.filter(|_| !broken), findings)
    }

    fn surroundings(&self) -> Surroundings<'_> {
        Surroundings {
            document: &self.document,
            program: &self.program,
            packages: &self.packages,
            config: &self.config,
            project: &self.settings.project,
            plugins: &*self.plugins,
            type_mismatch: self.settings.type_mismatch,
        }
    }
}

#[async_trait]
impl DriverProgram for YamlProgram {
    fn required_packages(&self) -> Vec<PackageReference> {
        self.program.packages(&self.packages)
    }

    async fn run(&self, monitor: &dyn Monitor) -> Result<(), ProgramError> {
        monitor.register(Goal::root(monitor.stack())).await.map_err(|_| ProgramError)?;
        let (checked, findings) = self.checked().await;
        findings.into_iter().for_each(|finding| monitor.report(finding));
        let Some(checked) = checked else { return Err(ProgramError) };
        Run::start(self, &checked, monitor).await
    }
}

/// There is no value; the reason has been reported, or the engine knows it.
#[derive(Clone, Copy, Debug)]
struct Poisoned;

type Outcome = Result<Arc<Evaluated>, Poisoned>;
type Slot = Shared<oneshot::Receiver<Outcome>>;
type Stack = Arc<OnceCell<Option<Arc<Handle>>>>;

/// One run of a program.
struct Run<'a> {
    source: &'a YamlProgram,
    checked: &'a Checked,
    monitor: &'a dyn Monitor,
    config: HashMap<&'a str, Arc<Evaluated>>,
    builtin: Arc<Evaluated>,
    resources: Vec<Slot>,
    variables: Vec<Slot>,
    /// The first node in order that failed itself: nothing after it is registered, as in Pulumi.
    stop: AtomicUsize,
    /// Stacks that `fn::stackReference` has read.
    stacks: Mutex<HashMap<String, Stack>>,
    /// Permits for evaluation and registration: a registration takes tens of kilobytes, and most of a wide program would only wait for a
    /// call. A node takes its permit after all its dependencies are available, so no holder waits for another node.
    admission: Semaphore,
}

/// The position of the evaluation.
#[derive(Clone, Copy)]
struct At {
    /// The position in the order, which decides what an error stops.
    position: usize,
    /// The provider of a call that is a whole variable, when its package has a default.
    provider: Option<usize>,
}

impl<'a> Run<'a> {
    async fn start(
        source: &'a YamlProgram,
        checked: &'a Checked,
        monitor: &'a dyn Monitor,
    ) -> Result<(), ProgramError> {
        let (mut resource_ends, resources) = slots(source.program.resources.len());
        let (mut variable_ends, variables) = slots(source.program.variables.len());
        let mut run = Run {
            source,
            checked,
            monitor,
            config: source.config.iter().map(|(k, v)| (k.as_str(), Arc::new(Evaluated::from_value(v)))).collect(),
            builtin: Arc::new(source.settings.builtin()),
            resources,
            variables,
            stop: AtomicUsize::new(usize::MAX),
            stacks: Mutex::default(),
            admission: Semaphore::new(monitor.run().parallel.saturating_mul(4).clamp(64, Semaphore::MAX_PERMITS)),
        };
        run.declared().await?;
        let run = run;
        run.required_version().await?;
        let nodes: FuturesUnordered<_> = FuturesUnordered::new();
        for (position, node) in checked.scope.order.iter().enumerate() {
            let end = match node {
                Node::Resource(number) => resource_ends.get_mut(*number).and_then(Option::take),
                Node::Variable(number) => variable_ends.get_mut(*number).and_then(Option::take),
            };
            let run = &run;
            nodes.push(async move {
                let outcome = run.node(*node, position).await;
                let failed = outcome.is_err();
                if let Some(end) = end {
                    // The receiver may be gone.
                    let _ = end.send(outcome);
                }
                failed
            });
        }
        let failed = nodes.fold(false, |failed, one| async move { failed | one }).await;
        // A slot that nothing waited for provides its value only once polled.
        for slot in run.resources.iter().chain(&run.variables) {
            let _ = slot.clone().await;
        }
        let outputs = run.outputs().await;
        if failed || outputs.is_err() || run.stop.load(Ordering::Relaxed) != usize::MAX {
            return Err(ProgramError);
        }
        Ok(())
    }

    async fn node(&self, node: Node, position: usize) -> Outcome {
        let scope = &self.checked.scope;
        let needs = match node {
            Node::Resource(number) => scope.resources.get(number),
            Node::Variable(number) => scope.variables.get(number),
        };
        let mut poisoned = false;
        for need in needs.into_iter().flatten() {
            if let Some(slot) = self.slot(*need) {
                poisoned |= !matches!(slot.clone().await, Ok(Ok(_)));
            }
        }
        if poisoned {
            if let Node::Resource(number) = node {
                self.not_registered(number, position).await;
            }
            return Err(Poisoned);
        }
        let _permit = self.admission.acquire().await.map_err(|_| Poisoned)?;
        Box::pin(self.admitted(node, position)).await
    }

    async fn admitted(&self, node: Node, position: usize) -> Outcome {
        match node {
            Node::Resource(number) => {
                let resource = self.register(number, position).await?;
                Ok(Arc::new(Evaluated::Resource(Arc::new(resource))))
            }
            Node::Variable(number) => {
                let variable = self.source.program.variables.get(number).ok_or(Poisoned)?;
                let at = At { position, provider: self.checked.scope.invoke_providers.get(&number).copied() };
                Ok(Arc::new(self.evaluate(&variable.value, at).await?))
            }
        }
    }

    fn slot(&self, node: Node) -> Option<&Slot> {
        match node {
            Node::Resource(number) => self.resources.get(number),
            Node::Variable(number) => self.variables.get(number),
        }
    }

    /// A resource that has already been awaited.
    fn handle(&self, number: usize) -> Option<Arc<Handle>> {
        match self.resources.get(number)?.peek()?.as_ref().ok()?.as_ref().ok()?.as_ref() {
            Evaluated::Resource(handle) => Some(handle.clone()),
            _ => None,
        }
    }

    async fn outputs(&self) -> Result<(), Poisoned> {
        let mut outputs = PropertyMap::new();
        let mut complete = true;
        for output in &self.source.program.outputs {
            match self.evaluate(&output.value, At { position: usize::MAX - 1, provider: None }).await {
                Ok(value) => {
                    // Each output is one value: a secret or unknown part makes the whole secret or unknown.
                    let (value, provenance) = value.resolved();
                    match provenance.wrap(value).marshalled(Reader::Provider).0 {
                        // A null written in the file disappears; one that a resource returned stays.
                        None => {}
                        Some(value) => {
                            outputs.insert(output.name.text.to_string(), value);
                        }
                    }
                }
                Err(Poisoned) => complete = false,
            }
        }
        match self.monitor.register_outputs(self.monitor.stack(), outputs).await {
            Ok(()) if complete => Ok(()),
            Ok(()) => Err(Poisoned),
            Err(error) => Err(self.refused(error, Span::default(), usize::MAX - 1)),
        }
    }

    async fn required_version(&self) -> Result<(), ProgramError> {
        let Some(wanted) = &self.source.program.required_version else { return Ok(()) };
        let at = At { position: 0, provider: None };
        let (value, provenance) = self.evaluate(wanted, at).await.map_err(|Poisoned| ProgramError)?.resolved();
        let problem = match value {
            Evaluated::String(range) if !provenance.unknown => match VersionRange::parse(&range) {
                Some(parsed) if parsed.accepts(&PULUMI_VERSION) => return Ok(()),
                Some(_) => {
                    format!("this program needs Pulumi {range}, but this build is compatible with {PULUMI_VERSION}")
                }
                None => format!("`{range}` is not a range of versions"),
            },
            other => format!("requiredVersion must be a string, not {}", other.word()),
        };
        self.fail(wanted.span, "yaml-required-version", problem, "Change pulumi.requiredVersion.", at);
        Err(ProgramError)
    }

    fn place(&self, span: Span) -> Place {
        self.source.document.place(span)
    }

    /// Reports an error at run time. Nothing later in the order is registered after it.
    fn fail(
        &self,
        span: Span,
        code: &'static str,
        summary: impl Into<String>,
        hint: impl Into<String>,
        at: At,
    ) -> Poisoned {
        self.monitor.report(Diagnostic::error(code, summary).at(self.place(span)).hint(hint));
        self.stop.fetch_min(at.position, Ordering::Relaxed);
        Poisoned
    }

    /// Handles an error of the engine. Errors that it has reported itself are not repeated.
    fn refused(&self, error: RegisterError, span: Span, position: usize) -> Poisoned {
        if let RegisterError::Invalid(mut diagnostic) = error {
            diagnostic.place.get_or_insert_with(|| self.place(span));
            self.monitor.report(*diagnostic);
            self.stop.fetch_min(position, Ordering::Relaxed);
        }
        Poisoned
    }
}

impl Settings {
    /// The value of the name `pulumi`.
    fn builtin(&self) -> Evaluated {
        let organization = if self.organization.is_empty() { "organization" } else { &self.organization };
        let entries = [
            ("cwd", self.program_directory.display().to_string()),
            ("organization", organization.to_owned()),
            ("project", self.project.clone()),
            ("rootDirectory", self.root_directory.display().to_string()),
            ("stack", self.stack.clone()),
        ];
        Evaluated::Map(entries.into_iter().map(|(key, text)| (key.to_owned(), Evaluated::String(text))).collect())
    }
}

fn slots(count: usize) -> (Vec<Option<oneshot::Sender<Outcome>>>, Vec<Slot>) {
    let slot = |_| {
        let (sender, receiver) = oneshot::channel();
        (Some(sender), receiver.shared())
    };
    (0..count).map(slot).unzip()
}
