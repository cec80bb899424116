//! Expected status codes.

/// Expected status codes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Expected {
    ranges: Vec<(u16, u16)>,
    text: String,
}

impl Expected {
    /// Parses codes (`204`), ranges (`200-299`) and classes (`2xx`). An empty list means `2xx`.
    pub(super) fn parse(texts: &[String]) -> Result<Self, String> {
        if texts.is_empty() {
            return Ok(Self { ranges: vec![(200, 299)], text: "2xx".to_owned() });
        }
        let ranges = texts.iter().map(|text| {
            range(text.trim()).ok_or_else(|| {
                format!(
                    "`{text}` is not a status: write a code such as \"204\", a range such as \"200-299\", or \"2xx\""
                )
            })
        });
        Ok(Self { ranges: ranges.collect::<Result<_, _>>()?, text: texts.join(", ") })
    }

    pub(super) fn contains(&self, status: u16) -> bool {
        self.ranges.iter().any(|(first, last)| (*first..=*last).contains(&status))
    }

    /// The text as written.
    pub(super) fn text(&self) -> &str {
        &self.text
    }
}

fn range(text: &str) -> Option<(u16, u16)> {
    let code = |text: &str| text.trim().parse::<u16>().ok().filter(|code| (100..=599).contains(code));
    if let Some(class) = text.strip_suffix("xx").or_else(|| text.strip_suffix("XX")) {
        let first = class.parse::<u16>().ok().filter(|class| (1..=5).contains(class))? * 100;
        return Some((first, first + 99));
    }
    match text.split_once('-') {
        None => code(text).map(|code| (code, code)),
        Some((first, last)) => Some((code(first)?, code(last)?)).filter(|(first, last)| first <= last),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_ranges_and_classes() {
        let expected =
            |texts: &[&str]| Expected::parse(&texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>());
        let some = expected(&["204", "300-302", "4xx"]).unwrap();
        for (status, right) in
            [(200, false), (204, true), (300, true), (302, true), (303, false), (499, true), (500, false)]
        {
            assert_eq!(some.contains(status), right, "{status}");
        }
        assert!(expected(&[]).unwrap().contains(299) && !expected(&[]).unwrap().contains(300));
        for wrong in ["", "20", "600", "299-200", "9xx", "ok", "2xx-3xx", "-"] {
            assert!(expected(&[wrong]).is_err(), "{wrong}");
        }
    }
}
