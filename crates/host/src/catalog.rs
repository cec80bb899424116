//! Schemas of packages, from memory, the cache, or the plugin.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use outrigger_diagnostic::Diagnostic;
use outrigger_provider::{CallContext, CallError, PluginDescriptor};
use outrigger_schema::Package;
use tokio::sync::OnceCell;

use crate::lease::within;
use crate::pool::Wanted;
use crate::run::User;
use crate::running::with_last_words;
use crate::schema::{self, Key};
use crate::supply::Supply;

/// The schemas that a run has fetched so far. Each is fetched once, however many callers ask.
#[derive(Default)]
pub(crate) struct Catalog {
    packages: Mutex<HashMap<PluginDescriptor, Arc<OnceCell<Arc<Package>>>>>,
}

impl Catalog {
    /// A package's schema. Takes at most the deadlines for starting a plugin and for a schema.
    pub(crate) async fn schema(
        &self,
        supply: &Arc<Supply>,
        user: &Arc<User>,
        cx: &CallContext,
        wanted: &Wanted,
    ) -> Result<Arc<Package>, Diagnostic> {
        let cell = {
            let mut packages = self.packages.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(packages.entry(wanted.descriptor.clone()).or_default())
        };
        cell.get_or_try_init(|| fetch(supply, user, cx, wanted)).await.map(Arc::clone)
    }
}

async fn fetch(
    supply: &Arc<Supply>,
    user: &Arc<User>,
    cx: &CallContext,
    wanted: &Wanted,
) -> Result<Arc<Package>, Diagnostic> {
    let descriptor = &wanted.descriptor;
    let Some((cache, executable)) = cacheable(supply, descriptor).await? else {
        return parse(descriptor, ask(supply, user, cx, wanted).await?);
    };
    let (lookup_cache, lookup_file, looked_up) = (cache.clone(), executable.clone(), descriptor.clone());
    let kept = supply.blocking(move || lookup(&lookup_cache, &lookup_file, &looked_up)).await.flatten();
    if let Some(package) = kept {
        return Ok(package);
    }
    // The digest of a large executable takes as long as its start: run both at once.
    let (digest_cache, digest_file) = (cache.clone(), executable.clone());
    let digest = supply.blocking(move || schema::native_digest(&digest_cache, &digest_file));
    let (digest, answer) = tokio::join!(digest, ask(supply, user, cx, wanted));
    let text = answer?;
    if let Some(key) = digest.flatten().and_then(|digest| Key::new(&digest, descriptor)) {
        let copy = text.clone();
        // Without a writable cache the next run is slower, but not wrong.
        let _slower_next_time = supply.blocking(move || schema::write(&cache, &key, &copy)).await;
    }
    parse(descriptor, text)
}

/// The cache's directory and the executable, if the schema may come from the cache.
async fn cacheable(supply: &Supply, descriptor: &PluginDescriptor) -> Result<Option<(PathBuf, PathBuf)>, Diagnostic> {
    let Some(cache) = supply.options().cache_directory.clone() else { return Ok(None) };
    let found = supply.options().find(descriptor).await?;
    Ok(found.and_then(|found| Some((cache, found.executable()?.to_owned()))))
}

fn lookup(cache: &Path, executable: &Path, descriptor: &PluginDescriptor) -> Option<Arc<Package>> {
    let digest = schema::remembered_digest(cache, executable)?;
    let text = schema::read(cache, &Key::new(&digest, descriptor)?)?;
    Package::parse(text).ok().map(Arc::new)
}

async fn ask(supply: &Arc<Supply>, user: &Arc<User>, cx: &CallContext, wanted: &Wanted) -> Result<Vec<u8>, Diagnostic> {
    let descriptor = &wanted.descriptor;
    let running = supply.borrow(user, wanted).await?;
    let cx = within(cx, supply.deadlines().schema);
    let answer = running.plugin.schema(&cx, descriptor.parameterization.as_ref()).await;
    answer.map_err(|error| refused(descriptor, &error))
}

fn parse(descriptor: &PluginDescriptor, text: Vec<u8>) -> Result<Arc<Package>, Diagnostic> {
    Package::parse(text).map(Arc::new).map_err(|error| {
        Diagnostic::error("plugin-schema", format!("the schema of package `{}` cannot be read", descriptor.package()))
            .detail(error.to_string())
            .hint("Install the plugin again, or use another version of it.")
    })
}

fn refused(descriptor: &PluginDescriptor, error: &CallError) -> Diagnostic {
    let summary =
        format!("plugin `{}` did not return the schema of package `{}`", descriptor.name, descriptor.package());
    let diagnostic = Diagnostic::error("plugin-schema", summary)
        .detail(error.to_string())
        .hint("Run the command again; if it fails again, install the plugin again or use another version of it.");
    with_last_words(diagnostic, &error.last_words)
}
