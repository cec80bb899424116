//! The results of a run.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use outrigger_engine::{Event, Step, StepOp, StepResult};
use outrigger_sdk::testing::Message;
use outrigger_value::{PropertyMap, Urn};

use crate::Finding;

/// The results of a run, or of a preview.
#[derive(Clone, Default)]
pub struct Run {
    steps: Vec<(StepOp, Arc<Step>)>,
    messages: Vec<Message>,
    findings: Vec<Finding>,
    outputs: PropertyMap,
}

impl Run {
    pub(crate) fn new(events: Vec<Event>, outputs: PropertyMap) -> Self {
        let mut run = Self { outputs, ..Self::default() };
        for event in events {
            match event {
                Event::StepEnded { step, result: StepResult::Done, result_op } => run.steps.push((result_op, step)),
                Event::Diagnostic { urn, diagnostic } => run.findings.push(Finding { urn, diagnostic: *diagnostic }),
                Event::Log { urn, message, ephemeral, .. } => run.messages.push(Message {
                    name: urn.map(|urn: Urn| urn.name().to_owned()).unwrap_or_default(),
                    text: message,
                    progress: ephemeral,
                }),
                _ => {}
            }
        }
        run
    }

    /// The steps of a resource, by its name, in order: `[StepOp::Create]`, or the three steps of a replacement. For a refresh, its
    /// findings. Empty if there is no such resource or its step failed.
    pub fn did(&self, name: &str) -> Vec<StepOp> {
        self.steps.iter().filter(|(_, step)| step.urn.name() == name).map(|(op, _)| *op).collect()
    }

    /// Every step, in order, with the resource before and after it, and the plugin's diff.
    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        self.steps.iter().map(|(_, step)| &**step)
    }

    /// How many steps of each kind there were, without those of the stack itself and of providers.
    pub fn counts(&self) -> BTreeMap<StepOp, usize> {
        let mut counts = BTreeMap::new();
        for (op, step) in &self.steps {
            if !step.urn.is_stack() && step.urn.provider_package().is_none() {
                *counts.entry(*op).or_default() += 1;
            }
        }
        counts
    }

    /// The plugin's messages to the user.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// The findings: after a successful run, its warnings.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// The outputs of the program.
    pub fn outputs(&self) -> &PropertyMap {
        &self.outputs
    }
}

/// The steps by name, for a failed assertion.
impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.steps.iter().map(|(op, step)| (step.urn.name(), op.as_str()))).finish()
    }
}
