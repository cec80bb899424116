//! The listings of programs under `xtask/programs`: one text with several programs, each of several files.
//!
//! ```text
//! === name of the program
//! what it is about
//! --- file Pulumi.yaml
//! name: programs
//! --- config
//! plain key value
//! secret key value
//! path key.part value
//! --- mistakes
//! Pulumi.yaml:3:5 code-of-the-error
//! --- pulumi says
//! words that `pulumi` refuses it with
//! --- differs
//! why we differ on purpose
//! --- outputs
//! {"what": "we make of a program that we differ in"}
//! --- other stack
//! ```

use anyhow::{Context, Result, bail};

use crate::conformance::cases::Config;

/// One program and its expected results.
pub(super) struct Program<'a> {
    pub(super) name: &'a str,
    pub(super) files: Vec<(&'a str, &'a str)>,
    pub(super) config: Vec<Config<'a>>,
    /// Place and code of each of our errors.
    pub(super) mistakes: Vec<&'a str>,
    /// Phrases of `pulumi`'s refusal.
    pub(super) pulumi_says: Vec<&'a str>,
    /// Whether there is a reason why the two differ.
    differs: bool,
    /// Our outputs, if `pulumi` refuses the program or has others.
    pub(super) outputs: Option<&'a str>,
    /// Whether it reads the outputs of `organization/other/dev`.
    pub(super) other_stack: bool,
}

impl Program<'_> {
    /// Whether `pulumi` must refuse it.
    pub(super) fn refused_by_pulumi(&self) -> bool {
        !self.pulumi_says.is_empty()
    }
}

/// Parses a listing.
pub(super) fn parse(text: &str) -> Result<Vec<Program<'_>>> {
    let mut parts = pieces(text, "=== ");
    if !parts.next().is_some_and(|(_, before)| before.trim().is_empty()) {
        bail!("something stands before the first program");
    }
    parts.map(|(name, text)| program(name, text).with_context(|| format!("in the program {name}"))).collect()
}

fn program<'a>(name: &'a str, text: &'a str) -> Result<Program<'a>> {
    let mut program = Program {
        name,
        files: Vec::new(),
        config: Vec::new(),
        mistakes: Vec::new(),
        pulumi_says: Vec::new(),
        differs: false,
        outputs: None,
        other_stack: false,
    };
    for (section, body) in pieces(text, "--- ").skip(1) {
        let lines = || body.lines().map(str::trim).filter(|line| !line.is_empty());
        match section {
            "config" => program.config = lines().map(config).collect::<Result<_>>()?,
            "mistakes" => program.mistakes = lines().collect(),
            "pulumi says" => program.pulumi_says = lines().collect(),
            "differs" if body.trim().is_empty() => bail!("it differs for no reason"),
            "differs" => program.differs = true,
            "outputs" => program.outputs = Some(body),
            "other stack" => program.other_stack = true,
            other => match other.strip_prefix("file ") {
                Some(path) => program.files.push((path, body)),
                None => bail!("`{other}` is not a section"),
            },
        }
    }
    if !program.differs && program.refused_by_pulumi() == program.mistakes.is_empty() {
        bail!(
            "where we do not differ, a program is a mistake for both, and what `pulumi` says has to be there, or for none"
        );
    }
    if program.outputs.is_some() != (program.differs && program.mistakes.is_empty()) {
        bail!("outputs are for programs that we differ in and do not refuse");
    }
    Ok(program)
}

fn config(line: &str) -> Result<Config<'_>> {
    let mut words = line.splitn(3, ' ');
    let (Some(kind), Some(key), Some(value)) = (words.next(), words.next(), words.next()) else {
        bail!("`{line}` is not a config value");
    };
    Ok(match kind {
        "plain" => Config::Plain(key, value),
        "secret" => Config::Secret(key, value),
        "path" => Config::Path(key, value),
        other => bail!("`{other}` is not a kind of config value"),
    })
}

/// The heading and the text of each piece; the first has no heading.
fn pieces<'a>(text: &'a str, mark: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
    let mut starts = vec![0];
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.starts_with(mark) && at > 0 {
            starts.push(at);
        }
        at += line.len();
    }
    // There is nothing before the first mark if the text begins with it.
    let first = if text.starts_with(mark) { Some(("", "")) } else { None };
    let ends = starts.clone().into_iter().skip(1).chain([text.len()]).collect::<Vec<_>>();
    let piece = move |(start, end): (usize, usize)| {
        let piece = &text[start..end];
        match piece.strip_prefix(mark) {
            Some(headed) => {
                let (heading, body) = headed.split_once('\n').unwrap_or((headed, ""));
                (heading.trim(), body)
            }
            None => ("", piece),
        }
    };
    first.into_iter().chain(starts.into_iter().zip(ends).map(piece))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections() {
        let text = "=== a\nabout\n--- file Pulumi.yaml\nname: x\n--- file d/x\ny\n--- config\nsecret k v w\n=== b\n--- file P\n1\n--- mistakes\nP:1:1 c\n--- pulumi says\nno\n";
        let programs = parse(text).unwrap();
        assert_eq!(programs[0].files, [("Pulumi.yaml", "name: x\n"), ("d/x", "y\n")]);
        assert_eq!(programs[0].config, [Config::Secret("k", "v w")]);
        assert!(!programs[0].refused_by_pulumi() && programs[1].refused_by_pulumi());
        assert_eq!(programs[1].mistakes, ["P:1:1 c"]);
        assert!(parse("=== a\n--- mistakes\nx\n").is_err());
        assert!(parse("=== a\n--- nonsense\nx\n").is_err());
    }
}
