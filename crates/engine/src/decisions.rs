//! The one serial decision maker: names, aliases, old entries, and which resources are decided or condemned.
//!
//! Every method is synchronous and runs under one lock that is never held across an await, so decisions are atomic although the
//! calls around them run in parallel. This closes a race: while providers are asked which dependents must be deleted before a resource
//! is replaced, the dependents may be registering. A dependent that has been *decided* keeps its decision (it no longer
//! depends on the resource, or it would have waited); one that has not is condemned, finds that at its own decision, and is
//! recreated.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use outrigger_diagnostic::Diagnostic;
use outrigger_provider::{Alias, AliasParent, Goal};
use outrigger_state::{EntryKey, Resource, Snapshot};
use outrigger_value::{ProviderReference, Urn};

use crate::table::{Puts, Table};
use crate::{StepOp, Summary};

/// The options that a child inherits from its parent unless it sets them itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Inherited {
    pub(crate) protect: Option<bool>,
    pub(crate) retain_on_delete: Option<bool>,
    pub(crate) deleted_with: Option<Urn>,
    pub(crate) provider: Option<ProviderReference>,
    /// For a component: the providers of its children, by package.
    pub(crate) providers: BTreeMap<String, ProviderReference>,
}

/// A registration whose name and old entry have been determined.
#[derive(Clone, Debug)]
pub(crate) struct Begun {
    pub(crate) urn: Urn,
    pub(crate) old: Option<(EntryKey, Arc<Resource>)>,
    /// The old name, if it was renamed.
    pub(crate) alias: Option<Urn>,
}

/// How an old entry is treated after the program has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leftover {
    /// It was not registered: delete it.
    Delete,
    /// It is the old half of a replacement: delete it.
    DeleteReplaced,
    /// It was deleted to be replaced and is no longer wanted.
    RemovePendingReplace,
}

impl Leftover {
    /// The step that does it.
    pub(crate) fn op(self) -> StepOp {
        match self {
            Self::Delete => StepOp::Delete,
            Self::DeleteReplaced => StepOp::DeleteReplaced,
            Self::RemovePendingReplace => StepOp::RemovePendingReplace,
        }
    }
}

/// The effect on a resource's dependents of deleting it before it is replaced.
pub(crate) enum Sentence {
    /// These are deleted with it.
    Condemned(Vec<(EntryKey, Arc<Resource>)>),
    /// It was itself condemned in the meantime: it has been deleted already and is recreated.
    SelfCondemned,
    /// This one is protected, so nothing is deleted.
    Protected(Urn),
}

/// An event that a deletion waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Milestone {
    /// The entry's replacement exists and the old half is marked, or the old half is gone.
    Replaced(EntryKey),
    /// The entry was deleted before the end.
    Gone(EntryKey),
}

pub(crate) struct Decisions {
    project: String,
    stack: String,
    pub(crate) table: Table,
    pub(crate) summary: Summary,
    registered: HashSet<Urn>,
    /// Old name to new name.
    aliased: HashMap<Urn, Urn>,
    /// New name to old name.
    aliases: HashMap<Urn, Urn>,
    inherited: HashMap<Urn, Inherited>,
    /// Old entries that a registration took over.
    claimed: HashSet<EntryKey>,
    /// Resources decided in this run.
    decided: HashSet<Urn>,
    replaced: HashSet<Urn>,
    /// Old entries deleted in this run so that something they depend on can be replaced. By key: the registration that claims such an entry
    /// may come later and under another name.
    condemned: HashSet<EntryKey>,
    /// Old entries whose replacement was decided.
    leaving: HashSet<EntryKey>,
    /// Old halves of replacements that are deleted before the end because of another replacement.
    gone_early: HashSet<EntryKey>,
    skipped_creates: BTreeSet<Urn>,
}

impl Decisions {
    pub(crate) fn new(project: &str, stack: &str, base: &Snapshot) -> Self {
        Self {
            project: project.to_owned(),
            stack: stack.to_owned(),
            table: Table::new(base),
            summary: Summary::default(),
            registered: HashSet::new(),
            aliased: HashMap::new(),
            aliases: HashMap::new(),
            inherited: HashMap::new(),
            claimed: HashSet::new(),
            decided: HashSet::new(),
            replaced: HashSet::new(),
            condemned: HashSet::new(),
            leaving: HashSet::new(),
            gone_early: HashSet::new(),
            skipped_creates: BTreeSet::new(),
        }
    }

    /// The options that children of that resource inherit.
    pub(crate) fn inherited(&self, parent: &Urn) -> Inherited {
        self.inherited.get(parent).cloned().unwrap_or_default()
    }

    /// Sets the providers of a component's children.
    pub(crate) fn set_providers(&mut self, urn: &Urn, providers: BTreeMap<String, ProviderReference>) {
        self.inherited.entry(urn.clone()).or_default().providers = providers;
    }

