//! `pulumi:autonaming`: how resources are named when the program gives no name.
//!
//! The setting is Pulumi's: a mode (`default`, `verbatim`, `disabled`) or a pattern, for all resources, for those of one package, or for
//! one type. It is read once per run; a provider that supports it receives the name with each Check.

use std::collections::BTreeMap;

use outrigger_diagnostic::Diagnostic;
use outrigger_provider::{Autonaming, AutonamingMode, RunInfo};
use outrigger_value::{PathStep, PropertyPath, Urn};
use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::Options;
use crate::builtin::PACKAGE;

/// The setting's name within the `pulumi` package.
const SETTING: &str = "autonaming";

const HEXADECIMAL: &[u8] = b"0123456789abcdef";
const ALPHANUMERIC: &[u8] = b"abcdefghijklmnopqrstuvwxyz0123456789";
const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyz";
const DIGITS: &[u8] = b"0123456789";

/// The parsed setting.
#[derive(Debug, Default)]
pub(crate) struct Naming {
    all: Rule,
    packages: BTreeMap<String, PackageNaming>,
}

#[derive(Debug)]
struct PackageNaming {
    all: Rule,
    types: BTreeMap<String, Rule>,
}

/// How a name is made.
#[derive(Clone, Debug, Default, PartialEq)]
enum Rule {
    /// The provider chooses.
    #[default]
    Provider,
    /// The resource's own name.
    Verbatim,
    /// Only the program gives names.
    Disabled,
    /// A pattern whose stack-wide parts are already filled in.
    Pattern { text: String, enforce: bool },
}

/// A proposed name, and its consequence for a replacement.
#[derive(Debug, PartialEq)]
pub(crate) struct Named {
    pub(crate) autonaming: Autonaming,
    /// Nothing in the name is random, so two resources of this name cannot exist at once.
    pub(crate) fixed: bool,
    /// The name is enforced or its rule is for this package: a provider that cannot follow it is worth a warning.
    pub(crate) meant: bool,
}

impl Naming {
    /// Reads the setting from the stack's configuration.
    pub(crate) fn read(options: &Options, run: &RunInfo) -> Result<Self, Diagnostic> {
        let value = options.package_config.get(PACKAGE).and_then(|settings| settings.get(SETTING));
        let Some(text) = value.and_then(|value| value.bare().as_str()) else { return Ok(Self::default()) };
        let wrong = |reason: String| {
            let diagnostic =
                Diagnostic::error("config-autonaming", "`pulumi:autonaming` is not valid").detail(reason).hint(
                    "Write a `mode` (default, verbatim or disabled), or a `pattern` such as ${project}-${name}-${hex(6)}.",
                );
            let place = options.package_places.get(PACKAGE).and_then(|places| places.of(&SETTING.parse().ok()?));
            match place {
                Some(place) => diagnostic.at(place),
                None => diagnostic,
            }
        };
        let settings: Settings = serde_json::from_str(text).map_err(|error| wrong(error.to_string()))?;
        settings.naming(run).map_err(wrong)
    }

    /// The name proposed for a resource; `None` leaves it to the provider.
    pub(crate) fn of(&self, urn: &Urn, seed: &[u8; 32]) -> Option<Named> {
        let package = self.packages.get(urn.ty().split(':').next().unwrap_or_default());
        let rule = package.map_or(&self.all, |package| package.types.get(urn.ty()).unwrap_or(&package.all));
        let named = |proposed: String, mode, fixed, enforce| {
            Some(Named { autonaming: Autonaming { proposed, mode }, fixed, meant: enforce || package.is_some() })
        };
        match rule {
            Rule::Provider => None,
            Rule::Verbatim => named(urn.name().to_owned(), AutonamingMode::Enforce, true, false),
            Rule::Disabled => named(String::new(), AutonamingMode::Disable, true, false),
            Rule::Pattern { text, enforce } => {
                let (name, random) = filled(&text.replace("${name}", urn.name()), seed);
                let mode = if *enforce { AutonamingMode::Enforce } else { AutonamingMode::Propose };
                named(name, mode, !random, *enforce)
            }
        }
    }
}

