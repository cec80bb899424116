//! Finding and reading the project file.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use outrigger_diagnostic::Diagnostic;
use outrigger_provider::{PULUMI_VERSION, VersionRange};
use outrigger_syntax::{Document, Object, Span};
use outrigger_value::nearest::closest;

use super::reader::Reader;
use super::{Compiler, ConfigDeclaration, PackageSpec, PluginOverride, Runtime};

/// The possible names of a project file, in order of preference.
const NAMES: [&str; 3] = ["Pulumi.json", "Pulumi.yaml", "Pulumi.yml"];

/// A project.
#[derive(Clone, Debug)]
pub struct Project {
    /// The project file as it was read.
    pub document: Document,
    /// The project file's path.
    pub path: PathBuf,
    /// The project's name.
    pub name: String,
    /// The language; a project for commands that run no program may have none.
    pub runtime: Option<Runtime>,
    /// The directory of the program, or a file in it, relative to the project file.
    pub main: Option<String>,
    /// The project's description of itself.
    pub description: Option<String>,
    /// The declared configuration, by the key as written.
    pub config: BTreeMap<String, ConfigDeclaration>,
    /// The directory of the stacks' files, relative to the project file.
    pub stack_config_dir: Option<String>,
    /// The backend of the project's stacks.
    pub backend_url: Option<String>,
    /// Whether every operation begins with a refresh.
    pub refresh_always: bool,
    /// The packages that `install` installs.
    pub packages: BTreeMap<String, PackageSpec>,
    /// Plugins used from given directories.
    pub plugins: Vec<PluginOverride>,
    required_version: Option<(String, Span)>,
}

/// The project file in a directory or in the nearest directory above it.
pub fn find(start: &Path) -> Result<PathBuf, Diagnostic> {
    for directory in start.ancestors() {
        for name in NAMES {
            let path = directory.join(name);
            if path.is_file() {
                return Ok(path);
            }
            if path.is_dir() {
                return Err(Diagnostic::error("project-unreadable", format!("`{}` is a directory", path.display()))
                    .detail("This is the name of a project file.")
                    .hint("Rename the directory, or name the project's directory with `--cwd`."));
            }
        }
    }
    let missing = Diagnostic::error("project-not-found", "there is no project here")
        .detail(format!("No `Pulumi.yaml` was found in {} or any directory above it.", start.display()));
    Err(match foreign(start) {
        Some(hint) => missing.hint(hint),
        None => missing.hint("Change to the directory of a Pulumi project, or name it with `--cwd`."),
    })
}

/// A hint for a project of another tool.
fn foreign(directory: &Path) -> Option<&'static str> {
    if directory.join("cdktf.json").is_file() {
        return Some(
            "Programs of CDK for Terraform cannot be run. `outrigger new` creates a YAML project; `outrigger package add terraform-provider \
             NAMESPACE/NAME` adds a Terraform provider to it.",
        );
    }
    if directory.join(".sc").is_dir() {
        return Some("Projects of Simple Container (`.sc`) are not supported yet.");
    }
    let names = directory.read_dir().ok()?.flatten().map(|entry| entry.file_name());
    let mut names = names.map(|name| name.to_string_lossy().into_owned());
    names.any(|name| name.ends_with(".tf") || name.ends_with(".tf.json")).then_some(
        "Terraform's configuration (`*.tf`) is not read. `outrigger new` creates a YAML project; `outrigger package add terraform-provider \
         NAMESPACE/NAME` adds a Terraform provider to it. `pulumi convert --from terraform --language yaml` translates the configuration.",
    )
}

impl Project {
    /// Reads the project file. `shown` is its path as the user would write it.
    pub fn load(path: &Path, shown: &str) -> Result<Self, Vec<Diagnostic>> {
        let bytes = std::fs::read(path).map_err(|problem| vec![unreadable(shown, &problem)])?;
        let document = Document::parse_bytes(shown, &bytes)?;
        Self::from_document(path, document)
    }

    /// Reads a parsed file.
    pub fn from_document(path: &Path, document: Document) -> Result<Self, Vec<Diagnostic>> {
        let mut reader = Reader::new(&document);
        let project = reader.root().and_then(|root| read(&mut reader, root, path));
        match (project, reader.finish()) {
            (Some(mut project), findings) if findings.is_empty() => {
                project.document = document;
                Ok(project)
            }
            (_, findings) => Err(findings),
        }
    }

