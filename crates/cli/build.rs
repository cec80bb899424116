//! Compiles the pages of `docs/errors` into the program, for `outrigger explain`.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/errors").canonicalize()?;
    println!("cargo::rerun-if-changed={}", pages.display());
    let mut files: Vec<(String, PathBuf)> = Vec::new();
    for entry in fs::read_dir(&pages)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "md") {
            let code = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            files.push((code, path));
        }
    }
    // Looked up by bisection.
    files.sort();
    let mut table = "&[\n".to_owned();
    for (code, file) in files {
        // Writing to a string cannot fail.
        let _ = writeln!(table, "    ({code:?}, include_str!({file:?})),");
    }
    table.push_str("]\n");
    let out = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("cargo did not say where to write"))?;
    fs::write(Path::new(&out).join("explanations.rs"), table)
}
