//! `docs/kit.md` matches the schema.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use outrigger_kit::WardenCommand;
use serde_json::Value as Json;

const BEGIN: &str = "<!-- made from the schema; `OUTRIGGER_WRITE_PAGES=1 cargo test -p outrigger-kit` writes it -->\n";
const END: &str = "<!-- end of what is made -->\n";

fn schema() -> Json {
    let warden = WardenCommand { program: PathBuf::new(), arguments: Vec::new() };
    serde_json::from_str(&outrigger_kit::package(warden).schema().unwrap()).unwrap()
}

#[test]
fn the_page_says_what_the_schema_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/kit.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once(BEGIN).unwrap();
    let (_, after) = rest.split_once(END).unwrap();
    let wanted = format!("{before}{BEGIN}{}{END}{after}", reference(&schema()));
    if std::env::var_os("OUTRIGGER_WRITE_PAGES").is_some() {
        std::fs::write(&path, &wanted).unwrap();
    } else {
        assert!(page == wanted, "docs/kit.md is old: set OUTRIGGER_WRITE_PAGES=1 and run this test again");
    }
}

#[test]
fn everything_is_described() {
    let schema = schema();
    let undescribed = |of: &Json, at: &str| {
        let properties = of.as_object().into_iter().flatten();
        let silent = properties.filter(|(_, property)| property["description"].as_str().is_none_or(str::is_empty));
        silent.map(|(name, _)| format!("{at}.{name}")).collect::<Vec<_>>()
    };
    let mut found = Vec::new();
    for (token, resource) in schema["resources"].as_object().unwrap() {
        assert!(resource["description"].is_string(), "{token}");
        found.extend(undescribed(&resource["inputProperties"], token));
        found.extend(undescribed(&resource["properties"], token));
    }
    for (token, function) in schema["functions"].as_object().unwrap() {
        assert!(function["description"].is_string(), "{token}");
        found.extend(undescribed(&function["inputs"]["properties"], token));
        found.extend(undescribed(&function["outputs"]["properties"], token));
    }
    for (token, ty) in schema["types"].as_object().unwrap() {
        found.extend(undescribed(&ty["properties"], token));
    }
    assert_eq!(found, Vec::<String>::new());
}

fn reference(schema: &Json) -> String {
    let mut text = String::from("\n## Resources\n");
    for (token, resource) in schema["resources"].as_object().unwrap() {
        heading(&mut text, token, resource);
        inputs(&mut text, &resource["inputProperties"], &resource["requiredInputs"]);
        outputs(&mut text, &resource["properties"]);
    }
    text.push_str("\n## Functions\n");
    for (token, function) in schema["functions"].as_object().unwrap() {
        heading(&mut text, &token.replace(":index:", ":"), function);
        inputs(&mut text, &function["inputs"]["properties"], &function["inputs"]["required"]);
        outputs(&mut text, &function["outputs"]["properties"]);
    }
    text.push_str("\n## Types\n");
    for (token, ty) in schema["types"].as_object().unwrap() {
        heading(&mut text, token, ty);
        match ty["enum"].as_array() {
            Some(values) => enumeration(&mut text, values),
            None => inputs(&mut text, &ty["properties"], &ty["required"]),
        }
    }
    text.push('\n');
    text
}

fn heading(text: &mut String, token: &str, described: &Json) {
    let _ = write!(text, "\n### `{token}`\n\n{}\n", described["description"].as_str().unwrap());
}

fn inputs(text: &mut String, properties: &Json, required: &Json) {
    text.push_str("\n| takes | type | | |\n| --- | --- | --- | --- |\n");
    for (name, property) in properties.as_object().unwrap() {
        let is_required = required.as_array().unwrap().iter().any(|required| required == name);
        let mut notes = Vec::new();
        if is_required {
            notes.push("required".to_owned());
        }
        if let Some(default) = property.get("default") {
            notes.push(format!("default `{default}`"));
        }
        if property["willReplaceOnChanges"] == true {
            notes.push("replaces".to_owned());
        }
        let _ = writeln!(text, "| `{name}` | {} | {} | {} |", ty(property), notes.join(", "), cell(property));
    }
}

fn enumeration(text: &mut String, values: &[Json]) {
    text.push_str("\n| value | |\n| --- | --- |\n");
    for value in values {
        let _ = writeln!(text, "| `{}` | {} |", value["value"], cell(value));
    }
}

fn outputs(text: &mut String, properties: &Json) {
    text.push_str("\n| answers | type | |\n| --- | --- | --- |\n");
    for (name, property) in properties.as_object().unwrap() {
        let secret = if property["secret"] == true { "Secret. " } else { "" };
        let _ = writeln!(text, "| `{name}` | {} | {secret}{} |", ty(property), cell(property));
    }
}

/// A description on one line, for a table.
fn cell(property: &Json) -> String {
    let words = property["description"].as_str().unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
    words.replace('|', "\\|")
}

fn ty(property: &Json) -> String {
    match (property["$ref"].as_str(), property["type"].as_str()) {
        (Some("pulumi.json#/Any"), _) => "any".to_owned(),
        (Some("pulumi.json#/Asset"), _) => "asset".to_owned(),
        (Some(reference), _) => format!("`{}`", reference.rsplit('/').next().unwrap()),
        (None, Some("array")) => format!("list of {}", ty(&property["items"])),
        (None, Some("object")) => format!("map of {}", ty(&property["additionalProperties"])),
        (None, name) => name.unwrap().to_owned(),
    }
}
