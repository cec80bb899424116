//! Structs: inputs, outputs and the objects inside of them.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, Expr, ExprLit, Field, Fields, Ident, Lit, Result, Type};

use crate::attributes::{FieldAttributes, Role, TypeAttributes, optional};
use crate::{documentation, names};

/// One property of the struct.
struct Property<'a> {
    ident: &'a Ident,
    ty: &'a Type,
    name: String,
    description: String,
    attributes: FieldAttributes,
}

pub(crate) fn derive(input: &DeriveInput, role: Role) -> Result<TokenStream> {
    if !input.generics.params.is_empty() {
        return Err(Error::new_spanned(&input.generics, "a type of a schema cannot be generic"));
    }
    let whole = TypeAttributes::read(&input.attrs, Some(role))?;
    let properties = properties(input, role)?;
    let (ident, text) = (&input.ident, input.ident.to_string());
    let description = documentation::of(&input.attrs);
    let token = optional(whole.token.as_ref());
    let deprecated = optional(whole.deprecated.as_ref());
    let shapes = properties.iter().map(|property| shape(property, whole.replace));
    let decoded = properties.iter().map(decode);
    let encoded = properties.iter().map(|Property { ident, name, attributes, .. }| {
        let secret = attributes.secret;
        quote!(::outrigger_sdk::derive::encode(&mut properties, #name, self.#ident, #secret);)
    });
    let rest = match role {
        Role::Inputs => quote!(impl ::outrigger_sdk::Inputs for #ident {}),
        Role::Outputs => quote!(impl ::outrigger_sdk::Outputs for #ident {}),
        Role::Object => quote! {
            impl ::outrigger_sdk::Property for #ident {
                fn shape() -> ::outrigger_sdk::shape::Shape {
                    ::outrigger_sdk::shape::Shape::Object(<Self as ::outrigger_sdk::Properties>::shape)
                }
                fn decode(value: ::outrigger_sdk::Value) -> ::core::result::Result<Self, ::outrigger_sdk::Mismatch> {
                    ::outrigger_sdk::derive::decode_object(value)
                }
                fn encode(self) -> ::outrigger_sdk::Value {
                    ::outrigger_sdk::Value::Map(::outrigger_sdk::Properties::encode(self))
                }
            }
        },
    };
    Ok(quote! {
        impl ::outrigger_sdk::Properties for #ident {
            fn shape() -> &'static ::outrigger_sdk::shape::ObjectShape {
                static SHAPE: ::std::sync::OnceLock<::outrigger_sdk::shape::ObjectShape> = ::std::sync::OnceLock::new();
                SHAPE.get_or_init(|| ::outrigger_sdk::shape::ObjectShape {
                    name: #text,
                    token: #token,
                    description: #description,
                    deprecated: #deprecated,
                    properties: ::std::vec![#(#shapes),*],
                })
            }
            #[allow(unused_mut, unused_variables)]
            fn decode(
                mut properties: ::outrigger_sdk::PropertyMap,
            ) -> ::core::result::Result<Self, ::outrigger_sdk::Mismatch> {
                ::core::result::Result::Ok(Self { #(#decoded),* })
            }
            #[allow(unused_mut)]
            fn encode(self) -> ::outrigger_sdk::PropertyMap {
                let mut properties = ::outrigger_sdk::PropertyMap::new();
                #(#encoded)*
                properties
            }
        }
        #rest
    })
}

fn properties(input: &DeriveInput, role: Role) -> Result<Vec<Property<'_>>> {
    let Data::Struct(data) = &input.data else {
        return Err(Error::new_spanned(&input.ident, "expected a struct; for an enum there is `Enumeration`"));
    };
    let fields = match &data.fields {
        Fields::Named(fields) => fields.named.iter().collect(),
        Fields::Unit => Vec::new(),
        Fields::Unnamed(fields) => {
            return Err(Error::new_spanned(fields, "expected fields with names: they name the properties"));
        }
    };
    let mut properties: Vec<Property<'_>> = Vec::with_capacity(fields.len());
    for field in fields {
        let property = property(field, role)?;
        if properties.iter().any(|other| other.name == property.name) {
            return Err(Error::new_spanned(field, format!("there are two properties `{}`", property.name)));
        }
        properties.push(property);
    }
    Ok(properties)
}

fn property(field: &Field, role: Role) -> Result<Property<'_>> {
    let ident = field.ident.as_ref().ok_or_else(|| Error::new_spanned(field, "expected a field with a name"))?;
    let attributes = FieldAttributes::read(&field.attrs, role)?;
    if attributes.autoname && !matches!(&field.ty, Type::Path(path) if path.path.is_ident("String")) {
        return Err(Error::new_spanned(&field.ty, "`autoname` is for a `String`"));
    }
    let name = attributes.name.as_ref().map_or_else(|| names::of_field(ident), syn::LitStr::value);
    Ok(Property { ident, ty: &field.ty, name, description: documentation::of(&field.attrs), attributes })
}

fn shape(property: &Property<'_>, replace_all: bool) -> TokenStream {
    let Property { ty, name, description, attributes, .. } = property;
    let mut shape = quote!(::outrigger_sdk::shape::PropertyShape::of::<#ty>(#name, #description));
    if attributes.secret {
        shape.extend(quote!(.secret()));
    }
    if attributes.replace || replace_all {
        shape.extend(quote!(.replace()));
    }
    if attributes.stable {
        shape.extend(quote!(.stable()));
    }
    if attributes.autoname {
        shape.extend(quote!(.autoname()));
    }
    if let Some(default) = default(property) {
        shape.extend(quote!(.default::<#ty>(#default)));
    }
    for variable in &attributes.environment {
        shape.extend(quote!(.environment(#variable)));
    }
    if let Some(deprecated) = &attributes.deprecated {
        shape.extend(quote!(.deprecated(#deprecated)));
    }
    shape
}

fn decode(property: &Property<'_>) -> TokenStream {
    let Property { ident, ty, name, .. } = property;
    match default(property) {
        Some(default) => {
            quote!(#ident: ::outrigger_sdk::derive::decode_or::<#ty>(&mut properties, #name, || #default)?)
        }
        None => quote!(#ident: ::outrigger_sdk::derive::decode::<#ty>(&mut properties, #name)?),
    }
}

/// The default as a value of the field's type. A string literal may stand for any type that is made from a string.
fn default(property: &Property<'_>) -> Option<TokenStream> {
    let ty = property.ty;
    property.attributes.default.as_ref().map(|expression| match expression {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => quote!(<#ty as ::core::convert::From<&str>>::from(#text)),
        other => quote!(#other),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    fn refused(input: &DeriveInput, role: Role) -> String {
        derive(input, role).unwrap_err().to_string()
    }

    #[test]
    fn mistakes_are_told() {
        let generic = parse_quote!(
            struct A<T> {
                a: T,
            }
        );
        assert_eq!(refused(&generic, Role::Inputs), "a type of a schema cannot be generic");
        let tuple = parse_quote!(
            struct A(u32);
        );
        assert_eq!(refused(&tuple, Role::Inputs), "expected fields with names: they name the properties");
        let choice = parse_quote!(
            enum A {
                B,
            }
        );
        assert_eq!(refused(&choice, Role::Object), "expected a struct; for an enum there is `Enumeration`");
        let twice = parse_quote!(
            struct A {
                a_b: u32,
                #[outrigger(name = "aB")]
                c: u32,
            }
        );
        assert_eq!(refused(&twice, Role::Outputs), "there are two properties `aB`");
    }

    #[test]
    fn attributes_have_their_place() {
        let field = |attribute: TokenStream| -> DeriveInput {
            parse_quote!(
                struct A {
                    #[outrigger(#attribute)]
                    a: u32,
                }
            )
        };
        for (attribute, role, fits) in [
            (quote!(default = 1), Role::Inputs, true),
            (quote!(default = 1), Role::Object, true),
            (quote!(default = 1), Role::Outputs, false),
            (quote!(stable), Role::Outputs, true),
            (quote!(stable), Role::Inputs, false),
            (quote!(replace), Role::Outputs, false),
            (quote!(env = "A"), Role::Inputs, true),
            (quote!(env = "A"), Role::Object, false),
            (quote!(secret, deprecated = "b", name = "c"), Role::Outputs, true),
            (quote!(autoname), Role::Inputs, false),
            (quote!(autoname), Role::Outputs, false),
            (quote!(secrt), Role::Inputs, false),
            (quote!(name), Role::Inputs, false),
        ] {
            assert_eq!(derive(&field(attribute.clone()), role).is_ok(), fits, "{attribute} {role:?}");
        }
        let whole = |attribute: TokenStream| -> DeriveInput {
            parse_quote!(
                #[outrigger(#attribute)]
                struct A {
                    a: u32,
                }
            )
        };
        assert!(derive(&whole(quote!(replace)), Role::Inputs).is_ok());
        assert!(derive(&whole(quote!(replace)), Role::Object).is_err());
        assert!(derive(&whole(quote!(token = "a:b:C")), Role::Object).is_ok());
        assert!(derive(&whole(quote!(token = "a:b:C")), Role::Outputs).is_err());
    }
}
