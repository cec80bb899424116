//! Replacements, in both orders.

use std::collections::HashSet;
use std::sync::Arc;

use futures::future::BoxFuture;
use outrigger_diagnostic::Diagnostic;
use outrigger_provider::{Diff, PlanRequest, RegisterError, Registered, ResourceIdentity, Verdict};
use outrigger_state::{EntryKey, Resource};
use outrigger_value::{Urn, Value};

use crate::decisions::{Milestone, Sentence};
use crate::deployment::{Deployment, diagnose};
use crate::providers::Instance;
use crate::register::{Registration, place};
use crate::steps::{Replacing, state_of};
use crate::{Step, StepOp, StepResult, changes};

impl Deployment {
    /// The provider, or an option, says that the resource must be made anew.
    pub(crate) async fn replace(
        &self,
        mut registration: Registration,
        instance: &Instance,
        key: EntryKey,
        old: Arc<Resource>,
        diff: Diff,
        seed: [u8; 32],
    ) -> Result<Registered, RegisterError> {
        let urn = registration.urn().clone();
        if registration.new.protect && old.protect {
            let diagnostic = place(protected(&urn, "replace"), &registration.goal);
            if !self.options.preview {
                return Err(self.fail(&urn, diagnostic));
            }
            self.blemish(&urn, diagnostic);
        }
        if registration.goal.import_id.is_some() {
            let diagnostic = Diagnostic::error(
                "engine-replace-imported",
                format!("`{}` was imported and cannot be replaced while it names an import id", urn.name()),
            )
            .detail(format!("these properties ask for the replacement: {}", diff.replace_keys.join(", ")))
            .hint("Remove the `import` option from the resource.");
            return Err(self.fail(&urn, place(diagnostic, &registration.goal)));
        }
        self.decide().mark_replaced(&urn);
        // What the provider filled in before came from the old one; the new one gets its own.
        self.check(&mut registration, instance, true, seed).await?;
        let first = registration.goal.delete_before_replace.unwrap_or(diff.delete_before_replace);
        let diff = Some(Arc::new(diff));
        self.note_replace(&registration, &old, diff.clone());
        if !first {
            if !self.decide().settle_replaced(&urn, key) {
                return self.recreate(registration, instance, key, seed, true).await;
            }
            let created = self.create(registration, instance, Replacing::Pending { key, old, diff }).await;
            self.reached(Milestone::Replaced(key));
            return created;
        }
        let dependents = self.dependents_to_replace(key, &old).await?;
        // The decision: whoever has been decided since is no longer a dependent, whoever has not is condemned.
        let sentence = self.decide().condemn_dependents(&urn, key, dependents);
        let condemned = match sentence {
            Sentence::Condemned(condemned) => condemned,
            Sentence::SelfCondemned => return self.recreate(registration, instance, key, seed, true).await,
            Sentence::Protected(held) => {
                self.reached(Milestone::Replaced(key));
                let diagnostic = protected(&held, &format!("replace, for the sake of `{}`,", urn.name()));
                return Err(self.fail(&urn, place(diagnostic, &registration.goal)));
            }
        };
        let deleted = async {
            for (dependent_key, dependent) in condemned.iter().rev() {
                self.clear_way(*dependent_key, dependent).await?;
                self.delete_to_replace(*dependent_key, dependent).await?;
            }
            self.clear_way(key, &old).await?;
            self.delete_to_replace(key, &old).await
        };
        let result = deleted.await;
        self.reached(Milestone::Replaced(key));
        // Whoever waits must go on even if a deletion failed.
        for (dependent_key, _) in &condemned {
            self.reached(Milestone::Gone(*dependent_key));
        }
        result?;
        self.create(registration, instance, Replacing::Deleted { key, old, diff }).await
    }

    /// Everything that depended on an entry and goes in this run has to be gone before it: what others have condemned, and the
    /// old halves of those whose own replacement was decided before. Only later entries of the base are waited for, here and by
    /// whoever deletes those, so no two wait for each other.
    fn clear_way<'a>(&'a self, key: EntryKey, old: &'a Arc<Resource>) -> BoxFuture<'a, Result<(), RegisterError>> {
        Box::pin(async move {
            let dependents = self.graph.dependents(key, false, |_, _| false);
            for (dependent, _) in dependents.iter().rev() {
                let milestone = self.decide().milestone(*dependent);
                if let Some(milestone) = milestone {
                    self.wait_for(milestone).await?;
                }
            }
            let halves = self.old_halves(old, &dependents).await?;
            for (half_key, half) in halves.iter().rev() {
                if !self.decide().take_early(*half_key) {
                    self.wait_for(Milestone::Gone(*half_key)).await?;
                    continue;
                }
                let deleted = async {
                    self.clear_way(*half_key, half).await?;
                    self.delete_to_replace(*half_key, half).await
                };
                let result = deleted.await;
                self.reached(Milestone::Gone(*half_key));
                result?;
            }
            Ok(())
        })
    }

    /// The old halves among these that cannot do without an entry.
    async fn old_halves(
        &self,
        old: &Arc<Resource>,
        dependents: &[(EntryKey, Arc<Resource>)],
    ) -> Result<Vec<(EntryKey, Arc<Resource>)>, RegisterError> {
        let halves: Vec<_> = {
            let decisions = self.decide();
            let now = |(key, _): &(EntryKey, _)| decisions.table.get(*key).map(|current| (*key, current.clone()));
            dependents.iter().filter_map(now).filter(|(_, current)| current.delete).collect()
        };
        self.followers(old, halves).await
    }

