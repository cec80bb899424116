//! Components of packages: a provider makes them out of resources that it registers itself.

use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use outrigger_diagnostic::Diagnostic;
use outrigger_provider::{
    CallResponse, Goal, InvokeGoal, MethodGoal, Monitor, ReadGoal, RegisterError, Registered, RunInfo, Source,
};
use outrigger_value::{PropertyMap, ProviderReference, Urn, Value};
use tracing::Instrument as _;

use crate::deployment::{Deployment, diagnose};
use crate::register::{package_of, package_or, place};

const PROVIDERS: &str = "pulumi:providers:";

impl Deployment {
    /// Lets the provider make a component.
    pub(crate) async fn construct(&self, goal: Goal, urn: &Urn) -> Result<Registered, RegisterError> {
        let reference = self.provider_for(&goal, urn).await?;
        let instance = self.provider(&reference, urn).await?;
        if instance.provider.unconfigured() {
            // A preview cannot know the component's children yet, only that the component will exist.
            return Box::pin(self.register_resource(Goal { remote: false, ..goal })).await;
        }
        let monitor = Attended { deployment: self, source: goal.source.clone(), refused: AtomicBool::new(false) };
        let providers = goal.providers.clone();
        let source = goal.source.clone();
        let made = instance.provider.construct(&self.context, goal, &monitor).await;
        let made = made.map_err(|error| {
            // A child's failure has been reported; the component's own failure adds nothing.
            if monitor.refused.load(Ordering::Relaxed) {
                return RegisterError::Failed;
            }
            let diagnostic = diagnose(error, "create component", urn);
            self.fail(urn, at(diagnostic, source))
        })?;
        self.decide().set_providers(&made.urn, providers);
        Ok(Registered { urn: made.urn, id: None, outputs: made.outputs, output_dependencies: made.output_dependencies })
    }

    /// Calls a method of a resource, on the resource's own provider.
    pub(crate) async fn call_method(&self, goal: MethodGoal) -> Result<CallResponse, RegisterError> {
        self.may_start()?;
        let stack = self.stack_urn();
        let receiver = match goal.call.arguments.get("__self__").map(Value::bare) {
            Some(Value::Resource(reference)) => Some(reference.clone()),
            _ => None,
        };
        let of_provider = goal.call.token.starts_with(PROVIDERS);
        let own = receiver.and_then(|receiver| {
            // A method of a provider is handled by that very provider.
            if of_provider {
                let id = receiver.id.as_deref().and_then(|id| id.bare().as_str().map(str::to_owned))?;
                return Some(ProviderReference { urn: receiver.urn, id });
            }
            self.decide().table.live(&receiver.urn).and_then(|(_, found)| found.provider.clone())
        });
        let chosen = if of_provider { own } else { goal.provider.clone().or(own) };
        let reference = match chosen {
            Some(reference) => reference,
            None => self.default_provider(package_or(goal.package.as_ref(), &goal.call.token), &stack).await?,
        };
        let instance = self.provider(&reference, &stack).await?;
        let monitor = Attended { deployment: self, source: goal.source.clone(), refused: AtomicBool::new(false) };
        let token = goal.call.token.clone();
        let span = tracing::info_span!("method", %token);
        let called = instance.provider.call(&self.context, goal.call, &monitor).instrument(span).await;
        called.map_err(|error| {
            if monitor.refused.load(Ordering::Relaxed) {
                return RegisterError::Failed;
            }
            let mut diagnostic = diagnose(error, "call", &stack);
            diagnostic.summary = format!("could not call method `{token}`");
            self.fail(&stack, at(diagnostic, goal.source))
        })
    }

    /// The provider that manages a resource: its own, its parent's, or the default one of its package.
    pub(crate) async fn provider_for(&self, goal: &Goal, urn: &Urn) -> Result<ProviderReference, RegisterError> {
        if let Some(reference) = &goal.provider {
            return Ok(reference.clone());
        }
        let package = package_of(goal);
        let of_parent = || self.decide().inherited(goal.parent.as_ref()?).providers.remove(package.package());
        match goal.providers.get(package.package()).cloned().or_else(of_parent) {
            Some(reference) => Ok(reference),
            None => self.default_provider(package, urn).await,
        }
    }
}

/// The monitor of one component or method call. Its resources are reported at the component's place in the program, and it remembers
/// whether any of them failed. Unlike a program's, its resources have no default parent: a component cannot see the stack.
struct Attended<'d> {
    deployment: &'d Deployment,
    source: Source,
    refused: AtomicBool,
}

impl Attended<'_> {
    fn noted<T>(&self, result: Result<T, RegisterError>) -> Result<T, RegisterError> {
        if matches!(result, Err(RegisterError::Failed | RegisterError::Skipped)) {
            self.refused.store(true, Ordering::Relaxed);
        }
        result
    }
}

#[async_trait]
impl Monitor for Attended<'_> {
    fn stack(&self) -> &Urn {
        self.deployment.stack()
    }

    fn run(&self) -> &RunInfo {
        self.deployment.run()
    }

    async fn register(&self, goal: Goal) -> Result<Registered, RegisterError> {
        let source = goal.source.clone().or_else(|| self.source.clone());
        self.noted(self.deployment.register_or_skip(Goal { source, ..goal }).await)
    }

    async fn register_outputs(&self, urn: &Urn, outputs: PropertyMap) -> Result<(), RegisterError> {
        self.noted(self.deployment.register_outputs(urn, outputs).await)
    }

    async fn read(&self, goal: ReadGoal) -> Result<Registered, RegisterError> {
        let source = goal.source.clone().or_else(|| self.source.clone());
        self.noted(self.deployment.read_resource(ReadGoal { source, ..goal }).await)
    }

    async fn invoke(&self, goal: InvokeGoal) -> Result<Option<PropertyMap>, RegisterError> {
        let source = goal.source.clone().or_else(|| self.source.clone());
        self.noted(self.deployment.invoke(InvokeGoal { source, ..goal }).await)
    }

    async fn call(&self, goal: MethodGoal) -> Result<CallResponse, RegisterError> {
        let source = goal.source.clone().or_else(|| self.source.clone());
        self.noted(self.deployment.call(MethodGoal { source, ..goal }).await)
    }

    fn report(&self, diagnostic: Diagnostic) {
        Monitor::report(self.deployment, diagnostic);
    }
}

fn at(diagnostic: Diagnostic, source: Source) -> Diagnostic {
    place(diagnostic, &Goal { source, ..Goal::default() })
}
