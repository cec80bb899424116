//! Identities: data by which a provider knows a resource, apart from its state.
//!
//! A provider with identities expects one together with the state, and some fail an update without it. They are stored in `__meta`, as JSON with
//! the version of their schema; the schemas are fetched once per process.

use std::collections::BTreeMap;

use bytes::Bytes;
use outrigger_provider::{CallContext, CallError, LogLevel};
use outrigger_terraform::cty::{self, Value};
use outrigger_terraform::schema::IdentitySchema;

use crate::diagnostics;
use crate::package::{Package, Subject};
use crate::values::meta::KeptIdentity;

/// The identity schemas, by resource type. Most types have none.
pub(crate) type Identities = BTreeMap<String, IdentitySchema>;

impl Package {
    /// The identity schemas. A call that may get an identity fetches them first, so that nothing can fail afterwards. A provider made of several
    /// servers reports an error for each server that is older than identities; the schemas of the others are valid.
    pub(crate) async fn identities(&self, cx: &CallContext) -> Result<&Identities, CallError> {
        let asked = || async {
            let (schemas, reports) = self.client(cx).await?.identity_schemas(cx).await?;
            for report in &reports {
                cx.log.log(LogLevel::Debug, None, &diagnostics::text(None, report), false);
            }
            Ok(schemas)
        };
        self.identities.get_or_try_init(asked).await
    }

    /// An identity from the provider's answer, as it is stored. One that does not fit its own schema is not stored, but read again when it is
    /// needed.
    pub(crate) fn identity_to_keep(&self, subject: &Subject, identity: &Bytes) -> Option<KeptIdentity> {
        let schema = self.identities.get()?.get(&*subject.handle.name)?;
        let json = cty::to_json(&known(schema, identity)?, &schema.ty()).ok()?;
        Some(KeptIdentity { version: schema.version, json })
    }

    /// A stored identity, for the provider. The provider itself upgrades one of an older version.
    pub(crate) async fn kept_identity(
        &self,
        cx: &CallContext,
        call: &str,
        subject: &Subject,
        kept: Option<&KeptIdentity>,
    ) -> Result<Bytes, CallError> {
        let Some(kept) = kept else { return Ok(Bytes::new()) };
        let Some(schema) = self.identities(cx).await?.get(&*subject.handle.name) else { return Ok(Bytes::new()) };
        let ty = schema.ty();
        let as_is = (kept.version == schema.version)
            .then(|| cty::from_json(kept.json.as_bytes(), &ty).and_then(|value| cty::encode(&value, &ty)).ok())
            .flatten();
        if let Some(bytes) = as_is {
            return Ok(bytes.into());
        }
        let json = Bytes::from(kept.json.clone().into_bytes());
        let client = self.client(cx).await?;
        let (identity, reports) = client.upgrade_identity(cx, &subject.handle.name, kept.version, json).await?;
        self.heed(cx, call, None, None, &reports)?;
        Ok(identity)
    }

    /// Whether a resource should have an identity, and this is none. It is only known once the schemas have been fetched.
    pub(crate) fn lacks_identity(&self, subject: &Subject, identity: &Bytes) -> bool {
        let schema = self.identities.get().and_then(|known| known.get(&*subject.handle.name));
        schema.is_some_and(|schema| known(schema, identity).is_none())
    }
}

/// The value of an identity; `None` if there is none or all of it is null.
fn known(schema: &IdentitySchema, identity: &Bytes) -> Option<Value> {
    let value = cty::decode(identity, &schema.ty()).ok()?;
    let says_something = matches!(&value, Value::Map(members) if members.values().any(|member| !member.is_null()));
    says_something.then_some(value)
}