    /// The resource was deleted, in this run or an earlier one, to be made anew.
    pub(crate) async fn recreate(
        &self,
        mut registration: Registration,
        instance: &Instance,
        key: EntryKey,
        seed: [u8; 32],
        checked_fresh: bool,
    ) -> Result<Registered, RegisterError> {
        let urn = registration.urn().clone();
        if !checked_fresh {
            self.check(&mut registration, instance, true, seed).await?;
        }
        {
            let mut decisions = self.decide();
            decisions.settle(&urn);
            decisions.mark_replaced(&urn);
        }
        if self.decide().is_condemned(key) {
            self.wait_for(Milestone::Gone(key)).await?;
        }
        let old = self.decide().table.get(key).cloned();
        let Some(old) = old else { return self.create(registration, instance, Replacing::Nothing).await };
        self.note_replace(&registration, &old, None);
        self.create(registration, instance, Replacing::Deleted { key, old, diff: None }).await
    }

    /// A step of its own that stands for the whole replacement.
    fn note_replace(&self, registration: &Registration, old: &Arc<Resource>, diff: Option<Arc<Diff>>) {
        let new = Arc::new(registration.new.clone());
        let step =
            Step { op: StepOp::Replace, urn: new.urn.clone(), old: Some(old.clone()), new: Some(new.clone()), diff };
        let step = self.started(step);
        self.ended(&step, Some(new), StepResult::Done, StepOp::Replace);
    }

    /// The old resources that would have to be replaced if this one were: those whose provider is, and those whose provider says
    /// so when the inputs that came from it are unknown. In the base's order.
    async fn dependents_to_replace(
        &self,
        root: EntryKey,
        old: &Arc<Resource>,
    ) -> Result<Vec<(EntryKey, Arc<Resource>)>, RegisterError> {
        // The graph is the base's: what a refresh found gone since, or changed, counts as it is now.
        let candidates: Vec<_> = {
            let decisions = self.decide();
            // The old half of a dependent that is itself replaced still needs this one, whatever was decided for the new half.
            let settled = |key, urn: &Urn| {
                !decisions.is_old_half(key) && (decisions.is_decided(urn) || decisions.is_condemned(key))
            };
            let dependents = self.graph.dependents(root, false, settled);
            let now = |(key, _)| decisions.table.get(key).map(|current| (key, current.clone()));
            dependents.into_iter().filter_map(now).collect()
        };
        self.followers(old, candidates).await
    }

    /// Those that must go with an entry, in the order of the candidates.
    async fn followers(
        &self,
        old: &Arc<Resource>,
        candidates: Vec<(EntryKey, Arc<Resource>)>,
    ) -> Result<Vec<(EntryKey, Arc<Resource>)>, RegisterError> {
        let mut replaced: HashSet<Urn> = HashSet::from([old.urn.clone()]);
        let mut found = Vec::new();
        for (key, candidate) in candidates {
            if candidate.custom && !candidate.external && self.must_follow(&candidate, &replaced).await? {
                replaced.insert(candidate.urn.clone());
                found.push((key, candidate));
            }
        }
        Ok(found)
    }

    async fn must_follow(&self, dependent: &Arc<Resource>, replaced: &HashSet<Urn>) -> Result<bool, RegisterError> {
        if dependent.provider.as_ref().is_some_and(|provider| replaced.contains(&provider.urn)) {
            return Ok(true);
        }
        let mut inputs = dependent.inputs.clone();
        let mut touched = false;
        for (property, urns) in &dependent.property_dependencies {
            if urns.iter().any(|urn| replaced.contains(urn))
                && let Some(value) = inputs.get_mut(property)
            {
                *value = Value::Unknown;
                touched = true;
            }
        }
        let Some(reference) = dependent.provider.as_ref().filter(|_| touched) else { return Ok(false) };
        let instance = self.provider(reference, &dependent.urn).await?;
        let request = PlanRequest {
            resource: ResourceIdentity::new(dependent.urn.clone()),
            prior: Some(state_of(dependent)),
            inputs: Some(inputs),
            ignore_changes: dependent.ignore_changes.clone(),
            predict: false,
            timeout: None,
        };
        let permit = self.look().await?;
        let planned = instance.provider.plan(&self.context, request).await;
        drop(permit);
        let mut planned =
            planned.map_err(|error| self.fail(&dependent.urn, diagnose(error, "compare", &dependent.urn)))?;
        let verdict =
            changes::force_replacements(&mut planned.diff, planned.verdict, &dependent.replace_on_changes, false);
        Ok(verdict == Verdict::Replace)
    }
}

/// A resource that may not go.
pub(crate) fn protected(urn: &Urn, doing: &str) -> Diagnostic {
    Diagnostic::error("engine-protected", format!("cannot {doing} `{}` ({}): it is protected", urn.name(), urn.ty()))
        .hint(format!(
            "Set its `protect` option to false and run `outrigger up`, or run `outrigger state unprotect '{urn}'`, then try again."
        ))
}
