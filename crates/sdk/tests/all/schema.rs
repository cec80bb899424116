//! The schema, and mistakes in a package.

use outrigger_sdk::testing::Harness;
use outrigger_sdk::{Context, Created, Function, Inputs, Object, Outputs, Package, Resource, Result, State};
use serde_json::json;

use crate::toys::{Robot, World, owner, package};

#[tokio::test]
async fn everything_is_in_it() {
    let harness = Harness::over_socket(package(&World::default()), owner()).await.unwrap();
    let schema = harness.schema().await.unwrap();
    assert_eq!(schema, package(&World::default()).schema().unwrap().into_bytes());
    let schema: serde_json::Value = serde_json::from_slice(&schema).unwrap();
    assert_eq!((&schema["name"], &schema["version"]), (&json!("toys"), &json!("1.2.3")));
    assert_eq!(schema["keywords"], json!(["toys"]));
    let robot = &schema["resources"]["toys:index:Robot"];
    assert_eq!(robot["description"], "A robot.");
    assert_eq!(robot["requiredInputs"], json!(["model"]));
    assert_eq!(robot["required"], json!(["arms", "changes", "limbs", "model", "serial"]));
    let inputs = &robot["inputProperties"];
    assert_eq!(
        inputs["model"],
        json!({"type": "string", "description": "The name on its chest.", "willReplaceOnChanges": true})
    );
    assert_eq!(inputs["arms"], json!({"type": "integer", "description": "How many arms it has.", "default": 2}));
    assert_eq!(inputs["password"]["secret"], true);
    assert_eq!(inputs["token"]["secret"], true);
    assert_eq!(inputs["weight"]["deprecationMessage"], "nobody needs it");
    assert_eq!(inputs["labels"]["additionalProperties"], json!({"type": "string"}));
    assert_eq!(inputs["notes"]["$ref"], "pulumi.json#/Any");
    assert_eq!(inputs["manual"]["$ref"], "pulumi.json#/Asset");
    assert_eq!(inputs["parts"]["$ref"], "pulumi.json#/Archive");
    assert_eq!(inputs["paint"]["items"]["$ref"], "#/types/toys:paint:Paint");
    let stand = &schema["types"]["toys:index:Stand"];
    assert_eq!(stand["required"], json!(["height"]));
    assert_eq!(stand["properties"]["beside"]["items"]["$ref"], "#/types/toys:index:Stand");
    assert_eq!(stand["properties"]["wood"]["default"], "oak");
    let blue = json!({"name": "DeepBlue", "value": "deep-blue", "description": "As the sea."});
    assert_eq!(schema["types"]["toys:paint:Paint"]["enum"][1], blue);
    let owner = &schema["config"]["variables"]["owner"];
    assert_eq!(owner["defaultInfo"], json!({"environment": ["TOYS_OWNER"]}));
    assert_eq!(schema["provider"]["requiredInputs"], json!([]));
    let count = &schema["functions"]["toys:index:count"];
    assert_eq!(count["description"], "Counts the toys.");
    assert_eq!(count["outputs"]["properties"]["number"]["type"], "integer");
}

mod other {
    use super::{Object, Outputs};

    #[derive(Object)]
    pub(super) struct Stand {
        pub(super) name: String,
    }

    #[derive(Outputs)]
    pub(super) struct Table {
        pub(super) stand: Stand,
        #[outrigger(name = "id")]
        pub(super) number: String,
    }
}

impl Resource for other::Table {
    type Inputs = ();
    const TOKEN: &'static str = "tables:Table";

    async fn create(_: &Context, (): ()) -> Result<Created<Self>> {
        Ok(Created::new("table", Self { stand: other::Stand { name: String::new() }, number: String::new() }))
    }

    async fn delete(_: &Context, _: State<Self>) -> Result<()> {
        Ok(())
    }
}

/// Turns nothing into nothing.
#[derive(Inputs)]
struct Turn {
    #[outrigger(replace)]
    by: u32,
}

impl Function for Turn {
    type Result = ();
    const TOKEN: &'static str = "toys:index:turn";

    async fn call(self, _: &Context) -> Result<()> {
        let _ = self.by;
        Ok(())
    }
}

#[test]
fn mistakes_of_the_author_are_told() {
    let package = package(&World::default()).resource::<Robot>().resource::<other::Table>().function::<Turn>();
    let mistakes: Vec<String> = package.schema().unwrap_err().iter().map(ToString::to_string).collect();
    assert_eq!(
        mistakes,
        [
            "`toys:index:Robot`: it was added to the package twice",
            "`tables:Table`: a token has three parts, such as `toys:index:Thing`",
            "`tables:Table`: every resource has an `id` of its own: give the output another name",
            "`toys:index:Stand`: two types have this token: give one of them another with `#[outrigger(token = …)]`",
            "`toys:index:turn`: `by` is `replace`, but a function replaces nothing",
        ]
    );
    assert!(package.plugin().is_err());
    assert!(Package::new("empty", "0.1.0").schema().is_ok());
}
