//! Verifies webhook signatures: HMACs of the raw body with a secret shared by GitHub and this server.

use hmac::{Hmac, KeyInit as _, Mac as _};
use secrecy::{ExposeSecret as _, SecretString};
use sha2::Sha256;

/// Prefix of the header value.
const SIGNATURE_PREFIX: &str = "sha256=";

/// Valid webhook secrets. During a rotation of the secret there are several.
pub struct WebhookSecrets(Vec<SecretString>);

impl WebhookSecrets {
    /// Parses one secret per line. Returns `None` if there is none.
    pub fn parse(text: &str) -> Option<Self> {
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let secrets: Vec<_> = lines.map(SecretString::from).collect();
        (!secrets.is_empty()).then_some(Self(secrets))
    }

    /// Returns true if `signature`, the value of `X-Hub-Signature-256`, is valid for these bytes. The comparison takes
    /// constant time.
    pub fn verify(&self, body: &[u8], signature: &str) -> bool {
        let Some(tag) =
            signature.strip_prefix(SIGNATURE_PREFIX).and_then(|text| hex::decode(text).ok())
        else {
            return false;
        };
        self.0.iter().any(|secret| is_valid_tag(&tag, body, secret))
    }
}

fn is_valid_tag(tag: &[u8], body: &[u8], secret: &SecretString) -> bool {
    Hmac::<Sha256>::new_from_slice(secret.expose_secret().as_bytes())
        .is_ok_and(|mac| mac.chain_update(body).verify_slice(tag).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Example from GitHub's documentation.
    const BODY: &[u8] = b"Hello, World!";
    const SECRET: &str = "It's a Secret to Everybody";
    const SIGNATURE: &str =
        "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";

    #[test]
    fn signature_of_github_is_accepted() {
        assert!(WebhookSecrets::parse(SECRET).unwrap().verify(BODY, SIGNATURE));
    }

    #[test]
    fn old_and_new_secret_are_accepted() {
        assert!(
            WebhookSecrets::parse(&format!("new\n\n {SECRET}\n")).unwrap().verify(BODY, SIGNATURE)
        );
        assert!(WebhookSecrets::parse(" \n").is_none());
    }

    #[test]
    fn forged_signature_is_refused() {
        let secrets = WebhookSecrets::parse(SECRET).unwrap();
        assert!(!secrets.verify(b"Hello, World?", SIGNATURE));
        for forged in
            ["", "sha256=", "sha256=zz", "sha1=757107ea", &SIGNATURE[..SIGNATURE.len() - 2]]
        {
            assert!(!secrets.verify(BODY, forged), "{forged}");
        }
        assert!(!WebhookSecrets::parse("other").unwrap().verify(BODY, SIGNATURE));
    }
}
