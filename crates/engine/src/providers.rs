//! Provider instances: started, checked, configured; found by reference.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard};

use outrigger_diagnostic::Diagnostic;
use outrigger_provider::{Configure, Goal, Plugin, PluginDescriptor, Provider, RegisterError};
use outrigger_state::Resource;
use outrigger_value::{ProviderReference, UNKNOWN_ID, Urn, Value};
use tokio::sync::OnceCell;

use crate::builtin::{Builtin, PACKAGE};
use crate::deployment::Deployment;
use crate::provider_inputs;
use crate::register::failed;

/// A provider that can be called.
#[derive(Clone)]
pub(crate) struct Instance {
    pub(crate) plugin: Arc<dyn Plugin>,
    pub(crate) provider: Arc<dyn Provider>,
    /// The provider resource, with the checked inputs that it was configured with.
    pub(crate) resource: Arc<Resource>,
}

type Slot<T> = Arc<OnceCell<T>>;

#[derive(Default)]
pub(crate) struct Providers {
    instances: Mutex<HashMap<ProviderReference, Slot<Instance>>>,
    defaults: Mutex<BTreeMap<PluginDescriptor, Slot<ProviderReference>>>,
    /// The versions that the program's packages require, by package.
    required: Mutex<HashMap<String, PluginDescriptor>>,
    /// Every plugin that was started, to be released at the end.
    started: Mutex<Vec<Arc<dyn Plugin>>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

impl Providers {
    /// Remembers the versions that the program's packages ask for; the highest of a package wins.
    pub(crate) fn require(&self, packages: Vec<PluginDescriptor>) {
        let mut required = lock(&self.required);
        for descriptor in packages {
            match required.get(descriptor.package()) {
                Some(known) if known.version >= descriptor.version => {}
                _ => {
                    required.insert(descriptor.package().to_owned(), descriptor);
                }
            }
        }
    }

    fn complete(&self, mut wanted: PluginDescriptor) -> PluginDescriptor {
        if let Some(known) = lock(&self.required).get(wanted.package()) {
            if wanted.version.is_none() {
                wanted.version.clone_from(&known.version);
                wanted.name.clone_from(&known.name);
            }
            wanted.download_url = wanted.download_url.or_else(|| known.download_url.clone());
            wanted.parameterization = wanted.parameterization.or_else(|| known.parameterization.clone());
            if wanted.checksums.is_empty() {
                wanted.checksums.clone_from(&known.checksums);
            }
        }
        wanted
    }

    fn slot(&self, reference: &ProviderReference) -> Slot<Instance> {
        lock(&self.instances).entry(reference.clone()).or_default().clone()
    }

    /// A configured provider of this run.
    pub(crate) fn ready(&self, reference: &ProviderReference) -> Option<Instance> {
        lock(&self.instances).get(reference).and_then(|slot| slot.get()).cloned()
    }

    /// Registers an instance; an alias of its name finds it too.
    pub(crate) fn insert(&self, reference: ProviderReference, alias: Option<&Urn>, instance: &Instance) {
        let mut instances = lock(&self.instances);
        let filled = || Arc::new(OnceCell::new_with(Some(instance.clone())));
        if let Some(alias) = alias {
            instances.insert(ProviderReference { urn: alias.clone(), id: reference.id.clone() }, filled());
        }
        instances.insert(reference, filled());
    }
}

impl Deployment {
    /// Starts a plugin, which is released at the end of the run.
    pub(crate) async fn load_plugin(
        &self,
        urn: &Urn,
        descriptor: &PluginDescriptor,
    ) -> Result<Arc<dyn Plugin>, RegisterError> {
        if descriptor.name == PACKAGE {
            return Ok(Builtin::new(self.services.clone()));
        }
        let plugin = self
            .services
            .plugins
            .load(&self.context, descriptor)
            .await
            .map_err(|diagnostic| self.fail(urn, diagnostic))?;
        lock(&self.providers.started).push(plugin.clone());
        Ok(plugin)
    }

    /// Configures a plugin with a provider resource's inputs; the goal knows their places in the program.
    pub(crate) async fn configure(
        &self,
        plugin: Arc<dyn Plugin>,
        resource: Arc<Resource>,
        goal: &Goal,
    ) -> Result<Instance, RegisterError> {
        // A provider that a preview would create is configured with the id that it will get.
        let id = match resource.id.clone().unwrap_or_default() {
            unknown if unknown == UNKNOWN_ID => self.services.random.provider_id(&resource.urn),
            known => known,
        };
        let request = Configure { urn: resource.urn.clone(), id, inputs: provider_inputs::public(&resource.inputs) };
        let provider = plugin
            .configure(&self.context, request)
            .await
            .map_err(|error| self.fail(&resource.urn, failed(error, "configure provider", &resource.urn, goal)))?;
        Ok(Instance { plugin, provider, resource })
    }

