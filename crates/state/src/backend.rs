//! A store of stacks in Pulumi's self-managed ("DIY") layout: where it is, what it holds, and its stacks as wholes.

use std::io;
use std::sync::Arc;

use jiff::Timestamp;
use outrigger_diagnostic::Diagnostic;

use crate::SecretsProviderState;
use crate::checkpoint::{self, Document, compressed, digest};
use crate::disk::Disk;
use crate::failure::io_failure;
use crate::object;
use crate::snapshot::read_provider;
use crate::stack_name::StackName;
use crate::table::Table;

const META: &str = ".pulumi/meta.yaml";
const STACKS: &str = ".pulumi/stacks";

/// Settings that Pulumi takes from `PULUMI_DIY_BACKEND_*`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BackendOptions {
    /// `..._DISABLE_CHECKPOINT_BACKUPS`: write no copies into the backups.
    pub disable_backups: bool,
    /// `..._RETAIN_CHECKPOINTS`: keep a copy of every checkpoint beside it.
    pub retain_checkpoints: bool,
    /// `..._GZIP` is asked for; refused.
    pub gzip: bool,
    /// `..._ZSTD` is asked for; refused.
    pub zstd: bool,
    /// `..._LEGACY_LAYOUT` is asked for; refused for a new store.
    pub legacy_layout: bool,
    /// `..._NO_LEGACY_WARNING`: say nothing of stacks of the old layout.
    pub no_legacy_warning: bool,
}

/// A store of stacks. Cheap to clone.
#[derive(Clone)]
pub struct Backend {
    pub(crate) disk: Arc<dyn Disk>,
    pub(crate) options: BackendOptions,
}

