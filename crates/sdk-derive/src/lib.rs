//! The derive macros of `outrigger-sdk`; import them from there.
//!
//! | macro | for | attributes on a field |
//! | --- | --- | --- |
//! | `Inputs` | the inputs of a resource, a function or the package's configuration | `name`, `secret`, `replace`, `default`, `env`, `autoname`, `deprecated` |
//! | `Outputs` | the outputs of a resource or a function | `name`, `secret`, `stable`, `deprecated` |
//! | `Object` | an object inside either | `name`, `secret`, `replace`, `default`, `deprecated` |
//! | `Enumeration` | a string with a few possible values | on a variant: `name`, `deprecated` |
//!
//! They stand in `#[outrigger(...)]`. On the type itself: `token` names an `Object` or `Enumeration` in the schema, `replace`
//! makes every change of an `Inputs` a replacement, `deprecated` names the replacement of a resource or function. A mistake in any of them is an
//! error at its place when the plugin is compiled.

mod attributes;
mod documentation;
mod enumeration;
mod names;
mod object;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

use crate::attributes::Role;

/// The inputs of a resource, a function or the package's configuration.
#[proc_macro_derive(Inputs, attributes(outrigger))]
pub fn inputs(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    object::derive(&input, Role::Inputs).unwrap_or_else(|error| error.to_compile_error()).into()
}

/// The outputs of a resource or a function.
#[proc_macro_derive(Outputs, attributes(outrigger))]
pub fn outputs(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    object::derive(&input, Role::Outputs).unwrap_or_else(|error| error.to_compile_error()).into()
}

/// An object inside inputs or outputs.
#[proc_macro_derive(Object, attributes(outrigger))]
pub fn object(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    object::derive(&input, Role::Object).unwrap_or_else(|error| error.to_compile_error()).into()
}

/// A string with a few possible values: the variants of an enum.
#[proc_macro_derive(Enumeration, attributes(outrigger))]
pub fn enumeration(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    enumeration::derive(&input).unwrap_or_else(|error| error.to_compile_error()).into()
}
