//! Pending operations of an earlier run, and how they are settled.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use futures::stream::{FuturesUnordered, StreamExt};
use outrigger_diagnostic::Diagnostic;
use outrigger_provider::{ErrorKind, ReadRequest, ReadResult, ResourceIdentity};
use outrigger_state::{EntryKey, OperationId, OperationKind, PendingOperation, Record, Resource};
use outrigger_value::Urn;
use tracing::Instrument as _;

use crate::deployment::Deployment;
use crate::steps::{state_of, timeout};

/// How to treat creations that an earlier run left unfinished.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum PendingCreates {
    /// Keep them, and report them.
    #[default]
    Keep,
    /// Forget them.
    Clear,
    /// Import those for which the user supplies an id; keep the others.
    Import(Vec<(Urn, String)>),
}

/// Entries that may have been deleted, each with its pending deletions.
type Doubtful = BTreeMap<EntryKey, (Arc<Resource>, Vec<OperationId>)>;

/// The result of reading a resource that may have been deleted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Look {
    Gone,
    /// It exists, or no provider can ever tell that it does not.
    There,
    /// It could not be read this time.
    Unseen,
}

impl Deployment {
    /// Settles the operations that an earlier run left pending. Updates and reads are simply closed: the state has the old values, and the
    /// next plan finds the difference. A deletion may have happened; it stays open until the resource could be read. A creation may have
    /// made something that the state does not contain.
    pub(crate) async fn settle_pending(&self) {
        // First, before any operation is closed: a run interrupted here must find them all again.
        let unseen = self.forget_deleted().await;
        let mut record = Record::default();
        for (number, pending) in self.base.pending.iter().enumerate() {
            let id = OperationId(number as u64);
            match pending.kind {
                OperationKind::Creating => self.settle_creation(id, pending, &mut record).await,
                OperationKind::Deleting if unseen.contains(&id) => {}
                _ => record.end.push(id),
            }
        }
        if let Some(pending) = self.base.pending.first() {
            let urn = pending.resource.urn.clone();
            let _reported = self.append(&urn, record).await;
        }
    }

    /// Whether an earlier run was interrupted during a deletion, so that resources in the state may be gone.
    pub(crate) fn has_pending_deletions(&self) -> bool {
        self.pending_deletions().next().is_some()
    }

    fn pending_deletions(&self) -> impl Iterator<Item = (OperationId, &Arc<Resource>)> {
        let all = (0..).map(OperationId).zip(&self.base.pending);
        all.filter(|(_, pending)| pending.kind == OperationKind::Deleting).map(|(id, pending)| (id, &pending.resource))
    }

    /// The entries that interrupted deletions are about. A run that could not read a resource may have renamed it since.
    fn doubtful(&self) -> Doubtful {
        let mut doubtful = Doubtful::new();
        if !self.has_pending_deletions() {
            return doubtful;
        }
        let decisions = self.decide();
        let mut by_id: HashMap<Option<&str>, Vec<(EntryKey, &Arc<Resource>)>> = HashMap::new();
        for (key, entry) in decisions.table.iter() {
            by_id.entry(entry.id.as_deref()).or_default().push((key, entry));
        }
        for (operation, deleted) in self.pending_deletions() {
            let alike = by_id.get(&deleted.id.as_deref()).map(Vec::as_slice).unwrap_or_default();
            let is_named = |entry: &Resource| entry.urn == deleted.urn;
            let is_renamed = |entry: &Resource| entry.ty() == deleted.ty() || entry.aliases.contains(&deleted.urn);
            let has_its_name = alike.iter().any(|(_, entry)| is_named(entry));
            for (key, entry) in alike.iter().filter(|(_, entry)| is_named(entry) || !has_its_name && is_renamed(entry))
            {
                doubtful.entry(*key).or_insert_with(|| (Arc::clone(entry), Vec::new())).1.push(operation);
            }
        }
        doubtful
    }

    /// Removes resources from the state whose deletion was interrupted before its answer; otherwise they would count as existing until the next
    /// refresh. Returns the deletions whose resources could not be read.
    async fn forget_deleted(&self) -> HashSet<OperationId> {
        let looks = self.doubtful().into_iter();
        let looks = looks.map(|(key, (old, of))| async move { (key, of, self.look_at(&old).await, old) });
        let mut looks: FuturesUnordered<_> = looks.collect();
        let (mut gone, mut unseen) = (Vec::new(), HashSet::new());
        while let Some((key, operations, look, old)) = looks.next().await {
            match look {
                Look::Gone => {
                    let text = format!("`{}` was deleted by an earlier run that was interrupted", old.urn.name());
                    self.info(&old.urn, "state-pending-delete", text);
                    gone.push((key, old));
                }
                Look::There => {}
                Look::Unseen => unseen.extend(operations),
            }
        }
        gone.sort_by_key(|(key, _)| *key);
        self.forget_all(gone).await;
        unseen
    }

