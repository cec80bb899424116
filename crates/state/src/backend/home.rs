//! Pulumi's home directory: the backend in use, and the stack selected in each project.

use std::io;
use std::sync::Arc;

use outrigger_diagnostic::Diagnostic;
use serde_json::{Map, Value as Json, json};
use sha1::{Digest as _, Sha1};

use crate::backend::stack_name::StackName;
use crate::checkpoint::json::indented;
use crate::failure::io_failure;
use crate::store::disk::Disk;
use crate::store::files::replace;

const CREDENTIALS: &str = "credentials.json";

/// `$PULUMI_HOME`, by default `~/.pulumi`; the caller knows the path.
#[derive(Clone)]
pub struct Home {
    disk: Arc<dyn Disk>,
}

impl Home {
    /// The home in this directory.
    pub fn new(disk: Arc<dyn Disk>) -> Self {
        Self { disk }
    }

    /// The URL of the backend that the user is logged in to.
    pub fn current_backend(&self) -> Result<Option<String>, Diagnostic> {
        let credentials = self.object(CREDENTIALS)?;
        Ok(credentials.get("current").and_then(Json::as_str).filter(|url| !url.is_empty()).map(str::to_owned))
    }

    /// Makes a backend the current one. The rest of the file is kept.
    pub fn login(&self, url: &str) -> Result<(), Diagnostic> {
        let mut credentials = self.object(CREDENTIALS)?;
        credentials.insert("current".to_owned(), json!(url));
        for (map, value) in
            [("accessTokens", json!("")), ("accounts", json!({"lastValidatedAt": "0001-01-01T00:00:00Z"}))]
        {
            edit(&mut credentials, map, |map| {
                map.entry(url).or_insert(value);
            });
        }
        self.write(CREDENTIALS, &credentials)
    }

    /// Logs out of a backend, by default the current one, and returns its URL.
    pub fn logout(&self, url: Option<&str>) -> Result<Option<String>, Diagnostic> {
        let mut credentials = self.object(CREDENTIALS)?;
        let current = credentials.get("current").and_then(Json::as_str).map(str::to_owned);
        let Some(url) = url.map(str::to_owned).or_else(|| current.clone()) else { return Ok(None) };
        if current.as_deref() == Some(url.as_str()) {
            credentials.remove("current");
        }
        for map in ["accessTokens", "accounts"] {
            edit(&mut credentials, map, |map| {
                map.remove(&url);
            });
        }
        if credentials.get("accessTokens").and_then(Json::as_object).is_none_or(Map::is_empty) {
            // As Pulumi does: with no accounts left, the file is removed.
            self.disk.remove(CREDENTIALS).map_err(|error| self.failure("write", CREDENTIALS, &error))?;
        } else {
            self.write(CREDENTIALS, &credentials)?;
        }
        Ok(Some(url))
    }

    /// Forgets every backend.
    pub fn logout_all(&self) -> Result<(), Diagnostic> {
        self.disk.remove(CREDENTIALS).map(drop).map_err(|error| self.failure("write", CREDENTIALS, &error))
    }

    /// The stack selected for a project. `project_file` is the absolute path of its `Pulumi.yaml`.
    pub fn selected_stack(&self, project: &str, project_file: &str) -> Result<Option<StackName>, Diagnostic> {
        let settings = self.object(&workspace_path(project, project_file))?;
        match settings.get("stack").and_then(Json::as_str).filter(|name| !name.is_empty()) {
            Some(name) => StackName::parse(name, Some(project)).map(Some),
            None => Ok(None),
        }
    }

    /// Selects a stack for a project, or none.
    pub fn select_stack(&self, project: &str, project_file: &str, stack: Option<&StackName>) -> Result<(), Diagnostic> {
        let path = workspace_path(project, project_file);
        let mut settings = self.object(&path)?;
        match stack {
            Some(stack) => settings.insert("stack".to_owned(), json!(stack.qualified())),
            None => settings.remove("stack"),
        };
        if settings.is_empty() {
            self.disk.remove(&path).map_err(|error| self.failure("write", &path, &error))?;
            return Ok(());
        }
        self.write(&path, &settings)
    }

