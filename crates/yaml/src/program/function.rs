//! Functions: objects with exactly one key that begins with `fn::`.

use outrigger_diagnostic::{Diagnostic, Severity};
use outrigger_syntax::{Key, Node, Object, Span};

use super::reader::{Reader, literal_of};
use crate::expression::{FUNCTIONS, Function, Invoke, InvokeOptions, Kind, Literal};
use crate::suggestion;

const INVOKE_FIELDS: [&str; 4] = ["function", "arguments", "options", "return"];
const INVOKE_OPTIONS: [&str; 5] = ["parent", "provider", "version", "pluginDownloadURL", "dependsOn"];
const OTHERS: [&str; 3] = ["fn::invoke", "fn::assetArchive", "fn::stackReference"];

/// The function call in an object, if it is one. A faulty one has been reported and counts as null.
pub(super) fn read(reader: &mut Reader<'_>, object: &Object, span: Span) -> Option<Kind> {
    let mut keys = object.iter().filter(|entry| is_prefixed(&entry.key.text));
    let entry = keys.next()?;
    let lower = entry.key.text.to_ascii_lowercase();
    let builtin = FUNCTIONS.iter().find(|(name, _)| name.eq_ignore_ascii_case(&lower));
    if object.len() != 1 {
        if let Some((name, function)) = builtin
            && function.makes_asset()
        {
            reader.error(
                span,
                "yaml-function",
                format!("{name} must be the only key of its object"),
                "Move it below a separate key.",
            );
            return Some(Kind::Null);
        }
        // Beside other keys it is an ordinary key.
        reader.warning(
            entry.key.span,
            "yaml-reserved-prefix",
            format!("`{}` has other keys beside it, so it is not a function", entry.key.text),
        );
        return None;
    }
    let (key, argument) = (&entry.key, &entry.value);
    if let Some((name, function)) = builtin {
        reader.known(key, &[name]);
        return Some(builtin_call(reader, *function, argument));
    }
    if let Some(name) = OTHERS.iter().find(|name| name.eq_ignore_ascii_case(&lower)) {
        reader.known(key, &[name]);
        return Some(match *name {
            "fn::invoke" => invoke(reader, argument),
            "fn::assetArchive" => asset_archive(reader, argument),
            _ => stack_reference(reader, key, argument),
        });
    }
    let token = key.text.get(4..).unwrap_or_default();
    let parts = token.split(':').collect::<Vec<_>>();
    if (2..=3).contains(&parts.len()) && parts.iter().all(|part| !part.is_empty()) {
        return Some(short_invoke(reader, key, token, argument));
    }
    let known = FUNCTIONS.iter().map(|(name, _)| *name).chain(OTHERS);
    let diagnostic = Diagnostic::error("yaml-unknown-function", format!("there is no function `{}`", key.text))
        .at(reader.document.place(key.span));
    reader.findings.push(suggestion::suggest(diagnostic, &key.text, known, "functions"));
    Some(Kind::Null)
}

fn is_prefixed(key: &str) -> bool {
    key.get(..4).is_some_and(|prefix| prefix.eq_ignore_ascii_case("fn::"))
}

fn builtin_call(reader: &mut Reader<'_>, function: Function, argument: &Node) -> Kind {
    if !function.takes_two() {
        return Kind::Call(function, vec![reader.expression(argument)]);
    }
    match argument.as_list() {
        Some(items) if items.len() == 2 => {
            Kind::Call(function, items.iter().map(|item| reader.expression(item)).collect())
        }
        _ => arity(reader, function.name(), argument),
    }
}

fn arity(reader: &mut Reader<'_>, name: &str, argument: &Node) -> Kind {
    let hint = format!("Write `{name}: [first, second]`.");
    reader.error(argument.span, "yaml-function", format!("the argument to {name} must be a two-valued list"), hint);
    Kind::Null
}

fn stack_reference(reader: &mut Reader<'_>, key: &Key, argument: &Node) -> Kind {
    reader.warning(
        key.span,
        "yaml-deprecated",
        "fn::stackReference is deprecated, use a resource of type pulumi:pulumi:StackReference",
    );
    let Some([stack, property]) = argument.as_list() else { return arity(reader, "fn::stackReference", argument) };
    let Some(stack) = reader.literal("the first argument to fn::stackReference", stack) else { return Kind::Null };
    Kind::StackReference(Box::new((stack, reader.expression(property))))
}