    /// Names a registration, refuses duplicates, and finds the old entry by name or alias.
    pub(crate) fn begin(&mut self, goal: &Goal) -> Result<Begun, Diagnostic> {
        if let Some(parent) = &goal.parent
            && !self.registered.contains(parent)
        {
            return Err(Diagnostic::error(
                "engine-unknown-parent",
                format!("`{}` has a parent that was not registered", goal.name),
            )
            .detail(format!("the parent is {parent}"))
            .hint("Register the parent before its children."));
        }
        let urn = Urn::new(&self.stack, &self.project, goal.parent.as_ref(), &goal.ty, &goal.name);
        if !self.registered.insert(urn.clone()) {
            return Err(Diagnostic::error("engine-duplicate-resource", format!("there are two resources named {urn}"))
                .hint("Give one of them another name."));
        }
        if let Some(taken_by) = self.aliased.get(&urn) {
            return Err(Diagnostic::error(
                "engine-duplicate-alias",
                format!("`{urn}` was already claimed as an alias by {taken_by}"),
            )
            .hint("Remove the alias, or give the new resource another name."));
        }
        let mut old = self.table.live(&urn).map(|(key, resource)| (key, resource.clone()));
        let mut alias = None;
        if old.is_none() {
            for candidate in self.alias_names(goal) {
                let Some((key, resource)) = self.table.live(&candidate) else { continue };
                if let Some(other) = self
                    .aliased
                    .get(&candidate)
                    .or_else(|| self.registered.get(&candidate).filter(|_| candidate != urn))
                {
                    return Err(Diagnostic::error(
                        "engine-duplicate-alias",
                        format!("`{urn}` has the alias {candidate}, which {other} has claimed already"),
                    )
                    .hint("Remove the alias from one of the two."));
                }
                old = Some((key, resource.clone()));
                self.aliased.insert(candidate.clone(), urn.clone());
                self.aliases.insert(urn.clone(), candidate.clone());
                alias = Some(candidate);
                break;
            }
        }
        if let Some((key, _)) = &old {
            self.claimed.insert(*key);
        }
        let inherited = Inherited {
            protect: goal.protect,
            retain_on_delete: goal.retain_on_delete,
            deleted_with: goal.deleted_with.clone(),
            provider: goal.provider.clone(),
            providers: goal.providers.clone(),
        };
        // Most resources set nothing, and then nothing is stored.
        if inherited != Inherited::default() {
            self.inherited.insert(urn.clone(), inherited);
        }
        Ok(Begun { urn, old, alias })
    }

    /// The names to look for: the goal's aliases, then those that follow from an aliased parent.
    fn alias_names(&self, goal: &Goal) -> Vec<Urn> {
        let mut names: Vec<Urn> = goal.aliases.iter().map(|alias| self.collapse(goal, alias)).collect();
        if let Some(parent) = &goal.parent
            && let Some(parent_alias) = self.aliases.get(parent)
        {
            let own = names.clone();
            names.push(self.inherited_alias(&goal.ty, &goal.name, parent, parent_alias));
            names.extend(own.iter().map(|alias| self.inherited_alias(alias.ty(), alias.name(), parent, parent_alias)));
        }
        let mut seen = HashSet::new();
        names.retain(|name| seen.insert(name.clone()));
        names
    }

    fn collapse(&self, goal: &Goal, alias: &Alias) -> Urn {
        match alias {
            Alias::Urn(urn) => urn.clone(),
            Alias::Spec { name, ty, stack, project, parent } => {
                let parent = match parent {
                    AliasParent::Same => goal.parent.clone(),
                    AliasParent::None => None,
                    AliasParent::Urn(urn) => Some(self.aliases.get(urn).unwrap_or(urn).clone()),
                };
                Urn::new(
                    stack.as_deref().unwrap_or(&self.stack),
                    project.as_deref().unwrap_or(&self.project),
                    parent.as_ref(),
                    ty.as_deref().unwrap_or(&goal.ty),
                    name.as_deref().unwrap_or(&goal.name),
                )
            }
        }
    }

    /// A child named after its parent used to be named after the parent's old name.
    fn inherited_alias(&self, ty: &str, name: &str, parent: &Urn, parent_alias: &Urn) -> Urn {
        let name = match name.strip_prefix(parent.name()) {
            Some(rest) => format!("{}{rest}", parent_alias.name()),
            None => name.to_owned(),
        };
        Urn::new(&self.stack, &self.project, Some(parent_alias), ty, &name)
    }

    /// The current name of a resource that had this one.
    pub(crate) fn current_name<'a>(&'a self, urn: &'a Urn) -> &'a Urn {
        self.aliased.get(urn).unwrap_or(urn)
    }

    /// Records that a resource is decided.
    pub(crate) fn settle(&mut self, urn: &Urn) {
        self.decided.insert(urn.clone());
    }

