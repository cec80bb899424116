//! From Rust's names to those of a schema.

use syn::Ident;

/// A field's name: `file_mode` becomes `fileMode`, `r#type` becomes `type`.
pub(crate) fn of_field(ident: &Ident) -> String {
    let text = ident.to_string();
    let text = text.strip_prefix("r#").unwrap_or(&text);
    let mut words = text.split('_').filter(|word| !word.is_empty());
    let mut name = words.next().unwrap_or_default().to_owned();
    for word in words {
        name.push_str(&capitalized(word));
    }
    name
}

/// A variant's value: `ReadOnly` becomes `readOnly`.
pub(crate) fn of_variant(ident: &Ident) -> String {
    let text = ident.to_string();
    let text = text.strip_prefix("r#").unwrap_or(&text);
    let mut letters = text.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}

fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::format_ident;

    #[test]
    fn names_are_in_camel_case() {
        for (field, name) in [("path", "path"), ("file_mode", "fileMode"), ("a_b_c2", "aBC2"), ("_x", "x")] {
            assert_eq!(of_field(&format_ident!("{field}")), name);
        }
        assert_eq!(of_field(&format_ident!("r#type")), "type");
        assert_eq!(of_variant(&format_ident!("ReadOnly")), "readOnly");
    }
}
