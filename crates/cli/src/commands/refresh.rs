//! `outrigger refresh`.

use clap::Args;
use outrigger_diagnostic::Diagnostic;
use outrigger_value::Urn;
use outrigger_workspace::{PendingCreates, Work};

use crate::arguments::{Configuring, Confirming, Showing, StackChoice, Working};
use crate::environment::Environment;
use crate::failure::Failure;
use crate::operation::{self, Request};
use crate::terminal::Terminal;

/// Update the state to match the resources as they are.
#[derive(Args, Debug)]
pub(crate) struct Refresh {
    #[command(flatten)]
    choice: StackChoice,
    #[command(flatten)]
    configuring: Configuring,
    #[command(flatten)]
    confirming: Confirming,
    #[command(flatten)]
    working: Working,
    #[command(flatten)]
    showing: Showing,
    /// Fail if anything was changed.
    #[arg(long)]
    expect_no_changes: bool,
    /// Only show what would change.
    #[arg(long)]
    preview_only: bool,
    /// Keep creations that an earlier run did not finish (this is the default).
    #[arg(long, conflicts_with_all = ["clear_pending_creates", "import_pending_creates"])]
    skip_pending_creates: bool,
    /// Remove creations that an earlier run did not finish from the state.
    #[arg(long, conflicts_with = "import_pending_creates")]
    clear_pending_creates: bool,
    /// Adopt a creation that an earlier run did not finish; give it twice, first the URN, then the id.
    #[arg(long, value_name = "URN ID", num_args = 1..)]
    import_pending_creates: Vec<String>,
}

impl Refresh {
    pub(crate) fn run(self, environment: &Environment, terminal: Terminal) -> Result<(), Failure> {
        let pending_creates = if self.clear_pending_creates {
            PendingCreates::Clear
        } else if self.import_pending_creates.is_empty() || self.skip_pending_creates {
            PendingCreates::Keep
        } else {
            PendingCreates::Import(pairs(&self.import_pending_creates)?)
        };
        let confirming = (!self.preview_only).then_some(self.confirming);
        let mut request =
            Request::new(Work::Refresh, confirming, self.choice, &self.configuring, &self.working, self.showing)?;
        // Reading is this command's own work.
        request.asked.refresh = Some(false);
        request.asked.pending_creates = pending_creates;
        request.expect_no_changes = self.expect_no_changes;
        operation::run(&request, environment, terminal)
    }
}

fn pairs(texts: &[String]) -> Result<Vec<(Urn, String)>, Diagnostic> {
    let explained = |diagnostic: Diagnostic| {
        diagnostic.hint("Give it in pairs: `--import-pending-creates URN --import-pending-creates ID`.")
    };
    let (pairs, rest) = texts.as_chunks::<2>();
    if !rest.is_empty() {
        let summary = "`--import-pending-creates` needs a URN and an id for each resource";
        return Err(explained(Diagnostic::error("pending-pairs", summary)));
    }
    let pair = |[urn, id]: &[String; 2]| {
        let urn = urn.parse().map_err(|error: outrigger_value::UrnError| {
            explained(Diagnostic::error("pending-pairs", error.to_string()))
        })?;
        Ok((urn, id.clone()))
    };
    pairs.iter().map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_ids_come_in_pairs() {
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let urn = "urn:pulumi:dev::p::a:b:C::x";
        assert_eq!(pairs(&texts(&[urn, "id-1"])).unwrap()[0].1, "id-1");
        assert_eq!(pairs(&texts(&[urn])).unwrap_err().code, "pending-pairs");
        assert_eq!(pairs(&texts(&["x", "id-1"])).unwrap_err().code, "pending-pairs");
    }
}
