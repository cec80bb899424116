//! Random programs: a graph of goals, registered concurrently, that changes from run to run.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use futures::FutureExt;
use futures::future::{BoxFuture, Shared, join_all};
use outrigger_provider::{
    Alias, AliasParent, Goal, InvokeGoal, Monitor, PackageReference, Program, ProgramError, ReadGoal, Registered,
};
use outrigger_value::{PropertyDependencies, PropertyMap, ProviderReference, UNKNOWN_ID, Urn, Value};

use super::item::{Item, Kind};
use super::world::{CANARY, World};

/// A program for one run.
pub(crate) struct FakeProgram {
    pub(crate) world: Arc<World>,
    pub(crate) items: Vec<Item>,
    /// Whether it registers the root stack, or leaves that to the engine.
    pub(crate) rooted: bool,
    /// The registered goals by name.
    pub(crate) registered: Mutex<BTreeMap<Urn, Goal>>,
}

type Answer = Option<Arc<Registered>>;
type Pending<'a> = Shared<BoxFuture<'a, Answer>>;

impl FakeProgram {
    pub(crate) fn new(world: Arc<World>, items: Vec<Item>, rooted: bool) -> Self {
        Self { world, items, rooted, registered: Mutex::default() }
    }

    pub(crate) fn goals(&self) -> BTreeMap<Urn, Goal> {
        self.registered.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    async fn item(&self, monitor: &dyn Monitor, item: &Item, needed: BTreeMap<usize, Pending<'_>>) -> Answer {
        let mut known = BTreeMap::new();
        for (number, answer) in needed {
            known.insert(number, answer.await?);
        }
        self.world.schedule.pauses(2).await;
        match &item.kind {
            Kind::Read(id) => self.read(monitor, item, id, &known).await,
            Kind::Invoke => {
                let goal = InvokeGoal { token: "alpha:i:find".to_owned(), ..InvokeGoal::default() };
                monitor.invoke(goal).await.ok()?;
                None
            }
            _ => self.register(monitor, item, &known).await,
        }
    }

    async fn read(&self, monitor: &dyn Monitor, item: &Item, id: &str, known: &Known) -> Answer {
        let goal = ReadGoal {
            ty: item.ty.clone(),
            name: item.name.clone(),
            parent: item.parent.and_then(|parent| known.get(&parent)).map(|parent| parent.urn.clone()),
            id: Some(id.into()),
            dependencies: item.depends.iter().filter_map(|n| known.get(n)).map(|r| r.urn.clone()).collect(),
            ..ReadGoal::default()
        };
        let noted = Goal { ty: goal.ty.clone(), name: goal.name.clone(), custom: true, ..Goal::default() };
        let answer = monitor.read(goal).await.ok()?;
        self.check(monitor, &answer);
        self.note(answer.urn.clone(), noted);
        Some(Arc::new(answer))
    }

    async fn register(&self, monitor: &dyn Monitor, item: &Item, known: &Known) -> Answer {
        let goal = goal(item, known);
        let outputs = item.kind == Kind::Component;
        let noted = goal.clone();
        let answer = monitor.register(goal).await.ok()?;
        self.check(monitor, &answer);
        self.note(answer.urn.clone(), noted);
        if outputs {
            let outputs = PropertyMap::from([("answer".to_owned(), format!("k{}", item.key).into())]);
            monitor.register_outputs(&answer.urn, outputs).await.ok()?;
        }
        Some(Arc::new(answer))
    }

    fn note(&self, urn: Urn, goal: Goal) {
        self.registered.lock().unwrap_or_else(PoisonError::into_inner).insert(urn, goal);
    }

    /// Checks that the state behind an answer is durable.
    fn check(&self, monitor: &dyn Monitor, answer: &Registered) {
        let mut world = self.world.lock();
        world.note(format!("  answered {} {:?}", answer.urn, answer.id));
        // A targeted run answers for a resource that it does not create.
        let skipped = world.lenient_order && world.shadow.live(&answer.urn).is_none();
        if monitor.run().preview || answer.id == Some(Value::Unknown) || skipped {
            return;
        }
        let id = answer.id.as_ref().and_then(Value::as_str);
        let known = world.shadow.live(&answer.urn).is_some_and(|entry| {
            entry.id.as_deref() == id && entry.outputs == answer.outputs && !entry.pending_replacement
        });
        if !known {
            world.violated("answer", format!("{} was answered before its result was durable", answer.urn));
        }
    }
}

type Known = BTreeMap<usize, Arc<Registered>>;

/// The goal of an item, built from the answers that it needs.
fn goal(item: &Item, known: &Known) -> Goal {
    let mut inputs = PropertyMap::new();
    let mut property_dependencies = PropertyDependencies::new();
    let mut dependencies = BTreeSet::new();
    let mut put = |key: String, value: Value, from: Option<Urn>| {
        property_dependencies.insert(key.clone(), from.into_iter().collect());
        inputs.insert(key, value);
    };
    if item.kind == Kind::Provider {
        put("region".to_owned(), format!("r{}", item.key).into(), None);
        put("label".to_owned(), format!("l{}", item.size).into(), None);
    } else {
        put("key".to_owned(), format!("k{}", item.key).into(), None);
        put("size".to_owned(), format!("s{}", item.size).into(), None);
    }
    if item.secret {
        put("secret".to_owned(), Value::secret(CANARY.into()), None);
    }
    if item.hidden {
        put("hide".to_owned(), true.into(), None);
    }
    let references = item
        .soft
        .iter()
        .map(|number| (format!("soft{number}"), *number))
        .chain(item.hard.iter().map(|number| (format!("hard{number}"), *number)))
        .chain(item.within.map(|number| ("within".to_owned(), number)));
    for (key, number) in references {
        if let Some(other) = known.get(&number) {
            put(key, other.id.clone().unwrap_or(Value::Null), Some(other.urn.clone()));
            dependencies.insert(other.urn.clone());
        }
    }
    let urn_of = |number: &usize| known.get(number).map(|other| other.urn.clone());
    dependencies.extend(item.depends.iter().filter_map(urn_of));
    let provider = item.provider.and_then(|number| known.get(&number)).map(|provider| ProviderReference {
        urn: provider.urn.clone(),
        id: provider.id.as_ref().and_then(Value::as_str).unwrap_or(UNKNOWN_ID).to_owned(),
    });
    let spec = |name: Option<&String>, ty: Option<&String>| Alias::Spec {
        name: name.cloned(),
        ty: ty.cloned(),
        stack: None,
        project: None,
        parent: AliasParent::Same,
    };
    let mut aliases: Vec<Alias> = item.old_names.iter().map(|name| spec(Some(name), None)).collect();
    aliases.extend(item.old_types.iter().map(|ty| spec(None, Some(ty))));
    for ty in &item.old_types {
        aliases.extend(item.old_names.iter().map(|name| spec(Some(name), Some(ty))));
    }
    Goal {
        ty: item.ty.clone(),
        name: item.name.clone(),
        custom: item.kind != Kind::Component,
        parent: item.parent.as_ref().and_then(urn_of),
        inputs,
        provider,
        dependencies: dependencies.into_iter().collect(),
        property_dependencies,
        protect: item.protect,
        ignore_changes: if item.ignore_size { vec!["size".to_owned()] } else { Vec::new() },
        replace_on_changes: if item.replace_on_size { vec!["size".to_owned()] } else { Vec::new() },
        additional_secret_outputs: if item.hidden { vec!["hidden".to_owned()] } else { Vec::new() },
        aliases,
        delete_before_replace: item.delete_before_replace,
        retain_on_delete: item.retain,
        deleted_with: item.within.as_ref().and_then(urn_of),
        replace_with: item.replace_with.as_ref().and_then(urn_of).into_iter().collect(),
        replacement_trigger: item.trigger.map(|trigger| format!("t{trigger}").into()),
        ..Goal::default()
    }
}

#[async_trait]
impl Program for FakeProgram {
    fn required_packages(&self) -> Vec<PackageReference> {
        Vec::new()
    }

    async fn run(&self, monitor: &dyn Monitor) -> Result<(), ProgramError> {
        if self.rooted {
            monitor.register(Goal::root(monitor.stack())).await.map_err(|_| ProgramError)?;
        }
        let mut answers: BTreeMap<usize, Pending<'_>> = BTreeMap::new();
        for item in &self.items {
            let needed =
                item.needs().filter_map(|number| answers.get(&number).map(|answer| (number, answer.clone()))).collect();
            answers.insert(item.number, self.item(monitor, item, needed).boxed().shared());
        }
        self.world.lock().program_runs = true;
        join_all(answers.into_values()).await;
        self.world.lock().program_runs = false;
        let outputs = PropertyMap::from([("count".to_owned(), format!("{}", self.items.len()).into())]);
        monitor.register_outputs(monitor.stack(), outputs).await.map_err(|_| ProgramError)
    }
}
