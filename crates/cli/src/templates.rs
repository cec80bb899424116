//! The projects that `outrigger new` creates, compiled in.

/// A project to begin with.
#[derive(Debug)]
pub(crate) struct Template {
    /// Its name.
    pub(crate) name: &'static str,
    /// A short description.
    pub(crate) about: &'static str,
    /// Its files: their paths in the project, and their contents.
    pub(crate) files: &'static [(&'static str, &'static str)],
}

/// All templates.
pub(crate) const TEMPLATES: [Template; 3] = [
    Template {
        name: "yaml",
        about: "An empty YAML program",
        files: &[("Pulumi.yaml", include_str!("../templates/yaml/Pulumi.yaml"))],
    },
    Template {
        name: "random",
        about: "A name and a password from the provider `random`",
        files: &[("Pulumi.yaml", include_str!("../templates/random/Pulumi.yaml"))],
    },
    Template {
        name: "kit",
        about: "A file and a command, with nothing to install",
        files: &[("Pulumi.yaml", include_str!("../templates/kit/Pulumi.yaml"))],
    },
];

impl Template {
    /// The files of a project of that name. The placeholders look as in Pulumi's templates.
    pub(crate) fn render(&self, project: &str, description: &str) -> Vec<(&'static str, String)> {
        // As a string in double quotes, whatever it contains.
        let description = serde_json::Value::from(description).to_string();
        let filled = |text: &str| text.replace("${PROJECT}", project).replace("${DESCRIPTION}", &description);
        self.files.iter().map(|(path, text)| (*path, filled(text))).collect()
    }
}

#[cfg(test)]
mod tests {
    use outrigger_project::Project;

    use super::*;

    #[test]
    fn every_template_is_a_project() {
        for template in &TEMPLATES {
            let directory = tempfile::tempdir().unwrap();
            for (path, text) in template.render("shop", "it's \"mine\": yes") {
                assert!(!text.contains("${PROJECT}") && !text.contains("${DESCRIPTION}"));
                std::fs::write(directory.path().join(path), text).unwrap();
            }
            let project = Project::load(&directory.path().join("Pulumi.yaml"), "Pulumi.yaml").unwrap();
            assert_eq!(project.name, "shop", "{}", template.name);
            outrigger_yaml::check_project(&project).unwrap();
        }
    }
}
