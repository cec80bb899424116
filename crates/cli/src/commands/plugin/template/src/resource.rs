//! A text file: an example of a resource, to be changed into something useful.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use outrigger_sdk::{
    Check, Context, Created, Error, ErrorContext, Inputs, Outputs, Resource, Result, State,
};
use tokio::fs;

use crate::Settings;

/// The inputs of a file. Doc comments become the descriptions in the schema.
#[derive(Clone, Inputs)]
pub struct RESOURCE_NAMEArgs {
    /// The path, in the directory that the plugin is configured with. A file with another path is another file.
    #[outrigger(replace)]
    pub path: String,
    /// The contents.
    pub text: String,
}

/// A text file.
#[derive(Outputs)]
pub struct RESOURCE_NAME {
    /// The path.
    pub path: String,
    /// The contents.
    pub text: String,
    /// The number of bytes.
    pub size: u64,
}

impl RESOURCE_NAME {
    fn new(inputs: RESOURCE_NAMEArgs) -> Self {
        let size = inputs.text.len() as u64;
        Self {
            path: inputs.path,
            text: inputs.text,
            size,
        }
    }
}

fn location(cx: &Context, path: &str) -> Result<PathBuf> {
    Ok(Path::new(&cx.config::<Settings>()?.directory).join(path))
}

impl Resource for RESOURCE_NAME {
    type Inputs = RESOURCE_NAMEArgs;
    const TOKEN: &'static str = "PLUGIN_NAME:index:RESOURCE_NAME";

    async fn check(_cx: &Context, check: &mut Check<RESOURCE_NAMEArgs>) -> Result<()> {
        if check.inputs.path.is_empty() {
            check.refuse("path", "the path is empty");
        }
        Ok(())
    }

    async fn create(cx: &Context, inputs: RESOURCE_NAMEArgs) -> Result<Created<Self>> {
        let file = location(cx, &inputs.path)?;
        if fs::try_exists(&file).await? {
            return Err(Error::new(format!(
                "{} exists already: import it, or choose another path",
                file.display()
            )));
        }
        cx.progress(format_args!("writing {}", file.display()));
        fs::write(&file, &inputs.text)
            .await
            .context(format_args!("writing {}", file.display()))?;
        Ok(Created::new(inputs.path.clone(), Self::new(inputs)))
    }

    async fn read(cx: &Context, state: State<Self>) -> Result<Option<State<Self>>> {
        Self::import(cx, state.id).await
    }

    async fn import(cx: &Context, id: String) -> Result<Option<State<Self>>> {
        match fs::read_to_string(location(cx, &id)?).await {
            Ok(text) => {
                let inputs = RESOURCE_NAMEArgs {
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

    async fn update(cx: &Context, state: State<Self>, inputs: RESOURCE_NAMEArgs) -> Result<Self> {
        let file = location(cx, &state.id)?;
        fs::write(&file, &inputs.text)
            .await
            .context(format_args!("writing {}", file.display()))?;
        Ok(Self::new(inputs))
    }

    async fn delete(cx: &Context, state: State<Self>) -> Result<()> {
        match fs::remove_file(location(cx, &state.id)?).await {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error.into()),
            _ => Ok(()),
        }
    }
}