/// The setting as written, at any of its three levels: global, per package, per type.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    mode: Option<String>,
    pattern: Option<String>,
    enforce: Option<bool>,
    #[serde(default)]
    providers: BTreeMap<String, Settings>,
    #[serde(default)]
    resources: BTreeMap<String, Settings>,
}

impl Settings {
    /// The error is a sentence.
    fn naming(self, run: &RunInfo) -> Result<Naming, String> {
        let all = self.rule(run)?.unwrap_or_default();
        if !self.resources.is_empty() {
            return Err("`resources` belongs below a package, and the package belongs below `providers`".to_owned());
        }
        let mut packages = BTreeMap::new();
        for (package, settings) in self.providers {
            let rule = settings.rule(run)?.unwrap_or_else(|| all.clone());
            let mut types = BTreeMap::new();
            for (ty, settings) in settings.resources {
                let Some(rule) = settings.rule(run)? else {
                    return Err(format!("`{ty}` has neither a `mode` nor a `pattern`"));
                };
                if !settings.providers.is_empty() || !settings.resources.is_empty() {
                    return Err(format!("the type `{ty}` cannot have `providers` or `resources`"));
                }
                types.insert(ty, rule);
            }
            if !settings.providers.is_empty() {
                return Err(format!("the package `{package}` cannot have `providers`"));
            }
            packages.insert(package, PackageNaming { all: rule, types });
        }
        Ok(Naming { all, packages })
    }

    /// `None` where nothing is set.
    fn rule(&self, run: &RunInfo) -> Result<Option<Rule>, String> {
        match (self.mode.as_deref(), &self.pattern, self.enforce) {
            (None, None, None) => Ok(None),
            (None, Some(pattern), enforce) => {
                Ok(Some(Rule::Pattern { text: of_stack(pattern, run)?, enforce: enforce.unwrap_or_default() }))
            }
            (None, None, Some(_)) => Err("`enforce` needs a `pattern`".to_owned()),
            (Some("default"), None, None) => Ok(Some(Rule::Provider)),
            (Some("verbatim"), None, None) => Ok(Some(Rule::Verbatim)),
            (Some("disabled"), None, None) => Ok(Some(Rule::Disabled)),
            (Some(mode), None, None) => Err(format!("there is no mode `{mode}`")),
            (Some(_), ..) => Err("a `mode` cannot be combined with a `pattern` or with `enforce`".to_owned()),
        }
    }
}

/// Fills in the parts of a pattern that are the same for the whole stack.
fn of_stack(pattern: &str, run: &RunInfo) -> Result<String, String> {
    let pattern = pattern
        .replace("${organization}", &run.organization)
        .replace("${project}", &run.project)
        .replace("${stack}", &run.stack);
    let mut filled = String::new();
    let mut rest = pattern.as_str();
    while let Some((before, after)) = rest.split_once("${config.") {
        let Some((key, after)) = after.split_once('}') else { break };
        filled.push_str(before);
        let value = configured(run, key);
        filled.push_str(&value.ok_or_else(|| format!("the pattern names `{key}`, which is not configured"))?);
        rest = after;
    }
    filled.push_str(rest);
    Ok(filled)
}

/// A value from the project's configuration. The key may be a path into a configured object or list, which is stored as JSON.
fn configured(run: &RunInfo, key: &str) -> Option<String> {
    let path: PropertyPath = key.parse().ok()?;
    let (PathStep::Key(name), inside) = path.0.split_first()? else { return None };
    let text = run.config.get(&format!("{}:{name}", run.project))?.bare().as_str()?;
    if inside.is_empty() {
        return Some(text.to_owned());
    }
    let whole: serde_json::Value = serde_json::from_str(text).ok()?;
    let found = inside.iter().try_fold(&whole, |value, step| match step {
        PathStep::Key(key) => value.get(key),
        PathStep::Index(index) => value.get(index),
        PathStep::Wildcard => None,
    })?;
    Some(found.as_str().map_or_else(|| found.to_string(), str::to_owned))
}