    fn object(&self, path: &str) -> Result<Map<String, Json>, Diagnostic> {
        let Some(bytes) = self.disk.read(path).map_err(|error| self.failure("read", path, &error))? else {
            return Ok(Map::new());
        };
        match serde_json::from_slice(&bytes) {
            Ok(Json::Object(map)) => Ok(map),
            _ => Err(Diagnostic::error("settings-unreadable", "a Pulumi settings file cannot be read")
                .detail(format!("{} is not a JSON object.", self.disk.show(path)))
                .hint("Correct it, or remove it and log in or select the stack again.")),
        }
    }

    fn write(&self, path: &str, map: &Map<String, Json>) -> Result<(), Diagnostic> {
        let text = indented(&Json::Object(map.clone()).to_string());
        let written = replace(self.disk.as_ref(), &[(path, text.trim_end().as_bytes())]).map(drop);
        written.map_err(|error| self.failure("write", path, &error))
    }

    fn failure(&self, verb: &str, path: &str, error: &io::Error) -> Diagnostic {
        io_failure(&self.disk.show(path), &format!("{verb} a Pulumi settings file"), error)
    }
}

/// Edits an object inside another object, and creates it if it is missing or not an object.
fn edit(map: &mut Map<String, Json>, key: &str, change: impl FnOnce(&mut Map<String, Json>)) {
    let mut inner = match map.remove(key) {
        Some(Json::Object(inner)) => inner,
        _ => Map::new(),
    };
    change(&mut inner);
    map.insert(key.to_owned(), Json::Object(inner));
}

fn workspace_path(project: &str, project_file: &str) -> String {
    format!("workspaces/{project}-{}-workspace.json", hex::encode(Sha1::digest(project_file.as_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::memory::MemoryDisk;

    #[test]
    fn login_keeps_what_others_wrote() {
        let disk = MemoryDisk::new();
        let home = Home::new(Arc::new(disk.clone()));
        assert_eq!(home.current_backend().unwrap(), None);
        disk.put(
            CREDENTIALS,
            br#"{"current":"https://api.pulumi.com","accessTokens":{"https://api.pulumi.com":"t"},"more":1}"#,
        );
        home.login("file:///state").unwrap();
        assert_eq!(home.current_backend().unwrap().as_deref(), Some("file:///state"));
        let json: Json = serde_json::from_slice(&disk.read(CREDENTIALS).unwrap().unwrap()).unwrap();
        assert_eq!((&json["more"], &json["accessTokens"]["https://api.pulumi.com"]), (&json!(1), &json!("t")));
        assert_eq!(home.logout(None).unwrap().as_deref(), Some("file:///state"));
        assert_eq!(home.current_backend().unwrap(), None);
        home.logout(Some("https://api.pulumi.com")).unwrap();
        assert!(disk.paths().is_empty());
    }

    #[test]
    fn the_selected_stack_is_where_pulumi_looks() {
        let disk = MemoryDisk::new();
        let home = Home::new(Arc::new(disk.clone()));
        let stack = StackName::new("shop", "dev").unwrap();
        home.select_stack("shop", "/tmp/pw/proj/Pulumi.yaml", Some(&stack)).unwrap();
        // Seen with pulumi 3.250.0 in /tmp/pw/proj.
        let path = "workspaces/shop-8e6c0d4da35e68a66cde9539b98c32970ff04761-workspace.json";
        assert_eq!(disk.read(path).unwrap().unwrap(), b"{\n    \"stack\": \"organization/shop/dev\"\n}");
        assert_eq!(home.selected_stack("shop", "/tmp/pw/proj/Pulumi.yaml").unwrap(), Some(stack));
        home.select_stack("shop", "/tmp/pw/proj/Pulumi.yaml", None).unwrap();
        assert!(disk.paths().is_empty());
    }
}
