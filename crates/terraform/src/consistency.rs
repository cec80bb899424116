//! Whether a provider follows the rules: its plan must match the configuration, and its result must match its plan.
//!
//! SDK-based providers do not follow them, and declare that. Each finding has a path.

use std::fmt;
use std::sync::Arc;

use crate::cty::{Path, Step, Value, known_are_in, same_set};
use crate::schema::{Attribute, Block, NestedBlock, Nesting, Shape};

/// A rule that was violated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The path of the value.
    pub path: Path,
    /// The rule. Values are left out: they may be secret.
    pub problem: &'static str,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.0.is_empty() { f.write_str(self.problem) } else { write!(f, "{}: {}", self.path, self.problem) }
    }
}

/// The rules that a plan violates, given the existing state and the configuration.
pub fn of_plan(block: &Block, prior: &Value, config: &Value, planned: &Value) -> Vec<Finding> {
    let mut findings = Findings::default();
    if planned.is_null() != config.is_null() {
        findings.add(if planned.is_null() {
            "planned to be absent, although it is configured"
        } else {
            "planned to exist, although it is not configured"
        });
    } else if !planned.is_null() {
        findings.plan_block(block, prior, config, planned);
    }
    findings.found
}

/// The rules that a result violates, given the plan.
pub fn of_result(block: &Block, planned: &Value, actual: &Value) -> Vec<Finding> {
    let mut findings = Findings::default();
    if actual.is_null() != planned.is_null() {
        findings.add(if actual.is_null() {
            "was planned to exist, and does not"
        } else {
            "was planned to be absent, and exists"
        });
    } else {
        findings.result_block(block, planned, actual);
    }
    findings.found
}

/// The unknown values in a result, which must not have any.
pub fn unknown_in(value: &Value) -> Vec<Finding> {
    let mut findings = Findings::default();
    findings.unknowns(value);
    findings.found
}

/// The values in an answer of attributes that are never stored.
pub fn write_only_in(block: &Block, value: &Value) -> Vec<Finding> {
    let mut findings = Findings::default();
    findings.write_only_block(block, value);
    findings.found
}

#[derive(Default)]
struct Findings {
    found: Vec<Finding>,
    path: Vec<Step>,
}

impl Findings {
    fn add(&mut self, problem: &'static str) {
        self.found.push(Finding { path: Path(self.path.clone()), problem });
    }

    fn at(&mut self, step: Step, look: impl FnOnce(&mut Self)) {
        self.path.push(step);
        look(self);
        self.path.pop();
    }

    fn plan_block(&mut self, block: &Block, prior: &Value, config: &Value, planned: &Value) {
        self.plan_attributes(&block.attributes, prior, config, planned);
        for nested in &block.blocks {
            let [prior, config, planned] = [prior, config, planned].map(|value| member(value, &nested.name));
            self.at(Step::Attribute(Arc::clone(&nested.name)), |findings| {
                if planned.is_unknown() {
                    if !config.is_unknown() {
                        findings.add("planned as unknown, although it is configured");
                    }
                    return;
                }
                let many = matches!(nested.nesting, Nesting::List | Nesting::Set | Nesting::Map);
                if many && planned.is_null() && !config.is_null() {
                    findings.add("planned as null, which blocks cannot be");
                    return;
                }
                match nested.nesting {
                    Nesting::Single | Nesting::Group => {
                        if planned.is_null() != config.is_null() && nested.nesting == Nesting::Single {
                            findings.add("planned to exist when it is not configured, or vice versa");
                        } else if !planned.is_null() {
                            findings.plan_block(&nested.block, prior, config, planned);
                        }
                    }
                    Nesting::List => {
                        if planned.elements().len() != config.elements().len() {
                            findings.add("planned with a different number of blocks than configured");
                            return;
                        }
                        for (index, planned) in planned.elements().iter().enumerate() {
                            let prior = prior.elements().get(index).unwrap_or(&Value::Null);
                            let config = config.elements().get(index).unwrap_or(&Value::Null);
                            findings.at(Step::at(index), |findings| {
                                findings.plan_block(&nested.block, prior, config, planned);
                            });
                        }
                    }
                    Nesting::Map => {
                        let (Value::Map(planned), Value::Map(configured)) = (planned, config) else { return };
                        if !planned.keys().eq(configured.keys()) {
                            findings.add("planned with different keys than configured");
                            return;
                        }
                        for (key, planned) in planned {
                            let [prior, config] = [prior, config].map(|value| member(value, key));
                            findings.at(Step::Key(key.to_string()), |findings| {
                                findings.plan_block(&nested.block, prior, config, planned);
                            });
                        }
                    }
                    // Elements of sets cannot be matched with each other, and a provider may add some.
                    Nesting::Set => {
                        if config.is_wholly_known() && planned.elements().iter().any(Value::is_unknown) {
                            findings.add("planned with an unknown block, although all are configured");
                        }
                    }
                }
            });
        }
    }

