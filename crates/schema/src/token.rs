//! From the token that a user writes to the token that the schema has.

use std::collections::HashMap;
use std::sync::OnceLock;

use regex_lite::Regex;

/// Tokens of one table (resources, functions or types).
pub(crate) struct Table {
    /// By the last part in lower case, which all spellings of a token share; other spellings are compared only for those few.
    names: HashMap<String, Vec<Token>>,
    module_format: Option<Regex>,
}

struct Token {
    text: String,
    /// Its module as users write it, once it has been requested.
    module: OnceLock<Box<str>>,
}

impl Table {
    pub(crate) fn new<'t>(tokens: impl Iterator<Item = &'t str>, module_format: Option<&Regex>) -> Self {
        let mut names: HashMap<String, Vec<Token>> = HashMap::new();
        for token in tokens {
            names.entry(name(token)).or_default().push(Token { text: token.to_owned(), module: OnceLock::new() });
        }
        Self { names, module_format: module_format.cloned() }
    }

    /// Tries every spelling that a user may write, in Pulumi's order: unchanged; with the module `index`; with the older module form `module/name`.
    /// Each of them exactly, then shortened, then without regard to case.
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

    fn find(&self, written: &str) -> Option<&str> {
        let tokens = self.names.get(&name(written))?;
        let format = self.module_format.as_ref();
        let found = tokens.iter().find(|token| token.text == written);
        // Two tokens with the same spelling are ambiguous, and a guess could create the wrong thing.
        let found = found.or_else(|| only(tokens.iter().filter(|token| token.is_short_for(written, format))));
        let found = found.or_else(|| {
            let folded = written.to_lowercase();
            only(tokens.iter().filter(|token| token.text.to_lowercase() == folded))
        });
        found.map(|token| token.text.as_str())
    }
}

impl Token {
    /// Whether a user may write the token so: with the short form of its module, and without the module `index`.
    fn is_short_for(&self, written: &str, module_format: Option<&Regex>) -> bool {
        let Some((package, module, name)) = parts(&self.text).filter(|(package, _, name)| {
            // A token without a package or a name cannot be shortened.
            !package.is_empty() && !name.is_empty()
        }) else {
            return false;
        };
        let module = self.module.get_or_init(|| shortened(package, module, module_format).into());
        match parts(written) {
            Some((its_package, its_module, its_name)) => {
                let same = its_module == &**module || its_module.is_empty() && &**module == "index";
                same && its_package == package && its_name == name
            }
            None => &**module == "index" && written.split_once(':') == Some((package, name)),
        }
    }
}

/// Package, module and name of a token of three parts.
fn parts(token: &str) -> Option<(&str, &str, &str)> {
    let (package, rest) = token.split_once(':')?;
    let (module, name) = rest.split_once(':')?;
    (!name.contains(':')).then_some((package, module, name))
}

/// The last part of a token, in small letters.
fn name(token: &str) -> String {
    token.rsplit(':').next().unwrap_or_default().to_lowercase()
}

/// The element of an iterator that has no other.
fn only<T>(mut found: impl Iterator<Item = T>) -> Option<T> {
    found.next().filter(|_| found.next().is_none())
}

/// A module as users write it.
pub(crate) fn shortened<'a>(package: &str, module: &'a str, module_format: Option<&Regex>) -> &'a str {
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
        Table::new(tokens.iter().copied(), format.as_ref())
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
