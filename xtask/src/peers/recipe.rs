//! How each peer is built.
//!
//! Upstream's `go.mod` and `go.sum` become those of our own module: `go install` refuses a module with
//! `replace` directives, and resolving versions again is slow and asks for version lists that are not always served.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail};

use super::{Peers, terraform};
use crate::workspace;

/// Raise this when the build steps change; a change of version, package or source is detected.
const RECIPE: u32 = 1;

const PULUMI: Module = Module { name: "pulumi", path: "github.com/pulumi/pulumi/pkg/v3", version: "v3.250.0" };
const YAML: Module = Module { name: "yaml", path: "github.com/pulumi/pulumi-yaml", version: "v1.32.0" };
pub(super) const BRIDGE: Module =
    Module { name: "bridge", path: "github.com/pulumi/pulumi-terraform-bridge/v3", version: "v3.124.0" };
const GO_PLUGIN: Module = Module { name: "go-plugin", path: "github.com/hashicorp/go-plugin", version: "v1.8.0" };

const SCAFCTL: Module =
    Module { name: "scafctl", path: "github.com/oakwood-commons/scafctl-plugin-sdk", version: "v0.4.0" };

/// The bridge's test providers import these modules' internal packages from one level up, out of a vendor folder that
/// module archives omit.
const RAISED: [Module; 2] = [terraform::RANDOM, terraform::TLS];

const PROGRAMS: [Program; 14] = [
    Program {
        binary: "pulumi",
        module: &PULUMI,
        package: Package::Upstream("cmd/pulumi"),
        link: "-X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=v3.250.0",
    },
    Program { binary: "pulumi-conformance", module: &PULUMI, package: Package::Ours("conformance"), link: "" },
    Program { binary: "pulumi-resource-oracle", module: &PULUMI, package: Package::Ours("oracle"), link: "" },
    Program { binary: "pulumi-generate", module: &PULUMI, package: Package::Ours("generate"), link: "" },
    Program { binary: "pulumi-drive", module: &PULUMI, package: Package::Ours("drive"), link: "" },
    Program { binary: "pulumi-tap", module: &PULUMI, package: Package::Ours("tap"), link: "" },
    Program {
        binary: "pulumi-language-yaml",
        module: &YAML,
        package: Package::Upstream("cmd/pulumi-language-yaml"),
        link: "-X github.com/pulumi/pulumi-yaml/pkg/version.Version=v1.32.0",
    },
    Program {
        binary: "pulumi-resource-random",
        module: &BRIDGE,
        package: Package::Upstream("pkg/pf/tests/internal/testprovider/cmd/pulumi-resource-random"),
        link: "",
    },
    Program {
        binary: "pulumi-resource-tls",
        module: &BRIDGE,
        package: Package::Upstream("pkg/pf/tests/internal/testprovider/cmd/pulumi-resource-tls"),
        link: "",
    },
    Program { binary: "go-plugin-kv-host", module: &GO_PLUGIN, package: Package::Upstream("examples/grpc"), link: "" },
    Program {
        binary: "go-plugin-kv",
        module: &GO_PLUGIN,
        package: Package::Upstream("examples/grpc/plugin-go-grpc"),
        link: "",
    },
    Program {
        binary: "go-plugin-netrpc",
        module: &GO_PLUGIN,
        package: Package::Upstream("examples/grpc/plugin-go-netrpc"),
        link: "",
    },
    Program { binary: "go-plugin-peer", module: &GO_PLUGIN, package: Package::Ours("goplugin"), link: "" },
    Program { binary: "scafctl-echo", module: &SCAFCTL, package: Package::Upstream("examples/echo"), link: "" },
];

/// A Go module at a version.
pub(super) struct Module {
    /// The name of its folder.
    pub(super) name: &'static str,
    pub(super) path: &'static str,
    pub(super) version: &'static str,
}

/// A program built with the dependencies of a module.
pub(super) struct Program {
    pub(super) binary: &'static str,
    pub(super) module: &'static Module,
    pub(super) package: Package,
    /// Flags for the linker.
    pub(super) link: &'static str,
}

