//! `package info`: on a terminal, as Markdown and as HTML.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use regex_lite::Regex;

use crate::sandbox::{Answer, Sandbox, walk};
use crate::screen::Screen;

const PROJECT: &str = "name: docs\nruntime: yaml\n";

fn info(sandbox: &Sandbox, arguments: &[&str]) -> Answer {
    sandbox.outrigger(&[&["package", "info"], arguments].concat())
}

/// The pages of a package by their paths, written into `site`.
fn site(sandbox: &Sandbox, package: &[&str], format: &str) -> BTreeMap<PathBuf, String> {
    let site = sandbox.path("site");
    let _there_is_none = fs::remove_dir_all(&site);
    let arguments = ["--format", format, "--output-dir", site.to_str().unwrap()];
    info(sandbox, &[&arguments, package].concat()).ok().says(&["Wrote ", " pages to "]);
    let mut pages = BTreeMap::new();
    walk(&site, &mut |path| {
        pages.insert(path.to_owned(), fs::read_to_string(path).unwrap());
    });
    pages
}

/// Every link leads to a page, and to an anchor on it.
fn assert_links(pages: &BTreeMap<PathBuf, String>, link: &str, anchor: &str) {
    let link = Regex::new(link).unwrap();
    let mut count = 0;
    for (path, text) in pages {
        for found in link.captures_iter(text) {
            let target = &found[1];
            if target.starts_with("http") {
                continue;
            }
            let (file, fragment) = target.split_once('#').unwrap_or((target, ""));
            let page = match file {
                "" => text,
                file => {
                    let linked = path.parent().unwrap().join(file).canonicalize();
                    &pages[&linked.unwrap_or_else(|_| panic!("{}: {target}", path.display()))]
                }
            };
            let mark = anchor.replace('X', fragment);
            assert!(fragment.is_empty() || page.contains(&mark), "{}: {target}", path.display());
            count += 1;
        }
    }
    assert!(count > 0);
}

const MARKDOWN_LINK: &str = r"\]\(<?([^)>]+)>?\)";
const HTML_LINK: &str = "href=\"([^\"]+)\"";

/// Every example passes `check`.
fn assert_examples(sandbox: &Sandbox, pages: &BTreeMap<PathBuf, String>) {
    let project = sandbox.read("Pulumi.yaml");
    for (path, text) in pages.iter().filter(|(path, _)| !path.ends_with("index.md")) {
        let (_, rest) = text.split_once("```yaml\n").unwrap_or_else(|| panic!("{}", path.display()));
        let (example, _) = rest.split_once("```").unwrap();
        sandbox.write("Pulumi.yaml", &format!("{project}{example}"));
        let answer = sandbox.outrigger(&["check"]);
        assert_eq!(answer.code, 0, "{}\n{example}{}", path.display(), answer.text());
    }
    sandbox.write("Pulumi.yaml", &project);
}

#[test]
fn a_package_and_its_types_are_shown() {
    let sandbox = Sandbox::new(PROJECT);
    info(&sandbox, &["kit"]).ok().says(&[
        "kit\n\n- Name: Kit\n- Version: ",
        "- Plugin: built in\n",
        "\nFunctions\n\n  kit:env  Reads an environment variable of the command that is running.\n",
        "\nResources of random\n",
        "  kit:random:Pet  A name that is easy to remember, such as brave-otter.\n",
    ]);
    for written in ["kit:fs:File", "fs:File", "file", "KIT:FS:FILE"] {
        info(&sandbox, &["kit", written]).ok().says(&[
            "kit:fs:File\n\nResource kit:fs:File\n",
            "    resources:\n      file:\n        type: kit:fs:File\n        properties:\n          path: example.txt\n",
            "Arguments\n\n  path  string, required, replaces\n      The path. A relative one begins at the program's directory.",
            "  overwrite  boolean, default false\n",
            "Outputs\n\n  absolutePath  string\n",
        ]);
    }
    info(&sandbox, &["kit", "readFile"])
        .ok()
        .says(&["    fn::kit:readFile:\n          path: example.txt\n", "Results\n"]);
    info(&sandbox, &["kit", "kit:process:Log"]).ok().says(&["Type kit:process:Log\n", "  progress  string\n"]);
    let wide = info(&sandbox, &["kit", "fs:File"]).ok();
    assert!(wide.stdout.lines().all(|line| line.len() <= 80) && !wide.stdout.contains('\x1b'), "{}", wide.stdout);
}

