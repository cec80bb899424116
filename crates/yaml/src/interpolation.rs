//! Text with `${…}` in it.

use std::fmt;

/// A piece of text, and the access after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The text before, with `$$` unescaped.
    pub text: String,
    /// The access; `None` only at the end.
    pub access: Option<Access>,
}

/// A path from a name into its value: `bucket.tags["a.b"][0]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// The resource, variable or config value.
    pub root: String,
    /// The steps from there.
    pub steps: Vec<Step>,
}

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// `.name`. Only this form reads the built-in `id` and `urn` of a resource.
    Name(String),
    /// `["key"]`.
    Key(String),
    /// `[0]`.
    Index(i64),
}

/// Splits text into parts. The grammar is Pulumi's, byte by byte: no blanks are trimmed, a lone `$` stays, leading and
/// doubled dots are skipped.
pub fn parse(text: &str) -> Result<Vec<Part>, &'static str> {
    let mut parts = Vec::new();
    let mut plain = String::new();
    let mut rest = text;
    while let Some(dollar) = rest.find('$') {
        let (before, from) = rest.split_at(dollar);
        plain.push_str(before);
        if let Some(after) = from.strip_prefix("$$") {
            plain.push('$');
            rest = after;
        } else if let Some(after) = from.strip_prefix("${") {
            let (access, after) = access(after)?;
            parts.push(Part { text: std::mem::take(&mut plain), access: Some(access) });
            rest = after;
        } else {
            plain.push('$');
            rest = &from[1..];
        }
    }
    plain.push_str(rest);
    if !plain.is_empty() {
        parts.push(Part { text: plain, access: None });
    }
    Ok(parts)
}

fn access(mut rest: &str) -> Result<(Access, &str), &'static str> {
    let mut root = None;
    let mut steps = Vec::new();
    loop {
        let step = match rest.bytes().next() {
            None => return Err("the interpolation is not closed: `}` is missing"),
            Some(b'}') => {
                let root = root.ok_or("the interpolation is empty")?;
                return Ok((Access { root, steps }, &rest[1..]));
            }
            Some(b'.') => {
                rest = &rest[1..];
                continue;
            }
            Some(b'[') => {
                let (step, after) = subscript(&rest[1..])?;
                rest = after;
                step
            }
            Some(_) => {
                let end = rest.find(['.', '[', '}']).unwrap_or(rest.len());
                let (name, after) = rest.split_at(end);
                rest = after;
                Step::Name(name.to_owned())
            }
        };
        match (&root, step) {
            (Some(_), step) => steps.push(step),
            (None, Step::Name(name) | Step::Key(name)) => root = Some(name),
            (None, Step::Index(_)) => return Err("an interpolation begins with a name, not with an index"),
        }
    }
}

/// Parses the text between `[` and `]`; the opening bracket has been consumed.
fn subscript(rest: &str) -> Result<(Step, &str), &'static str> {
    let Some(quoted) = rest.strip_prefix('"') else {
        let (digits, after) = rest.split_once(']').ok_or("the index is not closed: `]` is missing")?;
        let index = digits.parse().map_err(|_| "an index is a whole number, or a key in double quotes")?;
        return Ok((Step::Index(index), after));
    };
    let mut key = String::new();
    let mut chars = quoted.char_indices();
    while let Some((at, char)) = chars.next() {
        match char {
            '"' => {
                let after = quoted[at + 1..].strip_prefix(']').ok_or("`]` is missing after the quoted key")?;
                return Ok((Step::Key(key), after));
            }
            '\\' if quoted[at + 1..].starts_with('"') => {
                key.push('"');
                chars.next();
            }
            other => key.push(other),
        }
    }
    Err("the closing quote of the key is missing")
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.root)?;
        self.steps.iter().try_for_each(|step| step.fmt(f))
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Name(name) => write!(f, ".{name}"),
            Step::Key(key) => write!(f, "[\"{}\"]", key.replace('"', "\\\"")),
            Step::Index(index) => write!(f, "[{index}]"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_text() {
        let shown = |text: &str| {
            parse(text).map(|parts| {
                let part = |part: Part| match part.access {
                    Some(access) => format!("{}<{access}>", part.text),
                    None => part.text,
                };
                parts.into_iter().map(part).collect::<Vec<_>>().join("|")
            })
        };
        for (text, expected) in [
            ("", ""),
            ("plain", "plain"),
            ("$ 5", "$ 5"),
            ("$$5 $${a}", "$5 ${a}"),
            ("$$$$${a}", "$$<a>"),
            ("${a}", "<a>"),
            ("x ${a.b[0][\"c.d\"]} y", "x <a.b[0][\"c.d\"]>| y"),
            ("${ a }", "< a >"),
            ("${a-b:c d}", "<a-b:c d>"),
            ("${..a..b}", "<a.b>"),
            ("${[\"ro.ot\"].x}", "<ro.ot.x>"),
            ("${a[\"q\\\"q\"]}", "<a[\"q\\\"q\"]>"),
            ("ä${ö.ü}ß", "ä<ö.ü>|ß"),
            ("end$", "end$"),
        ] {
            assert_eq!(shown(text).as_deref(), Ok(expected), "{text}");
        }
        for text in ["${", "${}", "${a", "${a[}", "${a[x]}", "${[0]}", "${a[\"x}", "${a[\"x\"}", "${a[\"x\""] {
            assert!(shown(text).is_err(), "{text}");
        }
    }
}
