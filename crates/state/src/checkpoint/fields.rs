//! The fields of a stored entry, read so that an error names the resource and the field.

use outrigger_diagnostic::Diagnostic;
use outrigger_secrets::Crypter;
use outrigger_value::{CustomTimeouts, PathStep, PropertyDependencies, PropertyMap, PropertyPath, Urn};
use serde_json::{Map, Value as Json};

use crate::checkpoint::property::{ReadError, read_map};

pub(crate) fn malformed(name: &str, field: &str, reason: &str) -> Diagnostic {
    Diagnostic::error("state-malformed", format!("`{field}` of resource {name} in the state cannot be read"))
        .detail(format!("In the stored entry, {reason}."))
        .hint("Restore the state from `.pulumi/backups`, or import a good export with `outrigger stack import`.")
}

/// The fields of an entry, taken out one by one; those left over are unknown.
pub(crate) struct Fields {
    pub(crate) name: String,
    pub(crate) fields: Map<String, Json>,
}

impl Fields {
    pub(crate) fn wrong(&self, field: &str, reason: &str) -> Diagnostic {
        malformed(&self.name, field, reason)
    }

    pub(crate) fn unreadable(&self, field: &str, error: ReadError) -> Diagnostic {
        match error {
            ReadError::Malformed(reason) => self.wrong(field, &reason),
            ReadError::Secret(diagnostic) => {
                diagnostic.note(format!("This was in `{field}` of resource {} in the state.", self.name))
            }
        }
    }

    /// The field; null counts as absent.
    pub(crate) fn take(&mut self, field: &str) -> Option<Json> {
        self.fields.remove(field).filter(|value| !value.is_null())
    }

    pub(crate) fn text(&mut self, field: &str) -> Result<Option<String>, Diagnostic> {
        match self.take(field) {
            None => Ok(None),
            Some(Json::String(text)) => Ok(Some(text).filter(|text| !text.is_empty())),
            Some(_) => Err(self.wrong(field, "it is not a string")),
        }
    }

    pub(crate) fn flag(&mut self, field: &str) -> Result<bool, Diagnostic> {
        match self.take(field) {
            None => Ok(false),
            Some(Json::Bool(value)) => Ok(value),
            Some(_) => Err(self.wrong(field, "it is neither true nor false")),
        }
    }

    pub(crate) fn texts(&mut self, field: &str) -> Result<Vec<String>, Diagnostic> {
        let value = self.take(field);
        self.as_texts(field, value)
    }

    fn as_texts(&self, field: &str, value: Option<Json>) -> Result<Vec<String>, Diagnostic> {
        let items = match value {
            None | Some(Json::Null) => return Ok(Vec::new()),
            Some(Json::Array(items)) => items,
            Some(_) => return Err(self.wrong(field, "it is not a list")),
        };
        let texts = items.into_iter().map(|item| match item {
            Json::String(text) => Ok(text),
            _ => Err(self.wrong(field, "an element is not a string")),
        });
        texts.collect()
    }

    pub(crate) fn urn(&mut self, field: &str) -> Result<Option<Urn>, Diagnostic> {
        match self.text(field)? {
            Some(text) => text.parse().map(Some).map_err(|_| self.wrong(field, "it is not a URN")),
            None => Ok(None),
        }
    }

    fn as_urns(&self, field: &str, texts: Vec<String>) -> Result<Vec<Urn>, Diagnostic> {
        let urns = texts.iter().map(|text| text.parse().map_err(|_| self.wrong(field, "an element is not a URN")));
        urns.collect()
    }

    pub(crate) fn urns(&mut self, field: &str) -> Result<Vec<Urn>, Diagnostic> {
        let texts = self.texts(field)?;
        self.as_urns(field, texts)
    }

    pub(crate) fn properties(&mut self, field: &str, crypter: &dyn Crypter) -> Result<PropertyMap, Diagnostic> {
        match self.take(field) {
            None => Ok(PropertyMap::new()),
            Some(Json::Object(map)) => read_map(map, Some(crypter)).map_err(|error| self.unreadable(field, error)),
            Some(_) => Err(self.wrong(field, "it is not an object")),
        }
    }

    pub(crate) fn property_dependencies(&mut self) -> Result<PropertyDependencies, Diagnostic> {
        const FIELD: &str = "propertyDependencies";
        let map = match self.take(FIELD) {
            None => return Ok(PropertyDependencies::new()),
            Some(Json::Object(map)) => map,
            Some(_) => return Err(self.wrong(FIELD, "it is not an object")),
        };
        let lists = map.into_iter().map(|(key, value)| {
            let texts = self.as_texts(FIELD, Some(value))?;
            Ok((key, self.as_urns(FIELD, texts)?))
        });
        lists.collect()
    }

    pub(crate) fn timeouts(&mut self) -> Result<CustomTimeouts, Diagnostic> {
        const FIELD: &str = "customTimeouts";
        let mut timeouts = CustomTimeouts::default();
        let map = match self.take(FIELD) {
            None => return Ok(timeouts),
            Some(Json::Object(map)) => map,
            Some(_) => return Err(self.wrong(FIELD, "it is not an object")),
        };
        for (key, value) in map {
            let seconds = value.as_f64().ok_or_else(|| self.wrong(FIELD, "a limit is not a number of seconds"))?;
            match key.as_str() {
                "create" => timeouts.create = seconds,
                "update" => timeouts.update = seconds,
                "delete" => timeouts.delete = seconds,
                "read" => timeouts.read = seconds,
                _ => return Err(self.wrong(FIELD, "it has a limit that this build does not know")),
            }
        }
        Ok(timeouts)
    }

    pub(crate) fn hidden(&mut self) -> Result<Vec<String>, Diagnostic> {
        const FIELD: &str = "hideDiff";
        let paths = match self.take(FIELD) {
            None => return Ok(Vec::new()),
            Some(Json::Array(paths)) => paths,
            Some(_) => return Err(self.wrong(FIELD, "it is not a list")),
        };
        let paths = paths.into_iter().map(|path| match path {
            Json::String(text) => Ok(text),
            Json::Array(steps) => {
                let steps = steps.into_iter().map(|step| match step {
                    Json::String(key) if key == "*" => Ok(PathStep::Wildcard),
                    Json::String(key) => Ok(PathStep::Key(key)),
                    Json::Number(number) => number
                        .as_u64()
                        .and_then(|index| usize::try_from(index).ok())
                        .map(PathStep::Index)
                        .ok_or_else(|| self.wrong(FIELD, "an index is not a whole number")),
                    _ => Err(self.wrong(FIELD, "a step is neither a name nor an index")),
                });
                Ok(PropertyPath(steps.collect::<Result<_, Diagnostic>>()?).to_string())
            }
            _ => Err(self.wrong(FIELD, "a path is not a list of steps")),
        });
        paths.collect()
    }
}
