//! The tokens of a Terraform provider's resources, data sources and functions.
//!
//! Tokens are made from names alone: a provider's list of names is enough, without its schemas.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use crate::naming::case;

/// A package's name and the parts of its provider that it includes.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// The package's name, if it differs from the provider's.
    pub package: Option<String>,
    /// Only these names are included; an empty list includes all.
    pub includes: Vec<String>,
    /// These names are left out, even if they are included.
    pub excludes: Vec<String>,
}

impl Selection {
    fn has(&self, name: &str) -> bool {
        !self.excludes.iter().any(|excluded| excluded == name)
            && (self.includes.is_empty() || self.includes.iter().any(|included| included == name))
    }
}

/// A provider's names in Terraform.
#[derive(Clone, Debug, Default)]
pub struct ProviderNames {
    /// The provider's own name: `random`.
    pub provider: String,
    /// Resources: `random_pet`.
    pub resources: BTreeSet<String>,
    /// Data sources.
    pub data_sources: BTreeSet<String>,
    /// Functions. Their names have no prefix.
    pub functions: BTreeSet<String>,
}

/// Tokens cannot be assigned. The whole package then has none, as in Pulumi's bridge.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// The name does not begin with the prefix that has to be cut off.
    #[error(
        "`{name}` of the Terraform provider does not begin with `{prefix}`, as its other names do; leave it out with `--exclude {name}`"
    )]
    Prefix {
        /// The name.
        name: String,
        /// The prefix.
        prefix: String,
    },
    /// Nothing is left of the name without the prefix.
    #[error(
        "the Terraform provider's name `{name}` has nothing after its prefix `{prefix}`; leave it out with `--exclude \
         {name}`"
    )]
    Nothing {
        /// The name.
        name: String,
        /// The prefix that was cut off.
        prefix: String,
    },
    /// Two functions would have the same token: data sources are functions in Pulumi.
    #[error("`{one}` and the function `{other}` would both be `{token}`; leave one out with `--exclude`")]
    Collision {
        /// A data source's or a function's name.
        one: String,
        /// A function's name.
        other: String,
        /// The token.
        token: String,
    },
    /// A resource has the provider's name, and no other name is free for it.
    #[error("there is no free name for the resource `{name}`; tried {tried}; leave it out with `--exclude {name}`")]
    Provider {
        /// The resource's name.
        name: String,
        /// The names that were tried.
        tried: String,
    },
}

/// The tokens of a package.
#[derive(Debug)]
pub struct Tokens {
    /// The package's name.
    pub package: String,
    /// The prefix of the provider's names.
    pub prefix: String,
    /// `random:index/pet:Pet` and `random_pet`.
    pub resources: Pairs,
    /// `tls:index/getCertificate:getCertificate` and `tls_certificate`.
    pub data_sources: Pairs,
    /// `time:index/rfc3339Parse:rfc3339Parse` and `rfc3339_parse`.
    pub functions: Pairs,
}

impl Tokens {
    /// Assigns a token to every selected name.
    pub fn new(names: &ProviderNames, selection: &Selection) -> Result<Self, TokenError> {
        let package = selection.package.clone().unwrap_or_else(|| names.provider.clone());
        let prefix = common_prefix(&names.resources).unwrap_or_else(|| {
            // Pulumi's bridge fails if a package with its own name has no resources that show the prefix.
            let selected = || names.resources.iter().chain(&names.data_sources).filter(|name| selection.has(name));
            let all = |prefix: &str| selected().all(|name| name.starts_with(prefix));
            if !all(&package) && all(&names.provider) { names.provider.clone() } else { package.clone() }
        });
        let mut given = Self {
            package,
            prefix,
            resources: Pairs::default(),
            data_sources: Pairs::default(),
            functions: Pairs::default(),
        };
        // Pulumi does not accept tokens that differ in case only either, such as those of a resource `x_get_a` and a data source `x_a`.
        let mut free = Distinct::default();
        given.resources = given.resources(&names.resources, selection, &mut free)?;
        for name in names.data_sources.iter().filter(|name| selection.has(name)) {
            let last = free.distinct(format!("get{}", given.last_part(name)?));
            given.data_sources.push(given.token(&last), name);
        }
        for function in names.functions.iter().filter(|name| selection.has(name)) {
            let token = given.token(&spelled(&case::joined(function)));
            if let Some(one) = given.data_sources.terraform(&token).or_else(|| given.functions.terraform(&token)) {
                return Err(TokenError::Collision { one: one.to_owned(), other: function.clone(), token });
            }
            given.functions.push(token, function);
        }
        Ok(given)
    }

    fn resources(
        &self,
        names: &BTreeSet<String>,
        selection: &Selection,
        free: &mut Distinct,
    ) -> Result<Pairs, TokenError> {
        let provider = format!("{}_provider", self.prefix);
        let mut pairs = Pairs::default();
        for name in names.iter().filter(|name| selection.has(name)) {
            // Every package has a resource `Provider` already.
            let last = if *name == provider { self.provider_resource(name, names)? } else { self.last_part(name)? };
            pairs.push(self.token(&free.distinct(spelled(&last))), name);
        }
        Ok(pairs)
    }