    fn plan_attributes(&mut self, attributes: &[Attribute], prior: &Value, config: &Value, planned: &Value) {
        for attribute in attributes {
            let [prior, config, planned] = [prior, config, planned].map(|value| member(value, &attribute.name));
            self.at(Step::Attribute(Arc::clone(&attribute.name)), |findings| {
                findings.plan_attribute(attribute, prior, config, planned);
            });
        }
    }

    fn plan_attribute(&mut self, attribute: &Attribute, prior: &Value, config: &Value, planned: &Value) {
        let kept = planned == prior && !prior.is_null() && !config.is_null();
        let free = attribute.computed && (!attribute.optional || config.is_null());
        if planned == config || kept || free || (attribute.write_only && planned.is_null()) {
            return;
        }
        if config.is_null() {
            self.add("planned with a value, although none is configured and the provider may not choose one");
            return;
        }
        match &attribute.shape {
            Shape::Type(_) => self.add("planned with a different value than configured"),
            Shape::Nested(nested) => match nested.nesting {
                Nesting::Single | Nesting::Group if !planned.is_null() && !planned.is_unknown() => {
                    self.plan_attributes(&nested.attributes, prior, config, planned);
                }
                Nesting::List if planned.elements().len() == config.elements().len() => {
                    for (index, planned) in planned.elements().iter().enumerate() {
                        let prior = prior.elements().get(index).unwrap_or(&Value::Null);
                        let config = config.elements().get(index).unwrap_or(&Value::Null);
                        self.at(Step::at(index), |findings| {
                            findings.plan_attributes(&nested.attributes, prior, config, planned);
                        });
                    }
                }
                Nesting::Set if planned.elements().len() == config.elements().len() => {}
                Nesting::Map => {
                    let (Value::Map(items), Value::Map(configured)) = (planned, config) else {
                        self.add("planned with a different value than configured");
                        return;
                    };
                    if !items.keys().eq(configured.keys()) {
                        self.add("planned with different keys than configured");
                        return;
                    }
                    for (key, planned) in items {
                        let [prior, config] = [prior, config].map(|value| member(value, key));
                        self.at(Step::Key(key.to_string()), |findings| {
                            findings.plan_attributes(&nested.attributes, prior, config, planned);
                        });
                    }
                }
                _ => self.add("planned with a different value than configured"),
            },
        }
    }

    fn result_block(&mut self, block: &Block, planned: &Value, actual: &Value) {
        for attribute in &block.attributes {
            let [planned, actual] = [planned, actual].map(|value| member(value, &attribute.name));
            self.at(Step::Attribute(Arc::clone(&attribute.name)), |findings| findings.result_value(planned, actual));
        }
        for nested in &block.blocks {
            let [planned, actual] = [planned, actual].map(|value| member(value, &nested.name));
            self.at(Step::Attribute(Arc::clone(&nested.name)), |findings| {
                findings.result_nested(nested, planned, actual);
            });
        }
    }

