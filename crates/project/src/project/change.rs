//! Edits the project file without changing anything else in it.

use std::collections::BTreeMap;

use outrigger_diagnostic::Diagnostic;
use outrigger_syntax::{Document, Object};

use super::{PackageSpec, Project};
use crate::config::{Item, Step};
use crate::stack_config::{Editor, Form};

const PACKAGES: &str = "packages";

impl Project {
    /// The project file's text with a package added, replacing one of the same name.
    pub fn with_package(&self, name: &str, spec: &PackageSpec) -> Result<String, Diagnostic> {
        let text: &str = self.document.source();
        let way = [Step::Key(PACKAGES.to_owned()), Step::Key(name.to_owned())];
        let attempts = if self.written_short(name, spec) {
            let source = match &spec.version {
                Some(version) => format!("{}@{version}", spec.source),
                None => spec.source.clone(),
            };
            vec![self.edited(text, &way, &Item::String(source))]
        } else {
            let removed = match self.packages.contains_key(name) {
                true => self.editing(text, |editor| editor.remove(&way)),
                false => Some(text.to_owned()),
            };
            // One setting after the other, in Pulumi's order; a map written at once would be sorted.
            let in_order = parts(spec).into_iter().try_fold(removed, |text, (key, item)| {
                let way = [way[0].clone(), way[1].clone(), Step::Key(key.to_owned())];
                text.map(|text| self.edited(&text, &way, &item))
            });
            let map = parts(spec).into_iter().map(|(key, item)| (key.to_owned(), item)).collect();
            vec![in_order.flatten(), self.edited(text, &way, &Item::Map(map))]
        };
        attempts.into_iter().flatten().find(|text| self.gains(text, name, spec)).ok_or_else(|| {
            let file = self.document.file();
            Diagnostic::error("project-edit", format!("`{file}` cannot be edited automatically"))
                .detail(format!("The file is written in an unusual way, so no small edit adds the package `{name}`."))
                .hint("Add it below `packages:` in an editor.")
        })
    }

    /// Pulumi's rule: `SOURCE@VERSION` if that is enough, unless the other packages, or this one before, have the long form.
    fn written_short(&self, name: &str, spec: &PackageSpec) -> bool {
        if !spec.parameters.is_empty() || spec.download_url.is_some() || !spec.checksums.is_empty() {
            return false;
        }
        let root = self.document.root.as_object();
        let packages = root.and_then(|root| root.get(PACKAGES)?.as_object());
        let long = |entry: &outrigger_syntax::Entry| entry.value.as_object().is_some();
        let mut entries = packages.into_iter().flat_map(Object::iter).peekable();
        let any = entries.peek().is_some();
        let (mut all_long, mut was_long) = (true, false);
        for entry in entries {
            all_long &= long(entry);
            was_long |= &*entry.key.text == name && long(entry);
        }
        !(was_long || (any && all_long))
    }

    fn edited(&self, text: &str, way: &[Step], item: &Item) -> Option<String> {
        let tree = way.iter().rev().fold(item.clone(), |tree, step| match step {
            Step::Key(key) => Item::Map([(key.clone(), tree)].into()),
            Step::Index(_) => tree,
        });
        self.editing(text, |editor| editor.set(way, &tree, false))
    }

