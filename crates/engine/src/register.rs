//! The path of one registration: name, old entry, check, plan, decision, step, answer.

use std::sync::Arc;

use outrigger_diagnostic::Diagnostic;
use outrigger_provider::{
    Autonaming, CallError, CheckFailure, CheckRequest, Diff, Goal, PlanRequest, Planned, PluginDescriptor,
    RegisterError, Registered, ResourceIdentity, Verdict,
};
use outrigger_state::{EntryKey, Resource};
use outrigger_value::{PropertyDependencies, PropertyMap, PropertyPath, ProviderReference, UNKNOWN_ID, Urn, Value};

use crate::changes;
use crate::decisions::Begun;
use crate::deployment::{Deployment, diagnose, diagnose_check};
use crate::providers::Instance;
use crate::steps::{Replacing, state_of, timeout};

/// A registration under way.
pub(crate) struct Registration {
    pub(crate) goal: Goal,
    pub(crate) begun: Begun,
    /// The new state, filled as the answers come in.
    pub(crate) new: Resource,
}

impl Registration {
    pub(crate) fn urn(&self) -> &Urn {
        &self.begun.urn
    }

    pub(crate) fn old(&self) -> Option<&Arc<Resource>> {
        self.begun.old.as_ref().map(|(_, old)| old)
    }
}

impl Deployment {
    /// Registers a resource and waits for its result.
    pub(crate) async fn register_resource(&self, mut goal: Goal) -> Result<Registered, RegisterError> {
        self.may_start()?;
        self.inherit(&mut goal);
        let preliminary =
            Urn::new(&self.options.stack, &self.options.project, goal.parent.as_ref(), &goal.ty, &goal.name);
        self.services
            .inputs
            .prepare(&mut goal.inputs)
            .map_err(|diagnostic| self.fail(&preliminary, place(diagnostic, &goal)))?;
        if goal.remote {
            return self.construct(goal, &preliminary).await;
        }
        let is_provider = goal.ty.starts_with("pulumi:providers:");
        let instance = if goal.custom && !is_provider {
            let reference = self.provider_for(&goal, &preliminary).await?;
            goal.provider = Some(reference.clone());
            Some(self.provider(&reference, &preliminary).await?)
        } else {
            None
        };
        let begun =
            self.decide().begin(&goal).map_err(|diagnostic| self.fail(&preliminary, place(diagnostic, &goal)))?;
        let registration = Registration { new: wanted_state(&goal, &begun), goal, begun };
        if !self.targeted(registration.urn()) {
            return self.register_untargeted(registration).await;
        }
        self.refuse_skipped(&registration.new, &registration.goal)?;
        match instance {
            Some(instance) => self.register_custom(registration, &instance).await,
            None if is_provider => self.register_provider(registration).await,
            None => self.register_component(registration).await,
        }
    }

    /// A child inherits the options that it does not set itself; a provider only if it belongs to the child's package.
    fn inherit(&self, goal: &mut Goal) {
        let inherited = goal.parent.as_ref().map(|parent| self.decide().inherited(parent)).unwrap_or_default();
        goal.protect = goal.protect.or(inherited.protect);
        goal.retain_on_delete = goal.retain_on_delete.or(inherited.retain_on_delete);
        goal.deleted_with = goal.deleted_with.take().or(inherited.deleted_with);
        if !goal.custom {
            for (package, provider) in inherited.providers {
                goal.providers.entry(package).or_insert(provider);
            }
        }
        // A component's provider option is for its children, which find it by package.
        if !goal.custom && !goal.remote {
            goal.provider = None;
        } else if goal.provider.is_none() {
            goal.provider = inherited
                .provider
                .filter(|provider| provider.urn.provider_package() == Some(package_of(goal).package()));
        }
    }

    /// Registers a component: no provider is called, only the state changes.
    async fn register_component(&self, mut registration: Registration) -> Result<Registered, RegisterError> {
        self.decide().settle(&registration.begun.urn);
        match registration.begun.old.clone() {
            Some((key, old)) if old.inputs == registration.new.inputs => {
                registration.new.outputs.clone_from(&old.outputs);
                self.same(registration, key, &old, None).await
            }
            Some((key, old)) => self.update_component(registration, key, old).await,
            None => self.create_component(registration).await,
        }
    }

