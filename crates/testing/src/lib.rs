//! A plugin under the real engine, in one process, for tests by the plugin's author.
//!
//! A [`Stack`] has programs in YAML, the engine of `outrigger`, and a state; only the process of the plugin is
//! missing. [`Stack::up`], [`Stack::preview`], [`Stack::refresh`] and [`Stack::destroy`] work like the commands, and return a
//! [`Run`] with its steps, messages, findings and outputs. A failure is a [`Failed`], which prints like the command's error,
//! so that `unwrap` is enough in a test.
//!
//! ```
//! # use outrigger_sdk::*;
//! # #[derive(Inputs)] struct BoxArgs { size: u32 }
//! # #[derive(Outputs)] struct Box { size: u32 }
//! # impl Resource for Box {
//! #     type Inputs = BoxArgs;
//! #     const TOKEN: &'static str = "toys:index:Box";
//! #     async fn create(_: &Context, inputs: BoxArgs) -> Result<Created<Self>> {
//! #         Ok(Created::new("box", Box { size: inputs.size }))
//! #     }
//! #     async fn delete(_: &Context, _: State<Self>) -> Result<()> { Ok(()) }
//! # }
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), outrigger_testing::Failed> {
//! use outrigger_testing::{Stack, StepOp};
//!
//! let mut stack = Stack::new(Package::new("toys", "1.0.0").resource::<Box>())?;
//! let program = "resources: {mine: {type: 'toys:Box', properties: {size: 3}}}";
//! assert_eq!(stack.up(program).await?.did("mine"), [StepOp::Create]);
//! assert_eq!(stack.outputs::<Box>("mine")?.size, 3);
//! assert_eq!(stack.up(program).await?.did("mine"), [StepOp::Same]);
//! assert_eq!(stack.destroy().await?.did("mine"), [StepOp::Delete]);
//! # Ok(())
//! # }
//! ```

// A failure is made once, when a test ends: its size costs nothing, and a box would be in everyone's way.
#![allow(clippy::result_large_err)]

mod failed;
mod in_process;
mod run;
mod services;
mod stack;

pub use outrigger_engine::{Step, StepOp};
pub use outrigger_sdk::testing::Message;

pub use failed::{Failed, Finding};
pub use in_process::InProcess;
pub use run::Run;
pub use stack::{Stack, Store};
