//! The fake cloud: the resources that really exist, whatever the state says.

use std::collections::{BTreeMap, BTreeSet};

use outrigger_value::{PropertyMap, Urn, Value};

/// An existing resource.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Object {
    /// The URN that it was created under.
    pub(crate) urn: Urn,
    /// Its properties, in clear: the cloud sees secrets.
    pub(crate) inputs: PropertyMap,
    /// Created but not ready.
    pub(crate) unready: bool,
}

impl Object {
    /// The ids of the objects that it needs; `hard` leaves out those that can be exchanged.
    pub(crate) fn needs(&self, hard: bool) -> BTreeSet<&str> {
        let counts = |key: &str| key.starts_with("hard") || key == "within" || !hard && key.starts_with("soft");
        self.inputs.iter().filter(|(key, _)| counts(key)).filter_map(|(_, value)| value.as_str()).collect()
    }
}

/// Everything that exists.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cloud {
    pub(crate) objects: BTreeMap<String, Object>,
    /// Made outside the stack; only ever read.
    pub(crate) foreign: BTreeSet<String>,
    /// Retained on purpose (`retainOnDelete`).
    pub(crate) released: BTreeSet<String>,
    /// Gone without a record in the state: deleted from outside, or by an unanswered call.
    pub(crate) excused: BTreeSet<String>,
    /// Changed without a record in the state.
    pub(crate) drifted: BTreeSet<String>,
    next: u64,
}

impl Cloud {
    pub(crate) fn new_id(&mut self, ty: &str) -> String {
        self.next += 1;
        format!("{}-{}", ty.rsplit(':').next().unwrap_or("object").to_lowercase(), self.next)
    }

    /// Creates an object.
    pub(crate) fn create(&mut self, urn: &Urn, inputs: &PropertyMap, unready: bool) -> String {
        let id = self.new_id(urn.ty());
        self.objects.insert(id.clone(), Object { urn: urn.clone(), inputs: in_clear(inputs), unready });
        id
    }

    /// Whether one object exists only within another.
    pub(crate) fn is_within(&self, inside: &str, id: &str) -> bool {
        let container = self.objects.get(inside).and_then(|object| object.inputs.get("within")).and_then(Value::as_str);
        container.is_some_and(|container| container == id || self.is_within(container, id))
    }

    /// Removes an object, with everything that exists only within it.
    pub(crate) fn delete(&mut self, id: &str) {
        self.objects.remove(id);
        let inside: Vec<String> = self
            .objects
            .iter()
            .filter(|(_, object)| object.inputs.get("within").and_then(Value::as_str) == Some(id))
            .map(|(inside, _)| inside.clone())
            .collect();
        for inside in inside {
            self.excused.insert(inside.clone());
            self.delete(&inside);
        }
    }
}

/// Properties without secret marks.
pub(crate) fn in_clear(properties: &PropertyMap) -> PropertyMap {
    properties.iter().map(|(key, value)| (key.clone(), value.unwrap_secrets())).collect()
}
