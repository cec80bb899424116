//! Values as real providers encode them: decoded and encoded again, they are the same bytes.

use std::sync::Arc;

use bytes::Bytes;
use outrigger_provider::CallContext;
use outrigger_terraform::cty::{Attributes, Number, Type, Value, decode, encode};
use outrigger_terraform::propose::{empty, proposed};
use outrigger_terraform::schema::{Block, Kind, Nesting, Shape};
use outrigger_terraform::{Handle, PlanQuestion};

use super::{Running, name_of, providers};

/// A value of a type, with everything in it.
fn sample(ty: &Type) -> Value {
    match ty {
        Type::String => Value::string("a"),
        Type::Number => Value::Number(Number::from(8_i64)),
        Type::Bool => Value::Bool(true),
        Type::Dynamic => Value::dynamic(Type::list(Type::String), Value::List(vec![Value::string("a")])),
        Type::List(element) => Value::List(vec![sample(element)]),
        Type::Set(element) => Value::Set(vec![sample(element)]),
        Type::Map(element) => Value::Map(Attributes::from([(Arc::from("k"), sample(element))])),
        Type::Tuple(elements) => Value::List(elements.iter().map(sample).collect()),
        Type::Object(object) => {
            Value::Map(object.attributes.iter().map(|(name, ty)| (Arc::clone(name), sample(ty))).collect())
        }
    }
}

/// How much of a configuration is filled in.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fill {
    /// Only required values, all unknown.
    Unknown,
    /// Only required values.
    Required,
    /// Everything that may be set.
    Everything,
}

fn configuration(block: &Block, fill: Fill) -> Value {
    let Value::Map(mut members) = empty(block) else { unreachable!("a block is an object") };
    for attribute in &block.attributes {
        if attribute.required || (fill == Fill::Everything && attribute.optional && !attribute.write_only) {
            let mut value = sample(&attribute.shape.ty());
            if matches!(attribute.shape, Shape::Nested(_)) && fill == Fill::Everything {
                // Its attributes may be settable by the provider only.
                value = Value::Null;
            }
            members.insert(attribute.name.clone(), if fill == Fill::Unknown { Value::UNKNOWN } else { value });
        }
    }
    for nested in block.blocks.iter().filter(|nested| nested.min_items > 0 || fill == Fill::Everything) {
        let one = configuration(&nested.block, fill);
        let value = match nested.nesting {
            Nesting::Single | Nesting::Group => one,
            Nesting::List => Value::List(vec![one]),
            Nesting::Set => Value::Set(vec![one]),
            Nesting::Map => Value::Map(Attributes::from([(Arc::from("k"), one)])),
        };
        members.insert(nested.name.clone(), value);
    }
    Value::Map(members)
}

#[tokio::test]
async fn what_providers_plan_is_written_as_they_wrote_it() {
    let cx = CallContext::background();
    let (mut same, mut wrong) = (0, Vec::new());
    // AWS's provider plans nothing until it has reached a cloud.
    for provider in providers().iter().filter(|path| name_of(path) != Some("aws")) {
        let running = Running::start(provider).await;
        let schemas = running.client.schemas(&cx).await.unwrap();
        let names: Vec<Arc<str>> = schemas.names(Kind::Resource).cloned().collect();
        for name in names {
            let handle = Handle::of(&schemas, Kind::Resource, &name).unwrap().unwrap();
            for fill in [Fill::Unknown, Fill::Required, Fill::Everything] {
                let config = configuration(&handle.schema.block, fill);
                let question = PlanQuestion {
                    prior: &Value::Null,
                    proposed: &proposed(&handle.schema.block, &Value::Null, &config),
                    config: &config,
                    prior_private: &Bytes::new(),
                    prior_identity: &Bytes::new(),
                };
                // A provider may refuse this plan; its answer still holds a value, or none.
                let Ok(answer) = running.client.plan(&cx, &handle, &question).await else { continue };
                if answer.encoded.is_empty() {
                    continue;
                }
                let again = decode(&answer.encoded, &handle.ty).and_then(|value| encode(&value, &handle.ty));
                match again {
                    Ok(again) if again == answer.encoded => same += 1,
                    other => wrong.push(format!("{name}, {fill:?}: {:?}\n{other:?}", answer.encoded)),
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), wrong.len() + same, wrong.join("\n"));
    assert!(same > 100, "only {same} plans were looked at");
}
