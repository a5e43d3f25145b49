//! Test selectors of `--test`.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Test selector: `pkg.Class`, `pkg.Class#method`, or a glob over either part (`*` and `?`).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Selector {
    /// The class, or a glob over fully qualified names.
    pub class: String,
    /// The method, or a glob; `None` means every test of the class.
    pub method: Option<String>,
}

impl Selector {
    /// Returns true if the class part is a glob.
    pub fn is_glob(&self) -> bool {
        self.class.contains(['*', '?'])
    }

    /// Returns true if it selects every test.
    pub fn is_all_tests(&self) -> bool {
        self.class == "*" && self.method.is_none()
    }
}

impl FromStr for Selector {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (class, method) = match text.split_once('#') {
            Some((class, method)) => (class, Some(method)),
            None => (text, None),
        };
        let is_valid_name = |part: &str| {
            !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || "_$.*?[]".contains(c))
        };
        if !is_valid_name(class) || method.is_some_and(|m| !is_valid_name(m)) {
            return Err(format!(
                "`{text}` is not a test selector: use pkg.Class, pkg.Class#method or a glob"
            ));
        }
        Ok(Self { class: class.to_owned(), method: method.map(str::to_owned) })
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.class)?;
        self.method.iter().try_for_each(|method| write!(f, "#{method}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selector_round_trips_through_text() {
        for text in ["a.B", "a.B#c", "a.*Test", "a.B#test*"] {
            assert_eq!(text.parse::<Selector>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn selector_with_empty_part_is_rejected() {
        for text in ["", "#m", "a.B#", "a b"] {
            assert!(text.parse::<Selector>().is_err(), "{text}");
        }
    }
}
