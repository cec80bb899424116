//! Editing entries of a state by hand, without a provider: forget, mark, rename.

use std::collections::BTreeSet;

use outrigger_diagnostic::Diagnostic;
use outrigger_value::Urn;

use crate::EntryKey;
use crate::backend::Backend;
use crate::backend::rename::{parsed, rename_entry};
use crate::backend::stack_name::StackName;
use crate::checkpoint::integrity::verify;
use crate::checkpoint::table::{Entry, Table, TextRecord};
use crate::clock::Clock;
use crate::journal::session::rewrite;
use crate::machine::Machine;

/// The entries to edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Chosen {
    /// Every entry that the edit can apply to.
    All,
    /// The entries with these names.
    Named(Vec<String>),
}

/// A mark of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Nothing deletes or replaces it.
    Protect,
    /// The next `up` replaces it.
    Taint,
}

/// A change to the entries of a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// Forgets resources; they stay in the cloud.
    Forget {
        /// The resources.
        chosen: Chosen,
        /// Whether resources that depend on them are forgotten too. Otherwise these block the edit.
        dependents: bool,
        /// Whether protected resources are forgotten too.
        protected: bool,
    },
    /// Sets or removes a mark.
    Mark {
        /// The resources.
        chosen: Chosen,
        /// The mark.
        mark: Mark,
        /// Whether it is set.
        set: bool,
    },
    /// Renames a resource.
    Rename {
        /// The current name.
        old: Urn,
        /// The new name.
        new: Urn,
    },
}

/// The result of an edit.
#[derive(Clone, Debug)]
pub struct Edited {
    /// How many entries were forgotten, got a different mark, or mention the name.
    pub changed: usize,
    /// Findings on the way, such as the recovered results of an interrupted run.
    pub findings: Vec<Diagnostic>,
}

impl Backend {
    /// Edits a stack's state under its lock. Untouched entries keep their text; secrets stay encrypted. An edit whose result would be
    /// invalid is refused.
    pub fn edit_stack(
        &self,
        stack: &StackName,
        machine: &dyn Machine,
        clock: &dyn Clock,
        edit: &Edit,
    ) -> Result<Edited, Diagnostic> {
        self.require(stack)?;
        self.with_lock(stack, machine, clock, || {
            let (mut table, _, findings) = self.taken_over(stack, machine, clock)?;
            let file = self.show(stack);
            let changed = edit.apply(&mut table, &file)?;
            verify(table.entries.values().map(|entry| &entry.node)).map_err(|violation| violation.on_read(&file))?;
            rewrite(self, stack, &mut table, clock)?;
            Ok(Edited { changed, findings })
        })
    }
}

impl Edit {
    fn apply(&self, table: &mut Table, file: &str) -> Result<usize, Diagnostic> {
        match self {
            Self::Forget { chosen, dependents, protected } => {
                let condemned = condemned(table, chosen, *dependents)?;
                let obstacle =
                    condemned.iter().filter_map(|key| table.entries.get(key)).find(|entry| entry.node.protect);
                if let Some(entry) = obstacle.filter(|_| !protected) {
                    return Err(Diagnostic::error("state-protected", format!("{} is protected", entry.node.urn))
                        .hint("Pass `--force` to remove it anyway, or run `outrigger state unprotect` first."));
                }
                let count = condemned.len();
                table.apply(TextRecord { remove: condemned.into_iter().collect(), ..TextRecord::default() });
                Ok(count)
            }
            Self::Mark { chosen, mark, set } => {
                let field = match mark {
                    Mark::Protect => "protect",
                    Mark::Taint => "taint",
                };
                let marked = |entry: &Entry| if *mark == Mark::Protect { entry.node.protect } else { entry.node.taint };
                // The stack's own resource and entries awaiting deletion are not managed by a provider.
                let managed = |entry: &Entry| entry.node.custom && !entry.node.delete && !entry.node.is_provider();
                let mut keys = keys(table, chosen, managed)?;
                keys.retain(|key| table.entries.get(key).is_some_and(|entry| marked(entry) != *set));
                rewrite_entries(table, &keys, file, |fields| match set {
                    true => drop(fields.insert(field.to_owned(), true.into())),
                    false => drop(fields.remove(field)),
                })
            }
            Self::Rename { old, new } => {
                position(table, old.as_str())?;
                if table.entries.values().any(|entry| *entry.node.urn == *new.as_str()) {
                    return Err(Diagnostic::error("state-name-taken", format!("the state already has {new}")).hint(
                        "Choose another name, or remove that one from the state with `outrigger state delete`.",
                    ));
                }
                let mentions = |entry: &Entry| {
                    let node = &entry.node;
                    *node.urn == *old.as_str()
                        || node.needs().any(|urn| urn == old.as_str())
                        || node.aliases.iter().any(|alias| **alias == *new.as_str())
                };
                let keys = keys(table, &Chosen::All, mentions)?;
                rewrite_entries(table, &keys, file, |fields| {
                    rename_entry(fields, &|urn| if urn == old.as_str() { new.to_string() } else { urn.to_owned() });
                    // The program has the new name, so that name is no longer an alias.
                    if let Some(aliases) = fields.get_mut("aliases").and_then(|aliases| aliases.as_array_mut()) {
                        aliases.retain(|alias| alias.as_str() != Some(new.as_str()));
                    }
                })
            }
        }
    }
}

