//! Provider resources: each is only a configured process, so nothing can be pending or lost.

use std::sync::Arc;

use outrigger_diagnostic::Diagnostic;
use outrigger_provider::{
    CallError, CheckConfig, Diff, DiffConfig, Goal, Plugin, PluginDescriptor, RegisterError, Registered,
};
use outrigger_state::{EntryKey, Record, Resource};
use outrigger_value::{PropertyMap, ProviderReference, UNKNOWN_ID, diff::equal};

use crate::deployment::Deployment;
use crate::provider_inputs::Declared;
use crate::providers::Instance;
use crate::register::{Registration, failed, place, refused};
use crate::steps::came_of;
use crate::{Step, StepOp, StepResult, provider_inputs};

impl Deployment {
    /// Registers a provider: its plugin is started, its configuration checked, compared, and applied.
    pub(crate) async fn register_provider(&self, mut registration: Registration) -> Result<Registered, RegisterError> {
        let urn = registration.urn().clone();
        if let Some(package) = &registration.goal.package {
            // An explicit provider is a child of the stack, a default one is not.
            let how = if registration.goal.parent.is_some() { Declared::Explicitly } else { Declared::ByDefault };
            provider_inputs::describe(&mut registration.new.inputs, package, how);
        }
        let descriptor = self.descriptor_of(&registration.new)?;
        let ready = self.ready_plugin(&registration, &descriptor);
        let mut plugin = match ready.clone() {
            Some(plugin) => plugin,
            None => self.load_plugin(&urn, &descriptor).await?,
        };
        self.check_provider(&mut registration, plugin.as_ref()).await?;
        registration.new.outputs = provider_inputs::public(&registration.new.inputs);
        self.decide().settle(&urn);
        let Some((key, old)) = registration.begun.old.clone() else {
            return self.create_provider(registration, plugin, None, StepOp::Create).await;
        };
        let diff = self.compare_provider(&registration, plugin.as_ref(), &old).await?;
        let replaces = !diff.replace_keys.is_empty()
            || diff.detailed.as_ref().is_some_and(|detailed| detailed.values().any(|change| change.kind.replaces()));
        let changed = diff.changed == Some(true);
        if ready.is_some() && (changed || replaces) {
            // The configured instance keeps its configuration: existing resources may still need it.
            plugin = self.load_plugin(&urn, &descriptor).await?;
        }
        match (changed, replaces) {
            (_, true) => {
                self.decide().mark_replaced(&urn);
                self.create_provider(registration, plugin, Some((key, old, diff)), StepOp::CreateReplacement).await
            }
            (true, false) => self.update_provider(registration, plugin, key, old, diff).await,
            (false, false) => self.same_provider(registration, plugin, key, old).await,
        }
    }

    /// The plugin that a refresh before the program has configured for the same provider: it can check and compare a configuration too, so
    /// no second process is needed.
    fn ready_plugin(&self, registration: &Registration, descriptor: &PluginDescriptor) -> Option<Arc<dyn Plugin>> {
        let old = registration.old()?;
        let reference = ProviderReference { urn: registration.urn().clone(), id: old.id.clone()? };
        let ready = self.providers.ready(&reference).filter(|ready| ready.resource.inputs == old.inputs)?;
        let same = self.descriptor_of(&ready.resource).is_ok_and(|used| used == *descriptor);
        (same && !ready.plugin.has_ended()).then_some(ready.plugin)
    }

    async fn check_provider(&self, registration: &mut Registration, plugin: &dyn Plugin) -> Result<(), RegisterError> {
        let urn = registration.urn().clone();
        let olds = registration.old().map(|old| provider_inputs::public(&old.inputs)).unwrap_or_default();
        let news = registration.new.inputs.clone();
        let request = CheckConfig { urn: urn.clone(), olds, news: provider_inputs::public(&news) };
        let checked = plugin
            .check_config(&self.context, request)
            .await
            .map_err(|error| self.fail(&urn, failed(error, "check the configuration of", &urn, &registration.goal)))?;
        if !checked.failures.is_empty() {
            for failure in &checked.failures {
                self.report(Some(urn.clone()), refused(failure, &urn, &registration.goal));
            }
            return Err(RegisterError::Failed);
        }
        let mut inputs = checked.inputs;
        provider_inputs::restore(&mut inputs, &news);
        if let (Some(old), Some(new)) = (news.get("version"), inputs.get("version"))
            && old != new
        {
            let diagnostic = Diagnostic::error(
                "provider-changed-version",
                format!("plugin `{}` tried to change its own version", plugin.label()),
            );
            return Err(self.fail(&urn, place(diagnostic, &registration.goal)));
        }
        registration.new.inputs = inputs;
        Ok(())
    }

    async fn compare_provider(
        &self,
        registration: &Registration,
        plugin: &dyn Plugin,
        old: &Arc<Resource>,
    ) -> Result<Diff, RegisterError> {
        let urn = registration.urn();
        let request = diff_request(old, &registration.new.inputs, registration.goal.ignore_changes.clone());
        let news = request.news.clone();
        let mut diff = plugin
            .diff_config(&self.context, request)
            .await
            .map_err(|error| self.fail(urn, failed(error, "compare the configuration of", urn, &registration.goal)))?;
        if diff.changed.is_none() {
            diff.changed = Some(!equal_maps(&old.outputs, &news));
        }
        Ok(diff)
    }