fn asset_archive(reader: &mut Reader<'_>, argument: &Node) -> Kind {
    let Some(object) = reader.object("the argument to fn::assetArchive", argument) else { return Kind::Null };
    let mut assets = std::collections::BTreeMap::new();
    for entry in object {
        if entry.key.text.contains("${") {
            reader.error(
                entry.key.span,
                "yaml-not-a-literal",
                "keys in fn::assetArchive must be literal strings",
                "Write the path itself.",
            );
            continue;
        }
        let value = reader.expression(&entry.value);
        match &value.kind {
            Kind::AssetArchive(_) => {}
            Kind::Call(function, _) if function.makes_asset() => {}
            _ => {
                reader.error(
                    entry.value.span,
                    "yaml-function",
                    "a value in fn::assetArchive must be an asset or an archive",
                    "Write fn::fileAsset, fn::stringAsset, fn::remoteAsset, fn::fileArchive, fn::remoteArchive or fn::assetArchive.",
                );
                continue;
            }
        }
        assets.insert(entry.key.text.to_string(), value);
    }
    Kind::AssetArchive(assets)
}

fn short_invoke(reader: &mut Reader<'_>, key: &Key, token: &str, argument: &Node) -> Kind {
    // The whole object is the arguments; anything else, such as null, means none.
    let arguments = argument.as_object().map(|object| arguments(reader, object)).unwrap_or_default();
    let function = Literal { text: token.into(), span: key.span };
    finish(reader, function, arguments, None, InvokeOptions::default())
}

fn invoke(reader: &mut Reader<'_>, argument: &Node) -> Kind {
    let Some(object) = argument.as_object() else {
        reader.error(
            argument.span,
            "yaml-function",
            "the argument to fn::invoke must be an object containing 'function', 'arguments', 'options' and 'return'",
            "Write `fn::invoke: {function: package:module:name, arguments: {…}}`.",
        );
        return Kind::Null;
    };
    let (mut function, mut given, mut returned) = (None, Vec::new(), None);
    let mut options = InvokeOptions::default();
    let mut has_function = false;
    for entry in object {
        match reader.known(&entry.key, &INVOKE_FIELDS) {
            Some("function") => {
                has_function = true;
                function = reader.literal("the function's name", &entry.value);
            }
            Some("arguments") => match entry.value.as_object() {
                Some(object) => given = arguments(reader, object),
                None => reader.wrong_kind("function arguments ('arguments')", "an object", &entry.value),
            },
            Some("return") => returned = reader.literal("return", &entry.value),
            Some("options") => options = invoke_options(reader, &entry.value),
            _ => reader.unknown_key(&entry.key, "fn::invoke", &INVOKE_FIELDS),
        }
    }
    if !has_function {
        reader.error(
            argument.span,
            "yaml-function",
            "missing function name ('function')",
            "Add `function: package:module:name`.",
        );
    }
    match function {
        Some(function) => finish(reader, function, given, returned, options),
        None => Kind::Null,
    }
}

fn finish(
    reader: &mut Reader<'_>,
    function: Literal,
    arguments: Vec<(Literal, crate::expression::Expression)>,
    returned: Option<Literal>,
    options: InvokeOptions,
) -> Kind {
    let number = reader.invokes;
    reader.invokes += 1;
    Kind::Invoke(Box::new(Invoke { number, function, arguments, returned, options }))
}

fn arguments(reader: &mut Reader<'_>, object: &Object) -> Vec<(Literal, crate::expression::Expression)> {
    let mut arguments = Vec::with_capacity(object.len());
    for entry in object {
        if entry.key.text.contains("${") {
            reader.error(
                entry.key.span,
                "yaml-not-a-literal",
                "names of arguments must be literal strings",
                "Write the name itself.",
            );
            continue;
        }
        arguments.push((literal_of(&entry.key), reader.expression(&entry.value)));
    }
    arguments
}

fn invoke_options(reader: &mut Reader<'_>, node: &Node) -> InvokeOptions {
    let mut options = InvokeOptions::default();
    let Some(object) = reader.object("options", node) else { return options };
    for entry in object {
        let value = &entry.value;
        match reader.known(&entry.key, &INVOKE_OPTIONS) {
            Some("parent") => options.parent = Some(reader.expression(value)),
            Some("provider") => options.provider = Some(reader.expression(value)),
            Some("version") => options.version = reader.literal("version", value),
            Some("pluginDownloadURL") => options.plugin_download_url = reader.literal("pluginDownloadURL", value),
            Some(_) => options.depends_on = Some(reader.expression(value)),
            None => reader.stray_key(&entry.key, "invoke options", &INVOKE_OPTIONS, Severity::Warning),
        }
    }
    options
}
