//! Pulumi's own conformance providers, each from nothing to nothing, with a real `pulumi` looking at the state between.

mod components;
mod faculties;
pub(crate) mod life;
mod pairs;
mod shapes;