    fn provider_resource(&self, name: &str, names: &BTreeSet<String>) -> Result<String, TokenError> {
        let (prefix, package) = (&self.prefix, &self.package);
        let candidates = [
            format!("{prefix}_{package}_provider"),
            format!("{prefix}_provider_resource"),
            format!("{prefix}_{package}_provider_resource"),
        ];
        match candidates.iter().find(|candidate| !names.contains(*candidate)) {
            Some(candidate) => self.last_part(candidate),
            None => Err(TokenError::Provider { name: name.to_owned(), tried: candidates.join(", ") }),
        }
    }

    /// `Pet` of `random_pet`.
    fn last_part(&self, name: &str) -> Result<String, TokenError> {
        let prefix = &self.prefix;
        let rest = name
            .strip_prefix(prefix.as_str())
            .ok_or_else(|| TokenError::Prefix { name: name.to_owned(), prefix: prefix.clone() })?;
        let rest = if rest.is_empty() { name } else { rest };
        // Pulumi's bridge also cuts off the module's name as a prefix.
        let last = case::upper_first(&case::joined(rest.strip_prefix("index").unwrap_or(rest)));
        if last.is_empty() {
            return Err(TokenError::Nothing { name: name.to_owned(), prefix: prefix.clone() });
        }
        Ok(last)
    }

    fn token(&self, last: &str) -> String {
        format!("{}:index/{}:{last}", self.package, case::lower_first(last))
    }
}

/// Tokens and their Terraform names, in the order of the latter, found by either.
#[derive(Debug, Default)]
pub struct Pairs {
    pairs: Vec<(Arc<str>, Arc<str>)>,
    by_token: HashMap<Arc<str>, usize>,
    by_terraform: HashMap<Arc<str>, usize>,
}

impl Pairs {
    /// The number of pairs.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Every token with its Terraform name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.pairs.iter().map(|(token, terraform)| (&**token, &**terraform))
    }

    /// The Terraform name of a token.
    pub fn terraform(&self, token: &str) -> Option<&str> {
        self.position(token).map(|at| &*self.pairs[at].1)
    }

    /// The token of a Terraform name.
    pub fn token(&self, terraform: &str) -> Option<&str> {
        self.by_terraform.get(terraform).map(|at| &*self.pairs[*at].0)
    }

    /// The position of a token in [`Pairs::iter`].
    pub fn position(&self, token: &str) -> Option<usize> {
        self.by_token.get(token).copied()
    }

    fn push(&mut self, token: String, terraform: &str) {
        let (token, terraform) = (Arc::<str>::from(token), Arc::<str>::from(terraform));
        self.by_token.insert(Arc::clone(&token), self.pairs.len());
        self.by_terraform.insert(Arc::clone(&terraform), self.pairs.len());
        self.pairs.push((token, terraform));
    }
}

/// The last part of a token: `Pet` of `random:index/pet:Pet`.
pub(crate) fn last_part(token: &str) -> &str {
    token.rsplit(':').next().unwrap_or(token)
}

/// The prefix that all names with an underscore have before the first one.
fn common_prefix(names: &BTreeSet<String>) -> Option<String> {
    let mut prefixes = names.iter().filter_map(|name| name.split_once('_')).map(|(prefix, _)| prefix);
    let first = prefixes.next()?;
    (!first.is_empty() && prefixes.all(|prefix| prefix == first)).then(|| first.to_owned())
}