    /// Blocks that a program leaves out are null in our requests, where Terraform sends an empty collection: a provider that reads back its
    /// resource returns an empty one.
    fn result_nested(&mut self, nested: &NestedBlock, planned: &Value, actual: &Value) {
        match (nested.nesting, planned, actual) {
            (Nesting::Single | Nesting::Group, Value::Map(_), Value::Map(_)) => {
                self.result_block(&nested.block, planned, actual);
            }
            (Nesting::List, Value::Null | Value::List(_), Value::Null | Value::List(_)) => {
                let (planned, actual) = (planned.elements(), actual.elements());
                if planned.len() != actual.len() {
                    self.add("has a different number of blocks than planned");
                    return;
                }
                for (index, (planned, actual)) in planned.iter().zip(actual).enumerate() {
                    self.at(Step::at(index), |findings| match planned {
                        Value::Map(_) => findings.result_block(&nested.block, planned, actual),
                        _ => findings.result_value(planned, actual),
                    });
                }
            }
            (Nesting::Map, Value::Map(items), Value::Map(made)) if items.keys().eq(made.keys()) => {
                for (key, planned) in items {
                    let actual = member(actual, key);
                    self.at(Step::Key(key.to_string()), |findings| {
                        findings.result_block(&nested.block, planned, actual);
                    });
                }
            }
            (Nesting::Map, Value::Null, Value::Map(made)) if made.is_empty() => {}
            (Nesting::Set, Value::Null, Value::Set(made)) if made.is_empty() => {}
            _ => self.result_value(planned, actual),
        }
    }

    fn result_value(&mut self, planned: &Value, actual: &Value) {
        match (planned, actual) {
            (Value::Unknown(Some(refinement)), actual) if !refinement.admits(actual) => {
                self.add("does not fit the plan");
            }
            (Value::Unknown(_), _) | (Value::Null, Value::Null) => {}
            (Value::Dynamic(planned), Value::Dynamic(actual)) => self.result_value(&planned.1, &actual.1),
            (Value::List(planned), Value::List(actual)) => {
                if planned.len() != actual.len() {
                    self.add("has a different number of elements than planned");
                    return;
                }
                for (index, (planned, actual)) in planned.iter().zip(actual).enumerate() {
                    self.at(Step::at(index), |findings| findings.result_value(planned, actual));
                }
            }
            (Value::Map(planned), Value::Map(actual)) => {
                if !planned.keys().eq(actual.keys()) {
                    self.add("has different keys than planned");
                    return;
                }
                for (key, planned) in planned {
                    let actual = actual.get(key).unwrap_or(&Value::Null);
                    self.at(Step::Attribute(Arc::clone(key)), |findings| findings.result_value(planned, actual));
                }
            }
            (Value::Set(planned), Value::Set(actual)) => {
                if actual.len() > planned.len() {
                    self.add("has more elements than planned");
                } else if !elements_fit(planned, actual) {
                    self.add("has different elements than planned");
                }
            }
            (planned, actual) if planned == actual => {}
            _ => self.add("has a different value than planned"),
        }
    }

