//! A store of stacks in Pulumi's self-managed ("DIY") layout: its location, its options, and its stacks.

pub(crate) mod edit;
pub(crate) mod history;
pub(crate) mod home;
pub(crate) mod location;
pub(crate) mod lock;
pub(crate) mod outline;
pub(crate) mod reencryption;
pub(crate) mod rename;
pub(crate) mod stack_name;
pub(crate) mod stacks;

use std::io;
use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;
use outrigger_diagnostic::Diagnostic;

use crate::SecretsProviderState;
use crate::backend::location::resolve;
use crate::backend::stack_name::StackName;
use crate::checkpoint::snapshot::read_provider;
use crate::checkpoint::table::Table;
use crate::checkpoint::{self, Document, compressed};
use crate::failure::io_failure;
use crate::store::disk::Disk;
use crate::store::files::Files;
use crate::store::local::LocalDisk;
use crate::store::objects::{Condition, Listed, Object, Objects};

const META: &str = ".pulumi/meta.yaml";
const STACKS: &str = ".pulumi/stacks";

/// Settings that Pulumi takes from `PULUMI_DIY_BACKEND_*`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BackendOptions {
    /// `..._DISABLE_CHECKPOINT_BACKUPS`: write no copies into the backups.
    pub disable_backups: bool,
    /// `..._RETAIN_CHECKPOINTS`: keep a copy of every checkpoint beside it.
    pub retain_checkpoints: bool,
    /// `..._GZIP` is set, which is refused.
    pub gzip: bool,
    /// `..._ZSTD` is set, which is refused.
    pub zstd: bool,
    /// `..._LEGACY_LAYOUT` is set, which is refused for a new store.
    pub legacy_layout: bool,
    /// `..._NO_LEGACY_WARNING`: do not warn about stacks of the old layout.
    pub no_legacy_warning: bool,
}

/// A store of stacks. Cheap to clone.
#[derive(Clone)]
pub struct Backend {
    /// Checkpoints, locks, history, backups.
    pub(crate) objects: Arc<dyn Objects>,
    /// Journals and guards, which stay on this machine.
    pub(crate) disk: Arc<dyn Disk>,
    pub(crate) options: BackendOptions,
}

/// The summary that `stack ls` shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StackSummary {
    /// Its name.
    pub name: StackName,
    /// When its state was last written, RFC 3339.
    pub last_update: Option<String>,
    /// How many resources it has; `None` before the first deployment.
    pub resources: Option<usize>,
}

impl Backend {
    /// Opens the store at a URL; only `file://` is supported so far. Its path may be relative to `home` or `current`.
    pub fn open(
        url: &str,
        home: Option<&Path>,
        current: &Path,
        options: BackendOptions,
    ) -> Result<(Self, Vec<Diagnostic>), Diagnostic> {
        Self::on_disk(Arc::new(LocalDisk::new(resolve(url, home, current)?)), options)
    }

    /// Opens the store whose objects are files of a disk, as those of a `file://` URL are.
    pub fn on_disk(disk: Arc<dyn Disk>, options: BackendOptions) -> Result<(Self, Vec<Diagnostic>), Diagnostic> {
        Self::with(Arc::new(Files(Arc::clone(&disk))), disk, options)
    }

