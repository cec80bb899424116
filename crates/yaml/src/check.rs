//! Everything that can be checked before the first registration: names, cycles, types, properties.
//!
//! All findings are collected; one error stops the run.

mod access;
mod assignment;
mod names;
mod resolution;
mod terraform;
mod types;
mod typing;

use std::collections::BTreeMap;

use outrigger_diagnostic::{Diagnostic, Severity};
use outrigger_project::packages::Packages;
use outrigger_provider::Plugins;
use outrigger_syntax::Document;
use outrigger_value::Value;

use crate::program::Program;

pub(crate) use names::{BUILTIN, Node, Scope, config_name};
pub(crate) use resolution::{ResolvedInvoke, ResolvedResource};

/// The context that a program is checked against.
pub(crate) struct Surroundings<'a> {
    pub(crate) document: &'a Document,
    pub(crate) program: &'a Program,
    pub(crate) packages: &'a Packages,
    /// Config values by the name that the program uses.
    pub(crate) config: &'a BTreeMap<String, Value>,
    pub(crate) project: &'a str,
    pub(crate) plugins: &'a dyn Plugins,
    /// The severity of a type mismatch.
    pub(crate) type_mismatch: Severity,
}

/// A program without errors, ready to run.
pub(crate) struct Checked {
    /// Names, dependencies and order.
    pub(crate) scope: Scope,
    /// The resolved type of each resource, in the order of the program.
    pub(crate) resources: Vec<ResolvedResource>,
    /// The resolved function of each call, by its number.
    pub(crate) invokes: Vec<ResolvedInvoke>,
}

/// Checks a program and returns all findings, with the checked program if none of them is an error.
pub(crate) async fn check(around: &Surroundings<'_>) -> (Option<Checked>, Vec<Diagnostic>) {
    let mut findings = Vec::new();
    let scope = names::check(around, &mut findings);
    let resolved = resolution::resolve(around, &scope, &mut findings).await;
    if !scope.is_cyclic {
        typing::check(around, &scope, &resolved, &mut findings);
    }
    if findings.iter().any(Diagnostic::is_error) {
        return (None, findings);
    }
    let resources: Option<Vec<_>> = resolved.resources.into_iter().collect();
    let invokes: Option<Vec<_>> = resolved.invokes.into_iter().collect();
    // Anything that the parser refused is unresolved, and has been reported.
    let checked = resources.zip(invokes).map(|(resources, invokes)| Checked { scope, resources, invokes });
    (checked, findings)
}
