//! The limit: the calls that an engine makes for `random:RandomString` resources, without an engine and without a state.
//!
//! `bare PROVIDER RESOURCES AT_ONCE` starts the provider and prints one JSON object: the time until it printed its port, the time to derive
//! a stack's key, and for each phase the wall time and the processor time of this client and of the provider, in seconds. Used by
//! `cargo xtask bench engine`.
#![allow(clippy::print_stdout, reason = "the figures are this program's output")]

use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bench::{Started, processor_time};
use outrigger_provider::{
    Action, ApplyRequest, CallContext, CheckRequest, Configure, Outcome, PlanRequest, Plugin, Provider,
    ResourceIdentity, State,
};
use outrigger_secrets::{Passphrase, Phrase};
use outrigger_value::{PropertyMap, Urn, Value};
use tokio::task::JoinSet;

type Failure = Box<dyn Error + Send + Sync>;

const TYPE: &str = "random:index/randomString:RandomString";

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let (Some(program), Some(count), Some(at_once)) = (arguments.next(), arguments.next(), arguments.next()) else {
        return Err("usage: bare PROVIDER RESOURCES AT_ONCE".into());
    };
    let (count, at_once): (usize, usize) = (count.parse()?, at_once.parse()?);
    let started = Started::new("random", program.into()).await?;
    let id = started.process.id();
    let urn = Urn::new("bench", "bench", None, "pulumi:providers:random", "default");
    let configure = Configure { urn, id: "bare".to_owned(), inputs: PropertyMap::new() };
    let provider = started.plugin.configure(&CallContext::background(), configure).await?;

    let clock = Clock::start(id)?;
    let states = each(&provider, (0..count).map(|index| (index, None)).collect(), at_once, create).await?;
    let created = clock.stop()?;
    let clock = Clock::start(id)?;
    let states = each(&provider, with_state(states), at_once, compare).await?;
    let compared = clock.stop()?;
    let clock = Clock::start(id)?;
    each(&provider, with_state(states), at_once, delete).await?;
    let deleted = clock.stop()?;
    started.end().await;
    let clock = Instant::now();
    Passphrase::create(Phrase::new("bare"))?;
    let key = clock.elapsed();

    println!(
        r#"{{"start":{:.6},"key":{:.6},"up":{created},"preview":{compared},"destroy":{deleted}}}"#,
        started.start.as_secs_f64(),
        key.as_secs_f64()
    );
    Ok(())
}

/// Makes one kind of call for every resource, with a limit of calls at once, and returns their states in order.
async fn each<F>(
    provider: &Arc<dyn Provider>,
    work: Vec<(usize, Option<State>)>,
    at_once: usize,
    call: impl Fn(Arc<dyn Provider>, usize, Option<State>) -> F,
) -> Result<Vec<State>, Failure>
where
    F: Future<Output = Result<State, Failure>> + Send + 'static,
{
    let mut states = vec![State::default(); work.len()];
    let mut running = JoinSet::new();
    let mut waiting = work.into_iter();
    loop {
        while running.len() < at_once
            && let Some((index, state)) = waiting.next()
        {
            let future = call(provider.clone(), index, state);
            running.spawn(async move { future.await.map(|state| (index, state)) });
        }
        let Some(done) = running.join_next().await else { return Ok(states) };
        let (index, state) = done??;
        if let Some(place) = states.get_mut(index) {
            *place = state;
        }
    }
}

fn with_state(states: Vec<State>) -> Vec<(usize, Option<State>)> {
    states.into_iter().enumerate().map(|(index, state)| (index, Some(state))).collect()
}

async fn create(provider: Arc<dyn Provider>, index: usize, _: Option<State>) -> Result<State, Failure> {
    let inputs = check(provider.as_ref(), index, None, false).await?;
    apply(provider.as_ref(), index, Action::Create, None, inputs).await
}

async fn compare(provider: Arc<dyn Provider>, index: usize, state: Option<State>) -> Result<State, Failure> {
    let state = state.unwrap_or_default();
    let inputs = check(provider.as_ref(), index, Some(state.inputs.clone()), true).await?;
    let request = PlanRequest {
        resource: identity(index),
        prior: Some(state.clone()),
        inputs: Some(inputs),
        ignore_changes: Vec::new(),
        predict: false,
        timeout: None,
    };
    provider.plan(&CallContext::background(), request).await?;
    Ok(state)
}

async fn delete(provider: Arc<dyn Provider>, index: usize, state: Option<State>) -> Result<State, Failure> {
    apply(provider.as_ref(), index, Action::Delete, state, PropertyMap::new()).await
}

async fn check(
    provider: &dyn Provider,
    index: usize,
    olds: Option<PropertyMap>,
    preview: bool,
) -> Result<PropertyMap, Failure> {
    // The same lengths as in the benchmark's program.
    let length = 8.0 + f64::from(u8::try_from(index % 32)?);
    let news = PropertyMap::from([("length".to_owned(), Value::Number(length))]);
    let request =
        CheckRequest { resource: identity(index), olds, news, random_seed: [7; 32], preview, autonaming: None };
    Ok(provider.check(&CallContext::background(), request).await?.inputs)
}

async fn apply(
    provider: &dyn Provider,
    index: usize,
    action: Action,
    prior: Option<State>,
    inputs: PropertyMap,
) -> Result<State, Failure> {
    let request =
        ApplyRequest { resource: identity(index), action, prior, inputs, ignore_changes: Vec::new(), timeout: None };
    match provider.apply(&CallContext::background(), request).await {
        Outcome::Done(state) => Ok(state),
        other => Err(format!("the provider did not do it: {other:?}").into()),
    }
}

fn identity(index: usize) -> ResourceIdentity {
    ResourceIdentity::new(Urn::new("bench", "bench", None, TYPE, &format!("text{index}")))
}

/// Wall time, and processor time of this process and of the provider.
struct Clock {
    provider: u32,
    started: Instant,
    ours: Duration,
    theirs: Duration,
}

impl Clock {
    fn start(provider: u32) -> Result<Self, Failure> {
        let ours = processor_time(std::process::id())?;
        Ok(Clock { provider, started: Instant::now(), ours, theirs: processor_time(provider)? })
    }

    fn stop(self) -> Result<String, Failure> {
        let wall = self.started.elapsed().as_secs_f64();
        let ours = (processor_time(std::process::id())? - self.ours).as_secs_f64();
        let theirs = (processor_time(self.provider)? - self.theirs).as_secs_f64();
        Ok(format!(r#"{{"wall":{wall:.3},"client_cpu":{ours:.2},"provider_cpu":{theirs:.2}}}"#))
    }
}