    /// The directory of the project file.
    pub fn directory(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new(""))
    }

    /// The directory that the program runs in: the project's, or the one that `main` names. For a file, its directory counts.
    pub fn program_directory(&self) -> PathBuf {
        let Some(main) = &self.main else { return self.directory().to_owned() };
        let path = self.directory().join(main);
        match path.parent() {
            Some(parent) if path.is_file() => parent.to_owned(),
            _ => path,
        }
    }

    /// The command that produces the program, if it is not in a file.
    pub fn compiler(&self) -> Option<&Compiler> {
        self.runtime.as_ref()?.compiler.as_ref()
    }

    /// The file of a stack's configuration: beside the project file or in `stackConfigDir`, with the same extension.
    pub fn stack_file(&self, stack: &str) -> PathBuf {
        let extension = self.path.extension().map_or_else(|| "yaml".into(), |extension| extension.to_string_lossy());
        let name = format!("Pulumi.{stack}.{extension}");
        match &self.stack_config_dir {
            Some(directory) => self.directory().join(directory).join(name),
            None => self.directory().join(name),
        }
    }

    /// Checks that `requiredPulumiVersion` accepts the version of Pulumi that this build reproduces.
    pub fn check_version(&self) -> Result<(), Diagnostic> {
        let Some((text, span)) = &self.required_version else { return Ok(()) };
        let place = self.document.place(*span);
        let Some(range) = VersionRange::parse(text) else {
            return Err(Diagnostic::error("project-version-range", format!("`{text}` is not a range of versions"))
                .at(place)
                .hint("Write it like `>=3.0.0 <4.0.0` or `<3.4.0 || >3.8.0`."));
        };
        if range.accepts(&PULUMI_VERSION) {
            return Ok(());
        }
        Err(Diagnostic::error("project-version", format!("the project asks for Pulumi {text}"))
            .detail(format!("This build is compatible with Pulumi {PULUMI_VERSION}."))
            .at(place)
            .hint("Change `requiredPulumiVersion`, or use a build that is compatible with that version."))
    }
}

fn unreadable(shown: &str, problem: &io::Error) -> Diagnostic {
    Diagnostic::error("project-unreadable", format!("`{shown}` cannot be read"))
        .detail(problem.to_string())
        .hint("Check that the file exists and is readable.")
}

fn read<'a>(reader: &mut Reader<'a>, root: &'a Object, path: &Path) -> Option<Project> {
    let name = name(reader, root);
    let string = |reader: &mut Reader<'a>, key: &str| reader.optional_string(root, key).map(|(text, _)| text);
    for key in ["author", "website", "license"] {
        string(reader, key);
    }
    let mut stack_config_dir = string(reader, "stackConfigDir").filter(|directory| !directory.is_empty());
    let config_node = root.get("config");
    if let (Some(directory), Some(node)) = (config_node.and_then(|node| node.as_str()), config_node) {
        if root.entry("stackConfigDir").is_some() {
            reader.fail(
                "project-config-twice",
                "the directory of the stacks' files is given twice",
                node.span,
                "Keep `stackConfigDir` and remove the text of `config`.",
            );
        }
        stack_config_dir = Some(directory.to_owned());
    }
    let runtime = Runtime::read(reader, root);
    let description = string(reader, "description");
    let main = string(reader, "main").filter(|main| !main.is_empty());
    let backend_url = reader.optional_object(root, "backend").and_then(|backend| {
        reader.only_keys(backend, "backend", &["url"]);
        reader.string(backend, "url").map(|(url, _)| url)
    });
    let refresh_always = reader.optional_object(root, "options").is_some_and(|options| {
        reader.only_keys(options, "options", &["refresh"]);
        match reader.string(options, "refresh") {
            Some((value, span)) if value != "always" => {
                reader.fail(
                    "project-refresh",
                    "`refresh` can only be `always`",
                    span,
                    "Write `refresh: always`, or remove it.",
                );
                false
            }
            value => value.is_some(),
        }
    });
    template(reader, root);
    let packages = PackageSpec::read_all(reader, root);
    let plugins = PluginOverride::read_all(reader, root);
    let required_version = reader.optional_string(root, "requiredPulumiVersion").filter(|(text, _)| !text.is_empty());
    let name = name?;
    let config = ConfigDeclaration::read_all(reader, root, &name);
    Some(Project {
        document: reader.document().clone(),
        path: path.to_owned(),
        name,
        runtime,
        main,
        description,
        config,
        stack_config_dir,
        backend_url,
        refresh_always,
        packages,
        plugins,
        required_version,
    })
}

