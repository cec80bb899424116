//! Names that the program does not give.

use outrigger_sdk::{Context, Created, Inputs, Outputs, Package, Resource, Result, State};
use outrigger_testing::{Stack, StepOp};

#[derive(Inputs)]
struct TagArgs {
    /// The name.
    #[outrigger(autoname, replace)]
    name: String,
    /// The colour.
    #[outrigger(replace)]
    colour: String,
}

/// A tag.
#[derive(Outputs)]
struct Tag {
    /// The name.
    name: String,
}

impl Resource for Tag {
    type Inputs = TagArgs;
    const TOKEN: &'static str = "tags:index:Tag";

    async fn create(_: &Context, inputs: TagArgs) -> Result<Created<Self>> {
        Ok(Created::new(inputs.name.clone(), Self { name: inputs.name }))
    }

    async fn delete(_: &Context, _: State<Self>) -> Result<()> {
        Ok(())
    }
}

fn program(colour: &str) -> String {
    format!("resources:\n  mine:\n    type: tags:Tag\n    properties: {{colour: {colour}}}\n")
}

#[tokio::test]
async fn a_replacement_gets_a_name_of_its_own() {
    let mut stack = Stack::new(Package::new("tags", "1.0.0").resource::<Tag>()).unwrap();
    stack.up(&program("red")).await.unwrap();
    let first = stack.outputs::<Tag>("mine").unwrap().name;
    assert!(first.starts_with("mine-"), "{first}");
    assert_eq!(stack.up(&program("red")).await.unwrap().did("mine"), [StepOp::Same]);

    let replaced = stack.up(&program("blue")).await.unwrap();
    assert_eq!(replaced.did("mine"), [StepOp::Replace, StepOp::CreateReplacement, StepOp::DeleteReplaced]);
    let second = stack.outputs::<Tag>("mine").unwrap().name;
    assert!(second.starts_with("mine-") && second != first, "{first} {second}");
    assert_eq!(stack.up(&program("blue")).await.unwrap().did("mine"), [StepOp::Same]);
}
