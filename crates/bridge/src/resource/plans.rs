//! Plans that were made and not applied yet.
//!
//! A refresh asks what would change, the program after it asks the same, and so does an update after its preview. A provider's plan depends only
//! on the existing resource and the configuration, so it is asked once, and what was shown is applied. Plans are kept by URN: two resources with
//! equal inputs may get different names from their provider, and their plans must not be mixed up.
//!
//! If a plan requires a replacement, the plan of the new resource gets the private bytes of the first plan.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use outrigger_provider::{Action, Verdict};
use outrigger_terraform::cty::{Path, Value as Cty};
use outrigger_terraform::{Report, Stored};
use outrigger_value::{PropertyMap, Urn};

use crate::resource::Ready;

/// A provider's plan.
#[derive(Clone)]
pub(crate) struct Plan {
    pub(crate) ready: Arc<Ready>,
    /// The paths that may need a new resource.
    pub(crate) replacing: Arc<[Path]>,
    pub(crate) reports: Arc<[Report]>,
}

/// The plans of one provider as it is configured now.
pub(crate) struct Plans {
    /// Whether plans are kept for a later call.
    keeping: bool,
    kept: Mutex<HashMap<Urn, Kept>>,
}

/// The plans for one resource.
#[derive(Default)]
struct Kept {
    /// For the existing resource.
    change: Option<Plan>,
    /// For a new resource: the first of its name, or one that replaces the existing one.
    creation: Option<Plan>,
    /// The provider's private bytes, if the newest plan for the existing resource requires its replacement.
    replacement: Option<Bytes>,
    /// Outputs of an older version, and the state that the provider upgraded them to: an update reuses the upgrade of its plan.
    upgraded: Option<(PropertyMap, Stored)>,
}

impl Plans {
    pub(crate) fn new(keeping: bool) -> Self {
        Self { keeping, kept: Mutex::default() }
    }

    /// The plan of a resource, if it is for the same prior state and configuration.
    pub(crate) fn get(&self, urn: &Urn, prior: &Stored, config: &Cty) -> Option<Plan> {
        let kept = self.lock();
        let Kept { change, creation, .. } = kept.get(urn)?;
        let plan = if prior.state.is_null() { creation } else { change };
        plan.as_ref().filter(|plan| plan.ready.prior == *prior && plan.ready.config == *config).cloned()
    }

    pub(crate) fn keep(&self, urn: &Urn, plan: &Plan) {
        if !self.keeping {
            return;
        }
        let mut kept = self.lock();
        let of_it = kept.entry(urn.clone()).or_default();
        let place = if plan.ready.prior.state.is_null() { &mut of_it.creation } else { &mut of_it.change };
        *place = Some(plan.clone());
    }

    /// Records the verdict on a plan. The private bytes of a replacement go to the new resource whatever its inputs are by then: it gets another
    /// name where names are made up.
    pub(crate) fn judged(&self, urn: &Urn, ready: &Ready, verdict: Verdict) {
        let given = (verdict == Verdict::Replace && !ready.private.is_empty()).then(|| ready.private.clone());
        let mut kept = self.lock();
        match (kept.get_mut(urn), given) {
            (Some(of_it), given) => of_it.replacement = given,
            (None, Some(given)) => kept.entry(urn.clone()).or_default().replacement = Some(given),
            (None, None) => {}
        }
    }

    /// The private bytes for a new resource that replaces another.
    pub(crate) fn replacement(&self, urn: &Urn) -> Option<Bytes> {
        self.lock().get(urn)?.replacement.clone()
    }

    /// The state that the provider upgraded these outputs to, if it already did.
    pub(crate) fn upgraded(&self, urn: &Urn, outputs: &PropertyMap) -> Option<Stored> {
        let kept = self.lock();
        kept.get(urn)?.upgraded.as_ref().filter(|(of, _)| of == outputs).map(|(_, stored)| stored.clone())
    }

    pub(crate) fn keep_upgraded(&self, urn: &Urn, outputs: &PropertyMap, stored: &Stored) {
        if self.keeping {
            self.lock().entry(urn.clone()).or_default().upgraded = Some((outputs.clone(), stored.clone()));
        }
    }

    /// The resource is about to change: plans for the existing resource no longer hold. A resource that is recreated after its deletion is
    /// created as planned.
    pub(crate) fn forget(&self, urn: &Urn, action: Action) {
        let mut kept = self.lock();
        if action == Action::Create {
            kept.remove(urn);
        } else if let Some(of_it) = kept.get_mut(urn) {
            (of_it.change, of_it.upgraded) = (None, None);
        }
    }

    /// Forgets everything: the provider is configured again.
    pub(crate) fn clear(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Urn, Kept>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
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
        plans.forget(&urn("one"), Action::Update);
        assert!(!asked("one", "is", "wanted"));
        plans.keep(&urn("one"), &plan("is", "wanted"));
        plans.clear();
        assert!(!asked("one", "is", "wanted"));
    }

    #[test]
    fn a_replacement_gets_what_the_plan_before_it_gave() {
        let plans = Plans::new(false);
        let before = Ready { private: Bytes::from_static(b"given"), ..Ready::clone(&plan("is", "wanted").ready) };
        plans.judged(&urn("one"), &before, Verdict::Replace);
        assert_eq!(plans.replacement(&urn("one")).as_deref(), Some(&b"given"[..]));
        assert_eq!(plans.replacement(&urn("two")), None);
        plans.forget(&urn("one"), Action::Delete);
        assert!(plans.replacement(&urn("one")).is_some(), "it is deleted to be made anew");
        plans.forget(&urn("one"), Action::Create);
        assert_eq!(plans.replacement(&urn("one")), None);
        plans.judged(&urn("one"), &before, Verdict::Replace);
        plans.judged(&urn("one"), &before, Verdict::Update);
        assert_eq!(plans.replacement(&urn("one")), None, "the newest plan counts");
    }

    #[test]
    fn what_takes_the_place_of_another_has_a_plan_of_its_own() {
        let plans = Plans::new(true);
        let mut new = plan("", "wanted");
        new.ready = Arc::new(Ready { prior: Stored::NOTHING, ..Ready::clone(&new.ready) });
        plans.keep(&urn("one"), &new);
        plans.keep(&urn("one"), &plan("is", "wanted"));
        let wanted = Cty::String("wanted".into());
        assert!(plans.get(&urn("one"), &stored("is"), &wanted).is_some());
        assert!(plans.get(&urn("one"), &Stored::NOTHING, &wanted).is_some());
        plans.forget(&urn("one"), Action::Delete);
        assert!(plans.get(&urn("one"), &stored("is"), &wanted).is_none());
        assert!(plans.get(&urn("one"), &Stored::NOTHING, &wanted).is_some());
        plans.forget(&urn("one"), Action::Create);
        assert!(plans.get(&urn("one"), &Stored::NOTHING, &wanted).is_none());
    }

    #[test]
    fn nothing_is_kept_for_nobody() {
        let plans = Plans::new(false);
        plans.keep(&urn("one"), &plan("is", "wanted"));
        assert!(plans.get(&urn("one"), &stored("is"), &Cty::String("wanted".into())).is_none());
    }
}
