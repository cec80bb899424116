//! The outputs of a creation or an update as a preview shows them.

use outrigger_value::{PropertyMap, Value, secrecy};

use crate::Property;
use crate::shape::ObjectShape;

/// The outputs of a creation or an update as a preview shows them. Values may be unknown, so properties are reached by name.
#[derive(Clone, Debug)]
pub struct Preview {
    inputs: PropertyMap,
    prior: Option<PropertyMap>,
    outputs: PropertyMap,
}

impl Preview {
    /// Outputs with the name of an input have its value, others are unknown, or as they were if they are stable.
    pub(crate) fn new(shapes: (&ObjectShape, &ObjectShape), inputs: PropertyMap, prior: Option<PropertyMap>) -> Self {
        let (taken, answered) = shapes;
        let mut outputs = PropertyMap::new();
        for property in &answered.properties {
            let before = prior.as_ref().and_then(|prior| prior.get(property.name));
            let value = match (taken.property(property.name), inputs.get(property.name)) {
                (Some(_), Some(given)) => Some(given.clone()),
                // An optional input that is not given has no value either; a required output is computed then.
                (Some(_), None) if !property.required => None,
                _ if property.stable && before.is_some() => before.cloned(),
                _ => Some(Value::Unknown),
            };
            if let Some(value) = value {
                let value = if property.secret { Value::secret(value) } else { value };
                outputs.insert(property.name.to_owned(), value);
            }
        }
        secrecy::annotate(&mut outputs, &inputs);
        Self { inputs, prior, outputs }
    }

    /// Whether it is a creation rather than an update.
    pub fn is_creation(&self) -> bool {
        self.prior.is_none()
    }

    /// An input, if it is given, known, and of this type.
    pub fn input<T: Property>(&self, name: &str) -> Option<T> {
        known(&self.inputs, name)
    }

    /// An output before the update.
    pub fn before<T: Property>(&self, name: &str) -> Option<T> {
        known(self.prior.as_ref()?, name)
    }

    /// Sets an output that is known beforehand.
    pub fn foretell<T: Property>(&mut self, name: &str, value: T) {
        match value.encode() {
            Value::Null => self.outputs.remove(name),
            value => self.outputs.insert(name.to_owned(), value),
        };
    }

    /// Keeps an output as it was.
    pub fn keep(&mut self, name: &str) {
        if let Some(value) = self.prior.as_ref().and_then(|prior| prior.get(name)) {
            self.outputs.insert(name.to_owned(), value.clone());
        }
    }

    /// Marks an output as not known yet.
    pub fn forget(&mut self, name: &str) {
        self.outputs.insert(name.to_owned(), Value::Unknown);
    }

    pub(crate) fn into_outputs(self) -> PropertyMap {
        self.outputs
    }
}

fn known<T: Property>(properties: &PropertyMap, name: &str) -> Option<T> {
    let value = properties.get(name).filter(|value| !value.contains_unknown())?;
    T::decode(value.clone()).ok()
}
