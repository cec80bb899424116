//! The paths of `ignoreChanges`, whose values stay as they are.

use std::sync::Arc;

use outrigger_provider::CallError;
use outrigger_terraform::Stored;
use outrigger_terraform::cty::Value as Cty;
use outrigger_value::{PathStep, PropertyMap, PropertyPath};

use crate::naming::object_names::{Object, Shape};
use crate::package::{Package, Subject};
use crate::resource::Ready;
use crate::resource::plans::Plan;
use crate::values::decode;

impl Package {
    /// The configuration, with existing values at the ignored paths. `stored` is in the current version: in an older one, properties may have
    /// other names, so the existing values would not be found, and nothing would be configured there.
    pub(crate) fn config_of_change(
        &self,
        call: &str,
        subject: &Subject,
        stored: &Stored,
        inputs: &PropertyMap,
        ignored: &[String],
    ) -> Result<Cty, CallError> {
        if ignored.is_empty() {
            return self.config(call, subject, inputs);
        }
        let exists = decode::object(&subject.resource.object, &stored.state)
            .map_err(|unfit| self.error(call, format!("the stored state cannot be understood: {unfit}")))?;
        self.config(call, subject, &unchanged(&exists, inputs.clone(), ignored))
    }
}

/// The inputs, with existing values at the ignored paths.
pub(crate) fn unchanged(exists: &PropertyMap, mut inputs: PropertyMap, ignored: &[String]) -> PropertyMap {
    for path in paths(ignored) {
        path.copy(exists, &mut inputs);
    }
    inputs
}

/// A plan without changes at the ignored paths. SDK-based providers may plan something other than the configuration: one that stores the digest
/// of a string plans the digest of the digest when it is given that. Terraform reverts such changes, and so do we.
pub(crate) fn settled(object: &Object, plan: Plan, ignored: &[String]) -> Plan {
    let Ready { prior, planned, legacy, .. } = &*plan.ready;
    if !legacy || ignored.is_empty() || prior.state.is_null() {
        return plan;
    }
    let mut kept = planned.clone();
    for path in paths(ignored) {
        keep_member(object, &path.0, &prior.state, &mut kept);
    }
    let ready = Arc::new(Ready { planned: kept, ..Ready::clone(&plan.ready) });
    Plan { ready, ..plan }
}

/// The engine has parsed these paths before; one that cannot be parsed is skipped.
fn paths(ignored: &[String]) -> impl Iterator<Item = PropertyPath> {
    ignored.iter().filter_map(|path| path.parse().ok())
}

fn keep_member(object: &Object, steps: &[PathStep], prior: &Cty, planned: &mut Cty) {
    let (Some((step, rest)), Cty::Map(before), Cty::Map(after)) = (steps.split_first(), prior, planned) else { return };
    for field in object.fields().iter().filter(|field| covers(step, &field.name)) {
        if let (Some(before), Some(after)) = (before.get(&field.terraform), after.get_mut(&field.terraform)) {
            keep(&field.shape, rest, before, after);
        }
    }
}

fn keep(shape: &Shape, steps: &[PathStep], prior: &Cty, planned: &mut Cty) {
    let Some((step, rest)) = steps.split_first() else {
        planned.clone_from(prior);
        return;
    };
    match (shape, prior, planned) {
        (Shape::Object(object), prior, planned) => keep_member(object, steps, prior, planned),
        (Shape::One { object, .. }, Cty::List(before) | Cty::Set(before), Cty::List(after) | Cty::Set(after)) => {
            if let ([before], [after]) = (&before[..], &mut after[..]) {
                keep_member(object, steps, before, after);
            }
        }
        (Shape::List(element), Cty::List(before), Cty::List(after)) => {
            for (index, (before, after)) in before.iter().zip(after).enumerate() {
                if matches!(step, PathStep::Wildcard) || *step == PathStep::Index(index) {
                    keep(element, rest, before, after);
                }
            }
        }
        (Shape::Map(element), Cty::Map(before), Cty::Map(after)) => {
            for (key, after) in after.iter_mut().filter(|(key, _)| covers(step, key)) {
                if let Some(before) = before.get(key) {
                    keep(element, rest, before, after);
                }
            }
        }
        // Elements of sets have no positions.
        _ => {}
    }
}

