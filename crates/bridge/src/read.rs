//! Reading what exists: a refresh, and an import.

use outrigger_provider::{CallContext, CallError, ImportRequest, Imported, ReadRequest, ReadResult, State};
use outrigger_terraform::{ReadAnswer, Report, Stored};
use outrigger_value::{PropertyMap, Urn, secrecy};

use crate::inputs;
use crate::package::{Package, Subject};
use crate::resource::DEFERRED;

const CALL: &str = "Read";

impl Package {
    pub(crate) async fn read(&self, cx: &CallContext, request: ReadRequest) -> Result<ReadResult, CallError> {
        let ReadRequest { resource, state, .. } = request;
        let subject = self.subject(CALL, resource.ty())?;
        self.identities(cx).await?;
        // A `get` knows the id alone.
        if state.outputs.is_empty() {
            return Ok(match self.imported(cx, &resource.urn, &subject, &state.id).await? {
                Some(state) => ReadResult::Found { state, inputs_known: true, unchanged: false },
                None => ReadResult::Gone,
            });
        }
        let stored = self.upgraded(cx, CALL, &resource.urn, &subject, &state).await?;
        let Some(found) = self.found(cx, &resource.urn, &subject, &stored).await? else { return Ok(ReadResult::Gone) };
        let mut outputs = self.readable(&subject, &found)?;
        secrecy::annotate(&mut outputs, &state.inputs);
        let inputs = inputs::refreshed(&subject.resource.object, state.inputs, &outputs);
        let before = state.id;
        let id = self.id(&subject, &outputs).unwrap_or_else(|| before.clone());
        // Inputs of a set are written in the provider's order, in which a program seldom has them.
        let unchanged = found.state == stored.state && id == before;
        if !unchanged {
            self.vouched(&subject, &found, &outputs);
        }
        let state = State { id, inputs, outputs, ..State::default() };
        Ok(ReadResult::Found { state, inputs_known: true, unchanged })
    }

    pub(crate) async fn import(&self, cx: &CallContext, request: ImportRequest) -> Result<Imported, CallError> {
        let subject = self.subject(CALL, request.resource.ty())?;
        self.identities(cx).await?;
        let state = self.imported(cx, &request.resource.urn, &subject, &request.id).await?;
        let resources = state.map(|state| (request.resource.ty().to_owned(), state)).into_iter().collect();
        Ok(Imported { resources })
    }

    /// ImportResourceState, and what is there by a read.
    async fn imported(
        &self,
        cx: &CallContext,
        urn: &Urn,
        subject: &Subject,
        id: &str,
    ) -> Result<Option<State>, CallError> {
        let object = &subject.resource.object;
        let (found, reports) = self.client(cx).await?.import(cx, &subject.handle, id).await?;
        self.heed(cx, CALL, Some(urn), Some(object), &reports)?;
        let mut own = found.into_iter().filter(|found| found.type_name == *subject.handle.name);
        let Some(imported) = own.next() else {
            return Err(self.error(CALL, format!("the provider found no `{}` of the id `{id}`", subject.handle.name)));
        };
        if own.next().is_some() {
            return Err(
                self.error(CALL, format!("the provider found several `{}` of the id `{id}`", subject.handle.name))
            );
        }
        if imported.stored.state.is_null() {
            return Ok(None);
        }
        let Some(found) = self.found(cx, urn, subject, &imported.stored).await? else { return Ok(None) };
        let outputs = self.readable(subject, &found)?;
        let inputs = inputs::imported(object, &outputs);
        let id = self.id(subject, &outputs).unwrap_or_else(|| id.to_owned());
        Ok(Some(State { id, inputs, outputs, ..State::default() }))
    }

    /// ReadResource: what exists now.
    async fn found(
        &self,
        cx: &CallContext,
        urn: &Urn,
        subject: &Subject,
        stored: &Stored,
    ) -> Result<Option<Stored>, CallError> {
        let unidentified = self.lacks_identity(subject, &stored.identity);
        let ReadAnswer { stored, reports, deferred } = self.client(cx).await?.read(cx, &subject.handle, stored).await?;
        if deferred {
            return Err(self.error(CALL, DEFERRED));
        }
        if unidentified && stored.state.is_null() && is_without_identity(&reports) {
            return Ok(None);
        }
        self.heed(cx, CALL, Some(urn), Some(&subject.resource.object), &reports)?;
        let state = self.storable(cx, CALL, urn, subject, stored.state, "read")?;
        Ok((!state.is_null()).then_some(Stored { state, ..stored }))
    }

    fn readable(&self, subject: &Subject, stored: &Stored) -> Result<PropertyMap, CallError> {
        let outputs = self.outputs(subject, stored);
        outputs.map_err(|unfit| self.error(CALL, format!("the answer cannot be understood: {unfit}")))
    }
}

/// Whether the only thing wrong is what HashiCorp's library says of a resource that is gone, when it is asked for it without an
/// identity: states that Pulumi's bridge wrote have none.
fn is_without_identity(reports: &[Report]) -> bool {
    let mut errors = reports.iter().filter(|report| report.is_error());
    errors.next().is_some_and(|error| error.summary == "Missing Resource Identity After Read")
        && errors.next().is_none()
}
