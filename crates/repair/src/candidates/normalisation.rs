//! Normal form of code, to compare it regardless of white space and of equivalent integer limits.

use regex::Regex;
use std::sync::LazyLock;

/// Equivalent spellings of integer comparisons with adjacent limits, without white space.
static EQUIVALENT_COMPARISONS: LazyLock<[(Regex, &'static str); 4]> = LazyLock::new(|| {
    let regex =
        |pattern| Regex::new(pattern).unwrap_or_else(|_| unreachable!("a constant pattern"));
    [
        (regex(r"([\w)\]])-1>="), "$1>"),
        (regex(r"([\w)\]])\+1<="), "$1<"),
        (regex(r"([\w)\]])>=([\w.\[\]]+(?:\([^()]*\))?)\+1([^\w.]|$)"), "$1>$2$3"),
        (regex(r"([\w)\]])<=([\w.\[\]]+(?:\([^()]*\))?)-1([^\w.]|$)"), "$1<$2$3"),
    ]
});

/// Returns a normal form of code, without differences in white space or in the spelling of a limit.
pub fn normalise_code(code: &str) -> String {
    let compact: String = code.split_whitespace().collect();
    EQUIVALENT_COMPARISONS
        .iter()
        .fold(compact, |text, (pattern, shorter)| pattern.replace_all(&text, *shorter).into_owned())
}

#[cfg(test)]
mod tests {
    use super::normalise_code;

    #[test]
    fn equivalent_limits_have_one_normal_form() {
        for same in ["i - 1 >= n.size()", "i >= n.size() + 1", "i  > n.size()"] {
            assert_eq!(normalise_code(same), "i>n.size()");
        }
        for same in ["a[i] + 1 <= n;", "a[i] <= n - 1;", "a[i] < n;"] {
            assert_eq!(normalise_code(same), "a[i]<n;");
        }
        for other in ["i >= n + 10", "i >= n - 1", "i - 1 > n", "i >= n + 1.5"] {
            assert_ne!(normalise_code(other), "i>n");
        }
    }
}
