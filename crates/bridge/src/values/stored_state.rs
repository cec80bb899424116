//! A resource's stored state, restored exactly for the provider.

use bytes::Bytes;
use outrigger_provider::{CallContext, CallError, State};
use outrigger_terraform::cty::{self, Type, Value as Cty};
use outrigger_terraform::{Client, Stored, consistency, write_only};
use outrigger_value::{PropertyMap, Urn};

use crate::naming::object_names::Object;
use crate::package::{Package, Subject};
use crate::resource::upgrade_cache;
pub use crate::values::decode::Unfit;
pub use crate::values::meta::{Broken, KeptIdentity, Meta};
use crate::values::{decode, delta, encode};

/// The outputs of a state, with the bookkeeping that restores it.
pub fn outputs(object: &Object, ty: &Type, state: &Cty, meta: &Meta) -> Result<PropertyMap, Unfit> {
    let mut outputs = decode::object(object, state)?;
    meta.write(&mut outputs);
    // A provider that leaves something unknown has already reported an error, and unknown values cannot be restored.
    if state.is_wholly_known() {
        outputs.insert(delta::KEY.to_owned(), delta::of_state(object, state, ty));
    }
    Ok(outputs)
}

/// The provider's JSON, restored from outputs. The error is a sentence.
pub fn recovered(object: &Object, ty: &Type, outputs: &PropertyMap) -> Result<String, String> {
    match outputs.get(delta::KEY) {
        Some(delta) => delta::recover(outputs, delta).map_err(|error| error.to_string()),
        // A state of an older bridge has no delta, so the schema is used instead.
        None => {
            let value = encode::object(object, outputs)
                .map_err(|misfit| format!("the stored state does not fit the schema: {misfit}"))?;
            cty::to_json(&value, ty).map_err(|error| error.to_string())
        }
    }
}

impl Package {
    /// A resource's stored state, upgraded to the current version by the provider. It is asked even if the versions are the same, because
    /// providers repair their states in this call; but not twice for a state that needed no repair.
    pub(crate) async fn upgraded(
        &self,
        cx: &CallContext,
        call: &str,
        urn: &Urn,
        subject: &Subject,
        state: &State,
    ) -> Result<Stored, CallError> {
        if let Some(stored) = self.plans.upgraded(urn, &state.outputs) {
            return Ok(stored);
        }
        let (meta, json) = self.written(call, subject, &state.outputs)?;
        let client = self.client(cx).await?;
        let (version, identity) = (meta.version, meta.identity.as_ref().map(|kept| kept.version));
        let stored = self.upgraded_json(cx, call, urn, subject, &client, meta, json).await?;
        let identity_now =
            self.identities.get().and_then(|known| known.get(&*subject.handle.name)).map(|it| it.version);
        // Only older versions cost a second call, so only their upgrades are kept.
        if version != subject.resource.version || (identity.is_some() && identity != identity_now) {
            self.plans.keep_upgraded(urn, &state.outputs, &stored);
        }
        Ok(stored)
    }