    /// Opens a store of objects, with its journals on a disk of this machine. Writes nothing; a new store is laid out with its first stack.
    /// The findings are warnings.
    pub fn with(
        objects: Arc<dyn Objects>,
        disk: Arc<dyn Disk>,
        options: BackendOptions,
    ) -> Result<(Self, Vec<Diagnostic>), Diagnostic> {
        if options.gzip || options.zstd {
            return Err(Diagnostic::error("compression-unsupported", "compressed state files are not supported yet")
                .detail("PULUMI_DIY_BACKEND_GZIP or PULUMI_DIY_BACKEND_ZSTD is set.")
                .hint("Unset them to write plain JSON, which every version of `pulumi` reads."));
        }
        let backend = Self { objects, disk, options };
        let legacy = backend.legacy_stacks()?;
        let findings = match backend.meta_version()? {
            Some(1) if !legacy.is_empty() && !options.no_legacy_warning => {
                vec![
                    Diagnostic::warning(
                        "legacy-stacks",
                        format!("the store has stacks of the old layout: {}", legacy.join(", ")),
                    )
                    .detail("They do not belong to a project and are not shown.")
                    .hint("Run `pulumi state upgrade` to convert them to the current layout."),
                ]
            }
            Some(1) => Vec::new(),
            None if legacy.is_empty() && !options.legacy_layout => Vec::new(),
            None | Some(0) => {
                return Err(Diagnostic::error(
                    "legacy-layout",
                    "the store has Pulumi's old layout, without projects, which is not supported",
                )
                .detail(format!("{} is missing or has version 0.", backend.objects.describe(META)))
                .hint("Run `pulumi state upgrade` once; `pulumi` works with the result as before.")
                .hint("For a new store, unset PULUMI_DIY_BACKEND_LEGACY_LAYOUT."));
            }
            Some(version) => {
                return Err(Diagnostic::error(
                    "store-too-new",
                    format!("the store has layout version {version}, which is newer than this build knows"),
                )
                .detail(format!("The version is in {}.", backend.objects.describe(META)))
                .hint("Use a newer version of Outrigger."));
            }
        };
        Ok((backend, findings))
    }

    /// The stacks, by name.
    pub fn stacks(&self) -> Result<Vec<StackName>, Diagnostic> {
        let mut found = Vec::new();
        for project in self.list("list the stacks", STACKS)?.into_iter().filter(|entry| entry.directory) {
            for entry in self.list("list the stacks", &format!("{STACKS}/{}", project.name))? {
                let plain =
                    entry.name.strip_suffix(".gz").or_else(|| entry.name.strip_suffix(".zst")).unwrap_or(&entry.name);
                // A file whose name is no stack's name was put there by another program.
                if let Some(name) = plain.strip_suffix(".json").filter(|_| !entry.directory)
                    && let Ok(name) = StackName::new(&project.name, name)
                {
                    found.push(name);
                }
            }
        }
        found.sort();
        found.dedup();
        Ok(found)
    }

    /// The summary that `stack ls` shows.
    pub fn summary(&self, stack: &StackName) -> Result<StackSummary, Diagnostic> {
        let object = self.require(stack)?;
        let found = checkpoint::scan(&object.bytes, Document::Checkpoint, &self.show(stack))?;
        Ok(StackSummary {
            name: stack.clone(),
            last_update: found.as_ref().and_then(|found| checkpoint::last_update(found.manifest?)),
            resources: found.map(|found| found.resources.len()),
        })
    }

    /// Whether the stack exists.
    pub fn exists(&self, stack: &StackName) -> Result<bool, Diagnostic> {
        self.refuse_compressed(stack)?;
        let path = stack.checkpoint_path();
        self.objects.exists(&path).map_err(|error| self.failure("read the state", &path, &error))
    }

    /// The secrets provider that the stack's file names.
    pub fn secrets_provider(&self, stack: &StackName) -> Result<Option<SecretsProviderState>, Diagnostic> {
        let object = self.require(stack)?;
        let file = self.show(stack);
        let found = checkpoint::scan(&object.bytes, Document::Checkpoint, &file)?;
        let provider = found.and_then(|found| found.secrets_provider);
        let provider = provider.map(|text| read_provider(text, &file)).transpose()?;
        Ok(provider.filter(|provider| !provider.kind.is_empty()))
    }

    /// The file's location, for messages.
    pub fn show(&self, stack: &StackName) -> String {
        self.objects.describe(&stack.checkpoint_path())
    }

    /// The diagnostic for a failed operation on an object.
    pub(crate) fn failure(&self, what: &str, path: &str, error: &io::Error) -> Diagnostic {
        io_failure(&self.objects.describe(path), what, error)
    }

    pub(crate) fn get(&self, what: &str, path: &str) -> Result<Option<Object>, Diagnostic> {
        self.objects.get(path).map_err(|error| self.failure(what, path, &error))
    }

    pub(crate) fn list(&self, what: &str, directory: &str) -> Result<Vec<Listed>, Diagnostic> {
        self.objects.list(directory).map_err(|error| self.failure(what, directory, &error))
    }

    /// The paths of the objects in a directory.
    pub(crate) fn paths_in(&self, what: &str, directory: &str) -> Result<Vec<String>, Diagnostic> {
        let listed = self.list(what, directory)?.into_iter().filter(|entry| !entry.directory);
        Ok(listed.map(|entry| format!("{directory}/{}", entry.name)).collect())
    }