    async fn register_custom(
        &self,
        mut registration: Registration,
        instance: &Instance,
    ) -> Result<Registered, RegisterError> {
        let urn = registration.urn().clone();
        if let Some(id) = self.import_wanted(&registration) {
            self.import(&mut registration, instance, &id).await?;
        } else if registration.old().is_some_and(|old| old.refresh_before_update && !old.external) {
            self.refresh_registered(&mut registration, instance).await?;
        }
        let fresh = self.made_anew(&registration);
        let seed = self.services.random.seed();
        self.check(&mut registration, instance, fresh, seed).await?;

        // The first decision. A resource already condemned was deleted because of another, so it is recreated.
        let Some((key, old)) = registration.begun.old.clone() else {
            self.decide().settle(&urn);
            return self.create(registration, instance, Replacing::Nothing).await;
        };
        if self.decide().is_condemned(key) || old.pending_replacement {
            return self.recreate(registration, instance, key, seed, fresh).await;
        }
        if old.external {
            self.decide().settle(&urn);
            return self.create(registration, instance, Replacing::Pending { key, old, diff: None }).await;
        }
        // Predicting an update costs a separate call, and a replacement that the options force may be of a type whose provider has no
        // updates: with `replaceOnChanges`, the prediction waits for the verdict.
        let predict_later = self.options.preview && !registration.goal.replace_on_changes.is_empty();
        let mut planned = self.plan(&registration, instance, &old, self.options.preview && !predict_later).await?;
        let verdict = changes::force_replacements(
            &mut planned.diff,
            planned.verdict,
            &registration.goal.replace_on_changes,
            !old.init_errors.is_empty(),
        );
        if verdict == Verdict::Replace {
            return self.replace(registration, instance, key, old, planned.diff, seed).await;
        }
        // The second decision: while the provider was answering, another task may have condemned this resource.
        if !self.decide().settle_kept(&urn, key) {
            return self.recreate(registration, instance, key, seed, false).await;
        }
        match verdict {
            Verdict::Same => {
                registration.new.outputs.clone_from(&old.outputs);
                self.same(registration, key, &old, Some(planned.diff)).await
            }
            _ => {
                if predict_later {
                    planned.predicted = self.plan(&registration, instance, &old, true).await?.predicted;
                }
                self.update(registration, instance, key, old, planned).await
            }
        }
    }

    /// Whether the resource is recreated, so that its old inputs mean nothing to the check.
    fn made_anew(&self, registration: &Registration) -> bool {
        registration
            .begun
            .old
            .as_ref()
            .is_none_or(|(key, old)| old.external || old.pending_replacement || self.decide().is_condemned(*key))
    }

    /// Asks the provider to check the inputs, and puts the result in `new.inputs`.
    pub(crate) async fn check(
        &self,
        registration: &mut Registration,
        instance: &Instance,
        fresh: bool,
        random_seed: [u8; 32],
    ) -> Result<(), RegisterError> {
        let urn = registration.urn().clone();
        let mut news = registration.goal.inputs.clone();
        let mut olds = None;
        if let Some(old) = registration.old().filter(|_| !fresh) {
            let unreachable;
            (news, unreachable) = changes::ignore(news, &old.inputs, &registration.goal.ignore_changes);
            if !unreachable.is_empty() {
                let paths = unreachable.join(", ");
                self.info(
                    &urn,
                    "engine-ignore-changes",
                    format!("changes in added or removed elements cannot be ignored: {paths}"),
                );
            }
            olds = Some(old.inputs.clone());
        }
        let autonaming = self.autonaming(registration, instance, &random_seed);
        let request = CheckRequest {
            resource: ResourceIdentity::new(urn.clone()),
            olds,
            news,
            random_seed,
            autonaming,
            preview: self.options.preview,
        };
        let permit = self.look().await?;
        let checked = instance.provider.check(&self.context, request).await;
        drop(permit);
        let checked = checked.map_err(|error| self.fail(&urn, failed(error, "check", &urn, &registration.goal)))?;
        if !checked.failures.is_empty() {
            for failure in &checked.failures {
                self.report(Some(urn.clone()), refused(failure, &urn, &registration.goal));
            }
            self.mark_failed();
            return Err(RegisterError::Failed);
        }
        registration.new.inputs = checked.inputs;
        Ok(())
    }

    /// The name that the stack's configuration gives a resource.
    fn autonaming(&self, registration: &mut Registration, instance: &Instance, seed: &[u8; 32]) -> Option<Autonaming> {
        let named = self.naming.of(registration.urn(), seed)?;
        if named.fixed {
            // Two resources of the same name cannot exist at once.
            registration.goal.delete_before_replace = Some(true);
        }
        if instance.provider.takes_autonaming() {
            return Some(named.autonaming);
        }
        if named.meant && !instance.provider.unconfigured() {
            let summary = "`pulumi:autonaming` sets the name of this resource, but its provider does not support that";
            let hint = "Use a newer version of the provider, or give the resource a name.";
            let diagnostic = Diagnostic::warning("engine-autonaming", summary).hint(hint);
            self.report(Some(registration.urn().clone()), place(diagnostic, &registration.goal));
        }
        None
    }

