//! A resource's stored state, given back to the provider as it was.

use bytes::Bytes;
use outrigger_provider::{CallContext, CallError, State};
use outrigger_terraform::cty::{self, Value as Cty};
use outrigger_terraform::{Client, Stored};
use outrigger_value::{PropertyMap, Urn};

use crate::meta::Meta;
use crate::package::{Package, Subject};
use crate::{decode, delta, encode, sound};

impl Package {
    /// What is stored of a resource, brought to the provider's current version by the provider itself. It is asked also when the
    /// versions are the same, because providers mend their states there; but not twice for the same state that needed no mending.
    pub(crate) async fn upgraded(
        &self,
        cx: &CallContext,
        call: &str,
        urn: &Urn,
        subject: &Subject,
        state: &State,
    ) -> Result<Stored, CallError> {
        let (meta, json) = self.written(call, subject, &state.outputs)?;
        let client = self.client(cx).await?;
        self.upgraded_json(cx, call, urn, subject, &client, meta, json).await
    }

    /// Like [`Package::upgraded`], without a call where the version is the current one and the state is in its form.
    pub(crate) async fn current(
        &self,
        cx: &CallContext,
        call: &str,
        urn: &Urn,
        subject: &Subject,
        state: &State,
    ) -> Result<Stored, CallError> {
        let (meta, json) = self.written(call, subject, &state.outputs)?;
        if meta.version == subject.resource.version
            && let Ok(state) = cty::from_json(json.as_bytes(), &subject.handle.ty)
        {
            return Ok(Stored { state, private: meta.private, identity: Bytes::new() });
        }
        let client = self.client(cx).await?;
        self.upgraded_json(cx, call, urn, subject, &client, meta, json).await
    }

    /// The provider's JSON, found again in outputs.
    fn written(&self, call: &str, subject: &Subject, outputs: &PropertyMap) -> Result<(Meta, String), CallError> {
        let failed = |reason: String| self.error(call, reason);
        let meta = Meta::of(outputs).map_err(|error| failed(error.to_string()))?;
        if meta.version > subject.resource.version {
            return Err(failed(format!(
                "the state was written by a newer version of the provider (schema version {} of `{}`, this provider has {}); \
                 use the newer provider",
                meta.version, subject.resource.token, subject.resource.version
            )));
        }
        let json = match outputs.get(delta::KEY) {
            Some(delta) => delta::recover(outputs, delta).map_err(|error| failed(error.to_string()))?,
            // A state of an older bridge: the schema has to do.
            None => {
                let value = encode::object(&subject.resource.object, outputs)
                    .map_err(|misfit| failed(format!("the stored state does not fit the schema: {misfit}")))?;
                cty::to_json(&value, &subject.handle.ty).map_err(|error| failed(error.to_string()))?
            }
        };
        Ok((meta, json))
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one call")]
    async fn upgraded_json(
        &self,
        cx: &CallContext,
        call: &str,
        urn: &Urn,
        subject: &Subject,
        client: &Client,
        meta: Meta,
        json: String,
    ) -> Result<Stored, CallError> {
        let json = Bytes::from(json);
        // What is written in the current version and can be read as it is.
        let as_is = (meta.version == subject.resource.version)
            .then(|| cty::from_json(&json, &subject.handle.ty).ok())
            .flatten()
            .map(|state| (sound::Digest::of(&subject.resource.token, &json), state));
        let state = match as_is {
            Some((digest, state)) if self.sound.has(&digest) => state,
            as_is => {
                let (state, reports) = client.upgrade(cx, &subject.handle, meta.version, json).await?;
                self.heed(cx, call, Some(urn), Some(&subject.resource.object), &reports)?;
                if let Some((digest, as_is)) = as_is
                    && as_is == state
                    && reports.is_empty()
                {
                    self.sound.add(digest);
                }
                state
            }
        };
        // Outputs hold doubles; what comes back through them must not look changed for its last digits.
        Ok(Stored { state: rounded(state), private: meta.private, identity: Bytes::new() })
    }

    /// The outputs that stand for a state, with the bookkeeping to find it again.
    pub(crate) fn outputs(&self, subject: &Subject, stored: &Stored) -> Result<PropertyMap, decode::Unfit> {
        let object = &subject.resource.object;
        let mut outputs = decode::object(object, &stored.state)?;
        Meta { version: subject.resource.version, private: stored.private.clone() }.write(&mut outputs);
        // A provider that leaves something unknown has told an error already; what is unknown cannot be found again.
        if stored.state.is_wholly_known() {
            let delta = delta::of_state(object, &stored.state, &subject.handle.ty);
            outputs.insert(delta::KEY.to_owned(), delta);
        }
        Ok(outputs)
    }
}

fn rounded(value: Cty) -> Cty {
    match value {
        Cty::Number(number) => Cty::Number(number.rounded_to_double()),
        Cty::List(items) => Cty::List(items.into_iter().map(rounded).collect()),
        Cty::Set(items) => Cty::Set(items.into_iter().map(rounded).collect()),
        Cty::Map(items) => Cty::Map(items.into_iter().map(|(key, item)| (key, rounded(item))).collect()),
        Cty::Dynamic(inner) => Cty::Dynamic(Box::new((inner.0, rounded(inner.1)))),
        other => other,
    }
}
