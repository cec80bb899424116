//! The examples of `docs/writing-a-plugin.md` are built and run.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn blocks(text: &str, language: &str) -> Vec<String> {
    let opening = format!("```{language}\n");
    text.split(&opening).skip(1).map(|part| part.split("```").next().unwrap().to_owned()).collect()
}

#[test]
fn its_code_is_code_that_runs() {
    let guide = fs::read_to_string(root().join("docs/writing-a-plugin.md")).unwrap();
    let sources: Vec<String> =
        ["examples/shelf", "crates/sdk/tests/all", "crates/cli/src/commands/plugin/template/tests"]
            .into_iter()
            .flat_map(|directory| fs::read_dir(root().join(directory)).unwrap())
            .map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap())
            // As `outrigger plugin new weather` writes them.
            .map(|text| text.replace("PLUGIN_NAME", "weather").replace("RESOURCE_NAME", "Weather"))
            .collect();
    for (language, least) in [("rust", 10), ("yaml", 1)] {
        let blocks = blocks(&guide, language);
        assert!(blocks.len() >= least, "{language}");
        for block in blocks {
            assert!(sources.iter().any(|source| source.contains(&block)), "no source has this:\n{block}");
        }
    }
}

#[test]
fn every_attribute_and_method_is_in_it() {
    let guide = fs::read_to_string(root().join("docs/writing-a-plugin.md")).unwrap();
    for name in ["name", "default", "env", "secret", "replace", "autoname", "stable", "deprecated", "token"] {
        assert!(guide.contains(&format!("| `{name}")), "{name}");
    }
    let trait_text = fs::read_to_string(root().join("crates/sdk/src/resource.rs")).unwrap();
    let trait_text = trait_text.split("pub trait Resource").nth(1).unwrap().split("\n}\n").next().unwrap();
    let methods = trait_text.lines().filter_map(|line| line.strip_prefix("    fn ")?.split('(').next());
    for method in methods {
        assert!(guide.contains(&format!("| `{method}` |")), "{method}");
    }
}
