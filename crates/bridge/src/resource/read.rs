//! Reading existing resources: a refresh, and an import.

use std::time::Duration;

use outrigger_provider::{CallContext, CallError, ErrorKind, ImportRequest, Imported, ReadRequest, ReadResult, State};
use outrigger_terraform::{ReadAnswer, Report, Stored};
use outrigger_value::{PropertyMap, Urn};
use tokio::time::{Instant, timeout};

use crate::package::{Package, Subject};
use crate::resource::DEFERRED;
use crate::resource::timeouts::{self, Operation};
use crate::values::{delta, inputs, meta, secrets};

const CALL: &str = "Read";

/// A host that shows the bridge to `pulumi` gives up a read at the same limit, perhaps a moment before; the reason is the same.
const TOGETHER: Duration = Duration::from_millis(100);

impl Package {
    pub(crate) async fn read(&self, cx: &CallContext, request: ReadRequest) -> Result<ReadResult, CallError> {
        self.in_time(request.timeout, self.known(cx, request)).await
    }

    pub(crate) async fn import(&self, cx: &CallContext, request: ImportRequest) -> Result<Imported, CallError> {
        self.in_time(request.timeout, self.unknown(cx, request)).await
    }

    /// Waits no longer than the user's limit. Few reads have a limit in the provider, and some providers ignore theirs. The call that runs at
    /// that moment is given up, which the provider sees from the connection. StopProvider is not sent: it would end the calls for other
    /// resources, too.
    async fn in_time<T>(
        &self,
        limit: Option<Duration>,
        work: impl Future<Output = Result<T, CallError>>,
    ) -> Result<T, CallError> {
        let Some(limit) = limit else { return work.await };
        let begun = Instant::now();
        match timeout(limit, work).await {
            Ok(Err(error))
                if matches!(error.kind, ErrorKind::Cancelled | ErrorKind::TimedOut)
                    && begun.elapsed() + TOGETHER >= limit => {}
            Ok(answer) => return answer,
            Err(_) => {}
        }
        let seconds = limit.as_secs_f64();
        let message = format!("no answer within {seconds} s, the limit for a read in `customTimeouts`");
        Err(CallError::new(self.label(), CALL, ErrorKind::TimedOut, message))
    }

    /// Reads a resource that is in the state.
    async fn known(&self, cx: &CallContext, request: ReadRequest) -> Result<ReadResult, CallError> {
        let ReadRequest { resource, state, timeout } = request;
        let subject = self.subject(CALL, resource.ty())?;
        self.identities(cx).await?;
        if self.is_known_by_id(&subject, &state.outputs) {
            // Other given properties must still fit: a mistake in them is an error.
            self.written(CALL, &subject, &state.outputs)?;
            return Ok(match self.imported(cx, &resource.urn, &subject, &state.id, timeout).await? {
                Some(state) => ReadResult::Found { state, inputs_known: true, unchanged: false },
                None => ReadResult::Gone,
            });
        }
        let stored = self.upgraded(cx, CALL, &resource.urn, &subject, &state).await?;
        let Some(found) = self.found(cx, &resource.urn, &subject, &stored, timeout).await? else {
            return Ok(ReadResult::Gone);
        };
        let mut outputs = self.readable(&subject, &found)?;
        secrets::annotate(&mut outputs, &state.inputs);
        let inputs = inputs::refreshed(&subject.resource.object, state.inputs, &outputs);
        let before = state.id;
        let id = self.id(&subject, &outputs).unwrap_or_else(|| before.clone());
        // Inputs are kept if nothing has changed: those of a set would otherwise be in the provider's order, which is seldom the program's.
        let unchanged = found.state == stored.state && id == before;
        if !unchanged {
            self.vouched(&subject, &found, &outputs);
        }
        let state = State { id, inputs, outputs, ..State::default() };
        Ok(ReadResult::Found { state, inputs_known: true, unchanged })
    }