    /// How an old resource must change: the options and the provider's reference decide first, then the provider itself.
    async fn plan(
        &self,
        registration: &Registration,
        instance: &Instance,
        old: &Arc<Resource>,
        predict: bool,
    ) -> Result<Planned, RegisterError> {
        let urn = registration.urn();
        let replace = |key: &str| Planned {
            verdict: Verdict::Replace,
            diff: Diff { changed: Some(true), replace_keys: vec![key.to_owned()], ..Diff::default() },
            predicted: None,
        };
        if old.taint {
            return Ok(replace("id"));
        }
        if changes::triggered(old.replacement_trigger.as_ref(), registration.goal.replacement_trigger.as_ref()) {
            return Ok(replace("replacementTrigger"));
        }
        if registration.goal.replace_with.iter().any(|with| self.decide().was_replaced(with)) {
            return Ok(replace("replaceWith"));
        }
        if self.provider_replaced(old, registration.new.provider.as_ref(), instance, urn).await? {
            return Ok(replace("provider"));
        }
        let request = PlanRequest {
            resource: ResourceIdentity::new(urn.clone()),
            prior: Some(state_of(old)),
            inputs: Some(registration.new.inputs.clone()),
            ignore_changes: registration.goal.ignore_changes.clone(),
            predict,
            timeout: timeout(registration.goal.custom_timeouts.update),
        };
        let permit = self.look().await?;
        let planned = instance.provider.plan(&self.context, request).await;
        drop(permit);
        planned.map_err(|error| self.fail(urn, failed(error, "compare", urn, &registration.goal)))
    }

    /// Whether a different provider means a different resource.
    async fn provider_replaced(
        &self,
        old: &Resource,
        new: Option<&ProviderReference>,
        instance: &Instance,
        urn: &Urn,
    ) -> Result<bool, RegisterError> {
        let (Some(old_reference), Some(new)) = (&old.provider, new) else { return Ok(old.provider.as_ref() != new) };
        if old_reference == new || *self.decide().current_name(&old_reference.urn) == new.urn {
            return Ok(false);
        }
        let old_provider = self.base.resources.iter().find(|resource| {
            resource.is_provider()
                && resource.urn == old_reference.urn
                && resource.id.as_deref() == Some(&old_reference.id)
        });
        let Some(old_provider) = old_provider else { return Ok(false) };
        let diff = self.diff_provider(instance, old_provider, &instance.resource.inputs).await;
        let diff = diff.map_err(|error| self.fail(urn, diagnose(error, "compare the providers of", urn)))?;
        Ok(!diff.replace_keys.is_empty()
            || diff.detailed.is_some_and(|detailed| detailed.values().any(|d| d.kind.replaces())))
    }

    /// Whether the resource is targeted, which all are without targets. Providers and the stack always count.
    pub(crate) fn targeted(&self, urn: &Urn) -> bool {
        self.options.targets.is_empty()
            || self.options.targets.contains(urn)
            || urn.is_stack()
            || urn.provider_package().is_some()
    }

    /// A resource outside the targets stays as it is, or is not created. One that was deleted to be replaced does not exist either, and its
    /// old id must not be passed on.
    async fn register_untargeted(&self, mut registration: Registration) -> Result<Registered, RegisterError> {
        let urn = registration.urn().clone();
        self.decide().settle(&urn);
        let there =
            |(key, old): &(EntryKey, Arc<Resource>)| !old.pending_replacement && !self.decide().is_condemned(*key);
        match registration.begun.old.clone().filter(there) {
            Some((key, old)) => {
                registration.new = Resource { urn: urn.clone(), ..Resource::clone(&old) };
                self.same(registration, key, &old, None).await
            }
            None => {
                self.decide().skip_create(&urn);
                let id = registration.new.custom.then_some(Value::Unknown);
                Ok(Registered {
                    urn,
                    id,
                    outputs: PropertyMap::new(),
                    output_dependencies: PropertyDependencies::new(),
                })
            }
        }
    }