fn covers(step: &PathStep, name: &str) -> bool {
    match step {
        PathStep::Wildcard => true,
        PathStep::Key(key) => key == name,
        PathStep::Index(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use outrigger_terraform::cty::Type;
    use outrigger_terraform::schema::{Block, Nesting};

    use super::*;
    use crate::test_support::{attribute, nested};

    fn map<const N: usize>(items: [(&str, Cty); N]) -> Cty {
        Cty::Map(items.into_iter().map(|(name, value)| (name.into(), value)).collect())
    }

    /// A resource with this string everywhere.
    fn thing(text: &str) -> Cty {
        let inner = || map([("listen_port", Cty::string(text))]);
        map([
            ("user_data", Cty::string(text)),
            ("extra_tag", map([("a", Cty::string(text)), ("b", Cty::string(text))])),
            ("web_site", Cty::List(vec![inner()])),
            ("rule", Cty::List(vec![inner(), inner()])),
            ("member", Cty::Set(vec![inner()])),
        ])
    }

    fn object() -> Object {
        let port = || vec![attribute("listen_port", Type::String, "o")];
        let attributes =
            vec![attribute("user_data", Type::String, "o"), attribute("extra_tag", Type::map(Type::String), "o")];
        let blocks = vec![
            nested("web_site", Nesting::List, 1, port()),
            nested("rule", Nesting::List, 0, port()),
            nested("member", Nesting::Set, 0, port()),
        ];
        Object::of_block(&Block { attributes, blocks, ..Block::default() })
    }

    fn planned(legacy: bool, ignored: &[&str]) -> Cty {
        let prior = Stored { state: thing("old"), private: Bytes::new(), identity: Bytes::new() };
        let ready = Ready {
            prior,
            config: Cty::Null,
            planned: thing("new"),
            private: Bytes::new(),
            identity: Bytes::new(),
            legacy,
        };
        let plan = Plan { ready: Arc::new(ready), replacing: Arc::default(), reports: Arc::default() };
        let ignored: Vec<String> = ignored.iter().map(|path| (*path).to_owned()).collect();
        settled(&object(), plan, &ignored).ready.planned.clone()
    }

    #[test]
    fn what_is_ignored_stays_and_nothing_else_does() {
        let with = |change: fn(&mut Cty)| {
            let mut thing = thing("new");
            change(&mut thing);
            thing
        };
        fn at<'a>(value: &'a mut Cty, name: &str) -> &'a mut Cty {
            let Cty::Map(items) = value else { panic!("no map") };
            items.get_mut(name).unwrap()
        }
        fn element(value: &mut Cty, index: usize) -> &mut Cty {
            let (Cty::List(items) | Cty::Set(items)) = value else { panic!("no list") };
            &mut items[index]
        }
        assert_eq!(planned(false, &["userData"]), thing("new"), "the others keep to what is configured");
        assert_eq!(planned(true, &["userData"]), with(|it| *at(it, "user_data") = Cty::string("old")));
        assert_eq!(planned(true, &["extraTag.a"]), with(|it| *at(at(it, "extra_tag"), "a") = Cty::string("old")));
        assert_eq!(
            planned(true, &["webSite.listenPort"]),
            with(|it| *at(element(at(it, "web_site"), 0), "listen_port") = Cty::string("old"))
        );
        assert_eq!(
            planned(true, &["rules[1]"]),
            with(|it| *at(element(at(it, "rule"), 1), "listen_port") = Cty::string("old"))
        );
        assert_eq!(
            planned(true, &["members"]),
            with(|it| *at(element(at(it, "member"), 0), "listen_port") = Cty::string("old"))
        );
        assert_eq!(planned(true, &["members[0].listenPort", "no such path [", "nothing"]), thing("new"));
        assert_eq!(planned(true, &["*", "rules[*].listenPort"]), thing("old"));
    }
}
