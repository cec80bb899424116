//! A note: one file.

use std::io::ErrorKind;
use std::path::PathBuf;

use outrigger_sdk::{
    Check, Context, Created, Enumeration, Error, ErrorContext, Inputs, Object, Outputs, Resource, Result, Secret, State,
};
use tokio::fs;

use crate::Shelf;

/// The inputs of a note.
#[derive(Clone, Inputs)]
pub(crate) struct NoteArgs {
    /// The title, which is the name of the file. A note with another title is another note.
    #[outrigger(autoname, replace)]
    title: String,
    /// The text.
    text: String,
    /// How important it is.
    #[outrigger(default = Weight::Normal)]
    weight: Weight,
    /// The author.
    author: Option<Author>,
    /// A secret that readers have to know.
    key: Option<Secret<String>>,
}

/// How important a note is.
#[derive(Clone, Copy, Enumeration, PartialEq)]
pub(crate) enum Weight {
    /// Can wait.
    Light,
    /// As most are.
    Normal,
    /// Read it first.
    Heavy,
}

/// An author.
#[derive(Clone, Object)]
pub(crate) struct Author {
    /// The whole name.
    name: String,
    /// Where to write to.
    addresses: Option<Vec<String>>,
}

/// A note on the shelf.
#[derive(Outputs)]
pub(crate) struct Note {
    /// The title.
    title: String,
    /// The text.
    text: String,
    /// How important it is.
    weight: Weight,
    /// The author.
    author: Option<Author>,
    /// A secret that readers have to know.
    key: Option<Secret<String>>,
    /// The file that it is in.
    #[outrigger(stable)]
    path: String,
    /// How many words it has.
    words: u32,
}

impl Note {
    fn new(inputs: NoteArgs, path: String) -> Self {
        let NoteArgs { title, text, weight, author, key } = inputs;
        let words = u32::try_from(text.split_whitespace().count()).unwrap_or(u32::MAX);
        Self { title, text, weight, author, key, path, words }
    }
}

fn file(cx: &Context, title: &str) -> Result<PathBuf> {
    Ok(PathBuf::from(&cx.config::<Shelf>()?.directory).join(format!("{title}.txt")))
}

impl Resource for Note {
    type Inputs = NoteArgs;
    const TOKEN: &'static str = "shelf:index:Note";

    async fn check(_cx: &Context, check: &mut Check<NoteArgs>) -> Result<()> {
        if check.inputs.title.contains('/') {
            check.refuse("title", "a title has no `/`: it is the name of a file");
        }
        Ok(())
    }

    async fn create(cx: &Context, inputs: NoteArgs) -> Result<Created<Self>> {
        let path = file(cx, &inputs.title)?;
        if fs::try_exists(&path).await? {
            return Err(Error::new(format!(
                "there is a note `{}` already; import it, or choose another",
                inputs.title
            )));
        }
        cx.progress(format_args!("writing {}", path.display()));
        fs::write(&path, &inputs.text).await.context(format_args!("writing {}", path.display()))?;
        Ok(Created::new(inputs.title.clone(), Self::new(inputs, path.display().to_string())))
    }

    async fn read(cx: &Context, mut state: State<Self>) -> Result<Option<State<Self>>> {
        let path = file(cx, &state.id)?;
        match fs::read_to_string(&path).await {
            Ok(text) => {
                state.inputs.text = text;
                state.outputs = Self::new(state.inputs.clone(), path.display().to_string());
                Ok(Some(state))
            }
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    async fn import(cx: &Context, id: String) -> Result<Option<State<Self>>> {
        let inputs =
            NoteArgs { title: id.clone(), text: String::new(), weight: Weight::Normal, author: None, key: None };
        let outputs = Self::new(inputs.clone(), String::new());
        Self::read(cx, State { id, inputs, outputs }).await
    }

    async fn update(cx: &Context, state: State<Self>, inputs: NoteArgs) -> Result<Self> {
        let path = file(cx, &state.id)?;
        fs::write(&path, &inputs.text).await.context(format_args!("writing {}", path.display()))?;
        Ok(Self::new(inputs, state.outputs.path))
    }

    async fn delete(cx: &Context, state: State<Self>) -> Result<()> {
        match fs::remove_file(file(cx, &state.id)?).await {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error.into()),
            _ => Ok(()),
        }
    }
}