/// No part of a token begins with a digit: a leading digit is spelled out.
fn spelled(name: &str) -> String {
    const DIGITS: [&str; 10] = ["Zero", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine"];
    let digit = name.chars().next().and_then(|first| first.to_digit(10)).and_then(|digit| DIGITS.get(digit as usize));
    digit.map_or_else(|| name.to_owned(), |word| format!("{word}{}", case::upper_first(&name[1..])))
}

/// Some file systems and languages do not distinguish `AB` and `Ab`: the later one gets a number.
#[derive(Default)]
struct Distinct(HashMap<String, u32>);

impl Distinct {
    fn distinct(&mut self, name: String) -> String {
        let folded = name.to_lowercase();
        let Some(mut next) = self.0.get(&folded).copied() else {
            self.0.insert(folded, 2);
            return name;
        };
        loop {
            let candidate = format!("{name}V{next}");
            next += 1;
            if !self.0.contains_key(&candidate.to_lowercase()) {
                self.0.insert(folded, next);
                self.0.insert(candidate.to_lowercase(), 2);
                return candidate;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    fn names(provider: &str, resources: &[&str], data_sources: &[&str], functions: &[&str]) -> ProviderNames {
        ProviderNames {
            provider: provider.to_owned(),
            resources: set(resources),
            data_sources: set(data_sources),
            functions: set(functions),
        }
    }

    fn tokens(pairs: &Pairs) -> Vec<&str> {
        pairs.iter().map(|(token, _)| token).collect()
    }

    #[test]
    fn the_prefix_is_what_the_resources_have_in_common() {
        let given = Tokens::new(&names("random", &["random_pet", "random_b64_id"], &[], &[]), &Selection::default());
        let given = given.unwrap();
        assert_eq!(tokens(&given.resources), ["random:index/b64Id:B64Id", "random:index/pet:Pet"]);
        assert_eq!(given.resources.terraform("random:index/pet:Pet"), Some("random_pet"));
        assert_eq!(given.resources.token("random_b64_id"), Some("random:index/b64Id:B64Id"));
        let given = Tokens::new(&names("google-beta", &["google_disk"], &["google_disk"], &[]), &Selection::default());
        let given = given.unwrap();
        assert_eq!(tokens(&given.resources), ["google-beta:index/disk:Disk"]);
        assert_eq!(tokens(&given.data_sources), ["google-beta:index/getDisk:getDisk"]);
    }

    #[test]
    fn a_name_may_be_the_prefix_itself() {
        let given = Tokens::new(&names("http", &[], &["http"], &[]), &Selection::default()).unwrap();
        assert_eq!(tokens(&given.data_sources), ["http:index/getHttp:getHttp"]);
        let selection = Selection { package: Some("web".to_owned()), ..Selection::default() };
        let given = Tokens::new(&names("http", &[], &["http"], &[]), &selection).unwrap();
        assert_eq!(tokens(&given.data_sources), ["web:index/getHttp:getHttp"]);
    }

    #[test]
    fn a_digit_is_spelled_out() {
        let given = Tokens::new(&names("x", &["x_3com_switch", "x_10g"], &["x_3com"], &[]), &Selection::default());
        let given = given.unwrap();
        assert_eq!(tokens(&given.resources), ["x:index/one0g:One0g", "x:index/threeComSwitch:ThreeComSwitch"]);
        assert_eq!(tokens(&given.data_sources), ["x:index/get3com:get3com"]);
    }

    #[test]
    fn names_that_differ_in_case_only_are_numbered() {
        let given = Tokens::new(&names("x", &["x_ab", "x_a_b", "x_aB", "x_ab_v2"], &[], &[]), &Selection::default());
        let given = given.unwrap();
        let expected = ["x:index/aB:AB", "x:index/aBV2:ABV2", "x:index/abV3:AbV3", "x:index/abV2V2:AbV2V2"];
        assert_eq!(tokens(&given.resources), expected);
        let given = Tokens::new(&names("x", &["x_get_a"], &["x_a"], &[]), &Selection::default()).unwrap();
        assert_eq!(tokens(&given.data_sources), ["x:index/getAV2:getAV2"]);
    }

    #[test]
    fn a_resource_is_not_called_as_the_provider() {
        let given = Tokens::new(&names("x", &["x_provider"], &[], &[]), &Selection::default()).unwrap();
        assert_eq!(tokens(&given.resources), ["x:index/xProvider:XProvider"]);
        let given = Tokens::new(&names("x", &["x_provider", "x_x_provider"], &[], &[]), &Selection::default()).unwrap();
        assert_eq!(given.resources.token("x_provider"), Some("x:index/providerResource:ProviderResource"));
        let all = ["x_provider", "x_x_provider", "x_provider_resource", "x_x_provider_resource"];
        let wrong = Tokens::new(&names("x", &all, &[], &[]), &Selection::default()).unwrap_err();
        assert!(matches!(wrong, TokenError::Provider { .. }), "{wrong}");
    }

    #[test]
    fn a_package_may_have_its_own_name_and_leave_things_out() {
        let provider = names("aws", &["aws_a", "aws_b", "aws_c"], &["aws_a"], &["arn_parse"]);
        let package = Some("mine".to_owned());
        let selection = |includes: &[&str], excludes: &[&str]| Selection {
            package: package.clone(),
            includes: includes.iter().map(|name| (*name).to_owned()).collect(),
            excludes: excludes.iter().map(|name| (*name).to_owned()).collect(),
        };
        let given = Tokens::new(&provider, &selection(&["aws_a", "aws_b"], &["aws_b"])).unwrap();
        assert_eq!(tokens(&given.resources), ["mine:index/a:A"]);
        assert_eq!(tokens(&given.data_sources), ["mine:index/getA:getA"]);
        assert!(given.functions.is_empty());
        let given = Tokens::new(&provider, &selection(&[], &["aws_a"])).unwrap();
        assert_eq!(tokens(&given.resources), ["mine:index/b:B", "mine:index/c:C"]);
        assert_eq!(tokens(&given.functions), ["mine:index/arnParse:arnParse"]);
    }

    #[test]
    fn what_cannot_be_named_is_said() {
        let wrong = Tokens::new(&names("x", &["x_a"], &["other"], &[]), &Selection::default()).unwrap_err();
        assert_eq!(wrong, TokenError::Prefix { name: "other".to_owned(), prefix: "x".to_owned() });
        let wrong = Tokens::new(&names("x", &["x_a"], &["x_b"], &["get_b"]), &Selection::default()).unwrap_err();
        assert!(matches!(wrong, TokenError::Collision { .. }), "{wrong}");
        let wrong = Tokens::new(&names("x", &["x_"], &[], &[]), &Selection::default()).unwrap_err();
        assert!(matches!(wrong, TokenError::Nothing { .. }), "{wrong}");
    }
}
