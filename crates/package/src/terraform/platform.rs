//! The platform of a package, in Terraform's terms.

use std::fmt;

/// An operating system and a processor, such as `linux_amd64`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Platform {
    os: String,
    processor: String,
}

impl Platform {
    /// The platform that this program was built for.
    pub fn current() -> Self {
        let os = if cfg!(target_os = "macos") {
            "darwin"
        } else if cfg!(target_os = "freebsd") {
            "freebsd"
        } else {
            "linux"
        };
        let processor = if cfg!(target_arch = "x86_64") {
            "amd64"
        } else if cfg!(target_arch = "aarch64") {
            "arm64"
        } else if cfg!(target_arch = "x86") {
            "386"
        } else if cfg!(target_arch = "arm") {
            "arm"
        } else if cfg!(target_arch = "riscv64") {
            "riscv64"
        } else if cfg!(target_arch = "powerpc64") {
            "ppc64le"
        } else {
            "s390x"
        };
        Self { os: os.to_owned(), processor: processor.to_owned() }
    }

    /// Reads `OS_PROCESSOR`.
    pub fn parse(text: &str) -> Option<Self> {
        let (os, processor) = text.split_once('_')?;
        let word = |text: &str| !text.is_empty() && !text.contains(['_', ' ', '\t', '\n', '\r', '/']);
        (word(os) && word(processor)).then(|| Self { os: os.to_owned(), processor: processor.to_owned() })
    }
}

impl fmt::Display for Platform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}_{}", self.os, self.processor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_platform_is_two_words() {
        assert_eq!(Platform::parse("linux_amd64").unwrap().to_string(), "linux_amd64");
        for text in ["linux", "linux_", "_amd64", "linux_amd64_v2", "linux_amd 64", "lock.linux"] {
            assert_eq!(Platform::parse(text), None, "{text}");
        }
        assert_eq!(Platform::parse(&Platform::current().to_string()), Some(Platform::current()));
    }
}
