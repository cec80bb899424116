//! Expressions, parsed once from the tree, with their places in the file.

use std::collections::BTreeMap;
use std::sync::Arc;

use outrigger_syntax::Span;

use crate::interpolation::{Access, Part};

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    /// The kind of expression.
    pub kind: Kind,
    /// Its place.
    pub span: Span,
}

/// The kind of an expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// Null.
    Null,
    /// True or false.
    Bool(bool),
    /// A number.
    Number(f64),
    /// Text without interpolations.
    String(Arc<str>),
    /// Text with interpolations: always gives text.
    Text(Vec<Part>),
    /// A whole `${…}`: the value keeps its type.
    Symbol(Box<Access>),
    /// A list.
    List(Vec<Expression>),
    /// An object.
    Object(Vec<(Expression, Expression)>),
    /// A function of the language.
    Call(Function, Vec<Expression>),
    /// `fn::assetArchive`.
    AssetArchive(BTreeMap<String, Expression>),
    /// A function of a package.
    Invoke(Box<Invoke>),
    /// `fn::stackReference`: the stack's name and the output's.
    StackReference(Box<(Literal, Expression)>),
}

/// A literal text of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Literal {
    /// The text, shared with the syntax tree.
    pub text: Arc<str>,
    /// Its place.
    pub span: Span,
}

/// A function of the language. `Join`, `Split` and `Select` take two arguments, the others one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// `fn::join`.
    Join,
    /// `fn::split`.
    Split,
    /// `fn::select`.
    Select,
    /// `fn::toJSON`.
    ToJson,
    /// `fn::toBase64`.
    ToBase64,
    /// `fn::fromBase64`.
    FromBase64,
    /// `fn::secret`.
    Secret,
    /// `fn::unsecret`.
    Unsecret,
    /// `fn::readFile`.
    ReadFile,
    /// `fn::filebase64`.
    FileBase64,
    /// `fn::filebase64sha256`.
    FileBase64Sha256,
    /// `fn::sha1`.
    Sha1,
    /// `fn::length`.
    Length,
    /// `fn::singleOrNone`.
    SingleOrNone,
    /// `fn::pulumiResourceName`.
    ResourceName,
    /// `fn::pulumiResourceType`.
    ResourceType,
    /// `fn::stringAsset`.
    StringAsset,
    /// `fn::fileAsset`.
    FileAsset,
    /// `fn::remoteAsset`.
    RemoteAsset,
    /// `fn::fileArchive`.
    FileArchive,
    /// `fn::remoteArchive`.
    RemoteArchive,
}

/// A call to a package's function.
#[derive(Clone, Debug, PartialEq)]
pub struct Invoke {
    /// Its number within the program, which is the key of its resolution.
    pub number: usize,
    /// The function as written.
    pub function: Literal,
    /// The arguments in the order of the file.
    pub arguments: Vec<(Literal, Expression)>,
    /// The property of the result to return.
    pub returned: Option<Literal>,
    /// The options of the call.
    pub options: InvokeOptions,
}

/// The options of a function call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InvokeOptions {
    /// The resource whose providers are inherited.
    pub parent: Option<Expression>,
    /// The provider to call.
    pub provider: Option<Expression>,
    /// The plugin's version.
    pub version: Option<Literal>,
    /// The download URL of the plugin.
    pub plugin_download_url: Option<Literal>,
    /// Resources that the result depends on.
    pub depends_on: Option<Expression>,
}