/// Changes the fields of entries and returns how many there were.
fn rewrite_entries(
    table: &mut Table,
    keys: &BTreeSet<EntryKey>,
    file: &str,
    change: impl Fn(&mut serde_json::Map<String, serde_json::Value>),
) -> Result<usize, Diagnostic> {
    let mut put = Vec::new();
    for (key, entry) in table.entries.iter().filter(|(key, _)| keys.contains(key)) {
        let mut json = parsed(&entry.text, file)?;
        json.as_object_mut().into_iter().for_each(&change);
        put.push((*key, json.to_string().into()));
    }
    table.apply(TextRecord { put, ..TextRecord::default() });
    Ok(keys.len())
}

/// The chosen entries: those named, or all of a kind.
fn keys(table: &Table, chosen: &Chosen, kind: impl Fn(&Entry) -> bool) -> Result<BTreeSet<EntryKey>, Diagnostic> {
    match chosen {
        Chosen::All => Ok(table.entries.iter().filter(|(_, entry)| kind(entry)).map(|(key, _)| *key).collect()),
        Chosen::Named(names) => names.iter().map(|name| position(table, name)).collect(),
    }
}

/// The only entry with a name.
fn position(table: &Table, name: &str) -> Result<EntryKey, Diagnostic> {
    let mut found = table.entries.iter().filter(|(_, entry)| *entry.node.urn == *name).map(|(key, _)| *key);
    match (found.next(), found.next()) {
        (Some(one), None) => Ok(one),
        (None, _) => Err(Diagnostic::error("state-urn-unknown", format!("the state has no resource {name}"))
            .hint("`outrigger state list` lists all URNs.")),
        _ => Err(Diagnostic::error("state-urn-ambiguous", format!("the state has several entries of {name}"))
            .detail("Replaced resources that still have to be deleted have the same name as their replacement.")
            .hint("Run `outrigger up` to delete them first.")),
    }
}

