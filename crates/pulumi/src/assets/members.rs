//! The files in an archive, in Pulumi's order and under Pulumi's names.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use outrigger_value::{Archive, ArchiveSource, Asset, AssetSource, Value};

/// Pulumi's own directory is never part of an archive.
const BOOKKEEPING: &str = ".pulumi";

/// Takes one file: its name, its size, its contents.
pub(crate) type Sink<'a> = dyn FnMut(&[u8], u64, &mut dyn Read) -> io::Result<()> + 'a;

/// The format of an archive file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Tar,
    TarGzip,
    Zip,
}

impl Format {
    /// The format that a file's name indicates.
    pub(crate) fn of(path: &str) -> Option<Self> {
        match path {
            path if path.ends_with(".tar") => Some(Self::Tar),
            path if path.ends_with(".tgz") || path.ends_with(".tar.gz") => Some(Self::TarGzip),
            path if path.ends_with(".zip") || path.ends_with(".jar") => Some(Self::Zip),
            _ => None,
        }
    }
}

/// Walks through an archive, nested ones included.
pub(crate) fn walk(archive: &Archive, base: &Path, sink: &mut Sink<'_>) -> io::Result<()> {
    match &archive.source {
        ArchiveSource::Assets(members) => {
            for (name, member) in members {
                match member {
                    Value::Asset(asset) => {
                        let (size, mut contents) = open(asset, base)?;
                        sink(name.as_bytes(), size, &mut contents)?;
                    }
                    Value::Archive(inner) => walk(inner, base, &mut |file, size, contents| {
                        sink(&clean(&[name.as_bytes(), b"/", file].concat()), size, contents)
                    })?,
                    other => {
                        let message = format!("its member `{name}` is a {}, not an asset or archive", other.kind());
                        return Err(io::Error::other(message));
                    }
                }
            }
            Ok(())
        }
        ArchiveSource::Path(path) => match Format::of(path) {
            Some(format) => unpack(format, &base.join(path), sink),
            None => directory(&base.join(path), sink),
        },
        ArchiveSource::Uri(uri) => {
            let path = local(uri)?;
            let format = Format::of(uri).ok_or_else(|| io::Error::other("its URI does not name an archive format"))?;
            unpack(format, &path, sink)
        }
        ArchiveSource::Elided => Err(io::Error::other("its contents were left out and cannot be read")),
    }
}

/// Opens an asset.
pub(crate) fn open<'a>(asset: &'a Asset, base: &Path) -> io::Result<(u64, Box<dyn Read + 'a>)> {
    let path = match &asset.source {
        AssetSource::Text(text) => return Ok((text.len() as u64, Box::new(text.as_bytes()))),
        AssetSource::Path(path) => base.join(path),
        AssetSource::Uri(uri) => local(uri)?,
        AssetSource::Elided => return Err(io::Error::other("its contents were left out and cannot be read")),
    };
    let (size, file) = open_file(&path)?;
    Ok((size, Box::new(file)))
}

/// The file that a `file:` URI names.
pub(crate) fn local(uri: &str) -> io::Result<PathBuf> {
    let path = uri.strip_prefix("file://").map(|rest| rest.strip_prefix("localhost").unwrap_or(rest));
    match path {
        Some(path) if path.starts_with('/') && !path.contains(['%', '?', '#']) => Ok(PathBuf::from(path)),
        Some(_) => Err(io::Error::other(format!("{uri} is not a plain file: URI of this machine"))),
        None => Err(io::Error::new(
            io::ErrorKind::Unsupported,
            format!("{uri} would have to be fetched, which this version cannot do yet"),
        )),
    }
}

/// `path.Clean` of Go, for names inside archives: slashes and dots reduced.
pub(crate) fn clean(name: &[u8]) -> Vec<u8> {
    let rooted = name.first() == Some(&b'/');
    let mut parts: Vec<&[u8]> = Vec::new();
    for part in name.split(|byte| *byte == b'/') {
        match part {
            b"" | b"." => {}
            b".." if parts.last().is_some_and(|last| *last != b"..") => {
                parts.pop();
            }
            b".." if rooted => {}
            part => parts.push(part),
        }
    }
    let joined = parts.join(&b'/');
    match (rooted, joined.is_empty()) {
        (true, _) => [b"/", joined.as_slice()].concat(),
        (false, true) => b".".to_vec(),
        (false, false) => joined,
    }
}

fn open_file(path: &Path) -> io::Result<(u64, File)> {
    let file = File::open(path)?;
    let about = file.metadata()?;
    if about.is_dir() {
        return Err(io::Error::other("it is a directory; use an archive for that"));
    }
    Ok((about.len(), file))
}

/// All files below a directory, each directory's entries in order of their names. Links to files count as files, links to directories are
/// skipped.
fn directory(root: &Path, sink: &mut Sink<'_>) -> io::Result<()> {
    if !fs::metadata(root)?.is_dir() {
        return Err(io::Error::other("it is neither a directory nor named like an archive (.tar, .tgz, .zip, .jar)"));
    }
    descend(root, &mut Vec::new(), sink)
}

fn descend(directory: &Path, above: &mut Vec<u8>, sink: &mut Sink<'_>) -> io::Result<()> {
    let mut entries = fs::read_dir(directory)?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name();
        if name == OsStr::new(BOOKKEEPING) {
            continue;
        }
        let length = above.len();
        above.extend_from_slice(name.as_encoded_bytes());
        let kind = entry.file_type()?;
        if kind.is_dir() {
            above.push(b'/');
            descend(&entry.path(), above, sink)?;
        } else if !(kind.is_symlink() && fs::metadata(entry.path())?.is_dir()) {
            let (size, mut file) = open_file(&entry.path())?;
            sink(above, size, &mut file)?;
        }
        above.truncate(length);
    }
    Ok(())
}

fn unpack(format: Format, path: &Path, sink: &mut Sink<'_>) -> io::Result<()> {
    let file = io::BufReader::new(File::open(path)?);
    match format {
        Format::Tar => untar(file, sink),
        Format::TarGzip => untar(flate2::bufread::MultiGzDecoder::new(file), sink),
        Format::Zip => {
            let mut archive = zip::ZipArchive::new(file)?;
            for index in 0..archive.len() {
                let mut member = archive.by_index(index)?;
                if !member.is_dir() {
                    let (name, size) = (clean(member.name_raw()), member.size());
                    sink(&name, size, &mut member)?;
                }
            }
            Ok(())
        }
    }
}

fn untar(stream: impl Read, sink: &mut Sink<'_>) -> io::Result<()> {
    for member in tar::Archive::new(stream).entries()? {
        let mut member = member?;
        match member.header().entry_type() {
            tar::EntryType::Directory => {}
            tar::EntryType::Regular => {
                let (name, size) = (clean(&member.path_bytes()), member.size());
                sink(&name, size, &mut member)?;
            }
            other => return Err(io::Error::other(format!("it holds an entry of kind {other:?}, not a plain file"))),
        }
    }
    Ok(())
}
