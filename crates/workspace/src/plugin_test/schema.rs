//! The check of a schema: whatever it names has to be there.

use std::fmt::Display;

use outrigger_provider::tolerant;
use outrigger_schema::Package;
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value as Json};

use super::{Reason, Verdict};

/// How many mistakes are shown.
const SHOWN: usize = 20;

/// Types that are written as a word.
const WORDS: [&str; 6] = ["string", "number", "integer", "boolean", "array", "object"];

/// The definitions of Pulumi's own document.
const OWN: [&str; 4] = ["Archive", "Asset", "Any", "Json"];

/// Keys that hold strings and values, not types.
const VALUES: [&str; 7] =
    ["aliases", "const", "default", "defaultInfo", "deprecationMessage", "description", "language"];

/// Reads a schema and looks for mistakes in it. Fails if it cannot be read at all.
pub(super) fn check(bytes: Vec<u8>, name: &str, version: &str) -> Result<(Package, Verdict), String> {
    let package = Package::parse(bytes).map_err(|error| error.to_string())?;
    let json: Json = serde_json::from_str(package.text()).map_err(|error| error.to_string())?;
    let mut look = Look { package: &package, json: &json, mistakes: Vec::new() };
    if package.name() != name {
        look.mistake("name", format!("is `{}`, but the plugin is `{name}`", package.name()));
    }
    let same = || tolerant(package.version()).is_some_and(|own| tolerant(version).as_ref() == Some(&own));
    if !package.version().is_empty() && !version.is_empty() && !same() {
        look.mistake("version", format!("is `{}`, but GetPluginInfo answers `{version}`", package.version()));
    }
    look.entries();
    let mistakes = look.mistakes;
    let verdict = if mistakes.is_empty() {
        Verdict::Passed
    } else {
        let mut answer: Vec<String> = mistakes.iter().take(SHOWN).cloned().collect();
        if mistakes.len() > SHOWN {
            answer.push(format!("and {} more", mistakes.len() - SHOWN));
        }
        let hint = "Correct the schema: hosts and generators of SDKs look these names up.";
        Verdict::Failed(Reason::new("GetSchema", answer.join("\n"), hint))
    };
    Ok((package, verdict))
}

struct Look<'a> {
    package: &'a Package,
    json: &'a Json,
    mistakes: Vec<String>,
}

impl Look<'_> {
    fn mistake(&mut self, at: impl Display, what: impl Display) {
        self.mistakes.push(format!("{at}: {what}"));
    }

    /// Everything below the package: decoded as hosts do it, and name by name.
    fn entries(&mut self) {
        let package = self.package;
        for token in package.resource_tokens() {
            self.decoded(package.resource(token).err());
        }
        for token in package.function_tokens() {
            self.decoded(package.function(token).err());
        }
        for token in package.type_tokens() {
            self.decoded(package.ty(token).err());
        }
        self.decoded(package.resource(&format!("pulumi:providers:{}", package.name())).err());
        self.decoded(package.config().err());
        let json = self.json;
        for section in ["provider", "config"] {
            if let Some(entry) = json.get(section).and_then(Json::as_object) {
                self.object(section, entry);
            }
        }
        for section in ["resources", "functions", "types"] {
            for (token, entry) in json.get(section).and_then(Json::as_object).into_iter().flatten() {
                if let Some(entry) = entry.as_object() {
                    self.object(&format!("{section}.{token}"), entry);
                }
            }
        }
    }

    fn decoded(&mut self, error: Option<impl Display>) {
        self.mistakes.extend(error.map(|error| error.to_string()));
    }

    /// An entry, a property, a type: its lists of names, its references, and its members.
    fn object(&mut self, at: &str, object: &Map<String, Json>) {
        let names =
            |list: &str| object.get(list).and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str);
        let inputs = object.get("inputs").unwrap_or(&Json::Null);
        for (list, holder, properties) in [
            ("required", "properties", object.get("properties")),
            ("requiredInputs", "inputProperties", object.get("inputProperties")),
            ("multiArgumentInputs", "inputs.properties", inputs.get("properties")),
        ] {
            for name in names(list).filter(|name| properties.and_then(|properties| properties.get(name)).is_none()) {
                self.mistake(format!("{at}.{list}"), format!("`{name}` is not among the {holder}"));
            }
        }
        for (name, token) in object.get("methods").and_then(Json::as_object).into_iter().flatten() {
            let known = |token: &&str| self.package.function_tokens().any(|function| function == *token);
            if token.as_str().filter(known).is_none() {
                self.mistake(format!("{at}.methods.{name}"), format!("there is no function {token}"));
            }
        }
        match (object.get("$ref").and_then(Json::as_str), object.get("type").and_then(Json::as_str)) {
            (Some(reference), _) if !self.resolves(reference) => {
                self.mistake(at, format!("`{reference}` is not in the schema"));
            }
            // A type with a reference or properties is an object, whatever else it has.
            (None, Some(word)) if !WORDS.contains(&word) && !object.contains_key("properties") => {
                self.mistake(at, format!("`{word}` is not a type"));
            }
            _ => {}
        }
        for (key, value) in object.iter().filter(|(key, _)| !VALUES.contains(&key.as_str())) {
            let at = format!("{at}.{key}");
            match (key.as_str(), value) {
                // Names of properties are not keys of the format.
                ("properties" | "inputProperties" | "variables", Json::Object(properties)) => {
                    for (name, property) in properties {
                        if let Some(property) = property.as_object() {
                            self.object(&format!("{at}.{name}"), property);
                        }
                    }
                }
                (_, Json::Object(inner)) => self.object(&at, inner),
                (_, Json::Array(items)) => items
                    .iter()
                    .enumerate()
                    .filter_map(|(index, item)| Some((index, item.as_object()?)))
                    .for_each(|(index, item)| self.object(&format!("{at}[{index}]"), item)),
                _ => {}
            }
        }
    }

    /// Whether a reference can be resolved: in this schema, in Pulumi's own, or in that of another package, which is not looked at.
    fn resolves(&self, reference: &str) -> bool {
        let Some((document, fragment)) = reference.split_once('#') else { return false };
        let fragment = fragment.trim_start_matches('/');
        if document == "pulumi.json" {
            return OWN.contains(&fragment);
        }
        let parts: Vec<&str> = document.trim_start_matches('/').split('/').collect();
        if !document.is_empty() && parts.first() != Some(&self.package.name()) {
            return true;
        }
        let (kind, token) = fragment.split_once('/').unwrap_or((fragment, ""));
        let token = percent_decode_str(token).decode_utf8_lossy();
        match kind {
            "provider" => true,
            "types" => self.package.type_tokens().any(|known| known == token),
            "resources" if token.starts_with("pulumi:providers:") => true,
            "resources" => self.package.resource_tokens().any(|known| known == token),
            _ => false,
        }
    }
}
