//! Pages of documentation: on a terminal, as Markdown, and as HTML. What a schema says is text of strangers: each renderer takes out what its reader
//! would obey.

mod html;
mod markdown;
mod site;
mod terminal;

pub(crate) use html::html;
pub(crate) use markdown::markdown;
pub(crate) use site::{Format, write};
pub(crate) use terminal::terminal;

use outrigger_workspace::Subject;

/// Where the page of a resource or a function is, seen from the page that is written; `None` if it is not written.
pub(crate) type Links<'l> = &'l dyn Fn(&Subject) -> Option<String>;
