//! The projects that `outrigger new` makes, compiled in.

/// A project to begin with.
#[derive(Debug)]
pub(crate) struct Template {
    /// What it is called.
    pub(crate) name: &'static str,
    /// What it is, in a few words.
    pub(crate) about: &'static str,
    /// Its files: where they go in the project, and their texts.
    pub(crate) files: &'static [(&'static str, &'static str)],
}

/// All of them.
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
    /// The files of a project of that name. The places for them look as in Pulumi's templates.
    pub(crate) fn render(&self, project: &str, description: &str) -> Vec<(&'static str, String)> {
        // As text in double quotes, whatever is in it.
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
