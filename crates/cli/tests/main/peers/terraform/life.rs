//! A life: created, left alone, edited, changed outside, refreshed, destroyed.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::world::{Tool, World};
use crate::peers::providers::life::wanted;

/// How a resource changed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Change {
    Created,
    Updated,
    Replaced,
    Deleted,
}

/// The life of a project's resources.
pub(super) struct Life {
    pub(super) providers: &'static [&'static str],
    /// Prepares existing resources.
    pub(super) before: fn(&World),
    pub(super) program: &'static str,
    /// Looks closer at the resources after the first update.
    pub(super) look: fn(&World),
    /// Texts of the program, and their replacements.
    pub(super) edits: &'static [(&'static str, &'static str)],
    /// The changes that the edits cause. Other resources stay unchanged.
    pub(super) edited: &'static [(&'static str, Change)],
    /// Looks closer at the resources after the edits.
    pub(super) look_again: fn(&World),
    /// Something happens behind our back.
    pub(super) drift: fn(&World),
    /// The changes of the state by a refresh after that.
    pub(super) refreshed: &'static [(&'static str, Change)],
    /// Looks closer at the state after that.
    pub(super) look_refreshed: fn(&World),
    /// The changes by an update after that.
    pub(super) mended: &'static [(&'static str, Change)],
    /// The rest in the cloud at the end.
    pub(super) remains: &'static [&'static str],
}

impl Life {
    pub(super) fn live(&self, tool: Tool) {
        let world = World::new(tool, self.providers, self.program);
        (self.before)(&world);
        let other = if tool == Tool::Outrigger { Tool::Pulumi } else { Tool::Outrigger };
        world.run(&["up", "--yes"]).ok();
        (self.look)(&world);
        world.run(&["preview", "--expect-no-changes"]).ok();
        world.run_with(other, &["preview", "--expect-no-changes"]).ok();
        world.run(&["up", "--yes", "--skip-preview", "--expect-no-changes"]).ok();

        let mut program = self.program.to_owned();
        for (from, to) in self.edits {
            assert!(program.contains(from), "`{from}` is not in the program");
            program = program.replace(from, to);
        }
        let before = wanted(&world.sandbox);
        world.program(&program);
        world.run(&["up", "--yes", "--skip-preview"]).ok();
        let after = wanted(&world.sandbox);
        assert_eq!(changes(&before, &after), listed(self.edited));
        (self.look_again)(&world);
        world.run(&["preview", "--expect-no-changes"]).ok();

        (self.drift)(&world);
        world.run(&["refresh", "--yes", "--skip-preview"]).ok();
        let refreshed = wanted(&world.sandbox);
        assert_eq!(seen(&after, &refreshed), listed(self.refreshed));
        (self.look_refreshed)(&world);
        let update = world.run(&["up", "--yes", "--skip-preview"]).ok();
        assert_eq!(changes(&refreshed, &wanted(&world.sandbox)), listed(self.mended), "{}", update.text());
        world.run(&["refresh", "--yes", "--skip-preview", "--expect-no-changes"]).ok();

        world.run(&["destroy", "--yes", "--skip-preview"]).ok();
        assert_eq!(wanted(&world.sandbox).len(), 0);
        assert_eq!(world.everything(), self.remains);
    }
}

fn listed(list: &[(&str, Change)]) -> BTreeMap<String, Change> {
    list.iter().map(|(name, change)| ((*name).to_owned(), *change)).collect()
}

/// How each resource changed, by the times that the state keeps.
pub(super) fn changes(before: &BTreeMap<String, Json>, after: &BTreeMap<String, Json>) -> BTreeMap<String, Change> {
    let kept = |name: &str, time: &str| before[name][time] == after[name][time];
    compare(before, after, |name| match (kept(name, "created"), kept(name, "modified")) {
        (true, true) => None,
        (true, false) => Some(Change::Updated),
        (false, _) => Some(Change::Replaced),
    })
}

/// The program's inputs that were read differently. The other properties always change a little after a read with providers of the old SDKs.
fn seen(before: &BTreeMap<String, Json>, after: &BTreeMap<String, Json>) -> BTreeMap<String, Change> {
    compare(before, after, |name| (before[name]["inputs"] != after[name]["inputs"]).then_some(Change::Updated))
}

fn compare(
    before: &BTreeMap<String, Json>,
    after: &BTreeMap<String, Json>,
    of_both: impl Fn(&str) -> Option<Change>,
) -> BTreeMap<String, Change> {
    let of = |name: &String| match (before.contains_key(name), after.contains_key(name)) {
        (true, true) => of_both(name),
        (true, false) => Some(Change::Deleted),
        _ => Some(Change::Created),
    };
    before.keys().chain(after.keys()).filter_map(|name| Some((name.clone(), of(name)?))).collect()
}
