//! `cargo xtask programs`: small YAML programs of our own under `pulumi` and under `outrigger`.
//!
//! A valid program must leave the same state. An invalid one must be refused by both: by `pulumi` with the words that the listing
//! quotes, by us at the place that it names. For deliberate differences, the listing has the reason, and both sides are checked against it.

mod listing;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use self::listing::Program;
use crate::conformance::cases::{Case, Update};
use crate::conformance::{lay_out, side};
use crate::parallel::in_parallel;
use crate::peers::{Peers, remove};
use crate::sandbox::{Sandbox, Tool};
use crate::workspace::{self, Profile};

/// The command's arguments.
#[derive(clap::Args, Default)]
pub(crate) struct Arguments {
    /// Only programs whose name contains this
    #[arg(long)]
    filter: Option<String>,
    /// Run `pulumi` again instead of using its cached results
    #[arg(long)]
    fresh: bool,
}

/// Runs every program. The last line printed is `N of M are as they should be`.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let peers = Peers::ready()?;
    let outrigger = workspace::build_outrigger(Profile::Debug)?;
    let folder = peers.scratch("programs");
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    // The scratch folders have fixed names, because the cached results of `pulumi` contain them.
    let lock = fs::File::create(folder.join("lock"))?;
    lock.lock().context("cannot lock the scratch folder")?;
    let texts = texts(&workspace::root().join("xtask/programs"))?;
    let mut programs = Vec::new();
    for (file, text) in &texts {
        programs.extend(listing::parse(text).with_context(|| format!("in {}", file.display()))?);
    }
    if let Some(filter) = &arguments.filter {
        programs.retain(|program| program.name.contains(filter.as_str()));
    }
    let bench = Bench { peers, outrigger, folder, fresh: arguments.fresh };
    let wrong = bench.run_all(&programs)?;
    let right = programs.len() - wrong.len();
    for (name, reason) in &wrong {
        println!("\nwrong: {name}\n{reason}");
    }
    println!("{right} of {} are as they should be", programs.len());
    if !wrong.is_empty() {
        bail!("{} programs are not as they should be", wrong.len());
    }
    Ok(())
}

/// The files of all programs, as a large set of inputs.
pub(crate) fn seeds() -> Result<Vec<String>> {
    let mut seeds = Vec::new();
    for (_, text) in texts(&workspace::root().join("xtask/programs"))? {
        for program in listing::parse(&text)? {
            seeds.extend(program.files.iter().map(|(_, text)| (*text).to_owned()));
        }
    }
    Ok(seeds)
}

fn texts(folder: &Path) -> Result<Vec<(PathBuf, String)>> {
    let mut texts = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let path = entry?.path();
        texts.push((path.clone(), fs::read_to_string(&path)?));
    }
    texts.sort();
    Ok(texts)
}

struct Bench {
    peers: Peers,
    outrigger: PathBuf,
    folder: PathBuf,
    fresh: bool,
}

