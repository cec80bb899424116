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
    /// Replaces a resource because the provider or an option requires it.
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
            .detail(format!("these properties force the replacement: {}", diff.replace_keys.join(", ")))
            .hint("Remove the `import` option from the resource.");
            return Err(self.fail(&urn, place(diagnostic, &registration.goal)));
        }
        self.decide().mark_replaced(&urn);
        // Names and defaults that the provider filled in belong to the old resource; the new one gets its own.
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
        // The decision: a resource decided in the meantime is no longer a dependent; every other one is condemned.
        let sentence = self.decide().condemn_dependents(&urn, key, dependents);
        let condemned = match sentence {
            Sentence::Condemned(condemned) => condemned,
            Sentence::SelfCondemned => return self.recreate(registration, instance, key, seed, true).await,
            Sentence::Protected(held) => {
                self.reached(Milestone::Replaced(key));
                let diagnostic = protected(&held, &format!("replace, because of `{}`,", urn.name()));
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
        // Waiting tasks must continue even if a deletion failed.
        for (dependent_key, _) in &condemned {
            self.reached(Milestone::Gone(*dependent_key));
        }
        result?;
        self.create(registration, instance, Replacing::Deleted { key, old, diff }).await
    }

    /// Waits until everything that depended on an entry and leaves in this run is gone: entries condemned for another replacement, and old
    /// halves of replacements decided earlier. Each such wait is for later entries of the base only, so no two wait for each other.
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

    /// The old halves among these that still need an entry.
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

    /// Recreates a resource that was deleted in this run or an earlier one.
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

    /// Reports a separate step that represents the whole replacement.
    fn note_replace(&self, registration: &Registration, old: &Arc<Resource>, diff: Option<Arc<Diff>>) {
        let new = Arc::new(registration.new.clone());
        let step =
            Step { op: StepOp::Replace, urn: new.urn.clone(), old: Some(old.clone()), new: Some(new.clone()), diff };
        let step = self.started(step);
        self.ended(&step, Some(new), StepResult::Done, StepOp::Replace);
    }

    /// The old resources that must be replaced along with this one: those whose provider is replaced, and those whose provider asks for
    /// replacement when the inputs that came from it are unknown. In the base's order.
    async fn dependents_to_replace(
        &self,
        root: EntryKey,
        old: &Arc<Resource>,
    ) -> Result<Vec<(EntryKey, Arc<Resource>)>, RegisterError> {
        // The graph is the base's: resources that a refresh found missing or drifted count as they are now.
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

    /// The candidates that must be replaced along with an entry, in their order.
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

/// The error for deleting a protected resource.
pub(crate) fn protected(urn: &Urn, doing: &str) -> Diagnostic {
    Diagnostic::error("engine-protected", format!("cannot {doing} `{}` ({}): it is protected", urn.name(), urn.ty()))
        .hint(format!(
            "Set its `protect` option to false and run `outrigger up`, or run `outrigger state unprotect '{urn}'`, then try again."
        ))
}