    /// Whether this was never stored: a `get` gives the id, and at most some properties to find it by. Taken for a state, these would have no id
    /// and no version.
    fn is_known_by_id(&self, subject: &Subject, outputs: &PropertyMap) -> bool {
        let is_stored = outputs.contains_key(delta::KEY) || outputs.contains_key(meta::KEY);
        outputs.is_empty() || !is_stored && self.id(subject, outputs).is_none()
    }

    /// Reads a resource by its id alone.
    async fn unknown(&self, cx: &CallContext, request: ImportRequest) -> Result<Imported, CallError> {
        let subject = self.subject(CALL, request.resource.ty())?;
        self.identities(cx).await?;
        let state = self.imported(cx, &request.resource.urn, &subject, &request.id, request.timeout).await?;
        let resources = state.map(|state| (request.resource.ty().to_owned(), state)).into_iter().collect();
        Ok(Imported { resources })
    }

    /// ImportResourceState, and a read of the resource that it returns.
    async fn imported(
        &self,
        cx: &CallContext,
        urn: &Urn,
        subject: &Subject,
        id: &str,
        limit: Option<Duration>,
    ) -> Result<Option<State>, CallError> {
        let object = &subject.resource.object;
        let client = self.client(cx).await?;
        let (found, reports) = self.process.stoppable(cx, client.import(cx, &subject.handle, id)).await?;
        self.heed(cx, CALL, Some(urn), Some(object), &reports)?;
        let mut own = found.into_iter().filter(|found| found.type_name == *subject.handle.name);
        let Some(imported) = own.next() else {
            return Err(self.error(CALL, format!("the provider found no `{}` with the id `{id}`", subject.handle.name)));
        };
        if own.next().is_some() {
            return Err(
                self.error(CALL, format!("the provider found several `{}` with the id `{id}`", subject.handle.name))
            );
        }
        if imported.stored.state.is_null() {
            return Ok(None);
        }
        let Some(found) = self.found(cx, urn, subject, &imported.stored, limit).await? else { return Ok(None) };
        let outputs = self.readable(subject, &found)?;
        let inputs = inputs::imported(object, &outputs);
        let id = self.id(subject, &outputs).unwrap_or_else(|| id.to_owned());
        Ok(Some(State { id, inputs, outputs, ..State::default() }))
    }

    /// ReadResource: the resource as it is now.
    pub(crate) async fn found(
        &self,
        cx: &CallContext,
        urn: &Urn,
        subject: &Subject,
        known: &Stored,
        limit: Option<Duration>,
    ) -> Result<Option<Stored>, CallError> {
        let unidentified = self.lacks_identity(subject, &known.identity);
        let block = &subject.handle.schema.block;
        let limited = limit.and_then(|limit| timeouts::in_stored(block, known, Operation::Read, limit));
        let client = self.client(cx).await?;
        let answer = client.read(cx, &subject.handle, limited.as_ref().unwrap_or(known));
        let ReadAnswer { mut stored, reports, deferred } = self.process.stoppable(cx, answer).await?;
        if let Some(limited) = &limited {
            timeouts::out_of_stored(&mut stored, limited, known, Operation::Read);
        }
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

    pub(crate) fn readable(&self, subject: &Subject, stored: &Stored) -> Result<PropertyMap, CallError> {
        let outputs = self.outputs(subject, stored);
        outputs.map_err(|unfit| self.error(CALL, format!("the answer cannot be understood: {unfit}")))
    }
}

/// Whether the only error is the one that HashiCorp's library reports for a missing resource that is read without an identity: states that
/// Pulumi's bridge wrote have none.
fn is_without_identity(reports: &[Report]) -> bool {
    let mut errors = reports.iter().filter(|report| report.is_error());
    errors.next().is_some_and(|error| error.summary == "Missing Resource Identity After Read")
        && errors.next().is_none()
}
