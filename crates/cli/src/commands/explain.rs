//! `outrigger explain`.

use clap::Args;
use outrigger_diagnostic::Diagnostic;

use crate::explanations::{PAGES, near, page, shown};
use crate::failure::Failure;
use crate::output::data;

/// Explain an error code.
#[derive(Args, Debug)]
pub(crate) struct Explain {
    /// The code, such as `stack-locked`; without one, all codes are listed.
    #[arg(value_name = "CODE")]
    code: Option<String>,
}

impl Explain {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let Some(code) = self.code else {
            let codes: Vec<&str> = PAGES.iter().map(|(code, _)| *code).collect();
            return Ok(data(&codes.join("\n"))?);
        };
        match page(&code) {
            Some(page) => Ok(data(shown(page).trim_end())?),
            None => Err(unknown(&code).into()),
        }
    }
}

fn unknown(code: &str) -> Diagnostic {
    let diagnostic = Diagnostic::error("explain-unknown", format!("there is no code `{code}`"));
    let near = near(code);
    let diagnostic =
        if near.is_empty() { diagnostic } else { diagnostic.detail(format!("Similar: {}.", near.join(", "))) };
    diagnostic.hint("Run `outrigger explain` to list all codes.")
}
