//! A project's parameters for a Terraform provider: the arguments that follow `package add terraform-provider`.

mod local;
mod value;

use std::collections::BTreeSet;

use outrigger_diagnostic::Diagnostic;
use outrigger_terraform::address::Address;
use outrigger_terraform::constraint::Constraint;

pub use local::LocalPath;
pub use value::ParameterValue;

/// A provider, and how it becomes a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// The provider.
    pub provider: Wanted,
    /// The Terraform names of the resources, data sources and functions that the package includes; all if empty.
    pub includes: Vec<String>,
    /// The names that it leaves out.
    pub excludes: Vec<String>,
    /// The package's name, if it differs from the provider's.
    pub provider_name: Option<String>,
}

/// A provider, as the user names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// By the path of its executable.
    Local(LocalPath),
    /// By its address.
    Remote {
        /// The address.
        address: Address,
        /// The accepted versions.
        constraint: Constraint,
    },
}

const HELP: &str = "\
The arguments are the provider and how to use it:

  ADDRESS [CONSTRAINT]    a provider by its address, as in `hashicorp/random '~> 3.6'`
  PATH                    a provider by its executable, as in `./terraform-provider-random`

  --include A,B           only these resources, data sources and functions, by their names in Terraform
  --exclude A,B           all but these
  --provider-name NAME    what the package is called, if not like the provider";

/// Flags of Pulumi's bridge that concern its documentation only.
const REFUSED: [&str; 3] = ["fullDocs", "upstreamRepoPath", "indexDocOutDir"];

impl Parameters {
    /// Reads the arguments. A request for help returns an error whose text is the help.
    pub fn parse<S: AsRef<str>>(arguments: &[S]) -> Result<Self, Diagnostic> {
        let mut flags = Flags::default();
        let mut words = Vec::new();
        let mut rest = arguments.iter().map(AsRef::as_ref);
        while let Some(argument) = rest.next() {
            match argument.strip_prefix("--") {
                Some("") => words.extend(rest.by_ref()),
                Some(flag) => flags.take(flag, &mut rest)?,
                None if argument == "-h" => return Err(help()),
                None if argument.starts_with('-') && argument.len() > 1 => return Err(unknown(argument)),
                None => words.push(argument),
            }
        }
        let provider = match words.as_slice() {
            [] => return Err(wrong("no provider is named").hint(HELP)),
            [path] if is_path(path) => Wanted::Local(LocalPath::parse(path)?),
            [path, _, ..] if is_path(path) => {
                return Err(wrong("nothing but flags may follow the path of a provider")
                    .hint("Leave the rest out: a local provider has no version."));
            }
            [address] => Wanted::Remote { address: address.parse()?, constraint: Constraint::default() },
            [address, constraint] => Wanted::Remote { address: address.parse()?, constraint: constraint.parse()? },
            [_, _, third, ..] => {
                return Err(wrong(format!("`{third}` is one argument too many"))
                    .hint("Put a constraint with spaces in quotes, as in `'>= 3.1, < 4.0'`."));
            }
        };
        flags.parameters(provider)
    }
}

#[derive(Default)]
struct Flags {
    includes: Vec<String>,
    excludes: Vec<String>,
    provider_name: Option<String>,
}

