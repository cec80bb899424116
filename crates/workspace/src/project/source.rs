//! The source of a YAML program: a file, or a compiler's output.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use outrigger_diagnostic::{Diagnostic, Severity};
use outrigger_project::config::Config;
use outrigger_project::packages::Packages;
use outrigger_project::{Compiler, Project};
use outrigger_provider::{PluginDescriptor, Plugins};
use outrigger_syntax::Document;
use outrigger_value::Value;
use outrigger_yaml::program::Program;
use outrigger_yaml::{Settings, YamlProgram, program_file};

use super::Environment;
use super::compiler::{self, LIMIT};
use crate::Error;

/// The program's text and its dependencies, before any plugin runs.
pub(super) struct Source {
    document: Document,
    /// The parsed program, and diagnostics about its form.
    pub(super) parsed: (Program, Vec<Diagnostic>),
    packages: Packages,
    /// Texts that are in no file, by the name that places give them, for showing the lines of diagnostics.
    pub(super) texts: BTreeMap<String, String>,
}

/// The organization of every stack in a self-managed backend.
pub(super) const ORGANIZATION: &str = "organization";

impl Source {
    /// Reads the program's file.
    pub(super) fn read(project: &Project) -> Result<Self, Error> {
        let path = program_file(project)?;
        let document = if path == project.path {
            project.document.clone()
        } else {
            let shown = path.strip_prefix(project.directory()).unwrap_or(&path).display().to_string();
            let bytes = fs::read(&path).map_err(|error| {
                Diagnostic::error("program-unreadable", format!("`{shown}` cannot be read"))
                    .detail(error.to_string())
                    .hint("Check that the file is readable.")
            })?;
            Document::parse_bytes(shown, &bytes)?
        };
        Self::of(document, &project.program_directory(), BTreeMap::new())
    }

    /// Runs the compiler. Without a stack it gets none of the variables about one.
    pub(super) fn compile(
        compiler: &Compiler,
        project: &Project,
        stack: Option<(&str, &Config)>,
        environment: &Environment,
    ) -> Result<Self, Error> {
        let variables = stack.map(|(stack, config)| {
            [
                ("PULUMI_STACK", stack.to_owned()),
                ("PULUMI_ORGANIZATION", ORGANIZATION.to_owned()),
                ("PULUMI_PROJECT", project.name.clone()),
                ("PULUMI_CONFIG", config.compiler_environment()),
                ("PULUMI_ROOT_DIRECTORY", project.directory().display().to_string()),
            ]
        });
        let directory = project.program_directory();
        let secrets: Vec<&str> = stack.iter().flat_map(|(_, config)| config.secret_texts()).collect();
        let around = compiler::Surroundings {
            environment,
            variables: variables.as_ref().map(<[_; 5]>::as_slice).unwrap_or_default(),
            secrets: &secrets,
            directory: &directory,
            place: project.document.place(compiler.span),
            limit: LIMIT,
        };
        let printed = compiler::run(compiler, &around)?;
        let name = format!("<output of {}>", compiler.program);
        let texts = BTreeMap::from([(name.clone(), around.hide(&printed))]);
        match Document::parse_bytes(name, &printed) {
            Ok(document) => Self::of(document, &directory, texts),
            Err(findings) => Err(Error { texts, ..Error::from(findings) }),
        }
    }

    fn of(document: Document, directory: &Path, texts: BTreeMap<String, String>) -> Result<Self, Error> {
        let parsed = Program::parse(&document);
        Ok(Self { document, parsed, packages: Packages::find(directory)?, texts })
    }

    /// The plugins that the program names.
    pub(super) fn required(&self) -> Vec<PluginDescriptor> {
        self.parsed.0.packages(&self.packages)
    }

    /// The program, with the config values that it reads.
    pub(super) fn program(
        self,
        project: &Project,
        stack: &str,
        config: &BTreeMap<String, Value>,
        plugins: Arc<dyn Plugins>,
        environment: &Environment,
    ) -> YamlProgram {
        let settings = Settings {
            project: project.name.clone(),
            stack: stack.to_owned(),
            organization: ORGANIZATION.to_owned(),
            root_directory: project.directory().to_owned(),
            program_directory: project.program_directory(),
            type_mismatch: match environment.switch("PULUMI_DEBUG_YAML_DISABLE_TYPE_CHECKING") {
                true => Severity::Warning,
                false => Severity::Error,
            },
        };
        YamlProgram::new(self.document, self.parsed, config, self.packages, plugins, settings)
    }
}