#[test]
fn names_that_do_not_exist_are_answered_with_those_that_do() {
    let sandbox = Sandbox::new(PROJECT);
    info(&sandbox, &["kit", "Fiel"]).ended(1).says(&[
        "error[package-info-type]: package `kit` has no type `Fiel`",
        "The nearest names are: kit:fs:File, ",
        "Leave the type out",
    ]);
    info(&sandbox, &["nothing-of-this-name"]).ended(1).says(&["nothing-of-this-name"]);
    info(&sandbox, &["kit", "a", "b", "--", "c"]).ended(1).says(&["error[package-info-words]"]);
    sandbox.write("taken", "");
    info(&sandbox, &["kit", "--output-dir", "taken"]).ended(1).says(&["error[package-info-write]", "taken/index.md"]);
}

#[test]
fn a_site_has_no_broken_link_and_no_broken_example() {
    let sandbox = Sandbox::new(PROJECT);
    let pages = site(&sandbox, &["kit"], "markdown");
    assert_eq!(pages.len(), 14);
    assert_links(&pages, MARKDOWN_LINK, "<a id=\"X\"></a>");
    assert_examples(&sandbox, &pages);
    let index = &pages[&sandbox.path("site/index.md")];
    assert!(index.contains("\n- [`kit:fs:File`](resources/fs-File.md): A file of the machine"), "{index}");
    let pages = site(&sandbox, &["kit"], "html");
    assert_links(&pages, HTML_LINK, " id=\"X\"");
    let page = &pages[&sandbox.path("site/resources/process-Command.html")];
    assert!(page.contains("<dt><code>log</code> <a href=\"#type-Log\">Log</a>"), "{page}");
    // One page alone has links to itself only.
    let one = site(&sandbox, &["kit", "fs:File"], "html");
    assert_eq!(one.len(), 2);
    assert_links(&one, HTML_LINK, " id=\"X\"");
    let page = info(&sandbox, &["kit", "fs:File", "--format", "markdown"]).ok().stdout;
    assert!(page.starts_with("# kit:fs:File\n\nResource `kit:fs:File`\n"), "{page}");
}

/// The final contents of a terminal with ten rows.
fn on_terminal(sandbox: &Sandbox, arguments: &[&str]) -> String {
    let (mut screen, terminal) = Screen::open(60, 10);
    let child = sandbox.start_on(terminal, &[&["package", "info", "kit"], arguments].concat());
    assert_eq!(screen.finish(child), 0, "{}", screen.all());
    screen.all()
}

#[test]
fn a_long_page_goes_through_a_pager_on_a_terminal() {
    let mut sandbox = Sandbox::new(PROJECT);
    sandbox.set("PAGER", Some("head -n 1; echo paged"));
    let shown = on_terminal(&sandbox, &["fs:File"]);
    assert_eq!(shown.trim(), "kit:fs:File\npaged");
    for arguments in [["fs:File", "--no-pager"].as_slice(), &["fs:File", "--non-interactive"]] {
        let shown = on_terminal(&sandbox, arguments);
        assert!(shown.contains("Arguments are outputs as well.") && !shown.contains("paged"), "{shown}");
        assert!(shown.lines().all(|line| line.chars().count() <= 60), "{shown}");
    }
    assert!(!info(&sandbox, &["kit", "fs:File"]).ok().stdout.contains("paged"));
    // None is started for `cat`, nor for nothing; a missing one counts as none.
    for (pager, printed) in [("cat", true), ("", true), ("/nothing/here", true), ("true", false)] {
        sandbox.set("PAGER", Some(pager));
        assert_eq!(on_terminal(&sandbox, &["fs:File"]).contains("Arguments are outputs as well."), printed, "{pager}");
    }
    // Without the variable it is `less`.
    let bin = sandbox.path("bin");
    fs::create_dir(&bin).unwrap();
    fs::write(bin.join("less"), "#!/bin/sh\necho \"less $* and $LESS\"\n").unwrap();
    fs::set_permissions(bin.join("less"), fs::Permissions::from_mode(0o755)).unwrap();
    sandbox.prefer(&bin);
    sandbox.set("PAGER", None);
    assert_eq!(on_terminal(&sandbox, &["fs:File"]).trim(), "less -FRX and FRX");
    assert!(on_terminal(&sandbox, &["random:Uuid", "--color", "never"]).contains("less -FRX"));
}