/// What `stack ls` shows of a stack.
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
    /// Opens a store. Writes nothing; a new store is laid out with its first stack. The findings are warnings.
    pub fn open(disk: Arc<dyn Disk>, options: BackendOptions) -> Result<(Self, Vec<Diagnostic>), Diagnostic> {
        if options.gzip || options.zstd {
            return Err(Diagnostic::error("compression-unsupported", "compressed state files are not supported yet")
                .detail("PULUMI_DIY_BACKEND_GZIP or PULUMI_DIY_BACKEND_ZSTD is set.")
                .hint("Unset them to write plain JSON, which every version of `pulumi` reads."));
        }
        let backend = Self { disk, options };
        let legacy = backend.legacy_stacks()?;
        let findings = match backend.meta_version()? {
            Some(1) if !legacy.is_empty() && !options.no_legacy_warning => {
                vec![
                    Diagnostic::warning(
                        "legacy-stacks",
                        format!("the store has stacks of the old layout: {}", legacy.join(", ")),
                    )
                    .detail("They do not belong to a project and are not shown.")
                    .hint("Run `pulumi state upgrade` to bring them into the present layout."),
                ]
            }
            Some(1) => Vec::new(),
            None if legacy.is_empty() && !options.legacy_layout => Vec::new(),
            None | Some(0) => {
                return Err(Diagnostic::error(
                    "legacy-layout",
                    "the store has Pulumi's old layout, without projects, which is not supported",
                )
                .detail(format!("{} is missing or says version 0.", backend.disk.show(META)))
                .hint("Run `pulumi state upgrade` once; `pulumi` works with the result as before.")
                .hint("For a new store, unset PULUMI_DIY_BACKEND_LEGACY_LAYOUT."));
            }
            Some(version) => {
                return Err(Diagnostic::error(
                    "store-too-new",
                    format!("the store has layout version {version}, which is newer than this build knows"),
                )
                .detail(format!("{} says so.", backend.disk.show(META)))
                .hint("Use a newer Outrigger."));
            }
        };
        Ok((backend, findings))
    }

    /// The stacks, by name.
    pub fn stacks(&self) -> Result<Vec<StackName>, Diagnostic> {
        let mut found = Vec::new();
        for project in self.list(STACKS)?.into_iter().filter(|entry| entry.directory) {
            for entry in self.list(&format!("{STACKS}/{}", project.name))? {
                let plain =
                    entry.name.strip_suffix(".gz").or_else(|| entry.name.strip_suffix(".zst")).unwrap_or(&entry.name);
                // What is not a stack's name was put there by somebody else.
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

    /// What `stack ls` shows.
    pub fn summary(&self, stack: &StackName) -> Result<StackSummary, Diagnostic> {
        let bytes = self.require(stack)?;
        let deployment =
            checkpoint::read(&bytes, Document::Checkpoint, &self.disk.show(&stack.checkpoint_path()))?.deployment;
        let time = |manifest: &str| {
            let manifest: serde_json::Value = serde_json::from_str(manifest).ok()?;
            let time = manifest.get("time")?.as_str()?.to_owned();
            // Go's zero time means never.
            (!time.starts_with("0001-")).then_some(time)
        };
        Ok(StackSummary {
            name: stack.clone(),
            last_update: deployment.as_ref().and_then(|deployment| time(deployment.manifest.as_deref()?)),
            resources: deployment.map(|deployment| deployment.resources.len()),
        })
    }

    /// Whether the stack is there.
    pub fn exists(&self, stack: &StackName) -> Result<bool, Diagnostic> {
        Ok(self.checkpoint_bytes(stack)?.is_some())
    }

    /// How the stack's state is encrypted, as its file says.
    pub fn secrets_provider(&self, stack: &StackName) -> Result<Option<SecretsProviderState>, Diagnostic> {
        let bytes = self.require(stack)?;
        let file = self.disk.show(&stack.checkpoint_path());
        let deployment = checkpoint::read(&bytes, Document::Checkpoint, &file)?.deployment;
        let provider = deployment.and_then(|deployment| deployment.secrets_provider);
        let provider = provider.map(|text| read_provider(&text, &file)).transpose()?;
        Ok(provider.filter(|provider| !provider.kind.is_empty()))
    }

    /// The file's place, for messages.
    pub fn show(&self, stack: &StackName) -> String {
        self.disk.show(&stack.checkpoint_path())
    }

    /// The store's files.
    pub fn disk(&self) -> &Arc<dyn Disk> {
        &self.disk
    }

    pub(crate) fn failure(&self, what: &str, path: &str, error: &io::Error) -> Diagnostic {
        io_failure(self.disk.as_ref(), what, path, error)
    }

    /// The checkpoint of a stack that must be there.
    pub(crate) fn require(&self, stack: &StackName) -> Result<Vec<u8>, Diagnostic> {
        self.checkpoint_bytes(stack)?.ok_or_else(|| {
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
                .hint(format!("Make it with `outrigger stack init {stack}`, or choose another with `--stack`."))
        })
    }

    /// The state of a stack and its digest.
    pub(crate) fn load(&self, stack: &StackName) -> Result<(Table, String), Diagnostic> {
        let bytes = self.require(stack)?;
        let file = self.disk.show(&stack.checkpoint_path());
        let checkpoint = checkpoint::read(&bytes, Document::Checkpoint, &file)?;
        Ok((Table::from_checkpoint(checkpoint, &file)?, digest(&bytes)))
    }

    fn checkpoint_bytes(&self, stack: &StackName) -> Result<Option<Vec<u8>>, Diagnostic> {
        let path = stack.checkpoint_path();
        for (suffix, how) in [("gz", "gzip"), ("zst", "zstd")] {
            let packed = format!("{path}.{suffix}");
            if self.disk.exists(&packed).map_err(|error| self.failure("read the state", &packed, &error))? {
                return Err(compressed(&self.disk.show(&packed), how));
            }
        }
        self.disk.read(&path).map_err(|error| self.failure("read the state", &path, &error))
    }

    /// Puts a checkpoint in place, its predecessor kept beside it.
    pub(crate) fn put_checkpoint(
        &self,
        stack: &StackName,
        old: Option<&[u8]>,
        new: &[u8],
        now: Timestamp,
    ) -> io::Result<()> {
        let path = stack.checkpoint_path();
        if let Some(old) = old {
            object::put(self.disk.as_ref(), &format!("{path}.bak"), old)?;
        }
        object::put(self.disk.as_ref(), &path, new)?;
        if self.options.retain_checkpoints {
            object::put(self.disk.as_ref(), &format!("{path}.{}", now.as_nanosecond()), new)?;
        }
        Ok(())
    }

    /// Lays out a new store.
    pub(crate) fn ensure_meta(&self) -> Result<(), Diagnostic> {
        if self.meta_version()?.is_none() {
            object::put(self.disk.as_ref(), META, b"version: 1\n")
                .map_err(|error| self.failure("lay out the store", META, &error))?;
        }
        Ok(())
    }

    fn meta_version(&self) -> Result<Option<u64>, Diagnostic> {
        let Some(bytes) =
            self.disk.read(META).map_err(|error| self.failure("read the store's layout", META, &error))?
        else {
            return Ok(None);
        };
        let text = String::from_utf8_lossy(&bytes);
        let version = text.lines().find_map(|line| line.trim().strip_prefix("version:")?.trim().parse().ok());
        version.map(Some).ok_or_else(|| {
            Diagnostic::error("store-damaged", "the store's layout file does not say its version")
                .detail(format!("{} should hold `version: 1`.", self.disk.show(META)))
                .hint("Restore the file.")
        })
    }

    /// Stacks of the old layout: files directly in the stacks' directory.
    fn legacy_stacks(&self) -> Result<Vec<String>, Diagnostic> {
        let entries = self.list(STACKS)?.into_iter().filter(|entry| !entry.directory);
        Ok(entries
            .filter_map(|entry| {
                let plain =
                    entry.name.strip_suffix(".gz").or_else(|| entry.name.strip_suffix(".zst")).unwrap_or(&entry.name);
                plain.strip_suffix(".json").map(str::to_owned)
            })
            .collect())
    }

    pub(crate) fn list(&self, directory: &str) -> Result<Vec<crate::disk::DiskEntry>, Diagnostic> {
        self.disk.list(directory).map_err(|error| self.failure("list the stacks", directory, &error))
    }
}