    /// How a different provider's configuration affects the resources of an old one.
    pub(crate) async fn diff_provider(
        &self,
        instance: &Instance,
        old: &Resource,
        news: &PropertyMap,
    ) -> Result<Diff, CallError> {
        let request = diff_request(old, news, Vec::new());
        instance.plugin.diff_config(&self.context, request).await
    }

    async fn create_provider(
        &self,
        registration: Registration,
        plugin: Arc<dyn Plugin>,
        replacing: Option<(EntryKey, Arc<Resource>, Diff)>,
        op: StepOp,
    ) -> Result<Registered, RegisterError> {
        let Registration { begun, mut new, goal, .. } = registration;
        let id = if self.options.preview { UNKNOWN_ID.to_owned() } else { self.services.random.provider_id(&new.urn) };
        let now = self.now();
        new.id = Some(id);
        new.created = Some(now.clone());
        new.modified = Some(now);
        let new = Arc::new(new);
        let (old, diff) = match &replacing {
            Some((_, old, diff)) => (Some(old.clone()), Some(Arc::new(diff.clone()))),
            None => (None, None),
        };
        let step = self.started(Step { op, urn: new.urn.clone(), old, new: Some(new.clone()), diff });
        let mut record = Record::default();
        {
            let mut decisions = self.decide();
            record.put.extend(decisions.rename(&begun));
            if let Some((key, ..)) = replacing {
                record.put.extend(decisions.mark_old(key, &begun));
            }
            let key = decisions.table.new_entry();
            decisions.table.put(key, new.clone());
            record.put.push((key, new.clone()));
        }
        self.finish_provider(&step, plugin, new, begun.alias.as_ref(), record, &goal).await
    }

    async fn update_provider(
        &self,
        registration: Registration,
        plugin: Arc<dyn Plugin>,
        key: EntryKey,
        old: Arc<Resource>,
        diff: Diff,
    ) -> Result<Registered, RegisterError> {
        let Registration { begun, mut new, goal, .. } = registration;
        new.id.clone_from(&old.id);
        new.extra.clone_from(&old.extra);
        new.modified = Some(self.now());
        let new = Arc::new(new);
        let step = Step {
            op: StepOp::Update,
            urn: new.urn.clone(),
            old: Some(old),
            new: Some(new.clone()),
            diff: Some(Arc::new(diff)),
        };
        let step = self.started(step);
        let mut record = Record::default();
        {
            let mut decisions = self.decide();
            record.put.extend(decisions.rename(&begun));
            decisions.table.put(key, new.clone());
            record.put.push((key, new.clone()));
        }
        self.finish_provider(&step, plugin, new, begun.alias.as_ref(), record, &goal).await
    }

    /// Configures an unchanged provider with its old inputs. A refresh before the program may have done that already.
    async fn same_provider(
        &self,
        registration: Registration,
        plugin: Arc<dyn Plugin>,
        key: EntryKey,
        old: Arc<Resource>,
    ) -> Result<Registered, RegisterError> {
        let urn = registration.urn();
        let reference = ProviderReference { urn: urn.clone(), id: old.id.clone().unwrap_or_default() };
        let instance = match self.providers.ready(&reference).filter(|ready| ready.resource.inputs == old.inputs) {
            Some(ready) => ready,
            None => {
                let configured =
                    Resource { inputs: old.inputs.clone(), id: old.id.clone(), ..registration.new.clone() };
                self.configure(plugin, Arc::new(configured), &registration.goal).await?
            }
        };
        let alias = registration.begun.alias.clone();
        let registered = {
            let mut registration = registration;
            registration.new.outputs.clone_from(&old.outputs);
            self.same(registration, key, &old, None).await?
        };
        self.providers.insert(reference, alias.as_ref(), &instance);
        Ok(registered)
    }

    /// Configures the provider, makes the entry durable before anything refers to it, and registers the instance.
    async fn finish_provider(
        &self,
        step: &Step,
        plugin: Arc<dyn Plugin>,
        new: Arc<Resource>,
        alias: Option<&outrigger_value::Urn>,
        record: Record,
        goal: &Goal,
    ) -> Result<Registered, RegisterError> {
        let instance = match self.configure(plugin, new.clone(), goal).await {
            Ok(instance) => instance,
            Err(reason) => {
                self.ended(step, step.old.clone(), came_of(&reason), step.op);
                return Err(reason);
            }
        };
        self.append(&new.urn, record).await?;
        let id = new.id.clone().unwrap_or_default();
        self.providers.insert(ProviderReference { urn: new.urn.clone(), id }, alias, &instance);
        self.ended(step, Some(new.clone()), StepResult::Done, step.op);
        Ok(self.answer(&new))
    }
}

fn diff_request(old: &Resource, news: &PropertyMap, ignore_changes: Vec<String>) -> DiffConfig {
    DiffConfig {
        urn: old.urn.clone(),
        id: old.id.clone().unwrap_or_default(),
        old_inputs: provider_inputs::public(&old.inputs),
        old_outputs: old.outputs.clone(),
        news: provider_inputs::public(news),
        ignore_changes,
    }
}

fn equal_maps(old: &PropertyMap, new: &PropertyMap) -> bool {
    old.len() == new.len() && old.iter().zip(new).all(|((ka, a), (kb, b))| ka == kb && equal(a, b))
}
