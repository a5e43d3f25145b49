//! Code in one form of several that mean the same.

use regex::Regex;
use std::sync::LazyLock;

/// Equivalent spellings of comparisons of whole numbers with adjacent limits, without white space.
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
pub fn canonical(code: &str) -> String {
    let squeezed: String = code.split_whitespace().collect();
    EQUIVALENT_COMPARISONS
        .iter()
        .fold(squeezed, |text, (said, shorter)| said.replace_all(&text, *shorter).into_owned())
}

#[cfg(test)]
mod tests {
    use super::canonical;

    #[test]
    fn a_limit_that_is_said_in_several_ways_is_one() {
        for same in ["i - 1 >= n.size()", "i >= n.size() + 1", "i  > n.size()"] {
            assert_eq!(canonical(same), "i>n.size()");
        }
        for same in ["a[i] + 1 <= n;", "a[i] <= n - 1;", "a[i] < n;"] {
            assert_eq!(canonical(same), "a[i]<n;");
        }
        for other in ["i >= n + 10", "i >= n - 1", "i - 1 > n", "i >= n + 1.5"] {
            assert_ne!(canonical(other), "i>n");
        }
    }
}
