//! No passphrase, which is fine until a secret is used.

use outrigger_diagnostic::Diagnostic;

use crate::Crypter;

/// Fails on every use with an error that names the variables to set. Commands that use no secret are not affected.
#[derive(Clone, Copy, Debug, Default)]
pub struct Locked;

impl Crypter for Locked {
    fn encrypt(&self, _plaintext: &str) -> Result<String, Diagnostic> {
        Err(missing_passphrase())
    }

    fn decrypt(&self, _ciphertext: &str) -> Result<String, Diagnostic> {
        Err(missing_passphrase())
    }
}

pub(crate) fn missing_passphrase() -> Diagnostic {
    Diagnostic::error("passphrase-missing", "a passphrase is needed to read or write this stack's secrets")
        .detail("Neither PULUMI_CONFIG_PASSPHRASE nor PULUMI_CONFIG_PASSPHRASE_FILE is set.")
        .hint("Set PULUMI_CONFIG_PASSPHRASE to the stack's passphrase (an empty value means an empty passphrase).")
        .hint("Or set PULUMI_CONFIG_PASSPHRASE_FILE to the path of a file that holds it.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_names_both_variables() {
        let text = format!("{:?}", Locked.decrypt("v1:a:b").unwrap_err());
        assert!(text.contains("PULUMI_CONFIG_PASSPHRASE ") && text.contains("PULUMI_CONFIG_PASSPHRASE_FILE"));
    }
}
