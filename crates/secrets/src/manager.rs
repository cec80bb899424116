//! The secrets manager of a stack, from `secrets_providers` of its state or from its stack file.

use outrigger_diagnostic::Diagnostic;
use serde_json::Value as Json;

/// The `type` of the passphrase manager in a state file.
pub const PASSPHRASE_KIND: &str = "passphrase";

/// The salt string in a passphrase manager's `state`.
pub(crate) fn salt_of(state: &Json) -> Result<&str, Diagnostic> {
    state.get("salt").and_then(Json::as_str).ok_or_else(|| {
        Diagnostic::error("secrets-state-malformed", "the state's passphrase settings have no salt")
            .detail("`secrets_providers.state.salt` is missing or not a string.")
            .hint("Restore the state from a backup, or import a good export with `outrigger stack import`.")
    })
}

/// The error for a secrets manager that this build does not support. Takes a state file's `type` (`cloud`, `service`) or a
/// stack file's `secretsprovider` (`awskms://...`).
pub fn unsupported(kind: &str) -> Diagnostic {
    // A key service's URL may carry credentials in its query, so only the scheme is shown.
    let name = kind.split("://").next().unwrap_or(kind);
    let what = match name {
        "service" | "default" => "Pulumi Cloud encrypts this stack's secrets",
        "cloud" => "a cloud key service encrypts this stack's secrets",
        "awskms" => "AWS KMS encrypts this stack's secrets",
        "gcpkms" => "Google Cloud KMS encrypts this stack's secrets",
        "azurekeyvault" => "Azure Key Vault encrypts this stack's secrets",
        "hashivault" => "HashiCorp Vault encrypts this stack's secrets",
        _ => "this build does not know the secrets provider of this stack",
    };
    Diagnostic::error("secrets-provider-unsupported", format!("the secrets provider `{name}` is not supported yet"))
        .detail(format!("{what}. This build supports only `passphrase`."))
        .hint("Change it with `pulumi stack change-secrets-provider passphrase`, or use `pulumi` for this stack.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Keyring;

    #[test]
    fn another_provider_is_named_without_its_query() {
        let refusal = |kind: &str| Keyring::new(None).manager(kind, &Json::Null).err().unwrap();
        assert!(refusal("cloud").summary.contains("`cloud`"));
        let text = format!("{:?}", refusal("awskms://alias/key?secret=canary"));
        assert!(text.contains("awskms") && text.contains("AWS KMS") && !text.contains("canary"));
    }

    #[test]
    fn without_a_phrase_it_is_locked_and_without_a_salt_it_is_malformed() {
        let state = serde_json::json!({"salt": "v1:AAAAAAAAAAA=:v1:AAAAAAAAAAAAAAAA:AAAA"});
        let locked = Keyring::new(None).manager("passphrase", &state).unwrap();
        assert_eq!(locked.decrypt("x").unwrap_err().code, "passphrase-missing");
        let missing = Keyring::new(None).manager("passphrase", &serde_json::json!({})).err().unwrap();
        assert_eq!(missing.code, "secrets-state-malformed");
    }
}