/// Names of the language's functions, as the documentation spells them.
pub(crate) const FUNCTIONS: [(&str, Function); 21] = [
    ("fn::join", Function::Join),
    ("fn::split", Function::Split),
    ("fn::select", Function::Select),
    ("fn::toJSON", Function::ToJson),
    ("fn::toBase64", Function::ToBase64),
    ("fn::fromBase64", Function::FromBase64),
    ("fn::secret", Function::Secret),
    ("fn::unsecret", Function::Unsecret),
    ("fn::readFile", Function::ReadFile),
    ("fn::filebase64", Function::FileBase64),
    ("fn::filebase64sha256", Function::FileBase64Sha256),
    ("fn::sha1", Function::Sha1),
    ("fn::length", Function::Length),
    ("fn::singleOrNone", Function::SingleOrNone),
    ("fn::pulumiResourceName", Function::ResourceName),
    ("fn::pulumiResourceType", Function::ResourceType),
    ("fn::stringAsset", Function::StringAsset),
    ("fn::fileAsset", Function::FileAsset),
    ("fn::remoteAsset", Function::RemoteAsset),
    ("fn::fileArchive", Function::FileArchive),
    ("fn::remoteArchive", Function::RemoteArchive),
];

impl Function {
    /// The name as the documentation spells it.
    pub fn name(self) -> &'static str {
        FUNCTIONS.iter().find(|(_, function)| *function == self).map_or("", |(name, _)| name)
    }

    /// Whether the argument is a list of exactly two elements.
    pub(crate) fn takes_two(self) -> bool {
        matches!(self, Function::Join | Function::Split | Function::Select)
    }

    /// Whether the result is an asset or an archive.
    pub(crate) fn makes_asset(self) -> bool {
        matches!(
            self,
            Function::StringAsset
                | Function::FileAsset
                | Function::RemoteAsset
                | Function::FileArchive
                | Function::RemoteArchive
        )
    }
}

impl Expression {
    /// Calls `found` for every name that the expression reads, with its place.
    pub fn roots<'a>(&'a self, found: &mut dyn FnMut(&'a Access, Span)) {
        match &self.kind {
            Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::String(_) => {}
            Kind::Text(parts) => parts.iter().filter_map(|part| part.access.as_ref()).for_each(|a| found(a, self.span)),
            Kind::Symbol(access) => found(access, self.span),
            Kind::List(items) | Kind::Call(_, items) => items.iter().for_each(|item| item.roots(found)),
            Kind::Object(entries) => entries.iter().for_each(|(key, value)| {
                key.roots(found);
                value.roots(found);
            }),
            Kind::AssetArchive(assets) => assets.values().for_each(|asset| asset.roots(found)),
            Kind::Invoke(invoke) => {
                invoke.arguments.iter().for_each(|(_, value)| value.roots(found));
                invoke.options.expressions().for_each(|expression| expression.roots(found));
            }
            Kind::StackReference(reference) => reference.1.roots(found),
        }
    }

    /// Calls `found` for every call to a package's function, inner ones first.
    pub fn invokes<'a>(&'a self, found: &mut dyn FnMut(&'a Invoke, Span)) {
        match &self.kind {
            Kind::List(items) | Kind::Call(_, items) => items.iter().for_each(|item| item.invokes(found)),
            Kind::Object(entries) => entries.iter().for_each(|(key, value)| {
                key.invokes(found);
                value.invokes(found);
            }),
            Kind::AssetArchive(assets) => assets.values().for_each(|asset| asset.invokes(found)),
            Kind::Invoke(invoke) => {
                invoke.arguments.iter().for_each(|(_, value)| value.invokes(found));
                invoke.options.expressions().for_each(|expression| expression.invokes(found));
                found(invoke, self.span);
            }
            Kind::StackReference(reference) => reference.1.invokes(found),
            Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::String(_) | Kind::Text(_) | Kind::Symbol(_) => {}
        }
    }
}

impl Invoke {
    /// The version and the download URL of the plugin, if given.
    pub(crate) fn plugin(&self) -> (Option<&Literal>, Option<&Literal>) {
        (self.options.version.as_ref(), self.options.plugin_download_url.as_ref())
    }
}

impl InvokeOptions {
    /// The options that are expressions.
    pub fn expressions(&self) -> impl Iterator<Item = &Expression> {
        [&self.parent, &self.provider, &self.depends_on].into_iter().flatten()
    }
}
