//! Converts a plugin's registration to a goal.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use outrigger_provider::{Alias, AliasParent, Goal, PropertyPlaces};
use outrigger_value::{CustomTimeouts, PropertyMap, ProviderReference, Urn, duration};
use prost_types::Struct;
use tonic::Status;

use super::package::package_of;
use crate::encoding::{Decoding, EncodingError, Unknowns, decode, decode_value};
use crate::generated::pulumirpc::alias::spec::Parent;
use crate::generated::pulumirpc::alias::{Alias as WireAlias, Spec};
use crate::generated::pulumirpc::{self, RegisterResourceRequest};

/// The goal of a request. `legacy_aliases`: the request comes from an SDK that swaps "no parent" and "the same parent".
pub(super) fn goal(request: RegisterResourceRequest, legacy_aliases: bool) -> Result<Goal, Status> {
    refuse_unsupported(&request)?;
    let package = package_of!(request.r#type)?;
    let package = match request.env_var_mappings.is_empty() {
        true => package,
        false => {
            let name = request.r#type.rsplit(':').next().unwrap_or_default();
            let mut package =
                package.unwrap_or_else(|| outrigger_provider::PluginDescriptor::named(name.to_owned(), None));
            package.env_var_mappings = request.env_var_mappings.into_iter().collect();
            Some(package)
        }
    };
    let mut inputs = with_outputs(request.object)?;
    let dependencies = urns(&request.dependencies)?;
    let mut by_property: BTreeMap<String, BTreeSet<Urn>> = BTreeMap::new();
    if request.property_dependencies.is_empty() && !request.remote {
        // If a program gives no dependencies by property, every property has all of them.
        by_property.extend(inputs.keys().map(|key| (key.clone(), dependencies.iter().cloned().collect())));
    }
    for (key, from) in &request.property_dependencies {
        by_property.insert(key.clone(), urns(&from.urns)?.into_iter().collect());
    }
    for (key, value) in &inputs {
        value.output_dependencies(by_property.entry(key.clone()).or_default());
    }
    if !request.remote {
        inputs = inputs.into_iter().map(|(key, value)| (key, value.without_outputs())).collect();
    }
    let trigger = request.replacement_trigger.map(|value| decode_value("replacementTrigger", value, PLAIN));
    let trigger = trigger.transpose().map_err(unreadable)?.flatten();
    let defined = request.delete_before_replace_defined || request.delete_before_replace;
    let mut aliases =
        request.alias_urns.iter().map(|urn| Ok(Alias::Urn(parse(urn)?))).collect::<Result<Vec<_>, Status>>()?;
    for alias in request.aliases {
        aliases.extend(self::alias(alias, legacy_aliases && !request.alias_specs)?);
    }
    let limits = request.custom_timeouts.unwrap_or_default();
    Ok(Goal {
        ty: request.r#type,
        name: request.name,
        custom: request.custom && !request.remote,
        remote: request.remote,
        parent: optional(&request.parent)?,
        inputs,
        provider: provider(&request.provider)?,
        providers: providers(&request.providers)?,
        dependencies,
        property_dependencies: by_property.into_iter().map(|(key, from)| (key, from.into_iter().collect())).collect(),
        protect: request.protect,
        ignore_changes: request.ignore_changes,
        replace_on_changes: request.replace_on_changes,
        hide_diffs: request.hide_diffs,
        additional_secret_outputs: request.additional_secret_outputs,
        aliases,
        import_id: Some(request.import_id).filter(|id| !id.is_empty()),
        custom_timeouts: timeouts([&limits.create, &limits.update, &limits.delete, &limits.read])?,
        delete_before_replace: defined.then_some(request.delete_before_replace),
        retain_on_delete: request.retain_on_delete,
        deleted_with: optional(&request.deleted_with)?,
        replace_with: urns(&request.replace_with)?,
        replacement_trigger: trigger,
        package,
        source: None,
        places: PropertyPlaces::default(),
    })
}

const OUTPUTS: Decoding = Decoding { unknowns: Unknowns::Keep, outputs: true };
/// Each output as its value.
pub(crate) const PLAIN: Decoding = Decoding { outputs: false, ..OUTPUTS };

/// Properties from a plugin, with outputs kept.
pub(crate) fn with_outputs(sent: Option<Struct>) -> Result<PropertyMap, Status> {
    decode(sent.unwrap_or_default(), OUTPUTS).map_err(unreadable)
}

/// Properties from a plugin, each output as its value.
pub(super) fn plain(sent: Option<Struct>) -> Result<PropertyMap, Status> {
    decode(sent.unwrap_or_default(), PLAIN).map_err(unreadable)
}

/// The status for a request that cannot be understood.
pub(crate) fn unreadable(error: EncodingError) -> Status {
    Status::invalid_argument(error.to_string())
}

/// An explicit provider, if there is one.
pub(super) fn provider(text: &str) -> Result<Option<ProviderReference>, Status> {
    if text.is_empty() {
        return Ok(None);
    }
    text.parse().map(Some).map_err(|error| Status::invalid_argument(format!("invalid provider `{text}`: {error}")))
}

/// A URN, if there is one.
pub(crate) fn optional(text: &str) -> Result<Option<Urn>, Status> {
    if text.is_empty() { Ok(None) } else { parse(text).map(Some) }
}

/// Several URNs, sorted and without duplicates.
pub(crate) fn urns(texts: &[String]) -> Result<Vec<Urn>, Status> {
    let sorted: BTreeSet<Urn> = texts.iter().map(|text| parse(text)).collect::<Result<_, _>>()?;
    Ok(sorted.into_iter().collect())
}

/// A URN.
pub(crate) fn parse(text: &str) -> Result<Urn, Status> {
    text.parse().map_err(|error| Status::invalid_argument(format!("invalid URN `{text}`: {error}")))
}

/// Refuses options that this engine does not support: ignoring them would be wrong.
fn refuse_unsupported(request: &RegisterResourceRequest) -> Result<(), Status> {
    let refuse = |what: &str| {
        let message = format!("resource `{}` has {what}, which this engine does not support", request.name);
        Err(Status::unimplemented(message))
    };
    let hooks = request
        .hooks
        .as_ref()
        .is_some_and(|hooks| *hooks != pulumirpc::register_resource_request::ResourceHooksBinding::default());
    if !request.transforms.is_empty() {
        refuse("transforms")
    } else if hooks {
        refuse("hooks")
    } else if !request.state_migrations.is_empty() {
        refuse("state migrations")
    } else {
        Ok(())
    }
}

/// Providers by package.
pub(crate) fn providers(wire: &HashMap<String, String>) -> Result<BTreeMap<String, ProviderReference>, Status> {
    let mut providers = BTreeMap::new();
    for (package, text) in wire {
        providers.extend(provider(text)?.map(|reference| (package.clone(), reference)));
    }
    Ok(providers)
}

/// Time limits: for creating, updating, deleting and reading.
pub(crate) fn timeouts([create, update, delete, read]: [&str; 4]) -> Result<CustomTimeouts, Status> {
    let seconds = |text: &str| {
        if text.is_empty() {
            return Ok(0.0);
        }
        duration::seconds(text)
            .ok_or_else(|| Status::invalid_argument(format!("`{text}` is not a duration such as `5m`")))
    };
    Ok(CustomTimeouts {
        create: seconds(create)?,
        update: seconds(update)?,
        delete: seconds(delete)?,
        read: seconds(read)?,
    })
}

/// An alias, unless it is empty.
pub(crate) fn alias(wire: pulumirpc::Alias, legacy: bool) -> Result<Option<Alias>, Status> {
    let spec = match wire.alias {
        None => return Ok(None),
        Some(WireAlias::Urn(urn)) => return Ok(Some(Alias::Urn(parse(&urn)?))),
        Some(WireAlias::Spec(spec)) => spec,
    };
    let parent = parent(&spec, legacy)?;
    let text = |text: String| Some(text).filter(|text| !text.is_empty());
    Ok(Some(Alias::Spec {
        name: text(spec.name),
        ty: text(spec.r#type),
        stack: text(spec.stack),
        project: text(spec.project),
        parent,
    }))
}

/// An old Node.js SDK leaves the parent out, or empty, if there was none, and sends "no parent" if it is the same as now.
fn parent(spec: &Spec, legacy: bool) -> Result<AliasParent, Status> {
    Ok(match &spec.parent {
        Some(Parent::ParentUrn(urn)) if !urn.is_empty() => AliasParent::Urn(parse(urn)?),
        Some(Parent::NoParent(true)) if !legacy => AliasParent::None,
        Some(Parent::NoParent(_)) => AliasParent::Same,
        _ if legacy => AliasParent::None,
        _ => AliasParent::Same,
    })
}

#[cfg(test)]
mod tests {
    use outrigger_value::ByProperty;

    use super::*;
    use crate::generated::pulumirpc::Callback;
    use crate::generated::pulumirpc::register_resource_request::{
        CustomTimeouts as WireTimeouts, PropertyDependencies,
    };

    const A: &str = "urn:pulumi:dev::shop::a:b:C::a";
    const B: &str = "urn:pulumi:dev::shop::a:b:C::b";

    fn request() -> RegisterResourceRequest {
        let text =
            |text: &str| prost_types::Value { kind: Some(prost_types::value::Kind::StringValue(text.to_owned())) };
        RegisterResourceRequest {
            r#type: "a:b:C".into(),
            name: "c".into(),
            custom: true,
            object: Some(Struct { fields: BTreeMap::from([("x".into(), text("1")), ("y".into(), text("2"))]) }),
            dependencies: vec![B.into(), A.into(), B.into()],
            ..RegisterResourceRequest::default()
        }
    }

    #[test]
    fn without_a_word_every_property_came_from_everything() {
        let goal = goal(request(), false).unwrap();
        let all = vec![A.parse().unwrap(), B.parse().unwrap()];
        assert_eq!(goal.dependencies, all);
        assert_eq!(
            goal.property_dependencies,
            ByProperty::from([("x".to_owned(), all.clone()), ("y".to_owned(), all)])
        );
    }

    #[test]
    fn what_is_said_of_properties_counts() {
        let from = PropertyDependencies { urns: vec![A.into()] };
        let request =
            RegisterResourceRequest { property_dependencies: HashMap::from([("x".into(), from)]), ..request() };
        let goal = goal(request, false).unwrap();
        assert_eq!(goal.property_dependencies["x"], [A.parse().unwrap()]);
        assert!(goal.property_dependencies["y"].is_empty());
    }

    #[test]
    fn what_cannot_be_obeyed_is_refused() {
        let request = RegisterResourceRequest { transforms: vec![Callback::default()], ..request() };
        let refusal = goal(request, false).unwrap_err();
        assert!(refusal.message().contains("`c` has transforms"), "{}", refusal.message());
        let request = RegisterResourceRequest {
            custom_timeouts: Some(WireTimeouts { create: "soon".into(), ..WireTimeouts::default() }),
            ..self::request()
        };
        assert!(goal(request, false).unwrap_err().message().contains("`soon` is not a duration"));
    }

    #[test]
    fn parents_of_aliases() {
        let spec = |parent| Spec { parent, ..Spec::default() };
        let cases = [
            (None, AliasParent::Same, AliasParent::None),
            (Some(Parent::ParentUrn(String::new())), AliasParent::Same, AliasParent::None),
            (Some(Parent::NoParent(true)), AliasParent::None, AliasParent::Same),
            (
                Some(Parent::ParentUrn(A.into())),
                AliasParent::Urn(A.parse().unwrap()),
                AliasParent::Urn(A.parse().unwrap()),
            ),
        ];
        for (wire, proper, legacy) in cases {
            assert_eq!(parent(&spec(wire.clone()), false).unwrap(), proper, "{wire:?}");
            assert_eq!(parent(&spec(wire.clone()), true).unwrap(), legacy, "{wire:?}");
        }
    }
}