/// The entries to forget, with those that depend on them.
fn condemned(table: &Table, chosen: &Chosen, dependents: bool) -> Result<BTreeSet<EntryKey>, Diagnostic> {
    const SHOWN: usize = 10;
    let mut condemned = keys(table, chosen, |_| true)?;
    loop {
        let entries = condemned.iter().filter_map(|key| table.entries.get(key));
        let names: BTreeSet<&str> = entries.map(|entry| entry.node.urn.as_ref()).collect();
        let depends = |(key, entry): &(&EntryKey, &Entry)| {
            !condemned.contains(key) && entry.node.needs().any(|urn| names.contains(urn))
        };
        let entries = table.entries.iter().map(|(key, entry)| (key, entry.as_ref()));
        let more: Vec<(&EntryKey, &Entry)> = entries.filter(depends).collect();
        if more.is_empty() {
            return Ok(condemned);
        }
        if !dependents {
            let listed: Vec<&str> = more.iter().take(SHOWN).map(|(_, entry)| entry.node.urn.as_ref()).collect();
            let rest = more.len().saturating_sub(SHOWN);
            let rest = if rest > 0 { format!("\nand {rest} more") } else { String::new() };
            let first = names.first().copied().unwrap_or_default();
            return Err(Diagnostic::error("state-has-dependents", format!("other resources depend on {first}"))
                .detail(format!("{}{rest}", listed.join("\n")))
                .hint("Pass `--target-dependents` to remove them, too."));
        }
        condemned.extend(more.iter().map(|(key, _)| **key).collect::<Vec<_>>());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;

    fn urn(name: &str) -> String {
        format!("urn:pulumi:dev::shop::a:b:C::{name}")
    }

    /// A provider, the resource it manages, and entries that refer to `base`, each in another way.
    fn table() -> Table {
        let provider = "urn:pulumi:dev::shop::pulumi:providers:a::p";
        let mut entries = vec![
            json!({"urn": provider, "type": "pulumi:providers:a", "custom": true, "id": "1"}),
            json!({"urn": urn("base"), "type": "a:b:C", "custom": true, "id": "0", "provider": format!("{provider}::1")}),
        ];
        for (field, value) in [
            ("parent", json!(urn("base"))),
            ("dependencies", json!([urn("base")])),
            ("propertyDependencies", json!({"k": [urn("base")], "none": null})),
            ("deletedWith", json!(urn("base"))),
            ("replaceWith", json!([urn("base")])),
            ("viewOf", json!(urn("base"))),
        ] {
            entries.push(
                json!({"urn": urn(field), "type": "a:b:C", "custom": true, "id": field, field: value, "protect": true}),
            );
        }
        let put = (0..).map(EntryKey).zip(entries.iter().map(|entry| entry.to_string().into())).collect();
        let mut table = Table::default();
        table.apply(TextRecord { put, ..TextRecord::default() });
        table
    }

    fn named(name: &str) -> Chosen {
        Chosen::Named(vec![urn(name)])
    }

    fn code(edit: &Edit) -> &'static str {
        edit.apply(&mut table(), "f").unwrap_err().code
    }

    #[test]
    fn every_kind_of_reference_is_a_dependent() {
        let forget = |dependents, protected| Edit::Forget { chosen: named("base"), dependents, protected };
        let refusal = forget(false, false).apply(&mut table(), "f").unwrap_err();
        assert_eq!(refusal.code, "state-has-dependents");
        assert_eq!(refusal.detail.unwrap().lines().count(), 6);
        assert_eq!(code(&forget(true, false)), "state-protected");
        let mut table = table();
        assert_eq!(forget(true, true).apply(&mut table, "f").unwrap(), 7);
        assert_eq!(table.entries.len(), 1);
    }

    #[test]
    fn the_provider_is_needed_by_what_it_manages() {
        let chosen = Chosen::Named(vec!["urn:pulumi:dev::shop::pulumi:providers:a::p".to_owned()]);
        assert_eq!(code(&Edit::Forget { chosen, dependents: false, protected: true }), "state-has-dependents");
        let all = Edit::Forget { chosen: Chosen::All, dependents: false, protected: true };
        assert_eq!(all.apply(&mut table(), "f").unwrap(), 8);
    }

    #[test]
    fn a_mark_is_set_once_and_other_entries_keep_their_text() {
        let mut table = table();
        let before = table.clone();
        let mark = |chosen, mark, set| Edit::Mark { chosen, mark, set };
        assert_eq!(mark(Chosen::All, Mark::Protect, true).apply(&mut table, "f").unwrap(), 1);
        assert_eq!(mark(Chosen::All, Mark::Protect, true).apply(&mut table, "f").unwrap(), 0);
        assert_eq!(mark(named("base"), Mark::Protect, false).apply(&mut table, "f").unwrap(), 1);
        assert_eq!(mark(named("base"), Mark::Taint, true).apply(&mut table, "f").unwrap(), 1);
        let changed = table.entries.iter().filter(|(key, entry)| before.entries[key].text != entry.text);
        assert_eq!(changed.map(|(key, _)| key.0).collect::<Vec<_>>(), [1]);
        let base: Json = serde_json::from_str(&table.entries[&EntryKey(1)].text).unwrap();
        assert_eq!((base.get("protect"), &base["taint"]), (None, &json!(true)));
    }

    #[test]
    fn a_new_name_reaches_every_reference() {
        let rename =
            |old: &str, new: &str| Edit::Rename { old: urn(old).parse().unwrap(), new: urn(new).parse().unwrap() };
        assert_eq!(code(&rename("base", "parent")), "state-name-taken");
        assert_eq!(code(&rename("nobody", "new")), "state-urn-unknown");
        let mut table = table();
        assert_eq!(rename("base", "new").apply(&mut table, "f").unwrap(), 7);
        assert!(table.entries.values().all(|entry| !entry.text.contains(&urn("base"))));
        verify(table.entries.values().map(|entry| &entry.node)).unwrap();
    }

    #[test]
    fn several_entries_of_one_name_are_not_told_apart() {
        let mut table = table();
        let old = json!({"urn": urn("base"), "type": "a:b:C", "custom": true, "id": "old", "delete": true}).to_string();
        table.apply(TextRecord { put: vec![(EntryKey(90), old.into())], ..TextRecord::default() });
        let mark = Edit::Mark { chosen: named("base"), mark: Mark::Taint, set: true };
        assert_eq!(mark.apply(&mut table, "f").unwrap_err().code, "state-urn-ambiguous");
    }
}