    /// Refuses to create a targeted resource while something that it needs is not created.
    pub(crate) fn refuse_skipped(&self, new: &Resource, goal: &Goal) -> Result<(), RegisterError> {
        let needed = new.references().chain(new.provider.as_ref().map(|provider| &provider.urn));
        let Some(missing) = self.decide().skipped_among(needed) else { return Ok(()) };
        let diagnostic = Diagnostic::error(
            "engine-untargeted-dependency",
            format!("`{}` depends on a resource that is not targeted", new.urn.name()),
        )
        .detail(format!("{missing} does not exist yet and was not named by --target"))
        .hint(format!("Add `--target '{missing}'`."));
        Err(self.fail(&new.urn, place(diagnostic, goal)))
    }

    /// The answer to the driver.
    pub(crate) fn answer(&self, resource: &Resource) -> Registered {
        let id = match (&resource.id, resource.custom) {
            (_, false) => None,
            (Some(id), true) if id != UNKNOWN_ID && !id.is_empty() => Some(Value::String(id.clone())),
            (_, true) => Some(Value::Unknown),
        };
        let (urn, outputs) = (resource.urn.clone(), resource.outputs.clone());
        Registered { urn, id, outputs, output_dependencies: PropertyDependencies::new() }
    }

    pub(crate) fn key_or_new(&self, key: Option<EntryKey>) -> EntryKey {
        key.unwrap_or_else(|| self.decide().table.new_entry())
    }
}

/// Adds the goal's place to a diagnostic that has none.
pub(crate) fn place(diagnostic: Diagnostic, goal: &Goal) -> Diagnostic {
    match (&diagnostic.place, &goal.source) {
        (None, Some(source)) => diagnostic.at(source.clone()),
        _ => diagnostic,
    }
}

/// The diagnostic for a property that a provider rejects, at its place in the program.
pub(crate) fn refused(failure: &CheckFailure, urn: &Urn, goal: &Goal) -> Diagnostic {
    place_at(diagnose_check(failure, urn), failure.path().as_ref(), goal)
}

/// The diagnostic for a failed call, at the place in the program that it is about.
pub(crate) fn failed(error: CallError, doing: &str, urn: &Urn, goal: &Goal) -> Diagnostic {
    let about = error.about.clone();
    place_at(diagnose(error, doing, urn), about.as_ref(), goal)
}

/// Adds the place of a property, or of the goal if the property has none.
fn place_at(diagnostic: Diagnostic, property: Option<&PropertyPath>, goal: &Goal) -> Diagnostic {
    match property.and_then(|property| goal.places.of(property)) {
        Some(found) => diagnostic.at(found),
        None => place(diagnostic, goal),
    }
}

/// The plugin that a goal's default provider would use.
pub(crate) fn package_of(goal: &Goal) -> PluginDescriptor {
    package_or(goal.package.as_ref(), &goal.ty)
}

/// The given package, or the one named by the token's first part.
pub(crate) fn package_or(package: Option<&PluginDescriptor>, token: &str) -> PluginDescriptor {
    package.cloned().unwrap_or_else(|| PluginDescriptor::named(token.split(':').next().unwrap_or_default(), None))
}

/// The state that a goal asks for, before any answer.
fn wanted_state(goal: &Goal, begun: &Begun) -> Resource {
    let old = begun.old.as_ref().map(|(_, old)| old);
    Resource {
        inputs: goal.inputs.clone(),
        parent: goal.parent.clone(),
        provider: goal.provider.clone(),
        dependencies: goal.dependencies.clone(),
        property_dependencies: goal.property_dependencies.clone(),
        protect: goal.protect.unwrap_or_default(),
        retain_on_delete: goal.retain_on_delete.unwrap_or_default(),
        refresh_before_update: old.is_some_and(|old| old.refresh_before_update),
        additional_secret_outputs: goal.additional_secret_outputs.clone(),
        aliases: begun.alias.iter().cloned().collect(),
        import_id: goal.import_id.clone(),
        deleted_with: goal.deleted_with.clone(),
        replace_with: goal.replace_with.clone(),
        custom_timeouts: goal.custom_timeouts,
        ignore_changes: goal.ignore_changes.clone(),
        replace_on_changes: goal.replace_on_changes.clone(),
        hide_diff: goal.hide_diffs.clone(),
        replacement_trigger: goal.replacement_trigger.clone(),
        created: old.and_then(|old| old.created.clone()),
        modified: old.and_then(|old| old.modified.clone()),
        source_position: goal
            .source
            .as_ref()
            .map(|place| format!("project:///{}#{},{}", place.file, place.start.line, place.start.column)),
        ..Resource::new(begun.urn.clone(), goal.custom)
    }
}
