//! `#[outrigger(...)]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::meta::ParseNestedMeta;
use syn::{Attribute, Expr, LitStr, Result};

/// The role of a struct.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Inputs,
    Outputs,
    Object,
}

/// On the type itself.
#[derive(Default)]
pub(crate) struct TypeAttributes {
    pub(crate) token: Option<LitStr>,
    pub(crate) deprecated: Option<LitStr>,
    pub(crate) replace: bool,
}

/// On a field or a variant.
#[derive(Default)]
pub(crate) struct FieldAttributes {
    pub(crate) name: Option<LitStr>,
    pub(crate) deprecated: Option<LitStr>,
    pub(crate) default: Option<Expr>,
    pub(crate) environment: Vec<LitStr>,
    pub(crate) secret: bool,
    pub(crate) replace: bool,
    pub(crate) stable: bool,
    pub(crate) autoname: bool,
}

impl TypeAttributes {
    /// `role` is none for an enumeration.
    pub(crate) fn read(attributes: &[Attribute], role: Option<Role>) -> Result<Self> {
        let mut found = Self::default();
        each(attributes, |meta| {
            // A schema has names for types, and deprecates resources and functions.
            let named = matches!(role, None | Some(Role::Object));
            if meta.path.is_ident("token") && named {
                found.token = Some(text(&meta)?);
            } else if meta.path.is_ident("deprecated") && !named {
                found.deprecated = Some(text(&meta)?);
            } else if meta.path.is_ident("replace") && role == Some(Role::Inputs) {
                found.replace = true;
            } else {
                return Err(meta.error(match role {
                    Some(Role::Inputs) => "expected `replace` or `deprecated`",
                    Some(Role::Outputs) => "expected `deprecated`",
                    Some(Role::Object) | None => "expected `token`",
                }));
            }
            Ok(())
        })?;
        Ok(found)
    }
}

impl FieldAttributes {
    pub(crate) fn read(attributes: &[Attribute], role: Role) -> Result<Self> {
        let mut found = Self::default();
        let input = role != Role::Outputs;
        each(attributes, |meta| {
            if meta.path.is_ident("name") {
                found.name = Some(text(&meta)?);
            } else if meta.path.is_ident("deprecated") {
                found.deprecated = Some(text(&meta)?);
            } else if meta.path.is_ident("secret") {
                found.secret = true;
            } else if meta.path.is_ident("replace") && input {
                found.replace = true;
            } else if meta.path.is_ident("default") && input {
                found.default = Some(meta.value()?.parse()?);
            } else if meta.path.is_ident("env") && role == Role::Inputs {
                found.environment.push(text(&meta)?);
            } else if meta.path.is_ident("autoname") && role == Role::Inputs {
                found.autoname = true;
            } else if meta.path.is_ident("stable") && role == Role::Outputs {
                found.stable = true;
            } else {
                return Err(meta.error(match role {
                    Role::Inputs => {
                        "expected `name`, `secret`, `replace`, `default`, `env`, `autoname` or `deprecated`"
                    }
                    Role::Outputs => "expected `name`, `secret`, `stable` or `deprecated`",
                    Role::Object => "expected `name`, `secret`, `replace`, `default` or `deprecated`",
                }));
            }
            Ok(())
        })?;
        Ok(found)
    }

    /// The attributes of an enumeration's variant.
    pub(crate) fn read_variant(attributes: &[Attribute]) -> Result<Self> {
        let mut found = Self::default();
        each(attributes, |meta| {
            if meta.path.is_ident("name") {
                found.name = Some(text(&meta)?);
            } else if meta.path.is_ident("deprecated") {
                found.deprecated = Some(text(&meta)?);
            } else {
                return Err(meta.error("expected `name` or `deprecated`"));
            }
            Ok(())
        })?;
        Ok(found)
    }
}

/// A string that may be missing, as an expression.
pub(crate) fn optional(text: Option<&LitStr>) -> TokenStream {
    match text {
        Some(text) => quote!(::core::option::Option::Some(#text)),
        None => quote!(::core::option::Option::None),
    }
}

fn each(attributes: &[Attribute], mut take: impl FnMut(ParseNestedMeta<'_>) -> Result<()>) -> Result<()> {
    attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("outrigger"))
        .try_for_each(|attribute| attribute.parse_nested_meta(&mut take))
}

fn text(meta: &ParseNestedMeta<'_>) -> Result<LitStr> {
    meta.value()?.parse()
}