    fn unknowns(&mut self, value: &Value) {
        match value {
            Value::Unknown(_) => self.add("is still unknown after it was applied"),
            Value::Dynamic(inner) => self.unknowns(&inner.1),
            Value::List(items) | Value::Set(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.at(Step::at(index), |findings| findings.unknowns(item));
                }
            }
            Value::Map(items) => {
                for (name, item) in items {
                    self.at(Step::Attribute(Arc::clone(name)), |findings| findings.unknowns(item));
                }
            }
            _ => {}
        }
    }

    fn write_only_block(&mut self, block: &Block, value: &Value) {
        self.write_only_attributes(&block.attributes, value);
        for nested in &block.blocks {
            let value = member(value, &nested.name);
            // A schema may be a thousand times as large as the value.
            if value.is_null() {
                continue;
            }
            self.at(Step::Attribute(Arc::clone(&nested.name)), |findings| {
                findings.each_object(nested.nesting, value, &mut |findings, object| {
                    findings.write_only_block(&nested.block, object);
                });
            });
        }
    }

    fn write_only_attributes(&mut self, attributes: &[Attribute], value: &Value) {
        for attribute in attributes {
            let value = member(value, &attribute.name);
            if value.is_null() {
                continue;
            }
            self.at(Step::Attribute(Arc::clone(&attribute.name)), |findings| {
                if attribute.write_only {
                    findings.add("is write-only, but the provider returned a value for it");
                } else if let Shape::Nested(nested) = &attribute.shape {
                    findings.each_object(nested.nesting, value, &mut |findings, object| {
                        findings.write_only_attributes(&nested.attributes, object);
                    });
                }
            });
        }
    }

    fn each_object(&mut self, nesting: Nesting, value: &Value, look: &mut dyn FnMut(&mut Self, &Value)) {
        match (nesting, value) {
            (Nesting::Single | Nesting::Group, value) => look(self, value),
            (Nesting::Map, Value::Map(items)) => {
                for (key, item) in items {
                    self.at(Step::Key(key.to_string()), |findings| look(findings, item));
                }
            }
            (_, value) => {
                for (index, item) in value.elements().iter().enumerate() {
                    self.at(Step::at(index), |findings| look(findings, item));
                }
            }
        }
    }
}

/// Up to this size, every planned element is compared with every actual one. In larger sets, only the elements that were fully known are looked
/// for.
const MANY: usize = 1000;

/// Whether each planned element became an actual one, and each actual one was planned. There may be fewer actual ones, if two turn out to be
/// equal.
fn elements_fit(planned: &[Value], actual: &[Value]) -> bool {
    if planned.iter().all(Value::is_wholly_known) && same_set(planned, actual) {
        return true;
    }
    if planned.len() > MANY {
        return known_are_in(planned, actual);
    }
    // Each pair is compared once for both directions: sets in sets would otherwise take twice as long for each level.
    let mut was_planned = vec![false; actual.len()];
    let each_became_one = planned.iter().fold(true, |all, planned| {
        let mut became_one = false;
        for (index, actual) in actual.iter().enumerate() {
            if fits(planned, actual) {
                became_one = true;
                was_planned[index] = true;
            }
        }
        all && became_one
    });
    each_became_one && was_planned.into_iter().all(|it| it)
}

/// Whether an element of a set, or a value inside one, is possible given its plan. Blocks that were left out may be empty.
fn fits(planned: &Value, actual: &Value) -> bool {
    match (planned, actual) {
        (Value::Unknown(refinement), _) => refinement.as_ref().is_none_or(|refinement| refinement.admits(actual)),
        (Value::Dynamic(planned), Value::Dynamic(actual)) => fits(&planned.1, &actual.1),
        (Value::List(planned), Value::List(actual)) => {
            planned.len() == actual.len() && planned.iter().zip(actual).all(|(planned, actual)| fits(planned, actual))
        }
        (Value::Map(planned), Value::Map(actual)) => {
            planned.keys().eq(actual.keys())
                && planned.values().zip(actual.values()).all(|(planned, actual)| fits(planned, actual))
        }
        (Value::Set(planned), Value::Set(actual)) => actual.len() <= planned.len() && elements_fit(planned, actual),
        (Value::Null, Value::List(items) | Value::Set(items)) => items.is_empty(),
        (Value::Null, Value::Map(items)) => items.is_empty(),
        (planned, actual) => planned == actual,
    }
}

fn member<'a>(value: &'a Value, name: &str) -> &'a Value {
    // Everything inside an unknown value is unknown.
    if value.is_unknown() { &Value::UNKNOWN } else { value.get(name).unwrap_or(&Value::Null) }
}