impl Flags {
    fn take<'a>(&mut self, flag: &'a str, rest: &mut impl Iterator<Item = &'a str>) -> Result<(), Diagnostic> {
        let (name, given) = match flag.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (flag, None),
        };
        let mut value =
            || given.or_else(|| rest.next()).ok_or_else(|| wrong(format!("`--{name}` has no value")).hint(HELP));
        match name {
            "help" => return Err(help()),
            "include" => self.includes.extend(names(value()?)),
            "exclude" => self.excludes.extend(names(value()?)),
            "provider-name" => self.provider_name = Some(value()?.to_owned()).filter(|name| !name.is_empty()),
            "fullDocs" if given == Some("false") => {}
            name if REFUSED.contains(&name) => {
                return Err(wrong(format!("`--{name}` is not supported"))
                    .detail("It only affects documentation that is generated from a provider's repository.")
                    .hint("Leave it out. The descriptions in the provider's schema are always included."));
            }
            _ => return Err(unknown(&format!("--{name}"))),
        }
        Ok(())
    }

    fn parameters(self, provider: Wanted) -> Result<Parameters, Diagnostic> {
        let Self { includes, excludes, provider_name } = self;
        let included: BTreeSet<&String> = includes.iter().collect();
        match excludes.iter().find(|name| included.contains(name)) {
            Some(both) => {
                Err(wrong(format!("`{both}` is both included and excluded"))
                    .hint("Remove it from one of the two lists."))
            }
            None => Ok(Parameters { provider, includes, excludes, provider_name }),
        }
    }
}

/// The rule of Pulumi's bridge.
fn is_path(text: &str) -> bool {
    text.starts_with(['.', '/'])
}

fn names(list: &str) -> impl Iterator<Item = String> {
    list.split(',').filter(|name| !name.is_empty()).map(str::to_owned)
}

fn unknown(flag: &str) -> Diagnostic {
    wrong(format!("the flag `{flag}` is not known")).hint(HELP)
}

fn help() -> Diagnostic {
    Diagnostic::error("terraform-arguments", "help was asked for").detail(HELP)
}

fn wrong(summary: impl Into<String>) -> Diagnostic {
    Diagnostic::error("terraform-arguments", summary)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(arguments: &str) -> Result<Parameters, Diagnostic> {
        Parameters::parse(&arguments.split_whitespace().collect::<Vec<_>>())
    }

    #[test]
    fn providers_are_named_by_address_or_by_path() {
        let Wanted::Remote { address, constraint } = parse("hashicorp/random").unwrap().provider else { panic!() };
        assert_eq!((address.kind(), constraint.is_empty()), ("random", true));
        let Wanted::Remote { constraint, .. } = parse("hashicorp/random ~>3.6").unwrap().provider else { panic!() };
        assert_eq!(constraint.to_string(), "~> 3.6");
        let Wanted::Local(path) = parse("./terraform-provider-x").unwrap().provider else { panic!() };
        assert_eq!(path.name(), "x");
    }

    #[test]
    fn flags_stand_anywhere() {
        let parameters =
            parse("--include a,b hashicorp/random --include=c --exclude d --provider-name mine 3.6.0 --fullDocs=false")
                .unwrap();
        assert_eq!(parameters.includes, ["a", "b", "c"]);
        assert_eq!(parameters.excludes, ["d"]);
        assert_eq!(parameters.provider_name.as_deref(), Some("mine"));
        assert!(parse("-- hashicorp/random").is_ok());
    }

    #[test]
    fn mistakes_are_explained() {
        for (arguments, summary) in [
            ("", "no provider is named"),
            ("a/b 1.0 2.0", "`2.0` is one argument too many"),
            ("./terraform-provider-x 1.0", "nothing but flags"),
            ("a/b --include", "`--include` has no value"),
            ("a/b --color red", "the flag `--color` is not known"),
            ("a/b -v", "the flag `-v` is not known"),
            ("a/b --include x --exclude x", "`x` is both included and excluded"),
            ("a/b --fullDocs", "`--fullDocs` is not supported"),
            ("./terraform-provider-x --upstreamRepoPath=y", "`--upstreamRepoPath` is not supported"),
            ("--help", "help was asked for"),
            ("a/b -h", "help was asked for"),
            ("b", "`b` is not the address"),
            ("a/b v1", "`v1` is not a version constraint"),
            ("./random", "is not the path of a Terraform provider"),
        ] {
            let error = parse(arguments).unwrap_err();
            assert!(error.summary.contains(summary), "{arguments}: {error:?}");
            assert!(!error.hints.is_empty() || summary == "help was asked for", "{arguments}: {error:?}");
        }
    }
}