    /// A resource that cannot be read counts as existing: a provider need not support reading.
    async fn look_at(&self, old: &Arc<Resource>) -> Look {
        let managed = old.custom && !old.is_provider() && !old.pending_replacement;
        let Some(reference) = old.provider.as_ref().filter(|_| managed) else { return Look::There };
        if self.may_start().is_err() {
            return Look::Unseen;
        }
        let Ok(instance) = self.provider(reference, &old.urn).await else { return Look::Unseen };
        let request = ReadRequest {
            resource: ResourceIdentity::new(old.urn.clone()),
            state: state_of(old),
            timeout: timeout(old.custom_timeouts.read),
        };
        let Ok(_permit) = self.permit().await else { return Look::Unseen };
        self.calling(&old.urn);
        let span = tracing::info_span!("read", urn = %old.urn);
        match instance.provider.read(&self.context, request).instrument(span).await {
            Ok(ReadResult::Gone) => Look::Gone,
            Ok(ReadResult::Found { .. }) => Look::There,
            Err(error) if error.kind == ErrorKind::Unsupported => Look::There,
            Err(error) => {
                let summary = format!("an earlier run may have deleted `{}` ({})", old.urn.name(), old.urn.ty());
                let diagnostic = Diagnostic::warning("state-pending-delete", summary)
                    .detail(format!(
                        "the run was interrupted before the provider answered, and the resource cannot be read now: {}",
                        error.message
                    ))
                    .hint("The next command checks the resource again.");
                self.report(Some(old.urn.clone()), diagnostic);
                Look::Unseen
            }
        }
    }

    async fn settle_creation(&self, id: OperationId, pending: &PendingOperation, record: &mut Record) {
        let urn = &pending.resource.urn;
        match &self.options.pending_creates {
            PendingCreates::Clear => record.end.push(id),
            PendingCreates::Import(found) if found.iter().any(|(name, _)| name == urn) => {
                let chosen = found.iter().find(|(name, _)| name == urn).map(|(_, id)| id.clone());
                self.import_pending(id, &pending.resource, chosen.unwrap_or_default()).await;
            }
            _ => {
                let diagnostic = Diagnostic::warning(
                    "state-pending-create",
                    format!("an earlier run may have created `{}` ({})", urn.name(), urn.ty()),
                )
                .detail("the run was interrupted before the provider answered, so the id is not known")
                .hint(format!(
                    "If it exists: `outrigger refresh --import-pending-creates '{urn}' --import-pending-creates ID`."
                ))
                .hint("If it does not: `outrigger refresh --clear-pending-creates`.");
                self.report(Some(urn.clone()), diagnostic);
            }
        }
    }

    async fn import_pending(&self, operation: OperationId, intended: &Arc<Resource>, id: String) {
        let Some(reference) = intended.provider.as_ref().map(|reference| self.successor(reference)) else { return };
        let Ok(instance) = self.provider(&reference, &intended.urn).await else { return };
        let mut state = state_of(intended);
        state.id.clone_from(&id);
        state.outputs.clear();
        match self.read_state(&instance, &intended.urn, state, intended.custom_timeouts.read).await {
            Ok(ReadResult::Found { state, inputs_known, .. }) => {
                let now = self.now();
                let mut adopted = Resource {
                    id: Some(state.id),
                    outputs: state.outputs,
                    provider: Some(reference),
                    created: Some(now.clone()),
                    modified: Some(now),
                    ..Resource::clone(intended)
                };
                if inputs_known {
                    adopted.inputs = state.inputs;
                }
                let adopted = Arc::new(adopted);
                let mut record = Record { end: vec![operation], ..Record::default() };
                {
                    let mut decisions = self.decide();
                    // Another resource has that name by now: the imported one is superfluous, and the next update deletes it.
                    let delete = decisions.table.live(&adopted.urn).is_some();
                    let adopted = Arc::new(Resource { delete, ..Resource::clone(&adopted) });
                    let key = decisions.table.new_entry();
                    decisions.table.put(key, adopted.clone());
                    record.put.push((key, adopted));
                }
                let _reported = self.append(&intended.urn, record).await;
            }
            Ok(ReadResult::Gone) => {
                let diagnostic = Diagnostic::error(
                    "engine-import-missing",
                    format!("no resource of type {} has the id `{id}`", intended.ty()),
                )
                .hint("Check the id; if the resource was never created, use --clear-pending-creates.");
                self.blemish(&intended.urn, diagnostic);
            }
            Err(_reported) => {}
        }
    }
}
