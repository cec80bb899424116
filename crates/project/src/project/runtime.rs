//! The language of a project.

use outrigger_syntax::{Object, Span};

use super::Compiler;
use super::reader::Reader;
use crate::config::Item;

/// The language and its options.
#[derive(Clone, Debug)]
pub struct Runtime {
    /// The name, such as `yaml` or `nodejs`.
    pub name: String,
    /// The options: name and value as text, for `PULUMI_RUNTIME_<NAME>` of plugins.
    pub options: Vec<(String, String)>,
    /// The runtime's place.
    pub span: Span,
    /// The command that produces the program of a YAML project.
    pub compiler: Option<Compiler>,
}

impl Runtime {
    pub(super) fn read<'a>(reader: &mut Reader<'a>, root: &'a Object) -> Option<Runtime> {
        let node = root.get("runtime")?;
        let empty = |reader: &mut Reader<'a>, span| {
            reader.fail("project-runtime", "the runtime's name is empty", span, "Write `runtime: yaml`.");
            None
        };
        if let Some(name) = node.as_str() {
            if name.is_empty() {
                return empty(reader, node.span);
            }
            return Some(Runtime { name: name.to_owned(), options: Vec::new(), span: node.span, compiler: None });
        }
        let Some(object) = node.as_object() else {
            reader.wrong_kind("runtime", node, "a string or an object with `name` and `options`");
            return None;
        };
        reader.only_keys(object, "runtime", &["name", "options"]);
        let options = match object.get("options") {
            None => None,
            Some(options) if options.as_object().is_none() => {
                reader.wrong_kind("options", options, "an object");
                None
            }
            Some(options) => options.as_object(),
        };
        let compiler = options.and_then(|options| options.get("compiler"));
        let document = reader.document();
        let text = |entry: &outrigger_syntax::Entry| {
            (entry.key.text.to_string(), option_text(&Item::from_node(document, &entry.value)))
        };
        let options = options.map(|options| options.iter().map(text).collect()).unwrap_or_default();
        let (name, span) = reader.string(object, "name")?;
        if name.is_empty() {
            return empty(reader, span);
        }
        // In other languages the option may have another meaning.
        let compiler = compiler.filter(|_| name == "yaml").and_then(|node| Compiler::read(reader, node));
        Some(Runtime { name, options, span, compiler })
    }
}

/// Text as it is, everything else as JSON.
fn option_text(item: &Item) -> String {
    match item {
        Item::String(text) => text.clone(),
        other => crate::config::to_json(other),
    }
}
