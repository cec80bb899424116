//! A package whose resources are entries of a map.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use outrigger_sdk::{Context, Created, Error, Inputs, Outputs, Package, Resource, Result, Secret, State};

/// The existing crates: labels by id.
#[derive(Clone, Default)]
pub(crate) struct Shed(Arc<Mutex<BTreeMap<String, String>>>);

impl Shed {
    pub(crate) fn boxes(&self) -> MutexGuard<'_, BTreeMap<String, String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn package(&self) -> Package {
        let shed = self.clone();
        Package::new("shed", "1.2.3")
            .connect(move |settings: Settings, _| {
                let shed = shed.clone();
                async move { Ok(Open { shed, prefix: settings.prefix }) }
            })
            .resource::<Crate>()
    }
}

/// The beginning of labels.
#[derive(Inputs)]
pub(crate) struct Settings {
    /// The first letters.
    #[outrigger(default = "")]
    prefix: String,
}

/// The shed, and the beginning of labels.
pub(crate) struct Open {
    shed: Shed,
    prefix: String,
}

/// The inputs of a crate.
#[derive(Clone, Inputs)]
pub(crate) struct CrateArgs {
    /// The text on it.
    pub(crate) label: String,
    /// Its material.
    #[outrigger(replace, default = "wood")]
    pub(crate) material: String,
    /// How to open it.
    pub(crate) combination: Option<Secret<String>>,
}

/// A crate.
#[derive(Outputs)]
pub(crate) struct Crate {
    /// The text on it, with the beginning of all labels.
    pub(crate) shown: String,
    /// How to open it.
    pub(crate) combination: Option<Secret<String>>,
}

impl Crate {
    fn of(open: &Open, inputs: CrateArgs) -> Self {
        Self { shown: format!("{}{}", open.prefix, inputs.label), combination: inputs.combination }
    }
}

impl Resource for Crate {
    type Inputs = CrateArgs;
    const TOKEN: &'static str = "shed:index:Crate";

    async fn create(cx: &Context, inputs: CrateArgs) -> Result<Created<Self>> {
        if inputs.label == "dynamite" {
            return Err(Error::new("the shed takes no dynamite"));
        }
        cx.info("nailing it together");
        let open = cx.config::<Open>()?;
        let id = format!("{}-{}", inputs.material, open.shed.boxes().len());
        open.shed.boxes().insert(id.clone(), inputs.label.clone());
        Ok(Created::new(id, Self::of(open, inputs)))
    }

    async fn read(cx: &Context, mut state: State<Self>) -> Result<Option<State<Self>>> {
        let open = cx.config::<Open>()?;
        let Some(label) = open.shed.boxes().get(&state.id).cloned() else { return Ok(None) };
        state.inputs.label = label;
        state.outputs = Self::of(open, state.inputs.clone());
        Ok(Some(state))
    }

    async fn update(cx: &Context, state: State<Self>, inputs: CrateArgs) -> Result<Self> {
        let open = cx.config::<Open>()?;
        open.shed.boxes().insert(state.id, inputs.label.clone());
        Ok(Self::of(open, inputs))
    }

    async fn delete(cx: &Context, state: State<Self>) -> Result<()> {
        cx.config::<Open>()?.shed.boxes().remove(&state.id);
        Ok(())
    }
}
