//! Calls that are answered bit by bit: lists and actions.

use outrigger_provider::{CallContext, CallError, ErrorKind};

use super::{CAPABILITIES, Client, identity_bytes};
use crate::cty::{Type, Value};
use crate::report::reports;
use crate::{ActionEvent, Handle, ListItem, ListQuestion, Report, rpc, wire};

impl Client {
    /// ValidateListResourceConfig.
    pub async fn validate_list(
        &self,
        cx: &CallContext,
        list: &Handle,
        question: &ListQuestion<'_>,
    ) -> Result<Vec<Report>, CallError> {
        let rpc = &rpc::VALIDATE_LIST_RESOURCE_CONFIG;
        let request = wire::ValidateListResourceConfigRequest {
            type_name: list.name.to_string(),
            config: Some(self.encode(rpc, question.config, &list.ty)?),
            include_resource_object: Some(self.encode(rpc, &Value::Bool(question.with_state), &Type::Bool)?),
            limit: Some(self.encode(rpc, &Value::Number(question.limit.into()), &Type::Number)?),
        };
        let answer: wire::DiagnosticsIn1 = self.call(cx, rpc, request).await?;
        Ok(reports(answer.diagnostics))
    }

    /// ListResource: each resource as it is found. `resource` is the type of what is listed.
    pub async fn list(
        &self,
        cx: &CallContext,
        list: &Handle,
        resource: &Handle,
        question: &ListQuestion<'_>,
        mut each: impl FnMut(ListItem) + Send,
    ) -> Result<(), CallError> {
        let rpc = &rpc::LIST_RESOURCE;
        let request = wire::ListResourceRequest {
            type_name: list.name.to_string(),
            config: Some(self.encode(rpc, question.config, &list.ty)?),
            include_resource_object: question.with_state,
            limit: question.limit,
        };
        let mut garbage = None;
        let found = |event: wire::ListResourceEvent| {
            let reports = reports(event.diagnostic);
            match self.decode_beside(&reports, rpc, event.resource_object.as_ref(), &resource.ty) {
                Ok(state) => each(ListItem {
                    name: event.display_name,
                    identity: identity_bytes(event.identity),
                    state,
                    reports,
                }),
                Err(error) => drop(garbage.get_or_insert(error)),
            }
        };
        self.stream(cx, rpc, request, found).await?;
        garbage.map_or(Ok(()), Err)
    }

    /// ValidateActionConfig.
    pub async fn validate_action(
        &self,
        cx: &CallContext,
        action: &Handle,
        config: &Value,
    ) -> Result<Vec<Report>, CallError> {
        self.validate(cx, &rpc::VALIDATE_ACTION_CONFIG, action, config, None).await
    }

    /// PlanAction.
    pub async fn plan_action(
        &self,
        cx: &CallContext,
        action: &Handle,
        config: &Value,
    ) -> Result<Vec<Report>, CallError> {
        self.validate(cx, &rpc::PLAN_ACTION, action, config, Some(CAPABILITIES)).await
    }

    /// InvokeAction: what the provider says while it works, and the end.
    pub async fn invoke_action(
        &self,
        cx: &CallContext,
        action: &Handle,
        config: &Value,
        mut each: impl FnMut(ActionEvent) + Send,
    ) -> Result<(), CallError> {
        let rpc = &rpc::INVOKE_ACTION;
        let request = wire::ActionRequest {
            action_type: action.name.to_string(),
            config: Some(self.encode(rpc, config, &action.ty)?),
            client_capabilities: Some(CAPABILITIES),
        };
        let mut completed = false;
        let heard = |event: wire::InvokeActionEvent| match event.event {
            Some(wire::ActionEvent::Progress(progress)) => each(ActionEvent::Progress(progress.message)),
            Some(wire::ActionEvent::Completed(end)) => {
                completed = true;
                each(ActionEvent::Completed(reports(end.diagnostics)));
            }
            None => {}
        };
        self.stream(cx, rpc, request, heard).await?;
        if completed {
            return Ok(());
        }
        Err(self.caller.error(rpc.name, ErrorKind::Garbage, "the action ended without saying how"))
    }
}