    /// Records the decision to keep a resource's old entry. Returns false if that was condemned in the meantime: the resource must then be
    /// recreated.
    pub(crate) fn settle_kept(&mut self, urn: &Urn, key: EntryKey) -> bool {
        self.settle(urn);
        !self.is_condemned(key)
    }

    /// The same for a resource that is replaced: until that has happened, its old half may still need its dependencies.
    pub(crate) fn settle_replaced(&mut self, urn: &Urn, key: EntryKey) -> bool {
        let settled = self.settle_kept(urn, key);
        if settled {
            self.leaving.insert(key);
        }
        settled
    }

    /// The milestone that must be reached before a dependency of this old entry may be deleted.
    pub(crate) fn milestone(&self, key: EntryKey) -> Option<Milestone> {
        if self.gone_early.contains(&key) || self.condemned.contains(&key) {
            Some(Milestone::Gone(key))
        } else {
            self.leaving.contains(&key).then_some(Milestone::Replaced(key))
        }
    }

    /// Claims an old half for deletion before the end; false if another task already has.
    pub(crate) fn take_early(&mut self, key: EntryKey) -> bool {
        self.gone_early.insert(key)
    }

    /// Whether it is, or will be, the old half of a replacement.
    pub(crate) fn is_old_half(&self, key: EntryKey) -> bool {
        self.leaving.contains(&key) || self.table.get(key).is_some_and(|current| current.delete)
    }

    pub(crate) fn is_decided(&self, urn: &Urn) -> bool {
        self.decided.contains(self.current_name(urn))
    }

    pub(crate) fn is_condemned(&self, key: EntryKey) -> bool {
        self.condemned.contains(&key)
    }

    /// Decides a resource that is deleted before it is replaced, and condemns its dependents with it, except those decided or condemned
    /// since they were found.
    pub(crate) fn condemn_dependents(
        &mut self,
        urn: &Urn,
        key: EntryKey,
        dependents: Vec<(EntryKey, Arc<Resource>)>,
    ) -> Sentence {
        if !self.settle_replaced(urn, key) {
            return Sentence::SelfCondemned;
        }
        if let Some((_, held)) = dependents
            .iter()
            .find(|(_, dependent)| dependent.protect && !dependent.delete && !self.is_decided(&dependent.urn))
        {
            return Sentence::Protected(held.urn.clone());
        }
        let condemn = |(key, dependent): &(EntryKey, Arc<Resource>)| {
            // An old half is deleted alone; its name belongs to the new half, which stays.
            if dependent.delete {
                return self.gone_early.insert(*key);
            }
            let name = self.aliased.get(&dependent.urn).unwrap_or(&dependent.urn);
            !self.decided.contains(name) && self.condemned.insert(*key)
        };
        Sentence::Condemned(dependents.into_iter().filter(condemn).collect())
    }

    pub(crate) fn mark_replaced(&mut self, urn: &Urn) {
        self.replaced.insert(urn.clone());
    }

    pub(crate) fn was_replaced(&self, urn: &Urn) -> bool {
        self.replaced.contains(urn)
    }

    pub(crate) fn skip_create(&mut self, urn: &Urn) {
        self.skipped_creates.insert(urn.clone());
    }

    /// One of these that was not created because it was not targeted.
    pub(crate) fn skipped_among<'a>(&self, urns: impl Iterator<Item = &'a Urn>) -> Option<Urn> {
        let mut urns = urns;
        urns.find(|urn| self.skipped_creates.contains(*urn)).cloned()
    }

    /// Applies a rename to everything that refers to the old name, and returns the changed entries.
    pub(crate) fn rename(&mut self, begun: &Begun) -> Puts {
        match &begun.alias {
            Some(from) => self.table.rename_references(from, &begun.urn),
            None => Puts::new(),
        }
    }

    /// Marks the old half of a replacement, as it is now, for deletion. It also gets the new name, because every reference does, and a
    /// provider is referred to by name and id.
    pub(crate) fn mark_old(&mut self, key: EntryKey, begun: &Begun) -> Puts {
        let Some(current) = self.table.get(key) else { return Puts::new() };
        let old = Arc::new(Resource { delete: true, urn: begun.urn.clone(), ..Resource::clone(current) });
        self.table.put(key, old.clone());
        vec![(key, old)]
    }

    /// Old entries that the program did not register, with the treatment of each.
    pub(crate) fn leftovers(&self, base_len: u64) -> Vec<(EntryKey, Arc<Resource>, Leftover)> {
        self.table
            .iter()
            .take_while(|(key, _)| key.0 < base_len)
            .filter_map(|(key, resource)| {
                let fate = if resource.delete {
                    Leftover::DeleteReplaced
                } else if self.claimed.contains(&key) {
                    return None;
                } else if resource.pending_replacement {
                    Leftover::RemovePendingReplace
                } else {
                    Leftover::Delete
                };
                Some((key, resource.clone(), fate))
            })
            .collect()
    }
}
