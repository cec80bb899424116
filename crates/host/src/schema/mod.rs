//! Cached schemas, keyed by the digest of the executable that returned them.
//!
//! Asking a plugin for its schema means starting it and moving megabytes; the answer depends only on the executable, the name under which
//! it was started, and its parameters. So it is cached, but for native executables only: the text of a script does not determine which
//! program it runs.

mod digest;
mod store;

use std::path::{Path, PathBuf};

use bytes::Bytes;
use outrigger_provider::PluginDescriptor;
use outrigger_transport::{SchemaKeeper, SchemaStore};

pub(crate) use digest::{Stamp, native_digest, remembered_digest};
pub(crate) use store::{Key, read, write};

/// Schemas in the protocols' own forms, in the same cache as all others.
pub(crate) struct Schemas {
    /// Without a directory, nothing is cached.
    pub(crate) cache: Option<PathBuf>,
}

/// The key of a form, under a name that no plugin has.
fn key(digest: &str, form: &str) -> Option<Key> {
    Key::new(digest, &PluginDescriptor::named(form, None))
}

impl SchemaStore for Schemas {
    fn get(&self, program: &Path, form: &str) -> Option<Bytes> {
        let cache = self.cache.as_deref()?;
        let digest = remembered_digest(cache, program)?;
        read(cache, &key(&digest, form)?).map(Bytes::from)
    }

    fn keeper(&self, program: &Path, form: &str) -> SchemaKeeper {
        let Some(cache) = self.cache.clone() else { return Box::new(|_| {}) };
        let (program, form, started) = (program.to_owned(), form.to_owned(), Stamp::of(program).ok());
        Box::new(move |schema| {
            let digest = remembered_digest(&cache, &program).or_else(|| native_digest(&cache, &program));
            // The digest is that of the current file, which after an upgrade in between is not the program that answered.
            if started.is_none() || Stamp::of(&program).ok() != started {
                return;
            }
            if let Some(key) = digest.and_then(|digest| key(&digest, &form)) {
                // Without a writable cache the next run is slower, but not wrong.
                let _slower_next_time = write(&cache, &key, schema);
            }
        })
    }
}
