//! Enums whose variants are strings.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, Fields, Result};

use crate::attributes::{FieldAttributes, TypeAttributes, optional};
use crate::{documentation, names};

pub(crate) fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let Data::Enum(data) = &input.data else {
        return Err(Error::new_spanned(&input.ident, "expected an enum; for a struct there is `Object`"));
    };
    if data.variants.is_empty() {
        return Err(Error::new_spanned(&input.ident, "expected at least one variant"));
    }
    let whole = TypeAttributes::read(&input.attrs, None)?;
    let (mut idents, mut texts, mut values) = (Vec::new(), Vec::<String>::new(), Vec::new());
    for variant in &data.variants {
        if !matches!(variant.fields, Fields::Unit) {
            return Err(Error::new_spanned(variant, "expected a variant without fields: its value is its name"));
        }
        let attributes = FieldAttributes::read_variant(&variant.attrs)?;
        let text = attributes.name.as_ref().map_or_else(|| names::of_variant(&variant.ident), syn::LitStr::value);
        if texts.contains(&text) {
            return Err(Error::new_spanned(variant, format!("there are two values `{text}`")));
        }
        let (name, description) = (variant.ident.to_string(), documentation::of(&variant.attrs));
        let deprecated = optional(attributes.deprecated.as_ref());
        values.push(quote!(::outrigger_sdk::shape::EnumValue {
            name: #name, value: #text, description: #description, deprecated: #deprecated,
        }));
        idents.push(&variant.ident);
        texts.push(text);
    }
    let (ident, name) = (&input.ident, input.ident.to_string());
    let (description, token) = (documentation::of(&input.attrs), optional(whole.token.as_ref()));
    Ok(quote! {
        impl #ident {
            fn outrigger_shape() -> &'static ::outrigger_sdk::shape::EnumShape {
                static SHAPE: ::std::sync::OnceLock<::outrigger_sdk::shape::EnumShape> = ::std::sync::OnceLock::new();
                SHAPE.get_or_init(|| ::outrigger_sdk::shape::EnumShape {
                    name: #name,
                    token: #token,
                    description: #description,
                    values: ::std::vec![#(#values),*],
                })
            }
        }
        impl ::outrigger_sdk::Property for #ident {
            fn shape() -> ::outrigger_sdk::shape::Shape {
                ::outrigger_sdk::shape::Shape::Enum(Self::outrigger_shape)
            }
            fn decode(value: ::outrigger_sdk::Value) -> ::core::result::Result<Self, ::outrigger_sdk::Mismatch> {
                let text = <::std::string::String as ::outrigger_sdk::Property>::decode(value)?;
                match text.as_str() {
                    #(#texts => ::core::result::Result::Ok(Self::#idents),)*
                    _ => ::core::result::Result::Err(Self::outrigger_shape().refuse(&text)),
                }
            }
            fn encode(self) -> ::outrigger_sdk::Value {
                ::core::convert::Into::into(match self { #(Self::#idents => #texts),* })
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    #[test]
    fn mistakes_are_told() {
        let refused = |input: DeriveInput| derive(&input).unwrap_err().to_string();
        assert_eq!(
            refused(parse_quote!(
                struct A;
            )),
            "expected an enum; for a struct there is `Object`"
        );
        assert_eq!(
            refused(parse_quote!(
                enum A {}
            )),
            "expected at least one variant"
        );
        let fields = parse_quote!(
            enum A {
                B(u32),
            }
        );
        assert_eq!(refused(fields), "expected a variant without fields: its value is its name");
        let twice = parse_quote!(
            enum A {
                B,
                #[outrigger(name = "b")]
                C,
            }
        );
        assert_eq!(refused(twice), "there are two values `b`");
    }
}
