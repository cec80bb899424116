//! The remaining services of the engine: a clock, seeded randomness, recorded events.

use std::sync::Arc;

use async_trait::async_trait;
use outrigger_diagnostic::Diagnostic;
use outrigger_engine::{Event, EventSink, OtherStacks, PrepareInputs, Random as EngineRandom, Services};
use outrigger_state::Journal;
use outrigger_value::PropertyMap;
use tokio_util::sync::CancellationToken;

use super::machine::FakeClock;
use super::plugin::FakePlugins;
use super::world::{CANARY, World};

/// The services of one run.
pub(crate) fn services(world: &Arc<World>, journal: Arc<dyn Journal>) -> Services {
    let surroundings = Arc::new(Surroundings { world: world.clone() });
    Services {
        plugins: Arc::new(FakePlugins(world.clone())),
        journal,
        clock: Arc::new(FakeClock::default()),
        random: surroundings.clone(),
        stacks: surroundings.clone(),
        inputs: surroundings.clone(),
        events: surroundings,
        stop: CancellationToken::new(),
        abort: CancellationToken::new(),
    }
}

struct Surroundings {
    world: Arc<World>,
}

impl EngineRandom for Surroundings {
    fn seed(&self) -> [u8; 32] {
        [7; 32]
    }

    fn uuid(&self) -> String {
        format!("00000000-0000-4000-8000-{:012x}", self.world.lock().random.next() & 0xFFFF_FFFF_FFFF)
    }
}

#[async_trait]
impl OtherStacks for Surroundings {
    async fn outputs(&self, _: &str) -> Result<PropertyMap, Diagnostic> {
        Ok(PropertyMap::new())
    }
}

impl PrepareInputs for Surroundings {
    fn prepare(&self, _: &mut PropertyMap) -> Result<(), Diagnostic> {
        Ok(())
    }
}

impl EventSink for Surroundings {
    fn emit(&self, event: Event) {
        let text = match &event {
            Event::StepStarted(step) => format!("start {} {}", step.op.as_str(), step.urn),
            Event::StepEnded { step, result, result_op } => {
                format!("end {} {} {result:?} {}", step.op.as_str(), step.urn, result_op.as_str())
            }
            Event::CallStarted { urn } => format!("call {urn}"),
            Event::NotStarted { urn } => format!("not started {urn}"),
            Event::Outputs { urn, .. } => format!("outputs {urn}"),
            Event::Diagnostic { diagnostic, .. } => {
                // The names of locks and journals are truly random.
                let detail = diagnostic.detail.as_deref().filter(|detail| !detail.contains("memory:"));
                format!("{} {} {}", diagnostic.code, diagnostic.summary, detail.unwrap_or_default())
            }
            Event::Log { message, .. } => format!("log {message}"),
        };
        let shown = text.contains(CANARY) || format!("{event:?}").contains(CANARY);
        let mut world = self.world.lock();
        if shown {
            world.violated("secret", format!("an event shows a secret: {}", text.replace(CANARY, "[canary]")));
        }
        world.note(text);
    }
}
