//! Doc comments.

use syn::{Attribute, Expr, ExprLit, Lit, Meta};

/// The doc comment, without the space that follows `///`.
pub(crate) fn of(attributes: &[Attribute]) -> String {
    let lines: Vec<String> = attributes.iter().filter_map(line).collect();
    lines.join("\n").trim().to_owned()
}

fn line(attribute: &Attribute) -> Option<String> {
    let Meta::NameValue(meta) = &attribute.meta else { return None };
    if !meta.path.is_ident("doc") {
        return None;
    }
    match &meta.value {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => {
            let text = text.value();
            let text = text.strip_prefix(' ').unwrap_or(&text);
            Some(text.trim_end().to_owned())
        }
        _ => None,
    }
}