/// The package of a program.
pub(super) enum Package {
    /// The upstream module's root.
    Root,
    /// A package of the upstream module.
    Upstream(&'static str),
    /// A folder of `xtask/peers`, built inside the upstream module's dependencies.
    Ours(&'static str),
}

/// Builds every program that is missing or out of date.
pub(super) fn build(peers: &Peers) -> Result<()> {
    for folder in [peers.conformance(), peers.src(), stamps(peers)] {
        fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    }
    build_into(peers, &peers.bin(), &PROGRAMS)?;
    link_conformance(peers)
}

/// Builds the programs that are missing in a folder or out of date.
pub(super) fn build_into(peers: &Peers, folder: &Path, programs: &[Program]) -> Result<()> {
    for program in programs {
        let binary = folder.join(program.binary);
        when_stale(peers, program.binary, &binary, program.stamp()?, || compile(peers, program, &binary))?;
    }
    Ok(())
}

/// Makes `what` unless it exists and was made from the same `stamp`, and prints how long that took.
pub(super) fn when_stale(
    peers: &Peers,
    name: &str,
    what: &Path,
    stamp: String,
    make: impl FnOnce() -> Result<()>,
) -> Result<()> {
    let stamp_file = stamps(peers).join(name);
    if what.exists() && fs::read_to_string(&stamp_file).is_ok_and(|old| old == stamp) {
        return Ok(());
    }
    eprintln!("building {name}");
    if let Some(folder) = what.parent() {
        fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    }
    let begun = Instant::now();
    make()?;
    eprintln!("built {name} in {:.0} s", begun.elapsed().as_secs_f64());
    fs::write(&stamp_file, stamp).with_context(|| format!("cannot write {}", stamp_file.display()))
}

/// The folder of a module's sources in Go's module cache, fetched and verified by `go` if missing.
fn module_folder(path: &str, version: &str) -> Result<PathBuf> {
    #[derive(serde::Deserialize)]
    struct Downloaded {
        #[serde(rename = "Dir")]
        folder: PathBuf,
    }
    let text = workspace::output(go()?.args(["mod", "download", "-json", &format!("{path}@{version}")]))?;
    let downloaded: Downloaded = serde_json::from_str(&text).context("`go mod download -json` answered oddly")?;
    Ok(downloaded.folder)
}

/// Makes `folder` a module named `path` with the dependencies of `pulumi`.
pub(crate) fn lay_module(peers: &Peers, path: &str, folder: &Path) -> Result<()> {
    let own = own_module(peers, &PULUMI)?;
    let text = fs::read_to_string(own.join("go.mod"))?;
    fs::write(folder.join("go.mod"), rename_module(&text, path))?;
    fs::copy(own.join("go.sum"), folder.join("go.sum"))?;
    Ok(())
}

/// The sources of Pulumi's YAML host, with its conformance projects.
pub(crate) fn yaml_sources() -> Result<PathBuf> {
    module_folder(YAML.path, YAML.version)
}

impl Program {
    /// Everything that determines the binary, as text.
    fn stamp(&self) -> Result<String> {
        let Module { path, version, .. } = self.module;
        let mut stamp = format!("recipe {RECIPE}\n{path} {version}\n{}\n", self.link);
        match self.package {
            Package::Root => {}
            Package::Upstream(package) => stamp.push_str(package),
            Package::Ours(folder) => {
                for file in sources(folder)? {
                    stamp.push_str(&fs::read_to_string(&file)?);
                }
            }
        }
        Ok(stamp)
    }
}

fn stamps(peers: &Peers) -> PathBuf {
    peers.src().join("stamps")
}

/// Builds beside the target and renames, so that a half-written binary is never found.
fn compile(peers: &Peers, program: &Program, binary: &Path) -> Result<()> {
    let folder = own_module(peers, program.module)?;
    let package = match program.package {
        Package::Root => program.module.path.to_owned(),
        Package::Upstream(package) => format!("{}/{package}", program.module.path),
        Package::Ours(name) => {
            let copy = folder.join(name);
            remove(&copy)?;
            fs::create_dir(&copy)?;
            for file in sources(name)? {
                let name = file.file_name().context("a source file without a name")?;
                fs::copy(&file, copy.join(name))?;
            }
            format!("./{name}")
        }
    };
    go_build(&folder, "mod", program.link, &package, binary)
}

/// Builds a package of the module in `folder`. `modules` is whether `go` may complete the module's files (`mod`) or must
/// use them as they are (`readonly`).
pub(super) fn go_build(folder: &Path, modules: &str, link: &str, package: &str, binary: &Path) -> Result<()> {
    let unfinished = binary.with_extension("unfinished");
    let flags = format!("-s -w {link}");
    workspace::run(
        go()?
            .current_dir(folder)
            .env("GOFLAGS", format!("-buildvcs=false -mod={modules}"))
            .args(["build", "-trimpath", "-ldflags", flags.trim_end(), "-o"])
            .arg(&unfinished)
            .arg(package),
    )?;
    fs::rename(&unfinished, binary).with_context(|| format!("cannot put {} into its place", binary.display()))
}

/// Our own module with the dependencies of `module`, made once for each version.
fn own_module(peers: &Peers, module: &Module) -> Result<PathBuf> {
    let folder = peers.src().join(format!("{}-{}-{RECIPE}", module.name, module.version));
    if folder.is_dir() {
        return Ok(folder);
    }
    let upstream = module_folder(module.path, module.version)?;
    let unfinished = peers.src().join(format!("{}.unfinished", module.name));
    remove(&unfinished)?;
    fs::create_dir_all(&unfinished)?;
    let text =
        fs::read_to_string(upstream.join("go.mod")).with_context(|| format!("{} has no go.mod", upstream.display()))?;
    let mut text = rename_module(&text, &format!("peers/{}", module.name));
    text.push_str(&format!("require {} {}\n", module.path, module.version));
    if module.name == BRIDGE.name {
        for raised in &RAISED {
            raise_internal(raised, &unfinished.join(raised.name))?;
            text.push_str(&format!("replace {} => ./{}\n", raised.path, raised.name));
        }
    }
    fs::write(unfinished.join("go.mod"), text)?;
    fs::write(unfinished.join("go.sum"), fs::read(upstream.join("go.sum"))?)?;
    fs::rename(&unfinished, &folder).with_context(|| format!("cannot put {} into its place", folder.display()))?;
    Ok(folder)
}

/// Upstream's `go.mod` under our module name, without the replacements that point into upstream's own repository.
fn rename_module(text: &str, path: &str) -> String {
    let mut renamed = String::with_capacity(text.len());
    for line in text.lines() {
        if line.starts_with("module ") {
            renamed.push_str(&format!("module {path}\n"));
        } else if !line.contains("=> ../") && !line.contains("vendor/github.com") {
            renamed.push_str(line);
            renamed.push('\n');
        }
    }
    renamed
}

/// Copies a module's sources with everything under `internal` moved one level up.
fn raise_internal(module: &Module, to: &Path) -> Result<()> {
    let from = module_folder(module.path, module.version)?;
    copy_tree(&from, to)?;
    let internal = to.join("internal");
    for entry in fs::read_dir(&internal)? {
        let entry = entry?;
        fs::rename(entry.path(), to.join(entry.file_name()))?;
    }
    fs::remove_dir(&internal)?;
    let old = format!("{}/internal/", module.path);
    let new = format!("{}/", module.path);
    replace_in_go_files(to, &old, &new)
}

fn replace_in_go_files(folder: &Path, old: &str, new: &str) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            replace_in_go_files(&path, old, new)?;
        } else if path.extension().is_some_and(|extension| extension == "go") {
            let text = fs::read_to_string(&path)?;
            if text.contains(old) {
                fs::write(&path, text.replace(old, new))?;
            }
        }
    }
    Ok(())
}

