//! Newtypes of text identifiers in webhooks.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Defines a text identifier with a validity check.
macro_rules! text {
    ($(#[$doc:meta])* $name:ident, $is_valid:path) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// Returns the identifier in GitHub's form.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $name {
            type Error = String;

            fn try_from(text: String) -> Result<Self, String> {
                if $is_valid(&text) { Ok(Self(text)) } else { Err(format!("{text:?} is no {}", stringify!($name))) }
            }
        }

        impl From<$name> for String {
            fn from(value: $name) -> Self {
                value.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

text!(
    /// A branch, without `refs/heads/`.
    Branch,
    is_branch
);
text!(
    /// Webhook delivery. A redelivery has the same id.
    DeliveryId,
    is_delivery_id
);

/// Returns true for valid branch names, by the rules of `git check-ref-format --branch` that matter here.
fn is_branch(text: &str) -> bool {
    let is_forbidden = |c: char| c.is_control() || " ~^:?*[\\".contains(c);
    (1..=255).contains(&text.len())
        && !text.starts_with(['-', '/'])
        && !text.contains("..")
        && !text.contains(is_forbidden)
}

fn is_delivery_id(text: &str) -> bool {
    (1..=64).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branch_cannot_be_an_option_or_range() {
        assert!(Branch::try_from("feature/x-1".to_owned()).is_ok());
        for name in ["", "-d", "a..b", "a b", "a\n", "a:b", "/a"] {
            assert!(Branch::try_from(name.to_owned()).is_err(), "{name:?}");
        }
    }
}
