//! `outrigger package info`.

use std::path::PathBuf;

use clap::Args;
use outrigger_diagnostic::Diagnostic;
use outrigger_provider::CallContext;
use outrigger_workspace::{BRIDGE, Documentation};

use crate::environment::Environment;
use crate::failure::Failure;
use crate::operation::runtime;
use crate::output::{data, talk};
use crate::pager;
use crate::render::live::size;
use crate::render::page::{self as render, Format, write};
use crate::render::plugins::place;
use crate::terminal::Terminal;

/// Show the documentation of a package, or of one of its resources, functions or types.
///
/// Without a type, lists the configuration keys, resources and functions of the package. With one, shows its description, an example, its arguments and
/// its outputs. A type is a token in any form, a name without the package, or Terraform's name, such as `random_string`.
#[derive(Args, Debug)]
pub(crate) struct Info {
    /// A plugin, as `NAME`, `NAME@VERSION` or the path of its executable, or a package of the project.
    #[arg(value_name = "PACKAGE")]
    package: String,
    /// The type to show. Parameters of the plugin come before it, as in `terraform-provider hashicorp/random String`.
    #[arg(value_name = "TYPE")]
    words: Vec<String>,
    /// Parameters of the plugin, where they have flags among them.
    #[arg(value_name = "PARAMETER", last = true)]
    parameters: Vec<String>,
    /// Print a page for a site, in this form.
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Write a page for each resource and function, and an index, into this directory; as Markdown unless `--format` names another form.
    #[arg(long, value_name = "DIRECTORY")]
    output_dir: Option<PathBuf>,
    /// Never start a pager. PAGER names the one to start; if it is empty or `cat`, there is none.
    #[arg(long)]
    no_pager: bool,
}

impl Info {
    pub(crate) fn run(self, environment: &Environment, terminal: Terminal) -> Result<(), Failure> {
        let (parameters, ty) = self.understood()?;
        let runtime = runtime()?;
        let cx = CallContext::background();
        let with_names = ty.is_some() || self.output_dir.is_some();
        let read = Documentation::read(&cx, environment, &self.package, &parameters, with_names);
        let documentation = runtime.block_on(read)?;
        let subject = ty.map(|ty| documentation.find(&ty)).transpose()?;
        let overview = || documentation.overview(&place(&documentation.plugin));
        if let Some(directory) = &self.output_dir {
            let directory = environment.directory.join(directory);
            let subjects = subject.map_or_else(|| documentation.subjects(), |subject| vec![subject]);
            let format = self.format.unwrap_or(Format::Markdown);
            let count = write(&documentation, &overview()?, &subjects, format, &directory)?;
            talk(&format!("Wrote {count} pages to `{}`.", directory.display()));
            return Ok(());
        }
        let blocks = subject.map_or_else(overview, |subject| documentation.page(&subject))?;
        if let Some(format) = self.format {
            return Ok(data(format.page(&blocks, &|_| None).trim_end())?);
        }
        let (columns, rows) = size();
        let text = render::terminal(&blocks, columns);
        let pager =
            (!self.no_pager).then(|| pager::choose(environment, terminal, text.lines().count() >= rows)).flatten();
        match pager {
            Some(pager) => Ok(runtime.block_on(pager::show(environment, &pager, &text))?),
            None => Ok(data(text.trim_end())?),
        }
    }

    /// The parameters of the plugin, and the type. The bridge needs an address to be a package.
    fn understood(&self) -> Result<(Vec<String>, Option<String>), Diagnostic> {
        let mut words = self.words.clone();
        let mut parameters = self.parameters.clone();
        if !parameters.is_empty() {
            if words.len() > 1 {
                return Err(Diagnostic::error("package-info-words", format!("`{}` is one word too many", words[1]))
                    .detail("Parameters were given on both sides of `--`.")
                    .hint("Write the type before `--`, and all parameters behind it."));
            }
            return Ok((parameters, words.pop()));
        }
        let is_bridge = self.package.split('@').next() == Some(BRIDGE);
        let is_type = |word: &String| word.starts_with(|first: char| first.is_ascii_alphabetic()) && !is_address(word);
        let ty = match words.len() {
            1 if is_bridge => None,
            _ => words.pop_if(|word| !is_bridge || is_type(word)),
        };
        parameters.extend(words);
        Ok((parameters, ty))
    }
}

/// Whether it is `NAMESPACE/NAME`; a token has no slash before its first colon.
fn is_address(word: &str) -> bool {
    word.split(':').next().is_some_and(|first| first.contains('/'))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        info: Info,
    }

    #[test]
    fn the_last_word_is_the_type() {
        let cases: [(&str, &[&str], Option<&str>); 11] = [
            ("random", &[], None),
            ("random String", &[], Some("String")),
            ("other a b", &["a"], Some("b")),
            ("terraform-provider hashicorp/random", &["hashicorp/random"], None),
            ("terraform-provider random", &["random"], None),
            ("terraform-provider hashicorp/random 3.6.0", &["hashicorp/random", "3.6.0"], None),
            (
                "terraform-provider hashicorp/random >=3 random_string",
                &["hashicorp/random", ">=3"],
                Some("random_string"),
            ),
            ("terraform-provider@1.0.0 ./x random:index/pet:Pet", &["./x"], Some("random:index/pet:Pet")),
            ("terraform-provider ./x ./y", &["./x", "./y"], None),
            (
                "terraform-provider aws_x -- hashicorp/aws --include aws_x",
                &["hashicorp/aws", "--include", "aws_x"],
                Some("aws_x"),
            ),
            ("other -- a", &["a"], None),
        ];
        for (line, parameters, ty) in cases {
            let parsed = Line::try_parse_from(["info"].into_iter().chain(line.split(' '))).unwrap();
            let (given, found) = parsed.info.understood().unwrap();
            assert_eq!(
                (given.as_slice(), found.as_deref()),
                (parameters.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>().as_slice(), ty),
                "{line}"
            );
        }
        let parsed = Line::try_parse_from("info other a b -- c".split(' ')).unwrap();
        assert_eq!(parsed.info.understood().unwrap_err().code, "package-info-words");
    }
}