/// Copies a folder. Go's module cache is read-only; a copy is not.
pub(crate) fn copy_tree(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to).with_context(|| format!("cannot create {}", to.display()))?;
    for entry in fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_tree(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), &target)?;
            let mode = fs::metadata(&target)?.permissions().mode();
            fs::set_permissions(&target, fs::Permissions::from_mode(mode | 0o200))?;
        }
    }
    Ok(())
}

/// Removes a folder, which may be missing.
pub(crate) fn remove(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", folder.display()))
        }
        _ => Ok(()),
    }
}

/// The Go files of one of our own programs, sorted by name.
fn sources(folder: &str) -> Result<Vec<PathBuf>> {
    let folder = workspace::root().join("xtask/peers").join(folder);
    let mut files = Vec::new();
    for entry in fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))? {
        files.push(entry?.path());
    }
    files.retain(|file| file.extension().is_some_and(|extension| extension == "go"));
    files.sort();
    Ok(files)
}

/// One link for each conformance provider: the binary serves the package that it is started as.
fn link_conformance(peers: &Peers) -> Result<()> {
    let binary = peers.bin().join("pulumi-conformance");
    let list = peers.conformance().join("pulumi-resource-list");
    link(&binary, &list)?;
    for line in workspace::output(&mut Command::new(&list))?.lines() {
        let name = line.split(' ').next().unwrap_or_default();
        link(&binary, &peers.conformance().join(format!("pulumi-resource-{name}")))?;
    }
    Ok(())
}

fn link(to: &Path, at: &Path) -> Result<()> {
    if fs::read_link(at).is_ok_and(|now| now == to) {
        return Ok(());
    }
    match fs::remove_file(at) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error.into()),
        _ => {}
    }
    std::os::unix::fs::symlink(to, at).with_context(|| format!("cannot link {}", at.display()))
}

/// The `go` command, with module verification as by default: never off.
pub(crate) fn go() -> Result<Command> {
    if std::env::var_os("GOSUMDB").is_some_and(|value| value == "off") {
        bail!("GOSUMDB is off; the peers are only built from verified sources");
    }
    let mut go = Command::new("go");
    go.env("CGO_ENABLED", "0");
    for name in ["GOFLAGS", "GONOSUMDB", "GONOSUMCHECK", "GOPRIVATE", "GOINSECURE", "GOWORK"] {
        go.env_remove(name);
    }
    Ok(go)
}

#[cfg(test)]
mod tests {
    use super::rename_module;

    #[test]
    fn a_module_is_renamed_and_loses_replacements_inside_its_repository() {
        let text = "module example.com/a\n\nreplace example.com/a/sdk => ../sdk\nreplace x => y v1.0.0\n";
        assert_eq!(rename_module(text, "peers/a"), "module peers/a\n\nreplace x => y v1.0.0\n");
    }
}