    fn editing(&self, text: &str, edit: impl FnOnce(&Editor<'_>) -> Option<String>) -> Option<String> {
        let file = self.document.file();
        let form = if file.ends_with(".json") { Form::Json } else { Form::Block };
        let document = Document::parse_bytes(&**file, text.as_bytes()).ok()?;
        edit(&Editor::new(&document, form))
    }

    /// Whether the new text, parsed again, has the package and is otherwise unchanged.
    fn gains(&self, text: &str, name: &str, spec: &PackageSpec) -> bool {
        let Ok(document) = Document::parse_bytes(&**self.document.file(), text.as_bytes()) else { return false };
        let same_elsewhere = others(&document) == others(&self.document);
        let Ok(read) = Project::from_document(&self.path, document) else { return false };
        let bare = |(name, spec): (&String, &PackageSpec)| {
            (name.clone(), PackageSpec { span: Default::default(), ..spec.clone() })
        };
        let mut expected: BTreeMap<_, _> = self.packages.iter().map(bare).collect();
        expected.extend([bare((&name.to_owned(), spec))]);
        same_elsewhere && read.packages.iter().map(bare).collect::<BTreeMap<_, _>>() == expected
    }
}

/// The settings of the long form.
fn parts(spec: &PackageSpec) -> Vec<(&'static str, Item)> {
    let text = |text: &String| Item::String(text.clone());
    let mut parts = vec![("source", text(&spec.source))];
    parts.extend(spec.version.as_ref().map(|version| ("version", text(version))));
    if !spec.parameters.is_empty() {
        parts.push(("parameters", Item::List(spec.parameters.iter().map(text).collect())));
    }
    if !spec.checksums.is_empty() {
        let checksums = spec.checksums.iter().map(|(platform, digest)| (platform.clone(), text(digest)));
        parts.push(("checksums", Item::Map(checksums.collect())));
    }
    parts.extend(spec.download_url.as_ref().map(|url| ("pluginDownloadURL", text(url))));
    parts
}

/// Everything in the file except the packages.
fn others(document: &Document) -> BTreeMap<String, Item> {
    let entries = document.root.as_object().into_iter().flat_map(Object::iter);
    entries
        .filter(|entry| &*entry.key.text != PACKAGES)
        .map(|entry| (entry.key.text.to_string(), Item::from_node(document, &entry.value)))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn added(text: &str, name: &str, source: &str, version: &str, parameters: &[&str]) -> String {
        let document = Document::parse_bytes("Pulumi.yaml", text.as_bytes()).unwrap();
        let project = Project::from_document(Path::new("/p/Pulumi.yaml"), document).unwrap();
        let parameters = parameters.iter().map(ToString::to_string).collect();
        project.with_package(name, &PackageSpec::of(source.to_owned(), Some(version.to_owned()), parameters)).unwrap()
    }

    const PROJECT: &str = "# mine\nname: p   # the name\nruntime: yaml\n\n# nothing yet\nresources: {}\n";

    #[test]
    fn comments_and_layout_stay() {
        let short = added(PROJECT, "simple", "simple", "2.0.0", &[]);
        assert_eq!(short, format!("{PROJECT}packages:\n  simple: simple@2.0.0\n"));
        let long = added(
            &short,
            "random",
            "terraform-provider",
            "1.0.0-x",
            &["./terraform-provider-random", "--include", "a"],
        );
        assert_eq!(
            long,
            format!(
                "{short}  random:\n    source: terraform-provider\n    version: 1.0.0-x\n    parameters:\n      - ./terraform-provider-random\n      - \"--include\"\n      - a\n"
            )
        );
    }

    #[test]
    fn a_package_is_replaced() {
        let one = added(PROJECT, "a", "base", "1.0.0", &["x"]);
        let two = added(&one, "a", "base", "2.0.0-x", &["y", "z"]);
        assert!(two.starts_with(PROJECT) && two.contains("2.0.0-x") && !two.contains("1.0.0"), "{two}");
        // The long form stays the long form.
        let three = added(&two, "a", "base", "3.0.0-x", &[]);
        assert!(three.ends_with("packages:\n  a:\n    source: base\n    version: 3.0.0-x\n"), "{three}");
        let four = added(&three, "b", "b", "1.0.0-x", &[]);
        assert!(four.ends_with("  b:\n    source: b\n    version: 1.0.0-x\n"), "{four}");
    }

    #[test]
    fn other_ways_to_write_it_are_kept() {
        let flow = "name: p\nruntime: yaml\npackages: {a: a@1.0.0} # one\n";
        let text = added(flow, "b", "b", "2.0.0", &[]);
        assert_eq!(text, "name: p\nruntime: yaml\npackages: {a: a@1.0.0, b: b@2.0.0} # one\n");
    }
}