    /// The checkpoint of a stack, which must exist.
    pub(crate) fn require(&self, stack: &StackName) -> Result<Object, Diagnostic> {
        self.refuse_compressed(stack)?;
        self.get("read the state", &stack.checkpoint_path())?.ok_or_else(|| {
            let others = self.stacks().unwrap_or_default();
            let known: Vec<&str> =
                others.iter().filter(|other| other.project() == stack.project()).map(StackName::stack).collect();
            let there = if known.is_empty() {
                "The project has no stacks yet.".to_owned()
            } else {
                format!("The project has: {}.", known.join(", "))
            };
            Diagnostic::error("stack-missing", format!("there is no stack `{stack}` of project `{}`", stack.project()))
                .detail(there)
                .hint(format!("Create it with `outrigger stack init {stack}`, or choose another with `--stack`."))
        })
    }

    /// The state of a stack, and the checkpoint that contains it.
    pub(crate) fn load(&self, stack: &StackName) -> Result<(Table, Object), Diagnostic> {
        let object = self.require(stack)?;
        let file = self.show(stack);
        let checkpoint = checkpoint::read(&object.bytes, Document::Checkpoint, &file)?;
        Ok((Table::from_checkpoint(checkpoint, &file)?, object))
    }

    /// Refuses a stack whose state is compressed.
    fn refuse_compressed(&self, stack: &StackName) -> Result<(), Diagnostic> {
        for (suffix, how) in [("gz", "gzip"), ("zst", "zstd")] {
            let packed = format!("{}.{suffix}", stack.checkpoint_path());
            if self.objects.exists(&packed).map_err(|error| self.failure("read the state", &packed, &error))? {
                return Err(compressed(&self.objects.describe(&packed), how));
            }
        }
        Ok(())
    }

    /// Keeps a copy of the old checkpoint beside the new one.
    pub(crate) fn keep_beside(&self, stack: &StackName, old: &Object) -> io::Result<()> {
        self.objects.put(&format!("{}.bak", stack.checkpoint_path()), &old.bytes, Condition::Always)
    }

    /// Puts a checkpoint in place of the one that was read, if any.
    pub(crate) fn put_checkpoint(
        &self,
        stack: &StackName,
        old: Option<&Object>,
        new: &[u8],
        now: Timestamp,
    ) -> io::Result<()> {
        let path = stack.checkpoint_path();
        self.objects.put(&path, new, old.map_or(Condition::Absent, |old| Condition::Unchanged(&old.version)))?;
        if self.options.retain_checkpoints {
            self.objects.put(&format!("{path}.{}", now.as_nanosecond()), new, Condition::Always)?;
        }
        Ok(())
    }

    /// Lays out a new store.
    pub(crate) fn ensure_meta(&self) -> Result<(), Diagnostic> {
        if self.meta_version()?.is_none() {
            (self.objects.put(META, b"version: 1\n", Condition::Always))
                .map_err(|error| self.failure("initialize the store", META, &error))?;
        }
        Ok(())
    }

    fn meta_version(&self) -> Result<Option<u64>, Diagnostic> {
        let Some(meta) = self.get("read the store's layout", META)? else { return Ok(None) };
        let text = String::from_utf8_lossy(&meta.bytes);
        let version = text.lines().find_map(|line| line.trim().strip_prefix("version:")?.trim().parse().ok());
        version.map(Some).ok_or_else(|| {
            Diagnostic::error("store-damaged", "the store's layout file has no version")
                .detail(format!("{} should contain `version: 1`.", self.objects.describe(META)))
                .hint("Restore the file.")
        })
    }

    /// Stacks of the old layout: files directly in the stacks' directory.
    fn legacy_stacks(&self) -> Result<Vec<String>, Diagnostic> {
        let entries = self.list("list the stacks", STACKS)?.into_iter().filter(|entry| !entry.directory);
        Ok(entries
            .filter_map(|entry| {
                let plain =
                    entry.name.strip_suffix(".gz").or_else(|| entry.name.strip_suffix(".zst")).unwrap_or(&entry.name);
                plain.strip_suffix(".json").map(str::to_owned)
            })
            .collect())
    }
}
