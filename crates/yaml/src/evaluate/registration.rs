//! Turns a resource into a goal, and the engine's answer into a handle.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use outrigger_provider::{
    Alias, AliasParent, Goal, PluginDescriptor, PropertyPlaces, ReadGoal, RegisterError, Registered,
};
use outrigger_value::{PropertyDependencies, PropertyMap, ProviderReference, Value};

use super::invocation::STACK_REFERENCE;
use super::options::urns;
use super::value::{Dependencies, Evaluated, Handle, Reader};
use super::{At, Poisoned, Run};
use crate::check::{Node, ResolvedResource};
use crate::expression::Literal;
use crate::program::package_name;
use crate::program::{Get, Properties, Property, Resource};

/// Inputs as sent, and the dependencies of each.
#[derive(Default)]
struct Inputs {
    values: PropertyMap,
    dependencies: PropertyDependencies,
}

/// A resource's parent and providers.
struct Family {
    parent: Option<Arc<Handle>>,
    provider: Option<ProviderReference>,
    /// Providers by package, including its parents'.
    providers: BTreeMap<String, ProviderReference>,
    /// For a component: the providers that it was given itself.
    for_children: BTreeMap<String, ProviderReference>,
}

impl Run<'_> {
    /// Registers or reads a resource whose dependencies are available.
    pub(super) async fn register(&self, number: usize, position: usize) -> Result<Handle, Poisoned> {
        let resource = self.source.program.resources.get(number).ok_or(Poisoned)?;
        let found = self.checked.resources.get(number).ok_or(Poisoned)?;
        let at = At { position, provider: None };
        if self.stop.load(Ordering::Relaxed) < position {
            // After an error nothing later in the order is started, as in Pulumi.
            self.not_registered(number, position).await;
            return Err(Poisoned);
        }
        let family = self.family(number, resource, found, at).await?;
        let registered = if found.token() == STACK_REFERENCE {
            self.read_reference(resource, found, &family, at).await?
        } else if let Some(get) = &resource.get {
            self.read_existing(resource, found, get, &family, at).await?
        } else {
            let goal = Goal { places: self.places(number), ..self.goal(resource, found, &family, at).await? };
            self.not_stopped(position)?;
            self.answered(self.monitor.register(goal).await, resource, position)?
        };
        Ok(Handle {
            urn: registered.urn,
            id: registered.id,
            // Outputs that nothing reads are dropped: they may be most of a wide program's memory.
            outputs: self.checked.scope.read.contains(&Node::Resource(number)).then_some(registered.outputs),
            schema: Some(found.schema.clone()),
            providers: family.providers,
        })
    }

    /// Reports to the engine a resource that will not be registered.
    pub(super) async fn not_registered(&self, number: usize, position: usize) {
        let Some((resource, found)) = self.source.program.resources.get(number).zip(self.checked.resources.get(number))
        else {
            return;
        };
        let at = At { position, provider: None };
        let parent = match &resource.options.parent {
            Some(option) => self.one_resource(option, at).await.ok(),
            None => None,
        };
        let parent = parent.as_ref().map(|parent| &parent.urn);
        self.monitor.not_registered(found.token(), resource.logical_name(), parent);
    }

    /// After an error nothing later in the order is started, as in Pulumi.
    fn not_stopped(&self, position: usize) -> Result<(), Poisoned> {
        if self.stop.load(Ordering::Relaxed) < position { Err(Poisoned) } else { Ok(()) }
    }

    fn answered(
        &self,
        answer: Result<Registered, RegisterError>,
        resource: &Resource,
        position: usize,
    ) -> Result<Registered, Poisoned> {
        answer.map_err(|error| self.refused(error, resource.key.span, position))
    }

    async fn family(
        &self,
        number: usize,
        resource: &Resource,
        found: &ResolvedResource,
        at: At,
    ) -> Result<Family, Poisoned> {
        let parent = match &resource.options.parent {
            Some(option) => Some(self.one_resource(option, at).await?),
            None => None,
        };
        let explicit = match &resource.options.provider {
            Some(option) => Some(self.provider(option, at).await?),
            None => match self.checked.scope.default_providers.get(&number) {
                Some(&default) => self.handle(default).and_then(|handle| handle.provider_reference()),
                None => None,
            },
        };
        let mut given = match &resource.options.providers {
            Some(option) => self.providers(option, at).await?,
            None => BTreeMap::new(),
        };
        if let Some(provider) = &explicit
            && let Some(package) = provider.urn.provider_package()
        {
            given.insert(package.to_owned(), provider.clone());
        }
        let mut providers = parent.as_ref().map(|parent| parent.providers.clone()).unwrap_or_default();
        providers.extend(given.clone());
        // A provider of another package is for the children; a parent's provider manages children of the same package.
        let is_provider = found.token().starts_with("pulumi:providers:");
        let provider = providers.get(package_name(found.token())).cloned().filter(|_| !is_provider);
        let for_children = if found.schema.is_component { given } else { BTreeMap::new() };
        Ok(Family { parent, provider, providers, for_children })
    }

    async fn goal(
        &self,
        resource: &Resource,
        found: &ResolvedResource,
        family: &Family,
        at: At,
    ) -> Result<Goal, Poisoned> {
        let options = &resource.options;
        let inputs = self.inputs(resource, found, at).await;
        let depends_on = match &options.depends_on {
            Some(option) => urns(&self.resources(option, "dependsOn", at).await?),
            None => Dependencies::new(),
        };
        let mut aliases = match &options.aliases {
            Some(option) => self.aliases(option, at).await?,
            None => Vec::new(),
        };
        aliases.extend(found.schema.aliases.iter().map(|ty| Alias::Spec {
            name: None,
            ty: Some(ty.clone()),
            stack: None,
            project: None,
            parent: AliasParent::Same,
        }));
        let protect = match &options.protect {
            Some(option) => Some(self.protect(option, at).await?),
            None => None,
        };
        let replace_with = match &options.replace_with {
            Some(option) => self.resources(option, "replaceWith", at).await?.iter().map(|h| h.urn.clone()).collect(),
            None => Vec::new(),
        };
        let deleted_with = match &options.deleted_with {
            Some(option) => Some(self.one_resource(option, at).await?.urn.clone()),
            None => None,
        };
        let (replacement_trigger, trigger_dependencies) = match &options.replacement_trigger {
            Some(option) => self.evaluate(option, at).await?.marshalled(Reader::Provider),
            None => (None, Dependencies::new()),
        };
        let custom_timeouts = self.custom_timeouts(&options.custom_timeouts, at).await?;
        let package = self.package(resource, found, at).await?;
        let inputs = inputs?;
        let dependencies: Dependencies = depends_on
            .into_iter()
            .chain(inputs.dependencies.values().flatten().cloned())
            .chain(trigger_dependencies)
            .collect();
        let mut secret_outputs = texts(&options.additional_secret_outputs);
        secret_outputs.extend(found.schema.properties.iter().filter(|(_, p)| p.secret).map(|(name, _)| name.clone()));
        let mut replace_on_changes = texts(&options.replace_on_changes);
        replace_on_changes.extend(found.package.replace_on_changes(&found.schema));
        Ok(Goal {
            ty: found.token().to_owned(),
            name: resource.logical_name().to_owned(),
            custom: !found.schema.is_component,
            remote: found.schema.is_component,
            parent: family.parent.as_ref().map(|parent| parent.urn.clone()),
            inputs: inputs.values,
            provider: family.provider.clone(),
            providers: family.for_children.clone(),
            dependencies: dependencies.into_iter().collect(),
            property_dependencies: inputs.dependencies,
            protect,
            ignore_changes: texts(&options.ignore_changes),
            replace_on_changes,
            hide_diffs: texts(&options.hide_diffs),
            additional_secret_outputs: secret_outputs,
            aliases,
            import_id: options.import.as_ref().map(|id| id.text.to_string()),
            custom_timeouts,
            delete_before_replace: options.delete_before_replace,
            retain_on_delete: options.retain_on_delete,
            deleted_with,
            replace_with,
            replacement_trigger,
            package,
            source: Some(self.place(resource.key.span)),
            places: PropertyPlaces::default(),
        })
    }

    async fn package(
        &self,
        resource: &Resource,
        found: &ResolvedResource,
        at: At,
    ) -> Result<Option<PluginDescriptor>, Poisoned> {
        let Some(option) = &resource.options.env_var_mappings else { return Ok(found.descriptor().cloned()) };
        let env_var_mappings = self.env_var_mappings(option, at).await?;
        let named = || PluginDescriptor::named(package_name(found.token()), None);
        Ok(Some(PluginDescriptor { env_var_mappings, ..found.descriptor().cloned().unwrap_or_else(named) }))
    }

    async fn inputs(&self, resource: &Resource, found: &ResolvedResource, at: At) -> Result<Inputs, Poisoned> {
        let mut values = match &resource.properties {
            Properties::Map(properties) => self.properties(properties, at).await?,
            Properties::Whole(whole) => match self.evaluate(whole, at).await? {
                Evaluated::Map(map) => map,
                // The content of an output is not known in advance, so every existing input is taken from it.
                output @ Evaluated::Output(_) => {
                    let (value, provenance) = output.resolved();
                    let mut taken = BTreeMap::new();
                    let mut map = match value {
                        Evaluated::Map(map) => map,
                        _ if provenance.unknown => BTreeMap::new(),
                        other => {
                            let summary = format!("properties must be an object, not {}", other.word());
                            return Err(self.fail(whole.span, "yaml-properties", summary, "Use an object.", at));
                        }
                    };
                    for name in found.schema.inputs.keys() {
                        let value = map.remove(name).unwrap_or(Evaluated::Null);
                        taken.insert(name.clone(), provenance.clone().wrap(value));
                    }
                    taken
                }
                other => {
                    let summary = format!("properties must be an object, not {}", other.word());
                    return Err(self.fail(whole.span, "yaml-properties", summary, "Use an object.", at));
                }
            },
        };
        for (name, property) in &found.schema.properties {
            if let Some(constant) = &property.constant {
                values.insert(name.clone(), Evaluated::from_value(constant));
            }
        }
        Ok(marshalled(values, found))
    }

    async fn properties(&self, properties: &[Property], at: At) -> Result<BTreeMap<String, Evaluated>, Poisoned> {
        let mut values = Ok(BTreeMap::new());
        for property in properties {
            match (self.evaluate(&property.value, at).await, &mut values) {
                (Ok(value), Ok(values)) => {
                    values.insert(property.name.text.to_string(), value);
                }
                (Ok(_), Err(_)) => {}
                (Err(poisoned), _) => values = Err(poisoned),
            }
        }
        values
    }

    async fn read_existing(
        &self,
        resource: &Resource,
        found: &ResolvedResource,
        get: &Get,
        family: &Family,
        at: At,
    ) -> Result<Registered, Poisoned> {
        let state = marshalled(self.properties(&get.state, at).await?, found).values;
        let id = get.id.as_ref().ok_or(Poisoned)?;
        let (value, provenance) = self.evaluate(id, at).await?.resolved();
        let value = match value {
            _ if provenance.unknown => Value::Unknown,
            Evaluated::String(text) => Value::String(text),
            other => {
                let summary = format!("get.id must be a string, not {}", other.word());
                return Err(self.fail(id.span, "yaml-get", summary, "Use the provider's id of the resource.", at));
            }
        };
        self.read_goal(resource, found, family, value, state, at).await
    }

    /// A reference to another stack is read, with the stack's name as its id.
    async fn read_reference(
        &self,
        resource: &Resource,
        found: &ResolvedResource,
        family: &Family,
        at: At,
    ) -> Result<Registered, Poisoned> {
        let mut values = match &resource.properties {
            Properties::Map(properties) => self.properties(properties, at).await?,
            Properties::Whole(whole) => match self.evaluate(whole, at).await? {
                Evaluated::Map(map) => map,
                _ => BTreeMap::new(),
            },
        };
        let name = match values.remove("name") {
            None => resource.key.text.to_string(),
            Some(Evaluated::String(name)) => name,
            Some(other) => {
                let summary = format!("'name' property must be a string, instead got {}", other.word());
                return Err(self.fail(
                    resource.key.span,
                    "yaml-stack-reference",
                    summary,
                    "Write the stack's name, or use a config value.",
                    at,
                ));
            }
        };
        let properties = PropertyMap::from([("name".to_owned(), Value::String(name.clone()))]);
        self.read_goal(resource, found, family, Value::String(name), properties, at).await
    }

    async fn read_goal(
        &self,
        resource: &Resource,
        found: &ResolvedResource,
        family: &Family,
        id: Value,
        properties: PropertyMap,
        at: At,
    ) -> Result<Registered, Poisoned> {
        let mut additional_secret_outputs = texts(&resource.options.additional_secret_outputs);
        let secret = found.schema.properties.iter().filter(|(_, property)| property.secret);
        additional_secret_outputs.extend(secret.map(|(name, _)| name.clone()));
        let goal = ReadGoal {
            ty: found.token().to_owned(),
            name: resource.logical_name().to_owned(),
            parent: family.parent.as_ref().map(|parent| parent.urn.clone()),
            id: Some(id),
            properties,
            provider: family.provider.clone(),
            // Pulumi sends neither dependencies nor a version with a read.
            dependencies: Vec::new(),
            additional_secret_outputs,
            package: found.locked().cloned(),
            source: Some(self.place(resource.key.span)),
        };
        self.not_stopped(at.position)?;
        self.answered(self.monitor.read(goal).await, resource, at.position)
    }
}

/// Inputs for the wire: those that the schema marks secret become so, plain nulls are left out.
fn marshalled(values: BTreeMap<String, Evaluated>, found: &ResolvedResource) -> Inputs {
    let reader = if found.schema.is_component { Reader::Component } else { Reader::Provider };
    let mut inputs = Inputs::default();
    for (name, value) in values {
        let secret = found.schema.inputs.get(&name).is_some_and(|property| property.secret);
        let value = if secret { value.into_secret() } else { value };
        let (value, dependencies) = value.marshalled(reader);
        if value.is_some() || !dependencies.is_empty() {
            inputs.values.insert(name.clone(), value.unwrap_or(Value::Null));
            inputs.dependencies.insert(name, dependencies.into_iter().collect());
        }
    }
    inputs
}

fn texts(literals: &[Literal]) -> Vec<String> {
    literals.iter().map(|literal| literal.text.to_string()).collect()
}