    /// The provider of an entry: one of this run, or one described by the state, started now.
    pub(crate) async fn provider(&self, reference: &ProviderReference, user: &Urn) -> Result<Instance, RegisterError> {
        let slot = self.providers.slot(reference);
        slot.get_or_try_init(|| async {
            self.may_start()?;
            let is_meant = |resource: &&Arc<Resource>| {
                resource.is_provider()
                    && resource.urn == reference.urn
                    && resource.id.as_deref() == Some(reference.id.as_str())
            };
            // The old half of a renamed provider has its new name only in the table.
            let renamed = || self.decide().table.iter().map(|(_, resource)| resource).find(is_meant).cloned();
            let Some(resource) = self.base.resources.iter().find(is_meant).cloned().or_else(renamed) else {
                return Err(self.fail(
                    user,
                    Diagnostic::error(
                        "engine-unknown-provider",
                        format!("`{}` uses a provider that does not exist", user.name()),
                    )
                    .detail(format!("the provider is {reference}"))
                    .hint(match provider_inputs::is_default(&reference.urn) {
                        true => {
                            "Run `outrigger up`, which registers a default provider as soon as a resource needs one."
                        }
                        false => {
                            "`outrigger stack export` shows the state; register the provider before its resources."
                        }
                    }),
                ));
            };
            let descriptor = self.descriptor_of(&resource)?;
            let plugin = self.load_plugin(&resource.urn, &descriptor).await?;
            self.configure(plugin, resource, &Goal::default()).await
        })
        .await
        .cloned()
    }

    /// The provider that a reference names, or if that is a default provider that was deleted since, the one that was registered in its place: of the
    /// same package and name, or of a version with the same first number. A default provider was not chosen by the user, who cannot bring it back.
    pub(crate) fn successor(&self, reference: &ProviderReference) -> ProviderReference {
        let decisions = self.decide();
        let present = decisions.table.iter().map(|(_, resource)| resource);
        let known: Vec<(&Urn, &String)> = present
            .filter(|resource| resource.is_provider() && !resource.delete && !resource.pending_replacement)
            .filter_map(|resource| Some((&resource.urn, resource.id.as_ref()?)))
            .collect();
        let is_there = known.iter().any(|(urn, id)| **urn == reference.urn && **id == reference.id);
        if is_there || !provider_inputs::is_default(&reference.urn) {
            return reference.clone();
        }
        let generation = |urn: &Urn| urn.name().split('_').nth(1).map(str::to_owned);
        let fits = |urn: &Urn| {
            let versions = (generation(urn), generation(&reference.urn));
            urn.ty() == reference.urn.ty()
                && provider_inputs::is_default(urn)
                && (versions.0.is_none() || versions.1.is_none() || versions.0 == versions.1)
        };
        let chosen = known.iter().filter(|(urn, _)| fits(urn)).max_by_key(|(urn, _)| (**urn == reference.urn, *urn));
        let of = |(urn, id): &(&Urn, &String)| ProviderReference { urn: (*urn).clone(), id: (*id).clone() };
        chosen.map_or_else(|| reference.clone(), of)
    }

    /// Which plugin a provider resource uses.
    pub(crate) fn descriptor_of(&self, resource: &Resource) -> Result<PluginDescriptor, RegisterError> {
        let package = resource.urn.provider_package().unwrap_or_default();
        provider_inputs::descriptor(package, &resource.inputs).map_err(|reason| {
            let summary = format!("the inputs of provider `{}` cannot be read", resource.urn.name());
            self.fail(&resource.urn, Diagnostic::error("engine-provider-inputs", summary).detail(reason))
        })
    }

    /// The default provider for a package, registered on first use.
    pub(crate) async fn default_provider(
        &self,
        wanted: PluginDescriptor,
        user: &Urn,
    ) -> Result<ProviderReference, RegisterError> {
        let descriptor = self.providers.complete(wanted);
        self.deny_default(&descriptor, user)?;
        let slot = lock(&self.providers.defaults).entry(descriptor.clone()).or_default().clone();
        slot.get_or_try_init(|| async {
            let package = descriptor.package().to_owned();
            let goal = Goal {
                ty: format!("pulumi:providers:{package}"),
                name: provider_inputs::default_name(&descriptor),
                custom: true,
                inputs: self.options.package_config.get(&package).cloned().unwrap_or_default(),
                places: self.options.package_places.get(&package).cloned().unwrap_or_default(),
                package: Some(descriptor.clone()),
                ..Goal::default()
            };
            let registered = Box::pin(self.register_resource(goal)).await?;
            let id = match registered.id.as_ref() {
                Some(Value::String(id)) => id.clone(),
                _ => UNKNOWN_ID.to_owned(),
            };
            Ok(ProviderReference { urn: registered.urn, id })
        })
        .await
        .cloned()
    }

    /// `pulumi:disable-default-providers` lists packages (or `*`) whose resources must name their provider.
    fn deny_default(&self, descriptor: &PluginDescriptor, user: &Urn) -> Result<(), RegisterError> {
        let setting =
            self.options.package_config.get(PACKAGE).and_then(|config| config.get("disable-default-providers"));
        let Some(text) = setting.and_then(|value| value.bare().as_str()).filter(|text| !text.is_empty()) else {
            return Ok(());
        };
        let Ok(denied) = serde_json::from_str::<Vec<String>>(text) else {
            let diagnostic = Diagnostic::error(
                "config-disable-default-providers",
                "`pulumi:disable-default-providers` is not a list of strings",
            )
            .hint("Write it as a JSON list, such as [\"aws\"] or [\"*\"].");
            return Err(self.fail(user, diagnostic));
        };
        let package = descriptor.package();
        if package != PACKAGE && denied.iter().any(|name| name.trim() == "*" || name.trim() == package) {
            let diagnostic =
                Diagnostic::error("engine-default-provider-denied", format!("`{}` has no provider", user.name()))
                    .detail(format!(
                        "default providers for `{package}` are switched off by `pulumi:disable-default-providers`"
                    ))
                    .hint("Give the resource an explicit `provider` option.");
            return Err(self.fail(user, diagnostic));
        }
        Ok(())
    }
}
