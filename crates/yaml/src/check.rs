//! Everything that can be known to be wrong before anything is registered: names, cycles, types, properties.
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

/// What a program is checked against.
pub(crate) struct Surroundings<'a> {
    pub(crate) document: &'a Document,
    pub(crate) program: &'a Program,
    pub(crate) packages: &'a Packages,
    /// Config values by the name under which the program reads them.
    pub(crate) config: &'a BTreeMap<String, Value>,
    pub(crate) project: &'a str,
    pub(crate) plugins: &'a dyn Plugins,
    /// How bad a value of another type is.
    pub(crate) type_mismatch: Severity,
}

/// A program without errors, ready to run.
pub(crate) struct Checked {
    /// Names, dependencies and order.
    pub(crate) scope: Scope,
    /// What each resource's type is, in the order of the program.
    pub(crate) resources: Vec<ResolvedResource>,
    /// What each call's function is, by its number.
    pub(crate) invokes: Vec<ResolvedInvoke>,
}

/// Checks a program. The second part are all findings; the first is there when none of them is an error.
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
    // What the parser has refused is not resolved, and has been reported.
    let checked = resources.zip(invokes).map(|(resources, invokes)| Checked { scope, resources, invokes });
    (checked, findings)
}