fn name(reader: &mut Reader<'_>, root: &Object) -> Option<String> {
    let Some(node) = root.get("name") else {
        let near = closest("name", root.iter().map(|entry| &*entry.key.text)).and_then(|key| root.entry(key));
        match near {
            Some(entry) => {
                let hint = format!("Rename `{}` to `name`.", entry.key.text);
                reader.fail("project-no-name", "the project has no `name`", entry.key.span, &hint);
            }
            None => {
                reader.fail("project-no-name", "the project has no `name`", Span::default(), "Add `name: my-project`.");
            }
        }
        return None;
    };
    match node.as_str() {
        Some(name) if name.chars().any(|letter| !letter.is_ascii_alphanumeric() && !"_.-".contains(letter)) => {
            let hint = "Choose a name of letters, digits, `_`, `.` and `-`.";
            reader.fail("project-name", &format!("`{name}` cannot be the name of a project"), node.span, hint);
            None
        }
        Some(name) if !name.is_empty() => Some(name.to_owned()),
        _ => {
            reader.fail("project-name", "`name` must be a non-empty string", node.span, "Put the name in quotes.");
            None
        }
    }
}

/// `template` has no effect at run time, but the peer refuses an invalid one.
fn template<'a>(reader: &mut Reader<'a>, root: &'a Object) {
    let known = ["displayName", "description", "quickstart", "important", "metadata", "config"];
    if let Some(template) = reader.optional_object(root, "template") {
        reader.only_keys(template, "template", &known);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Item;

    fn read(text: &str) -> Result<Project, Vec<Diagnostic>> {
        let document = Document::parse("Pulumi.yaml", text)?;
        Project::from_document(Path::new("/p/Pulumi.yaml"), document)
    }

    fn refused(text: &str) -> String {
        let one = |one: &Diagnostic| {
            assert!(!one.hints.is_empty() && one.place.is_some(), "{one}");
            format!("{} {}", one.code, one.place.as_ref().unwrap())
        };
        read(text).unwrap_err().iter().map(one).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn a_whole_project() {
        let project = read(
            "name: demo\nruntime: {name: yaml, options: {binary: ./x, deep: {a: 1}}}\nmain: infra\ndescription: ~\n\
             config:\n  size: 3\n  aws:region: eu\n  tags: {type: array, items: {type: string}, default: [a]}\n  need: {type: string, secret: true}\n\
             stackConfigDir: stacks\nbackend: {url: file:///s}\noptions: {refresh: always}\n\
             packages: {random: terraform-provider@1.0, tls: {source: tls, parameters: [a]}}\n\
             plugins: {providers: [{name: x, path: ./x}]}\nanything: else\nresources: {}\n",
        )
        .unwrap();
        assert_eq!(project.name, "demo");
        let runtime = project.runtime.as_ref().unwrap();
        assert_eq!(runtime.options, [("binary".into(), "./x".into()), ("deep".into(), "{\"a\":1}".into())]);
        assert_eq!(project.program_directory(), Path::new("/p/infra"));
        assert_eq!(project.stack_file("dev"), Path::new("/p/stacks/Pulumi.dev.yaml"));
        assert_eq!(project.backend_url.as_deref(), Some("file:///s"));
        assert!(project.refresh_always);
        assert_eq!(project.packages["random"].version.as_deref(), Some("1.0"));
        assert_eq!(project.packages["tls"].parameters, ["a"]);
        assert_eq!(project.plugins[0].path, "./x");
        assert_eq!(project.config["size"].given.as_ref().unwrap().item, Item::Int(3));
        assert_eq!(project.config["tags"].ty.as_ref().unwrap().to_string(), "array<string>");
        assert!(project.config["need"].given.is_none() && project.config["need"].secret);
    }

    #[test]
    fn what_is_refused() {
        for (text, found) in [
            ("runtime: yaml\n", "project-no-name Pulumi.yaml:1:1"),
            ("Name: x\n", "project-no-name Pulumi.yaml:1:1"),
            ("name: 5\n", "project-name Pulumi.yaml:1:7"),
            ("name: ../../etc/passwd\n", "project-name Pulumi.yaml:1:7"),
            ("- a\n", "project-not-object Pulumi.yaml:1:1"),
            ("name: a\nruntime: {nmae: x}\n", "project-unknown-key Pulumi.yaml:2:11"),
            ("name: a\nruntime: [x]\n", "project-wrong-kind Pulumi.yaml:2:10"),
            ("name: a\nruntime: {name: yaml, options: {compiler: [x]}}\n", "project-wrong-kind Pulumi.yaml:2:43"),
            ("name: a\nruntime: {name: yaml, options: {compiler: \"'x\"}}\n", "project-compiler Pulumi.yaml:2:43"),
            ("name: a\nruntime: {name: yaml, options: {compiler: ''}}\n", "project-compiler Pulumi.yaml:2:43"),
            ("name: a\nbackend: {uri: x}\n", "project-unknown-key Pulumi.yaml:2:11"),
            ("name: a\noptions: {refresh: never}\n", "project-refresh Pulumi.yaml:2:20"),
            ("name: a\nconfig: dir\nstackConfigDir: x\n", "project-config-twice Pulumi.yaml:2:9"),
            ("name: a\nconfig: {b: 1.5}\n", "project-wrong-kind Pulumi.yaml:2:13"),
            ("name: a\nconfig: {b: {type: number}}\n", "project-config-type Pulumi.yaml:2:20"),
            ("name: a\nconfig: {b: {type: array}}\n", "project-config-items Pulumi.yaml:2:20"),
            ("name: a\nconfig: {b: {name: x}}\n", "project-unknown-key Pulumi.yaml:2:14"),
            ("name: a\nconfig: {b: {default: 1, value: 2}}\n", "project-config-default-and-value Pulumi.yaml:2:10"),
            ("name: a\nconfig: {b: {type: integer, default: x}}\n", "project-config-default Pulumi.yaml:2:38"),
            ("name: a\nconfig: {aws:r: {type: string, value: x}}\n", "project-config-foreign Pulumi.yaml:2:18"),
            ("name: a\nconfig: {aws:r: {default: x}}\n", "project-config-foreign Pulumi.yaml:2:27"),
            ("name: a\nconfig: {aws:r: {secret: true}}\n", "project-config-foreign Pulumi.yaml:2:10"),
            ("name: a\npackages: {x: {version: 1}}\n", "project-package Pulumi.yaml:2:15"),
            ("name: a\nplugins: {providers: [{name: x}]}\n", "project-plugin Pulumi.yaml:2:23"),
        ] {
            assert_eq!(refused(text), found, "{text}");
        }
    }

    #[test]
    fn required_versions() {
        let version = |text: &str| {
            let project = read(&format!("name: a\nrequiredPulumiVersion: \"{text}\"\n")).unwrap();
            project.check_version().map_err(|problem| problem.code)
        };
        assert_eq!(version(">=3.0.0"), Ok(()));
        assert_eq!(version(">= 3.0.0"), Ok(()));
        assert_eq!(version(">=4.0.0"), Err("project-version"));
        assert_eq!(version("soon"), Err("project-version-range"));
    }

    #[test]
    fn files() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path();
        std::fs::create_dir_all(root.join("a/b")).unwrap();
        assert_eq!(find(&root.join("a/b")).unwrap_err().code, "project-not-found");
        std::fs::write(root.join("Pulumi.yml"), "name: x\nruntime: yaml\nmain: a\n").unwrap();
        assert_eq!(find(&root.join("a/b")).unwrap(), root.join("Pulumi.yml"));
        std::fs::write(root.join("Pulumi.json"), "{\"name\": \"x\", \"main\": \"a/Main.yaml\"}").unwrap();
        let path = find(&root.join("a/b")).unwrap();
        assert_eq!(path, root.join("Pulumi.json"));
        let project = Project::load(&path, "Pulumi.json").unwrap();
        assert_eq!(project.stack_file("s"), root.join("Pulumi.s.json"));
        assert_eq!(Project::load(&root.join("no"), "no").unwrap_err()[0].code, "project-unreadable");
    }
}
