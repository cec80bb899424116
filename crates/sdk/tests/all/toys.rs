//! A package with one of everything, whose world is a map in memory.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};

use outrigger_sdk::{
    Archive, Asset, Changes, Check, Context, Created, Enumeration, Error, Function, Inputs, Object, Outputs, Package,
    Preview, PropertyMap, Resource, Result, Secret, State, Value,
};

pub(crate) type World = Arc<Mutex<BTreeMap<String, u32>>>;

/// How the toys are kept.
#[derive(Inputs)]
pub(crate) struct Settings {
    /// Whose toys they are.
    #[outrigger(env = "TOYS_OWNER")]
    pub(crate) owner: String,
    /// How many there may be.
    #[outrigger(default = 10)]
    pub(crate) limit: u32,
    /// A room of its own has toys of its own.
    #[outrigger(replace)]
    pub(crate) room: Option<String>,
}

pub(crate) struct Toys {
    pub(crate) settings: Settings,
    pub(crate) world: World,
}

/// The parts of a robot.
#[derive(Clone, Inputs)]
pub(crate) struct RobotArgs {
    /// The name on its chest.
    #[outrigger(replace)]
    pub(crate) model: String,
    /// How many arms it has.
    #[outrigger(default = 2)]
    pub(crate) arms: u32,
    /// The password of its service door.
    #[outrigger(secret)]
    pub(crate) password: Option<String>,
    /// Its stand.
    pub(crate) stand: Option<Stand>,
    /// Its coats of paint.
    pub(crate) paint: Option<Vec<Paint>>,
    /// Words for people.
    pub(crate) labels: Option<HashMap<String, String>>,
    /// Anything else.
    pub(crate) notes: Option<Value>,
    /// Its manual.
    pub(crate) manual: Option<Asset>,
    /// Its parts.
    pub(crate) parts: Option<Archive>,
    /// Its weight.
    #[outrigger(deprecated = "nobody needs it")]
    pub(crate) weight: Option<f64>,
    /// A secret token.
    pub(crate) token: Option<Secret<String>>,
}

/// The stand of a robot.
#[derive(Clone, Object)]
pub(crate) struct Stand {
    /// How high it is.
    #[outrigger(replace)]
    pub(crate) height: u8,
    /// Its kind of wood.
    #[outrigger(default = "oak")]
    pub(crate) wood: String,
    /// Other stands on it.
    pub(crate) beside: Option<Vec<Stand>>,
}

/// A colour.
#[derive(Clone, Copy, Debug, Enumeration, PartialEq)]
#[outrigger(token = "toys:paint:Paint")]
pub(crate) enum Paint {
    /// As fire.
    Red,
    /// As the sea.
    #[outrigger(name = "deep-blue")]
    DeepBlue,
}

/// A robot.
#[derive(Outputs)]
pub(crate) struct Robot {
    /// The name on its chest.
    pub(crate) model: String,
    /// How many arms it has.
    pub(crate) arms: u32,
    /// The password of its service door.
    #[outrigger(secret)]
    pub(crate) password: Option<String>,
    /// Its number, which stays.
    #[outrigger(stable)]
    pub(crate) serial: u32,
    /// How often it was changed.
    pub(crate) changes: u32,
    /// How many arms and legs it has.
    pub(crate) limbs: u32,
}

impl Robot {
    fn new(inputs: RobotArgs, serial: u32, changes: u32) -> Self {
        let RobotArgs { model, arms, password, .. } = inputs;
        Self { model, arms, password, serial, changes, limbs: arms + 2 }
    }
}

impl Resource for Robot {
    type Inputs = RobotArgs;
    const TOKEN: &'static str = "toys:index:Robot";
    const DELETE_BEFORE_REPLACE: bool = true;

    async fn check(_: &Context, check: &mut Check<RobotArgs>) -> Result<()> {
        if check.inputs.arms > 8 {
            check.refuse("arms", "eight are enough");
        }
        if check.inputs.model.is_empty() {
            let kept = check.old.as_ref().map(|old| old.model.clone());
            check.inputs.model = kept.unwrap_or_else(|| format!("robot-{}", check.random_digits(4)));
        }
        Ok(())
    }

    async fn diff(_: &Context, state: &State<Self>, inputs: &RobotArgs, changes: &mut Changes) -> Result<()> {
        if inputs.weight.is_some() {
            changes.ignore("weight");
        }
        if inputs.arms < state.inputs.arms {
            changes.replace("arms");
        }
        Ok(())
    }