impl Bench {
    fn run_all(&self, programs: &[Program<'_>]) -> Result<Vec<(String, String)>> {
        let found = in_parallel(programs, |program| {
            let reason = self.run_one(program).with_context(|| format!("in the program {}", program.name))?;
            println!("{} {}", if reason.is_none() { "right" } else { "WRONG" }, program.name);
            Ok(reason.map(|reason| (program.name.to_owned(), reason)))
        })?;
        let mut wrong: Vec<_> = found.into_iter().flatten().collect();
        wrong.sort();
        Ok(wrong)
    }

    /// The problem of a program, if any.
    fn run_one(&self, program: &Program<'_>) -> Result<Option<String>> {
        let scratch = self.folder.join("scratch").join(program.name);
        let sources = self.folder.join("sources").join(program.name);
        remove(&sources)?;
        for (path, text) in &program.files {
            let path = sources.join(path);
            fs::create_dir_all(path.parent().context("a file without a folder")?)?;
            fs::write(path, text)?;
        }
        lock_packages(program, &sources)?;
        let update = Update { sources, config: program.config.clone(), arguments: Vec::new() };
        let case = Case {
            name: format!("program-{}", program.name),
            updates: vec![update],
            simple_versions: &[],
            needs_other_stack: program.other_stack,
        };
        let place = side::Place { scratch: &scratch, peers: &self.peers, outrigger: &self.outrigger, relay: None };
        let mut remembered = side::Remembered::load(&case, &place, self.fresh)?;
        let wrong = match self.pulumi(program, &remembered.runs)? {
            Some(wrong) => Some(wrong),
            None if !program.mistakes.is_empty() => self.mistakes(program, &case, &place)?,
            None => {
                let actual = side::run(&case, &place, Tool::Outrigger)?;
                match program.outputs {
                    Some(wanted) => outputs(wanted, &actual)?,
                    None => remembered
                        .difference(&case, &place, &actual)?
                        .map(|difference| format!("{difference}\n{}", actual.transcript())),
                }
            }
        };
        if wrong.is_none() {
            remove(&scratch)?;
        }
        Ok(wrong)
    }

    /// Checks that `pulumi` does what the listing says.
    fn pulumi(&self, program: &Program<'_>, runs: &[side::Run]) -> Result<Option<String>> {
        let step = runs.first().and_then(|run| run.steps.first()).context("pulumi was not run")?;
        let output = format!("{}\n{}", step.preview.output, step.up.output);
        let refuses = step.up.code != Some(0);
        if refuses != program.refused_by_pulumi() {
            let does = if refuses { "refuses" } else { "accepts" };
            return Ok(Some(format!("pulumi {does} it\n{output}")));
        }
        // Its output is wrapped and indented.
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let said = words(&output);
        Ok(program
            .pulumi_says
            .iter()
            .find(|phrase| !said.contains(&words(phrase)))
            .map(|phrase| format!("pulumi does not say `{phrase}`\n{output}")))
    }

    /// Checks that we refuse it with exactly the errors of the listing.
    fn mistakes(&self, program: &Program<'_>, case: &Case<'_>, place: &side::Place<'_>) -> Result<Option<String>> {
        let root = place.scratch.join("outrigger");
        let project = place.scratch.join("project");
        remove(&root)?;
        remove(&project)?;
        fs::create_dir_all(&project)?;
        let sandbox = Sandbox::create(&root, &self.peers, &self.outrigger)?;
        let update = case.updates.first().context("a program without sources")?;
        lay_out(&project, &update.sources)?;
        sandbox.run(Tool::Outrigger, &project, &["stack", "init", "test"])?;
        for config in &update.config {
            sandbox.run(Tool::Outrigger, &project, &config.arguments())?;
        }
        let previewed = sandbox.run(Tool::Outrigger, &project, &["preview", "--json-events", "--stack", "test"])?;
        let mut found: Vec<String> = previewed.stdout.lines().filter_map(error).collect();
        // An error before the first event is printed as text, with the same places.
        found
            .extend(previewed.stderr.lines().filter_map(|line| line.trim_start().strip_prefix("--> ").map(place_only)));
        found.sort();
        let mut wanted: Vec<String> = program.mistakes.iter().map(|mistake| mistake.replace("  ", " ")).collect();
        wanted.sort();
        let same = found.len() == wanted.len()
            && found
                .iter()
                .zip(&wanted)
                .all(|(found, wanted)| found == wanted || wanted.starts_with(&format!("{found} ")));
        if same && previewed.code != Some(0) {
            return Ok(None);
        }
        Ok(Some(format!("wanted {wanted:#?}, found {found:#?}\n{}", previewed.transcript())))
    }
}

/// The conformance providers that programs use. They require a version, which a lock file supplies.
const PACKAGES: [(&str, &str); 15] = [
    ("asset-archive", "5.0.0"),
    ("config", "9.0.0"),
    ("enum", "30.0.0"),
    ("nestedobject", "1.42.0"),
    ("output", "23.0.0"),
    ("plain", "13.0.0"),
    ("primitive", "7.0.0"),
    ("read", "39.0.0"),
    ("replaceonchanges", "25.0.0"),
    ("scalar-returns", "21.0.0"),
    ("secret", "14.0.0"),
    ("simple", "2.0.0"),
    ("simple-invoke", "10.0.0"),
    ("simple-invoke-with-scalar-return", "17.0.0"),
    ("union", "18.0.0"),
];

/// Writes missing lock files for the packages that a program mentions.
fn lock_packages(program: &Program<'_>, sources: &Path) -> Result<()> {
    for (name, version) in PACKAGES {
        let folder = sources.join("sdks").join(name);
        if folder.exists() || !program.files.iter().any(|(_, text)| mentions(text, name)) {
            continue;
        }
        fs::create_dir_all(&folder)?;
        let text = format!("packageDeclarationVersion: 1\nname: {name}\nversion: {version}\n");
        fs::write(folder.join(format!("{name}-{version}.yaml")), text)?;
    }
    Ok(())
}

/// Whether a text contains a token of a package, or its provider.
fn mentions(text: &str, package: &str) -> bool {
    let part = |sign: char| sign.is_ascii_alphanumeric() || sign == '-';
    text.match_indices(package).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + package.len()..]);
        let token = after.strip_prefix(':').is_some_and(|rest| rest.starts_with(part)) && !before.ends_with(part);
        token || (before.ends_with("providers:") && !after.starts_with(part))
    })
}

/// The place and the code of an error in a line of the event stream.
fn error(line: &str) -> Option<String> {
    let event: Value = serde_json::from_str(line).ok()?;
    if event["type"] != "diagnostic" || event["severity"] != "error" {
        return None;
    }
    let (place, code) = (&event["place"], event["code"].as_str()?);
    let at = match place["file"].as_str() {
        Some(file) => format!("{file}:{}:{}", place["start"]["line"], place["start"]["column"]),
        None => "nowhere".to_owned(),
    };
    Some(format!("{at} {code}"))
}

fn place_only(text: &str) -> String {
    text.trim().to_owned()
}

/// Checks our outputs against the listing.
fn outputs(wanted: &str, run: &side::Run) -> Result<Option<String>> {
    let wanted: Value = serde_json::from_str(wanted).context("the outputs of the listing are not JSON")?;
    let step = run.steps.first().context("outrigger was not run")?;
    let found = serde_json::from_str::<Value>(&step.export).ok().and_then(|export| {
        let resources = export["deployment"]["resources"].as_array()?.clone();
        let stack = resources.into_iter().find(|resource| resource["type"] == "pulumi:pulumi:Stack")?;
        Some(stack["outputs"].clone())
    });
    match found {
        Some(found) if found == wanted => Ok(None),
        found => Ok(Some(format!("wanted {wanted}, found {found:?}\n{}", run.transcript()))),
    }
}

#[cfg(test)]
mod tests {
    use super::mentions;

    #[test]
    fn packages_that_are_mentioned() {
        for text in ["type: simple:Resource", "fn::simple:x", "pulumi:providers:simple\"", "\"simple:index:A\""] {
            assert!(mentions(text, "simple"), "{text}");
        }
        for text in ["simple: x", "simple-invoke:X", "not-simple:X", "pulumi:providers:simple-invoke", "simple"] {
            assert!(!mentions(text, "simple"), "{text}");
        }
    }
}
