//! Plans that were made and not carried out yet.
//!
//! A refresh asks what would change, the program after it asks the same, and so does an update after its preview. A provider's plan
//! depends on what exists and what is wanted, so it is asked once; what is carried out is then what was shown. Kept by the name of the
//! resource: two that are wanted alike may get different names from their provider, and those must not be mixed up.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use outrigger_terraform::cty::{Path, Value as Cty};
use outrigger_terraform::{Report, Stored};
use outrigger_value::Urn;

use crate::resource::Ready;

/// What a provider answered.
#[derive(Clone)]
pub(crate) struct Plan {
    pub(crate) ready: Arc<Ready>,
    /// The paths that may need a new resource.
    pub(crate) replacing: Arc<[Path]>,
    pub(crate) reports: Arc<[Report]>,
}

/// The plans of one provider as it is configured now.
pub(crate) struct Plans {
    /// `None`: nobody will ask again.
    kept: Option<Mutex<HashMap<Urn, Plan>>>,
}

impl Plans {
    pub(crate) fn new(keeping: bool) -> Self {
        Self { kept: keeping.then(Mutex::default) }
    }

    /// The plan of a resource, if the question is the same.
    pub(crate) fn get(&self, urn: &Urn, prior: &Stored, config: &Cty) -> Option<Plan> {
        let kept = self.lock()?;
        kept.get(urn).filter(|plan| plan.ready.prior == *prior && plan.ready.config == *config).cloned()
    }

    pub(crate) fn keep(&self, urn: &Urn, plan: &Plan) {
        if let Some(mut kept) = self.lock() {
            kept.insert(urn.clone(), plan.clone());
        }
    }

    /// The resource is about to change: no plan for it holds any more.
    pub(crate) fn forget(&self, urn: &Urn) {
        if let Some(mut kept) = self.lock() {
            kept.remove(urn);
        }
    }

    /// The provider is configured anew.
    pub(crate) fn clear(&self) {
        if let Some(mut kept) = self.lock() {
            kept.clear();
        }
    }

    fn lock(&self) -> Option<MutexGuard<'_, HashMap<Urn, Plan>>> {
        self.kept.as_ref().map(|kept| kept.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    fn stored(text: &str) -> Stored {
        Stored { state: Cty::String(text.into()), private: Bytes::new(), identity: Bytes::new() }
    }

    fn plan(prior: &str, config: &str) -> Plan {
        let ready = Ready {
            prior: stored(prior),
            config: Cty::String(config.into()),
            planned: Cty::Null,
            private: Bytes::new(),
            identity: Bytes::new(),
            legacy: false,
        };
        Plan { ready: Arc::new(ready), replacing: Arc::default(), reports: Arc::default() }
    }

    fn urn(name: &str) -> Urn {
        format!("urn:pulumi:dev::shop::a:index/b:B::{name}").parse().unwrap()
    }

    #[test]
    fn only_the_same_question_has_an_answer() {
        let plans = Plans::new(true);
        plans.keep(&urn("one"), &plan("is", "wanted"));
        let asked = |name: &str, prior: &str, config: &str| {
            plans.get(&urn(name), &stored(prior), &Cty::String(config.into())).is_some()
        };
        assert!(asked("one", "is", "wanted"));
        assert!(asked("one", "is", "wanted"), "a plan may be asked for more than twice");
        assert!(!asked("two", "is", "wanted"));
        assert!(!asked("one", "was", "wanted"));
        assert!(!asked("one", "is", "unwanted"));
        plans.forget(&urn("one"));
        assert!(!asked("one", "is", "wanted"));
        plans.keep(&urn("one"), &plan("is", "wanted"));
        plans.clear();
        assert!(!asked("one", "is", "wanted"));
    }

    #[test]
    fn nothing_is_kept_for_nobody() {
        let plans = Plans::new(false);
        plans.keep(&urn("one"), &plan("is", "wanted"));
        assert!(plans.get(&urn("one"), &stored("is"), &Cty::String("wanted".into())).is_none());
    }
}