mod peers {
    use super::*;
    use crate::place::peer;

    #[test]
    fn a_terraform_provider_is_shown_with_the_names_of_terraform() {
        let sandbox = Sandbox::new(PROJECT);
        let provider = peer("terraform/terraform-provider-random").display().to_string();
        let says = [
            "random:String\n\nResource random:index/string:String, in Terraform random_string\n",
            "    resources:\n      string:\n        type: random:String\n        properties:\n          length: 1\n",
            "  length  number, required\n",
            "  overrideSpecial  string, in Terraform override_special\n",
        ];
        for written in ["random_string", "String", "random:index/string:String"] {
            info(&sandbox, &["terraform-provider", &provider, written])
                .ok()
                .says(&says)
                .says(&["outrigger package add terraform-provider "]);
        }
        info(&sandbox, &["terraform-provider", "random_strng", "--", &provider])
            .ended(1)
            .says(&["The nearest names are: random_string"]);
        // As a package of the project.
        sandbox.outrigger(&["package", "add", "terraform-provider", &provider]).ok();
        info(&sandbox, &["random"])
            .ok()
            .says(&["- Plugin: terraform-provider (part of outrigger)", "  random:String\n"]);
        let own = info(&sandbox, &["random", "random_string"]).ok().says(&says);
        assert!(!own.stdout.contains("package add"), "{}", own.stdout);
        let pages = site(&sandbox, &["random"], "markdown");
        assert_examples(&sandbox, &pages);
        // Before its lock file is written, the package is known only from the project file.
        fs::remove_dir_all(sandbox.path("project/sdks")).unwrap();
        info(&sandbox, &["random", "random_string"]).ok().says(&says);
    }

    #[test]
    fn a_bridged_package_of_pulumi_has_the_names_of_terraform() {
        let sandbox = Sandbox::new(PROJECT);
        info(&sandbox, &["random", "random_password"]).ok().says(&[
            "Resource random:index/randomPassword:RandomPassword, in Terraform\nrandom_password\n",
            "  bcryptHash  string, secret, in Terraform bcrypt_hash\n",
        ]);
    }

    #[test]
    fn examples_of_many_shapes_pass_check() {
        let sandbox = Sandbox::new(PROJECT);
        for name in
            ["asset-archive", "call", "enum", "module-format", "names", "primitive", "ref-ref", "simple-invoke", "sync"]
        {
            let pages = site(&sandbox, &[name], "markdown");
            assert_links(&pages, MARKDOWN_LINK, "<a id=\"X\"></a>");
            assert_examples(&sandbox, &pages);
        }
        info(&sandbox, &["call", "Custom"]).ok().says(&["Methods\n\nproviderValue\n", "Results\n\n  result  string\n"]);
        let large = peer("terraform/terraform-provider-aws").display().to_string();
        let page = info(&sandbox, &["terraform-provider", &large, "aws_s3_bucket"]).ok();
        let page = page.says(&["  corsRules  list of S3BucketCorsRule, in Terraform cors_rule\n"]).stdout;
        assert_eq!(page.matches("\nS3BucketCorsRule\n").count(), 1);
        assert!(Path::new(&large).exists());
    }
}
