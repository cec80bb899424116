//! The oracle's log against a state.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};
use serde::Deserialize;

/// A part of the URN of every oracle resource.
pub(super) const THINGS: &str = "::oracle:index:Thing::";

/// One completed change.
#[derive(Deserialize, Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    op: String,
    pub(super) id: String,
    pub(super) urn: String,
    /// Its time, in milliseconds of the wall clock.
    #[serde(rename = "atMs")]
    pub(super) at_ms: u64,
}

impl Line {
    /// A creation at an unknown time.
    pub(super) fn made(id: String, urn: String) -> Self {
        Self { op: "create".to_owned(), id, urn, at_ms: 0 }
    }
}

/// The resources that a state contains.
#[derive(Default)]
pub(super) struct Known {
    /// Ids of resources, including those that await deletion.
    ids: BTreeSet<String>,
    /// URNs with a creation of unknown result.
    pending: BTreeSet<String>,
    /// Resources that are not awaiting deletion.
    pub(super) living: usize,
}

/// The existing resources according to the log: its last line for each id, without deleted ones. A last line without a line end
/// is a change whose write was interrupted, so it did not happen.
pub(super) fn living(log: &str) -> Result<Vec<Line>> {
    let mut living: BTreeMap<String, Line> = BTreeMap::new();
    for text in log.split_inclusive('\n').filter(|text| text.ends_with('\n')) {
        let line: Line = serde_json::from_str(text).with_context(|| format!("a line of the log is odd: {text}"))?;
        if line.op == "delete" {
            living.remove(&line.id);
        } else {
            // The time of the creation stays, as it shows how long the state has had to record it.
            let at_ms = living.get(&line.id).map_or(line.at_ms, |made| made.at_ms);
            living.insert(line.id.clone(), Line { at_ms, ..line });
        }
    }
    Ok(living.into_values().collect())
}

impl Known {
    /// Reads an export; only resources whose URNs contain this part count.
    pub(super) fn from_export(export: &str, counts: &str) -> Result<Self> {
        #[derive(Deserialize)]
        struct Export {
            deployment: Deployment,
        }
        #[derive(Deserialize)]
        struct Deployment {
            #[serde(default)]
            resources: Vec<Resource>,
            #[serde(default)]
            pending_operations: Vec<Pending>,
        }
        #[derive(Deserialize)]
        struct Resource {
            urn: String,
            #[serde(default)]
            id: String,
            #[serde(default)]
            delete: bool,
        }
        #[derive(Deserialize)]
        struct Pending {
            resource: Resource,
        }
        let export: Export = serde_json::from_str(export).context("the export cannot be read")?;
        let mut known = Known::default();
        for resource in export.deployment.resources {
            if !resource.urn.contains(counts) {
                continue;
            }
            known.living += usize::from(!resource.delete);
            known.ids.insert(resource.id);
        }
        for pending in export.deployment.pending_operations {
            if !pending.resource.id.is_empty() {
                known.ids.insert(pending.resource.id);
            }
            known.pending.insert(pending.resource.urn);
        }
        Ok(known)
    }

    /// How many resources have an operation of unknown result.
    pub(super) fn pending(&self) -> usize {
        self.pending.len()
    }

    /// The existing resources that the state does not contain.
    pub(super) fn lost<'a>(&self, living: &'a [Line]) -> Vec<&'a Line> {
        living.iter().filter(|line| !self.ids.contains(&line.id) && !self.pending.contains(&line.urn)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const URN: &str = "urn:pulumi:dev::kill::oracle:index:Thing::a";

    fn line(op: &str, id: &str, at_ms: u64) -> String {
        format!("{}\n", json!({"op": op, "id": id, "urn": URN, "atMs": at_ms}))
    }

    fn lost(resources: serde_json::Value, pending: serde_json::Value) -> usize {
        let export = json!({"deployment": {"resources": resources, "pending_operations": pending}});
        let living = living(&line("create", "1", 5)).unwrap();
        Known::from_export(&export.to_string(), THINGS).unwrap().lost(&living).len()
    }

    #[test]
    fn what_is_deleted_or_cut_off_does_not_live() {
        let log = line("create", "1", 1) + &line("create", "2", 2) + &line("delete", "1", 3) + "{\"op\":\"cre";
        let living = living(&log).unwrap();
        assert_eq!(living.iter().map(|line| line.id.as_str()).collect::<Vec<_>>(), ["2"]);
    }

    #[test]
    fn an_update_does_not_make_a_resource_younger() {
        assert_eq!(living(&(line("create", "1", 1) + &line("update", "1", 9))).unwrap()[0].at_ms, 1);
    }

    #[test]
    fn a_resource_or_a_pending_operation_is_knowledge() {
        assert_eq!(lost(json!([{"urn": URN, "id": "1"}]), json!([])), 0);
        assert_eq!(lost(json!([{"urn": URN, "id": "1", "delete": true}]), json!([])), 0);
        assert_eq!(lost(json!([]), json!([{"resource": {"urn": URN}, "type": "creating"}])), 0);
    }

    #[test]
    fn another_id_or_another_urn_is_not() {
        assert_eq!(lost(json!([]), json!([])), 1);
        assert_eq!(lost(json!([{"urn": URN, "id": "2"}]), json!([])), 1);
        assert_eq!(lost(json!([]), json!([{"resource": {"urn": "other"}, "type": "creating"}])), 1);
    }
}
