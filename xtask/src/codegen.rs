//! Generated code: our own `.proto` text becomes Rust, which is committed, so that builds need no `protoc`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use prost::Message;

/// The crates with protos, each with the files to compile; output goes to `src/generated`.
const CRATES: [(&str, &[&str]); 2] = [
    ("pulumi", &["provider.proto", "resource.proto", "engine.proto", "errors.proto", "plugin.proto", "status.proto"]),
    ("transport", &["broker.proto", "controller.proto", "stdio.proto"]),
];

/// The crate whose messages are shown as JSON.
const REFLECTED: &str = "pulumi";

/// Writes the generated code of every protocol crate.
pub(crate) fn run() -> Result<()> {
    for (name, files) in CRATES {
        let directory = target(name);
        fs::create_dir_all(&directory)?;
        for (file, content) in generate(name, files)? {
            fs::write(directory.join(file), content)?;
        }
    }
    Ok(())
}

/// Fails if the committed code differs from the output of [`run`].
pub(crate) fn check() -> Result<()> {
    for (name, files) in CRATES {
        for (file, content) in generate(name, files)? {
            let path = target(name).join(file);
            let committed = fs::read(&path).with_context(|| format!("reading {}", path.display()))?;
            if committed != content {
                bail!("{} is stale: run `cargo xtask codegen`", path.display());
            }
        }
    }
    Ok(())
}

fn generate(name: &str, files: &[&str]) -> Result<BTreeMap<String, Vec<u8>>> {
    let protos = crates().join(name).join("proto");
    let descriptors = protox::compile(files, [&protos]).with_context(|| format!("compiling the protos of {name}"))?;
    let mut generated = BTreeMap::new();
    if name == REFLECTED {
        // Field by field, so that messages can be shown as JSON; comments would be most of it.
        let mut plain = descriptors.clone();
        plain.file.iter_mut().for_each(|file| file.source_code_info = None);
        generated.insert("pulumirpc.bin".to_owned(), plain.encode_to_vec());
    }
    let out = tempfile::tempdir()?;
    tonic_prost_build::configure()
        .build_transport(false)
        .codec_path("crate::codec::SmallCodec")
        .out_dir(out.path())
        .compile_fds(descriptors)
        .with_context(|| format!("generating code for {name}"))?;
    for entry in fs::read_dir(out.path())? {
        let entry = entry?;
        // The packages `a.b` become files `a.b.rs`; a module's name has no dot.
        let file = entry.file_name().to_string_lossy().trim_end_matches(".rs").replace('.', "_");
        generated.insert(format!("{file}.rs"), fs::read(entry.path())?);
    }
    Ok(generated)
}

fn target(name: &str) -> PathBuf {
    crates().join(name).join("src/generated")
}

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates")
}

#[cfg(test)]
mod tests {
    #[test]
    fn committed_code_is_current() {
        super::check().unwrap();
    }
}
