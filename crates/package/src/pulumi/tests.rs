use std::fs;

use super::*;

fn put(path: &Path, mode: u32) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, "#!/bin/sh\n").unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

fn options(root: &Path) -> Search {
    Search {
        path: vec![root.join("bin"), root.join("sbin")],
        plugin_directory: root.join("plugins"),
        executable_directory: Some(root.join("own")),
        root: root.join("project"),
        ..Search::default()
    }
}

fn find(options: &Search, wanted: &PluginDescriptor) -> Result<Resolved, Diagnostic> {
    Ok(super::find(options, wanted)?)
}

fn wanted(version: &str) -> PluginDescriptor {
    PluginDescriptor::named("demo", (!version.is_empty()).then(|| version.to_owned()))
}

#[test]
fn in_pulumis_order() {
    let root = tempfile::tempdir().unwrap();
    let root = root.path();
    let mut options = options(root);
    let file = "pulumi-resource-demo";
    put(&root.join("plugins/resource-demo-v1.0.0").join(file), 0o755);
    put(&root.join("plugins/resource-demo-v2.0.0").join(file), 0o755);
    fs::write(root.join("plugins/resource-demo-v2.0.0.partial"), "").unwrap();
    let found = find(&options, &wanted("")).unwrap();
    let installed = root.join("plugins/resource-demo-v1.0.0").join(file);
    assert_eq!((found.origin, found.executable()), (Origin::Installed, Some(&*installed)));

    put(&root.join("own").join(file), 0o755);
    assert_eq!(
        find(&options, &wanted("")).unwrap().origin,
        Origin::Installed,
        "only bundled plugins are looked for there"
    );

    put(&root.join("bin").join(file), 0o644);
    assert_eq!(find(&options, &wanted("1.0.0")).unwrap().origin, Origin::Installed, "not executable");
    put(&root.join("sbin").join(file), 0o755);
    assert_eq!(find(&options, &wanted("9.9.9")).unwrap().origin, Origin::Ambient, "whatever the version");
    options.ignore_ambient = true;
    assert_eq!(find(&options, &wanted("1.0.0")).unwrap().origin, Origin::Installed);

    put(&root.join("project/local").join(file), 0o755);
    let local =
        |version: &str| ProjectPlugin { name: "demo".into(), path: "local".into(), version: Some(version.into()) };
    options.plugins = vec![local("3.0.0")];
    let passed_over = find(&options, &wanted("1.0.0")).unwrap();
    assert_eq!((passed_over.origin, passed_over.warnings.len()), (Origin::Installed, 1));
    options.plugins.push(local("1.0.0"));
    assert_eq!(find(&options, &wanted("1.0.0")).unwrap().executable(), Some(&*root.join("project/local").join(file)));
    options.plugins.push(local("1.0.0"));
    assert_eq!(find(&options, &wanted("1.0.0")).unwrap_err().code, "plugin-twice");
}

#[test]
fn a_missing_plugin_names_every_place() {
    let root = tempfile::tempdir().unwrap();
    let mut options = options(root.path());
    put(&root.path().join("plugins/resource-demo-v1.0.0/pulumi-resource-demo"), 0o755);
    options.plugins = vec![ProjectPlugin { name: "demo".into(), path: "local".into(), version: Some("3.0.0".into()) }];
    let error = find(&options, &wanted("2.0.0")).unwrap_err();
    assert_eq!((error.code, error.summary.as_str()), ("plugin-missing", "plugin `demo` version 2.0.0 was not found"));
    let detail = error.detail.unwrap();
    for place in ["project/local", "in the 2 directories of PATH", "plugins`, which has only 1.0.0"] {
        assert!(detail.contains(place), "{place}: {detail}");
    }
    assert!(error.hints[0].contains("`pulumi plugin install resource demo 2.0.0`"), "{:?}", error.hints);
}

#[test]
fn what_cannot_be_used_says_why() {
    let root = tempfile::tempdir().unwrap();
    let mut options = options(root.path());
    put(&root.path().join("plugins/resource-demo-v1.0.0/PulumiPlugin.yaml"), 0o644);
    assert_eq!(find(&options, &wanted("1.0.0")).unwrap_err().code, "plugin-shimless");
    put(&root.path().join("plugins/resource-demo-v1.0.0/pulumi-resource-demo"), 0o644);
    assert_eq!(find(&options, &wanted("1.0.0")).unwrap_err().code, "plugin-executable");
    options.plugins = vec![ProjectPlugin { name: "demo".into(), path: "nowhere".into(), version: None }];
    assert_eq!(find(&options, &wanted("1.0.0")).unwrap_err().code, "plugin-path");
    assert_eq!(find(&options, &wanted("soon")).unwrap_err().code, "plugin-version");
    let hostile = PluginDescriptor::named("../../bin/sh", None);
    assert_eq!(find(&options, &hostile).unwrap_err().code, "plugin-name");
}

#[test]
fn what_is_built_in_comes_last() {
    let root = tempfile::tempdir().unwrap();
    let mut options = options(root.path());
    let program = root.path().join("own/program");
    options.built_in.push(BuiltIn {
        name: "demo".into(),
        version: "1.4.0".into(),
        program: program.clone(),
        arguments: vec!["__demo".into()],
    });
    for version in ["", "1.4.0", "1.3.9"] {
        let found = find(&options, &wanted(version)).unwrap();
        assert_eq!((found.origin, found.executable()), (Origin::BuiltIn, Some(&*program)), "{version}");
        assert_eq!(found.arguments, ["__demo"]);
    }
    let newer = find(&options, &wanted("1.5.0")).unwrap_err().to_string();
    assert!(newer.contains("was not found"), "{newer}");
    put(&root.path().join("plugins/resource-demo-v1.0.0/pulumi-resource-demo"), 0o755);
    let installed = find(&options, &wanted("")).unwrap();
    assert_eq!((installed.origin, installed.arguments.len()), (Origin::Installed, 0));
    assert_eq!(find(&options, &wanted("1.4.0")).unwrap().origin, Origin::BuiltIn);
}
