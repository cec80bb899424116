//! The expected hashes come from Pulumi 3.250.0's own `archive` and `asset` packages, run on the same files.

use std::fs;
use std::io::Write;

use outrigger_value::{PropertyMap, Value};
use tempfile::TempDir;

use super::*;

fn files() -> TempDir {
    let root = tempfile::tempdir().unwrap();
    let write = |path: &str, contents: &str| {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, contents).unwrap();
    };
    write("dir/a.txt", "alpha");
    write("dir/b/c.txt", "gamma");
    write("dir/b.txt", "beta");
    write("dir/.pulumi/x", "no");
    write("dir/ümlaut.txt", "u");
    write(&format!("long/{}/{}/{}", "d".repeat(60), "e".repeat(60), "f".repeat(60)), "long");
    write(&format!("longer/{}", "g".repeat(150)), "longer");

    let tarred = |name: &str, contents: &[u8]| {
        let mut builder = tar::Builder::new(Vec::new());
        let mut header = tar::Header::new_gnu();
        header.set_size(contents.len() as u64);
        header.set_mode(0o644);
        builder.append_data(&mut header, name, contents).unwrap();
        builder.into_inner().unwrap()
    };
    fs::write(root.path().join("in.tar"), tarred("./sub/x.txt", b"xx")).unwrap();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(&tarred("y.txt", b"yy")).unwrap();
    fs::write(root.path().join("in.tgz"), gzip.finish().unwrap()).unwrap();
    let mut zipped = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    zipped.add_directory("d/", options).unwrap();
    zipped.start_file("d/z.txt", options.compression_method(zip::CompressionMethod::Deflated)).unwrap();
    zipped.write_all("z".repeat(1000).as_bytes()).unwrap();
    fs::write(root.path().join("in.zip"), zipped.finish().unwrap().into_inner()).unwrap();
    root
}

fn path(path: &str) -> Archive {
    Archive { hash: String::new(), source: ArchiveSource::Path(path.to_owned()) }
}

fn text(text: &str) -> Asset {
    Asset { hash: String::new(), source: AssetSource::Text(text.to_owned()) }
}

#[test]
fn equal_pulumis() {
    let root = files();
    let hash = |source: &Archive| archive(source, root.path()).unwrap();
    assert_eq!(hash(&path("dir")), "4267fe5c4a9ac17ec9df72209b3f9a089e8a9c44ca0c1eb993aefea04cafc9d5");
    assert_eq!(hash(&path("long")), "137d2ecf25d262815c9deee05d29767174adf3d757de0301f9315e5c4b0f4469");
    assert_eq!(hash(&path("longer")), "200552c271477548db8d6de9fbb580517144f2d8b1e335d6b4160ee96bca296b");
    let mut members = PropertyMap::new();
    let of = |members: PropertyMap| Archive { hash: String::new(), source: ArchiveSource::Assets(members) };
    assert_eq!(hash(&of(members.clone())), "5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef");
    members.insert("text.txt".to_owned(), Value::from(text("hello")));
    members.insert("./odd//name".to_owned(), Value::from(text("hello")));
    let file = Asset { hash: String::new(), source: AssetSource::Path("dir/a.txt".to_owned()) };
    members.insert("file.txt".to_owned(), Value::from(file.clone()));
    for (name, inner) in [("folder", "dir"), ("tar", "in.tar"), ("tgz", "in.tgz"), ("zip", "in.zip")] {
        members.insert(name.to_owned(), Value::from(path(inner)));
    }
    assert_eq!(hash(&of(members)), "e9e5cc287411c837c413c43c150fe20d797e05e3f0f32b0216bfaa98b72c7a68");

    let hash = |source: &Asset| asset(source, root.path()).unwrap();
    assert_eq!(hash(&text("hello")), "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824");
    assert_eq!(hash(&file), "8ed3f6ad685b959ead7022518e1af76cd816f8e8ec7ccdda1ed4018e8f2223f8");
}

#[test]
fn an_archive_file_is_its_bytes() {
    let root = files();
    let mut hasher = Hasher::default();
    hasher.write_all(&fs::read(root.path().join("in.zip")).unwrap()).unwrap();
    assert_eq!(archive(&path("in.zip"), root.path()).unwrap(), hasher.hex());
}

#[test]
fn hashes_are_filled_in_on_every_level_and_kept() {
    let root = files();
    let kept = Asset { hash: "known".to_owned(), source: AssetSource::Elided };
    let mut properties = PropertyMap::from([
        ("deep".to_owned(), Value::List(vec![Value::secret(Value::from(text("hello")))])),
        ("kept".to_owned(), Value::from(kept.clone())),
    ]);
    assert!(crate::lacks_hashes(&properties));
    crate::hash_assets(&mut properties, root.path()).unwrap();
    assert!(!crate::lacks_hashes(&properties));
    assert_eq!(properties["kept"], Value::from(kept));

    let members = PropertyMap::from([("inner".to_owned(), Value::from(path("dir")))]);
    let outer = Archive { hash: String::new(), source: ArchiveSource::Assets(members) };
    let mut properties = PropertyMap::from([("outer".to_owned(), Value::from(outer))]);
    crate::hash_assets(&mut properties, root.path()).unwrap();
    let Value::Archive(outer) = &properties["outer"] else { panic!() };
    let ArchiveSource::Assets(members) = &outer.source else { panic!() };
    let expected = archive(&path("dir"), root.path()).unwrap();
    assert!(matches!(&members["inner"], Value::Archive(inner) if inner.hash == expected), "{members:?}");
}

#[test]
fn what_cannot_be_read_says_where_and_why() {
    let root = files();
    let missing = archive(&path("nowhere"), root.path()).unwrap_err();
    assert!(missing.summary.contains("nowhere") && !missing.hints.is_empty(), "{missing:?}");
    let file = archive(&path("dir/a.txt"), root.path()).unwrap_err();
    assert!(file.detail.unwrap().contains("neither a directory"));
    let remote = Asset { hash: String::new(), source: AssetSource::Uri("https://example.com/x".to_owned()) };
    let remote = asset(&remote, root.path()).unwrap_err();
    assert!(remote.detail.unwrap().contains("fetched"));
}
