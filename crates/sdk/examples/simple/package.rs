//! The twin of the provider `simple` from Pulumi's conformance tests, written with the SDK.

use outrigger_sdk::{Context, Created, Inputs, Outputs, Package, Resource, Result, State};

/// The token of its one kind of resource.
pub(crate) const TYPE: &str = "simple:index:Resource";

#[derive(Inputs)]
struct SimpleArgs {
    value: bool,
}

#[derive(Outputs)]
struct Simple {
    value: bool,
}

impl Resource for Simple {
    type Inputs = SimpleArgs;
    const TOKEN: &'static str = TYPE;

    async fn create(_: &Context, inputs: SimpleArgs) -> Result<Created<Self>> {
        Ok(Created::new("id", Self { value: inputs.value }))
    }

    async fn update(_: &Context, _: State<Self>, inputs: SimpleArgs) -> Result<Self> {
        Ok(Self { value: inputs.value })
    }

    async fn delete(_: &Context, _: State<Self>) -> Result<()> {
        Ok(())
    }
}

pub(crate) fn package() -> Package {
    Package::new("simple", "2.0.0").resource::<Simple>()
}
