//! A search among the notes.

use outrigger_sdk::{Context, Function, Inputs, Outputs, Result};
use tokio::fs;

use crate::Shelf;

/// Finds the notes that have a word.
#[derive(Inputs)]
pub(crate) struct Search {
    /// The word.
    word: String,
}

/// The titles that were found.
#[derive(Outputs)]
pub(crate) struct Found {
    /// The titles, in the order of the alphabet.
    titles: Vec<String>,
}

impl Function for Search {
    type Result = Found;
    const TOKEN: &'static str = "shelf:index:search";

    async fn call(self, cx: &Context) -> Result<Found> {
        let mut titles = Vec::new();
        let mut entries = fs::read_dir(&cx.config::<Shelf>()?.directory).await?;
        while let Some(entry) = entries.next_entry().await? {
            let name = entry.file_name().to_string_lossy().into_owned();
            let Some(title) = name.strip_suffix(".txt") else { continue };
            if fs::read_to_string(entry.path()).await?.contains(&self.word) {
                titles.push(title.to_owned());
            }
        }
        titles.sort();
        Ok(Found { titles })
    }
}