/// The pattern with its random parts filled in, and whether it had any.
fn filled(pattern: &str, seed: &[u8; 32]) -> (String, bool) {
    let mut chance = Chance { seed, taken: 0, bytes: Vec::new() };
    let mut name = String::new();
    let mut random = false;
    let mut rest = pattern;
    while let Some((before, after)) = rest.split_once("${") {
        name.push_str(before);
        let part = after.split_once('}').and_then(|(expression, after)| Some((chance.part(expression)?, after)));
        match part {
            Some((part, after)) => {
                name.push_str(&part);
                random |= !part.is_empty();
                rest = after;
            }
            // Anything else is a literal part of the name.
            None => {
                name.push_str("${");
                rest = after;
            }
        }
    }
    name.push_str(rest);
    (name, random)
}

/// Bytes that depend only on the seed: a replacement is checked twice and must get the same name both times.
struct Chance<'a> {
    seed: &'a [u8; 32],
    taken: u64,
    bytes: Vec<u8>,
}

impl Chance<'_> {
    /// The value of an expression, if it is a random one.
    fn part(&mut self, expression: &str) -> Option<String> {
        if expression == "uuid" {
            let bytes: Vec<u8> = (0..16).map(|_| self.byte()).collect();
            let text = hex::encode(bytes);
            let parts = [text.get(..8)?, text.get(8..12)?, text.get(12..16)?, text.get(16..20)?, text.get(20..)?];
            return Some(parts.join("-"));
        }
        let (kind, count) = expression.strip_suffix(')')?.split_once('(')?;
        let characters = match kind {
            "hex" => HEXADECIMAL,
            "alphanum" => ALPHANUMERIC,
            "string" => LETTERS,
            "num" => DIGITS,
            _ => return None,
        };
        // No provider accepts longer names, and the limit keeps a typo from making a gigabyte.
        let count = count.parse::<usize>().ok().filter(|count| *count <= 10_000)?;
        Some((0..count).filter_map(|_| self.character(characters)).collect())
    }

    fn character(&mut self, characters: &[u8]) -> Option<char> {
        // Bytes beyond the last whole multiple are skipped, so that every character is equally likely.
        let limit = 256 - 256 % characters.len();
        let byte = loop {
            let byte = usize::from(self.byte());
            if byte < limit {
                break byte;
            }
        };
        characters.get(byte % characters.len()).map(|byte| char::from(*byte))
    }

    fn byte(&mut self) -> u8 {
        if self.bytes.is_empty() {
            let block = Sha256::new().chain_update(self.seed).chain_update(self.taken.to_le_bytes()).finalize();
            self.bytes = block.to_vec();
            self.taken += 1;
        }
        self.bytes.pop().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use outrigger_value::{PropertyMap, Value};

    const SEED: [u8; 32] = [7; 32];

    fn naming(text: &str) -> Result<Naming, Diagnostic> {
        let config = |pairs: &[(&str, &str)]| -> PropertyMap {
            pairs.iter().map(|(name, text)| ((*name).to_owned(), Value::String((*text).to_owned()))).collect()
        };
        let run = RunInfo {
            project: "shop".to_owned(),
            stack: "dev".to_owned(),
            organization: "organization".to_owned(),
            config: config(&[("shop:region", "north"), ("shop:app", r#"{"zones": ["a", "b"], "size": 3}"#)]),
            ..RunInfo::default()
        };
        let package_config = BTreeMap::from([("pulumi".to_owned(), config(&[("autonaming", text)]))]);
        Naming::read(&Options { package_config, ..Options::default() }, &run)
    }

    fn named(text: &str, ty: &str) -> Option<Named> {
        naming(text).unwrap().of(&Urn::new("dev", "shop", None, ty, "cart"), &SEED)
    }

    fn name(pattern: &str) -> (String, bool) {
        let named = named(&serde_json::json!({"pattern": pattern}).to_string(), "a:b:C").unwrap();
        assert_eq!(named.autonaming.mode, AutonamingMode::Propose);
        (named.autonaming.proposed, named.fixed)
    }

    #[test]
    fn without_a_setting_providers_choose() {
        let run = RunInfo::default();
        let none = Naming::read(&Options::default(), &run).unwrap();
        assert_eq!(none.of(&Urn::new("dev", "shop", None, "a:b:C", "cart"), &SEED), None);
        assert_eq!(named(r#"{"mode": "default"}"#, "a:b:C"), None);
        assert_eq!(named("{}", "a:b:C"), None);
    }

    #[test]
    fn modes() {
        let verbatim = named(r#"{"mode": "verbatim"}"#, "a:b:C").unwrap();
        assert_eq!(verbatim.autonaming, Autonaming { proposed: "cart".to_owned(), mode: AutonamingMode::Enforce });
        assert!(verbatim.fixed && !verbatim.meant);
        assert_eq!(named(r#"{"mode": "disabled"}"#, "a:b:C").unwrap().autonaming.mode, AutonamingMode::Disable);
    }

    #[test]
    fn the_nearest_setting_counts() {
        let text = r#"{"mode": "verbatim", "providers": {
            "a": {"pattern": "p-${name}", "resources": {"a:b:C": {"mode": "default"}, "a:b:D": {"mode": "disabled"}}},
            "z": {}}}"#;
        assert_eq!(named(text, "a:b:C"), None);
        assert_eq!(named(text, "a:b:D").unwrap().autonaming.mode, AutonamingMode::Disable);
        let package = named(text, "a:b:E").unwrap();
        assert_eq!((package.autonaming.proposed.as_str(), package.meant), ("p-cart", true));
        assert_eq!(named(text, "z:b:C").unwrap().autonaming.proposed, "cart");
        assert_eq!(named(text, "other:b:C").unwrap().autonaming.proposed, "cart");
    }

    #[test]
    fn patterns() {
        assert_eq!(
            name("${organization}.${project}.${stack}.${config.region}.${name}"),
            ("organization.shop.dev.north.cart".to_owned(), true)
        );
        assert_eq!(name("${config.app.zones[1]}${config.app.size}").0, "b3");
        assert_eq!(name("${name}-${what} ${"), ("cart-${what} ${".to_owned(), true));
        for (pattern, characters, length) in [
            ("${hex(9)}", HEXADECIMAL, 9),
            ("${alphanum(20)}", ALPHANUMERIC, 20),
            ("${string(3)}", LETTERS, 3),
            ("${num(40)}", DIGITS, 40),
        ] {
            let (name, fixed) = name(pattern);
            assert!(!fixed && name.len() == length && name.bytes().all(|byte| characters.contains(&byte)), "{name}");
        }
        let (uuid, fixed) = name("${uuid}");
        assert!(!fixed && uuid.split('-').map(str::len).eq([8, 4, 4, 4, 12]), "{uuid}");
        assert_eq!(name("${hex(8)}"), name("${hex(8)}"));
    }

    #[test]
    fn mistakes_are_told() {
        for (text, part) in [
            ("verbatim", "expected value"),
            (r#"{"mode": "verbatim", "pattern": "x"}"#, "cannot be combined with"),
            (r#"{"mode": "loud"}"#, "no mode `loud`"),
            (r#"{"enforce": true}"#, "needs a `pattern`"),
            (r#"{"colour": "x"}"#, "colour"),
            (r#"{"pattern": "${config.missing}"}"#, "`missing`, which is not configured"),
            (r#"{"providers": {"a": {"resources": {"a:b:C": {}}}}}"#, "`a:b:C` has neither"),
            (r#"{"resources": {"a:b:C": {"mode": "default"}}}"#, "belongs below a package"),
        ] {
            let told = naming(text).unwrap_err().to_string();
            assert!(told.contains(part), "{told}");
        }
    }
}
