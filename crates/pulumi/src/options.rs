//! The resource options of a component in a Construct request.

use outrigger_provider::{Alias, AliasParent, Goal};
use outrigger_value::{CustomTimeouts, Urn, duration};

use crate::encoding::{Encoding, EncodingError, encode_value};
use crate::generated::pulumirpc;
use crate::generated::pulumirpc::ConstructRequest;
use crate::generated::pulumirpc::alias::spec::Parent;
use crate::generated::pulumirpc::alias::{Alias as AliasKind, Spec};
use crate::generated::pulumirpc::construct_request::CustomTimeouts as Timeouts;

/// Puts a goal's options into a request.
pub(crate) fn fill(request: &mut ConstructRequest, goal: &mut Goal) -> Result<(), EncodingError> {
    request.protect = goal.protect;
    request.delete_before_replace = goal.delete_before_replace;
    request.retain_on_delete = goal.retain_on_delete;
    request.additional_secret_outputs = std::mem::take(&mut goal.additional_secret_outputs);
    request.ignore_changes = std::mem::take(&mut goal.ignore_changes);
    request.replace_on_changes = std::mem::take(&mut goal.replace_on_changes);
    request.replace_with = goal.replace_with.iter().map(Urn::to_string).collect();
    request.deleted_with = goal.deleted_with.as_ref().map(Urn::to_string).unwrap_or_default();
    request.custom_timeouts = timeouts(&goal.custom_timeouts);
    request.aliases = goal.aliases.drain(..).map(alias).collect();
    if let Some(trigger) = goal.replacement_trigger.take() {
        let how = Encoding { unknowns: true, secrets: true, resources: true, outputs: true, elide: false };
        request.replacement_trigger = encode_value("replacementTrigger", trigger, how)?;
    }
    Ok(())
}

fn timeouts(timeouts: &CustomTimeouts) -> Option<Timeouts> {
    let text = |seconds: f64| if seconds == 0.0 { String::new() } else { duration::text(seconds) };
    (*timeouts != CustomTimeouts::default()).then(|| Timeouts {
        create: text(timeouts.create),
        update: text(timeouts.update),
        delete: text(timeouts.delete),
        read: text(timeouts.read),
    })
}

/// An alias on the wire.
pub(crate) fn alias(alias: Alias) -> pulumirpc::Alias {
    let kind = match alias {
        Alias::Urn(urn) => AliasKind::Urn(urn.to_string()),
        Alias::Spec { name, ty, stack, project, parent } => AliasKind::Spec(Spec {
            name: name.unwrap_or_default(),
            r#type: ty.unwrap_or_default(),
            stack: stack.unwrap_or_default(),
            project: project.unwrap_or_default(),
            parent: match parent {
                AliasParent::Same => None,
                AliasParent::None => Some(Parent::NoParent(true)),
                AliasParent::Urn(urn) => Some(Parent::ParentUrn(urn.to_string())),
            },
        }),
    };
    pulumirpc::Alias { alias: Some(kind) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_travel() {
        let mut goal = Goal {
            protect: Some(true),
            custom_timeouts: CustomTimeouts { create: 90.0, ..CustomTimeouts::default() },
            aliases: vec![
                Alias::Urn("urn:pulumi:a::b::c::d".parse().unwrap()),
                Alias::Spec {
                    name: Some("old".into()),
                    ty: None,
                    stack: None,
                    project: None,
                    parent: AliasParent::None,
                },
            ],
            replacement_trigger: Some("now".into()),
            ..Goal::default()
        };
        let mut request = ConstructRequest::default();
        fill(&mut request, &mut goal).unwrap();
        let timeouts = request.custom_timeouts.unwrap();
        assert_eq!((timeouts.create.as_str(), timeouts.update.as_str()), ("90s", ""));
        assert_eq!((request.protect, request.retain_on_delete, request.aliases.len()), (Some(true), None, 2));
        assert!(
            matches!(&request.aliases[1].alias, Some(AliasKind::Spec(spec)) if spec.parent == Some(Parent::NoParent(true)))
        );
        assert!(request.replacement_trigger.is_some());
    }
}
