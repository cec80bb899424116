//! The project file, `Pulumi.yaml`, of a project in any language.
//!
//! Only the keys that the peer's CLI reads are read here; a YAML program in the same file is read in `yaml`.

mod change;
mod compiler;
mod declaration;
mod file;
mod packages;
mod reader;
mod runtime;

pub use compiler::Compiler;
pub use declaration::{ConfigDeclaration, ConfigType, Given};
pub use file::{Project, find};
pub use packages::{PackageSpec, PluginOverride};
pub use runtime::Runtime;