    /// Like [`Package::upgraded`], without a call if the state has the current version and form: the provider finds a resource to delete by its
    /// identifying properties, and Pulumi's bridge does not ask either.
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
            let identity = self.kept_identity(cx, call, subject, meta.identity.as_ref()).await?;
            return Ok(Stored { state, private: meta.private, identity });
        }
        let client = self.client(cx).await?;
        self.upgraded_json(cx, call, urn, subject, &client, meta, json).await
    }

    /// A resource's stored data: the bookkeeping, and the provider's JSON.
    pub(crate) fn written(
        &self,
        call: &str,
        subject: &Subject,
        outputs: &PropertyMap,
    ) -> Result<(Meta, String), CallError> {
        let failed = |reason: String| self.error(call, reason);
        let Subject { resource, handle } = subject;
        let meta = Meta::of(outputs).map_err(|error| failed(error.to_string()))?;
        if meta.version > resource.version {
            return Err(failed(format!(
                "the state was written by a newer version of the provider (schema version {} of `{}`, this provider has {}); \
                 use the newer provider",
                meta.version, resource.token, resource.version
            )));
        }
        Ok((meta, recovered(&resource.object, &handle.ty, outputs).map_err(failed)?))
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
        // A state of the current version that can be read as it is.
        let as_is = (meta.version == subject.resource.version)
            .then(|| cty::from_json(&json, &subject.handle.ty).ok())
            .flatten()
            .map(|state| (upgrade_cache::Digest::of(&subject.resource.token, &json), state));
        let state = match as_is {
            Some((digest, state)) if self.upgrade_cache.has(&digest) => state,
            as_is => {
                let (state, reports) = client.upgrade(cx, &subject.handle, meta.version, json).await?;
                self.heed(cx, call, Some(urn), Some(&subject.resource.object), &reports)?;
                let state = self.storable(cx, call, urn, subject, state, "upgraded")?;
                // Later steps would take null for a missing resource, and forget it or create it twice.
                if state.is_null() {
                    return Err(self.error(
                        call,
                        "the provider returned no state when it was asked to upgrade the stored one, which is a bug in \
                         the provider",
                    ));
                }
                if let Some((digest, as_is)) = as_is
                    && as_is == state
                    && reports.is_empty()
                {
                    self.upgrade_cache.add(digest);
                }
                state
            }
        };
        let identity = self.kept_identity(cx, call, subject, meta.identity.as_ref()).await?;
        // Outputs hold doubles; a state restored from them must not look changed in its last digits.
        Ok(Stored { state: rounded(state), private: meta.private, identity })
    }

    /// A state that was not planned, without values that must never be stored, which are reported. One that is not wholly known is refused: it
    /// could not be sent to the provider again, not even to delete the resource.
    pub(crate) fn storable(
        &self,
        cx: &CallContext,
        call: &str,
        urn: &Urn,
        subject: &Subject,
        state: Cty,
        did: &str,
    ) -> Result<Cty, CallError> {
        let block = &subject.handle.schema.block;
        if let Some(finding) = consistency::unknown_in(&state).first() {
            let what = format!("the provider returned an unknown value, which is a bug in the provider: {finding}");
            return Err(self.error(call, what));
        }
        self.hold(cx, call, urn, &consistency::write_only_in(block, &state), did)?;
        Ok(write_only::removed(block, state))
    }

    /// Remembers that a state that the provider itself has just returned needs no repair, if the outputs restore it exactly.
    pub(crate) fn vouched(&self, subject: &Subject, stored: &Stored, outputs: &PropertyMap) {
        let Ok(json) = recovered(&subject.resource.object, &subject.handle.ty, outputs) else { return };
        if cty::from_json(json.as_bytes(), &subject.handle.ty).is_ok_and(|state| state == stored.state) {
            self.upgrade_cache.add(upgrade_cache::Digest::of(&subject.resource.token, json.as_bytes()));
        }
    }

    /// The outputs of a state in its current version.
    pub(crate) fn outputs(&self, subject: &Subject, stored: &Stored) -> Result<PropertyMap, Unfit> {
        let meta = Meta {
            version: subject.resource.version,
            private: stored.private.clone(),
            identity: self.identity_to_keep(subject, &stored.identity),
        };
        outputs(&subject.resource.object, &subject.handle.ty, &stored.state, &meta)
    }
}

/// The value with numbers rounded to doubles, as Pulumi carries them.
pub(crate) fn rounded(value: Cty) -> Cty {
    match value {
        Cty::Number(number) => Cty::Number(number.rounded_to_double()),
        Cty::List(items) => Cty::List(items.into_iter().map(rounded).collect()),
        Cty::Set(items) => Cty::Set(items.into_iter().map(rounded).collect()),
        Cty::Map(items) => Cty::Map(items.into_iter().map(|(key, item)| (key, rounded(item))).collect()),
        Cty::Dynamic(inner) => Cty::Dynamic(Box::new((inner.0, rounded(inner.1)))),
        other => other,
    }
}
