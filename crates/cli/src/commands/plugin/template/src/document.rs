//! A text file: an example of a resource, to be changed into something useful.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use outrigger_sdk::{
    Check, Context, Created, Error, ErrorContext, Inputs, Outputs, Resource, Result, State,
};
use tokio::fs;

use crate::Settings;

/// What a document is made of. Doc comments become the descriptions in the schema.
#[derive(Clone, Inputs)]
pub struct DocumentArgs {
    /// Where it is. A document in another place is another document.
    #[outrigger(replace)]
    pub path: String,
    /// What it says.
    pub text: String,
}

/// A text file.
#[derive(Outputs)]
pub struct Document {
    /// Where it is.
    pub path: String,
    /// What it says.
    pub text: String,
    /// How many bytes it has.
    pub size: u64,
}

impl Document {
    fn new(inputs: DocumentArgs) -> Self {
        let size = inputs.text.len() as u64;
        Self {
            path: inputs.path,
            text: inputs.text,
            size,
        }
    }
}

fn place(cx: &Context, path: &str) -> Result<PathBuf> {
    Ok(Path::new(&cx.config::<Settings>()?.directory).join(path))
}

impl Resource for Document {
    type Inputs = DocumentArgs;
    const TOKEN: &'static str = "PLUGIN_NAME:index:Document";

    async fn check(_cx: &Context, check: &mut Check<DocumentArgs>) -> Result<()> {
        if check.inputs.path.is_empty() {
            check.refuse("path", "a document needs a place");
        }
        Ok(())
    }

    async fn create(cx: &Context, inputs: DocumentArgs) -> Result<Created<Self>> {
        let place = place(cx, &inputs.path)?;
        if fs::try_exists(&place).await? {
            return Err(Error::new(format!(
                "{} exists already: import it, or choose another path",
                place.display()
            )));
        }
        cx.progress(format_args!("writing {}", place.display()));
        fs::write(&place, &inputs.text)
            .await
            .context(format_args!("writing {}", place.display()))?;
        Ok(Created::new(inputs.path.clone(), Self::new(inputs)))
    }

    async fn read(cx: &Context, state: State<Self>) -> Result<Option<State<Self>>> {
        Self::import(cx, state.id).await
    }

    async fn import(cx: &Context, id: String) -> Result<Option<State<Self>>> {
        match fs::read_to_string(place(cx, &id)?).await {
            Ok(text) => {
                let inputs = DocumentArgs {
                    path: id.clone(),
                    text,
                };
                Ok(Some(State {
                    id,
                    inputs: inputs.clone(),
                    outputs: Self::new(inputs),
                }))
            }
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    async fn update(cx: &Context, state: State<Self>, inputs: DocumentArgs) -> Result<Self> {
        let place = place(cx, &state.id)?;
        fs::write(&place, &inputs.text)
            .await
            .context(format_args!("writing {}", place.display()))?;
        Ok(Self::new(inputs))
    }

    async fn delete(cx: &Context, state: State<Self>) -> Result<()> {
        match fs::remove_file(place(cx, &state.id)?).await {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error.into()),
            _ => Ok(()),
        }
    }
}
