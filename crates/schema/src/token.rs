//! From the token that a user writes to the token that the schema has.

use std::collections::{HashMap, HashSet};

use regex_lite::Regex;

/// Tokens of one table (resources, functions or types), with the other spellings under which each can be found.
pub(crate) struct Table {
    tokens: HashSet<String>,
    aliases: HashMap<String, String>,
    folded: HashMap<String, Vec<String>>,
}

impl Table {
    pub(crate) fn new(tokens: impl Iterator<Item = String>, module_format: Option<&Regex>) -> Self {
        let tokens: HashSet<String> = tokens.collect();
        let aliases = aliases(&tokens, module_format);
        let mut folded: HashMap<String, Vec<String>> = HashMap::new();
        for token in &tokens {
            folded.entry(token.to_lowercase()).or_default().push(token.clone());
        }
        Self { tokens, aliases, folded }
    }

    /// Every spelling that a user may write, in the order in which Pulumi tries them: as it is; with the module `index`;
    /// with the older module form `module/name`. Each of them exactly, then shortened, then without regard to case.
    pub(crate) fn resolve(&self, written: &str) -> Option<&str> {
        let parts: Vec<&str> = written.split(':').collect();
        let (package, module, name) = match parts.as_slice() {
            [package, name] => (*package, None, *name),
            [package, module, name] => (*package, Some(*module), *name),
            _ => return None,
        };
        self.find(written)
            .or_else(|| module.is_none().then(|| self.find(&format!("{package}:index:{name}"))).flatten())
            .or_else(|| {
                let module = module.unwrap_or("index");
                self.find(&format!("{package}:{module}/{}:{name}", lower_first(name)))
            })
    }

    fn find(&self, token: &str) -> Option<&str> {
        if let Some(known) = self.tokens.get(token) {
            return Some(known);
        }
        if let Some(source) = self.aliases.get(token) {
            return Some(source);
        }
        match self.folded.get(&token.to_lowercase()).map(Vec::as_slice) {
            // Two tokens that differ only in case are ambiguous, and a guess could create the wrong thing.
            Some([only]) => Some(only),
            _ => None,
        }
    }
}

/// Shortened spellings of every token. One that two tokens share is dropped, and none hides a real token.
fn aliases(tokens: &HashSet<String>, module_format: Option<&Regex>) -> HashMap<String, String> {
    let mut aliases: HashMap<String, String> = HashMap::new();
    let mut ambiguous: HashSet<String> = HashSet::new();
    let mut add = |alias: String, source: &str| {
        if alias == source || tokens.contains(&alias) || ambiguous.contains(&alias) {
            return;
        }
        match aliases.get(&alias) {
            Some(existing) if existing != source => {
                aliases.remove(&alias);
                ambiguous.insert(alias);
            }
            _ => {
                aliases.insert(alias, source.to_owned());
            }
        }
    };
    for token in tokens {
        let parts: Vec<&str> = token.split(':').collect();
        let [package, module, name] = parts.as_slice() else { continue };
        if package.is_empty() || name.is_empty() {
            continue;
        }
        let module = shortened(package, module, module_format);
        add(format!("{package}:{module}:{name}"), token);
        if module == "index" {
            add(format!("{package}::{name}"), token);
            add(format!("{package}:{name}"), token);
        }
    }
    aliases
}

fn shortened<'a>(package: &str, module: &'a str, module_format: Option<&Regex>) -> &'a str {
    if package == "pulumi" && (module == "pulumi" || module == "providers") {
        return "index";
    }
    let short = match module_format {
        None => module,
        Some(format) => format.captures(module).and_then(|found| found.get(1)).map_or("", |group| group.as_str()),
    };
    if short.is_empty() { "index" } else { short }
}

fn lower_first(name: &str) -> String {
    let mut chars = name.chars();
    chars.next().map(|first| first.to_lowercase().chain(chars).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(tokens: &[&str], format: Option<&str>) -> Table {
        let format = format.map(|format| Regex::new(format).unwrap());
        Table::new(tokens.iter().map(|token| (*token).to_owned()), format.as_ref())
    }

    #[test]
    fn finds_every_spelling() {
        let table = table(
            &[
                "random:index/randomPet:RandomPet",
                "aws:s3/bucket:Bucket",
                "k8s:apps/v1:Deployment",
                "simple:index:Resource",
            ],
            Some("(.*)(?:/[^/]*)"),
        );
        for (written, resolved) in [
            ("random:RandomPet", "random:index/randomPet:RandomPet"),
            ("random:index:RandomPet", "random:index/randomPet:RandomPet"),
            ("random::RandomPet", "random:index/randomPet:RandomPet"),
            ("random:randompet", "random:index/randomPet:RandomPet"),
            ("aws:s3:Bucket", "aws:s3/bucket:Bucket"),
            ("aws:s3/bucket:Bucket", "aws:s3/bucket:Bucket"),
            ("k8s:apps/v1:Deployment", "k8s:apps/v1:Deployment"),
            ("simple:Resource", "simple:index:Resource"),
            ("simple:INDEX:resource", "simple:index:Resource"),
        ] {
            assert_eq!(table.resolve(written), Some(resolved), "{written}");
        }
        for written in ["simple", "simple:a:b:c", "simple:Other", "other:Resource"] {
            assert_eq!(table.resolve(written), None, "{written}");
        }
    }

    #[test]
    fn ambiguous_spellings_are_not_guessed() {
        let table = table(&["p:mod/a:B", "p:mod/x:B", "p:index:thing", "p:index:Thing"], Some("(.*)(?:/[^/]*)"));
        assert_eq!(table.resolve("p:mod:B"), None);
        assert_eq!(table.resolve("p:index:THING"), None);
        assert_eq!(table.resolve("p:Thing"), Some("p:index:Thing"));
    }
}