    async fn preview(_: &Context, preview: &mut Preview) -> Result<()> {
        if let Some(arms) = preview.input::<u32>("arms") {
            preview.foretell("limbs", arms + 2);
        }
        Ok(())
    }

    async fn create(cx: &Context, inputs: RobotArgs) -> Result<Created<Self>> {
        let toys = cx.config::<Toys>()?;
        cx.progress("screwing arms on");
        if inputs.model == "clumsy" {
            let error = Error::new("an arm fell off");
            return Err(error.created("clumsy", Self::new(inputs, 0, 0)));
        }
        if inputs.model == "patient" {
            cx.cancelled().await;
            return Err(Error::cancelled());
        }
        let mut world = toys.world.lock().map_err(|_| Error::new("the world is broken").in_doubt())?;
        if world.len() >= toys.settings.limit as usize {
            return Err(Error::new(format!("{} has too many toys", toys.settings.owner)));
        }
        world.insert(inputs.model.clone(), inputs.arms);
        let serial = u32::try_from(world.len()).unwrap_or(u32::MAX);
        Ok(Created::new(inputs.model.clone(), Self::new(inputs, serial, 0)))
    }

    async fn read(cx: &Context, mut state: State<Self>) -> Result<Option<State<Self>>> {
        let world = cx.config::<Toys>()?.world.clone();
        let Some(arms) = world.lock().ok().and_then(|world| world.get(&state.id).copied()) else { return Ok(None) };
        state.inputs.arms = arms;
        state.outputs.arms = arms;
        Ok(Some(state))
    }

    async fn import(cx: &Context, id: String) -> Result<Option<State<Self>>> {
        let inputs = RobotArgs::decode_for_import(&id)?;
        let outputs = Self::new(inputs.clone(), 0, 0);
        Self::read(cx, State { id, inputs, outputs }).await
    }

    async fn update(cx: &Context, state: State<Self>, inputs: RobotArgs) -> Result<Self> {
        if inputs.arms == 7 {
            return Err(Error::new("seven is hard").partial(state.outputs));
        }
        let toys = cx.config::<Toys>()?;
        let mut world = toys.world.lock().map_err(|_| Error::new("the world is broken"))?;
        world.insert(state.id, inputs.arms);
        Ok(Self::new(inputs, state.outputs.serial, state.outputs.changes + 1))
    }

    async fn delete(cx: &Context, state: State<Self>) -> Result<()> {
        let toys = cx.config::<Toys>()?;
        toys.world.lock().map_err(|_| Error::new("the world is broken"))?.remove(&state.id);
        Ok(())
    }

    fn upgrade(inputs: &mut PropertyMap, outputs: &mut PropertyMap) {
        // Robots had hands once.
        for properties in [inputs, outputs] {
            if let Some(hands) = properties.remove("hands") {
                properties.entry("arms".to_owned()).or_insert(hands);
            }
        }
    }
}

impl RobotArgs {
    pub(crate) fn decode_for_import(model: &str) -> Result<Self> {
        use outrigger_sdk::Properties;
        Ok(Self::decode([("model".to_owned(), Value::from(model))].into())?)
    }
}

/// Counts the toys.
#[derive(Inputs)]
pub(crate) struct Count {
    /// Only those with at least so many arms.
    #[outrigger(default = 0)]
    pub(crate) arms: u32,
}

/// The number of toys.
#[derive(Outputs)]
pub(crate) struct Counted {
    /// How many.
    pub(crate) number: u32,
}

impl Function for Count {
    type Result = Counted;
    const TOKEN: &'static str = "toys:index:count";

    async fn call(self, cx: &Context) -> Result<Counted> {
        let world = cx.config::<Toys>()?.world.clone();
        let number = world.lock().map_err(|_| Error::new("the world is broken"))?;
        let number = number.values().filter(|arms| **arms >= self.arms).count();
        Ok(Counted { number: u32::try_from(number)? })
    }
}

pub(crate) fn package(world: &World) -> Package {
    let world = world.clone();
    Package::new("toys", "1.2.3")
        .description("Toys in memory.")
        .download_url("github://api.github.com/example/pulumi-toys")
        .keywords(&["toys"])
        .connect(move |settings: Settings, _| {
            let world = world.clone();
            async move { Ok(Toys { settings, world }) }
        })
        .resource::<Robot>()
        .function::<Count>()
}

pub(crate) fn owner() -> PropertyMap {
    properties([("owner", "Kim".into())])
}

pub(crate) fn properties<const N: usize>(pairs: [(&str, Value); N]) -> PropertyMap {
    pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

pub(crate) fn map<const N: usize>(pairs: [(&str, Value); N]) -> Value {
    Value::Map(properties(pairs))
}
