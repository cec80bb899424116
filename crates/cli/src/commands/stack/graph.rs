//! `outrigger stack graph`.

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use clap::Args;
use outrigger_diagnostic::Diagnostic;
use outrigger_state::Outline;
use outrigger_value::Urn;

use outrigger_workspace::json::Secrets;

use super::Context;
use crate::failure::Failure;
use crate::output::{data, talk};

/// Write the dependencies between resources as a graph in the DOT language.
#[derive(Args, Debug)]
pub(super) struct Graph {
    /// The file to write to; `-` is standard output.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Leave out the edges from parents to children.
    #[arg(long)]
    ignore_parent_edges: bool,
    /// Leave out the edges of dependencies.
    #[arg(long)]
    ignore_dependency_edges: bool,
    /// Label resources by their names, without types.
    #[arg(long)]
    short_node_name: bool,
}

impl Graph {
    pub(super) fn run(self, context: &Context<'_>) -> Result<(), Failure> {
        let stack = context.stack(None)?;
        let text = self.dot(&context.outline(&stack, Secrets::Hidden)?);
        if self.file.as_os_str() == "-" {
            return Ok(data(text.trim_end())?);
        }
        let path = context.environment.directory.join(&self.file);
        fs::write(&path, text).map_err(|error| {
            Diagnostic::error("export-write", format!("`{}` cannot be written", path.display()))
                .detail(error.to_string())
                .hint("Choose another file, or `-` for standard output.")
        })?;
        talk(&format!("Wrote the graph to `{}`.", self.file.display()));
        Ok(())
    }

    fn dot(&self, base: &Outline) -> String {
        let mut out = "strict digraph {\n".to_owned();
        let alive = || base.entries.iter().filter(|resource| !resource.delete);
        for resource in alive() {
            let urn = &resource.urn;
            let label =
                if self.short_node_name { urn.name().to_owned() } else { format!("{}\\n{}", urn.ty(), urn.name()) };
            // Writing to a string cannot fail, here and below.
            let _ = writeln!(out, "    {} [label=\"{}\"];", node(urn), label.replace('"', "'"));
        }
        for resource in alive() {
            let dependencies = resource.dependencies.iter().filter(|_| !self.ignore_dependency_edges);
            for dependency in dependencies {
                let _ = writeln!(out, "    {} -> {};", node(&resource.urn), node(dependency));
            }
            if let Some(parent) = resource.parent.as_ref().filter(|_| !self.ignore_parent_edges) {
                let _ = writeln!(out, "    {} -> {} [style=dashed];", node(&resource.urn), node(parent));
            }
        }
        out.push_str("}\n");
        out
    }
}

fn node(urn: &Urn) -> String {
    format!("\"{}\"", urn.as_str().replace('\\', "\\\\").replace('"', "\\\""))
}
