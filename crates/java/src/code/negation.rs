//! Negation of conditions in Java.

use crate::is_closed;

/// Returns the negated condition, as short as it can be written.
pub fn negated(condition: &str) -> String {
    if let Some(inner) = condition.strip_prefix('!').filter(|inner| is_closed(inner)) {
        let unwrapped = inner.strip_prefix('(').and_then(|inner| inner.strip_suffix(')'));
        let is_one = |text: &&str| !text.contains(['(', ')']);
        return unwrapped.filter(is_one).unwrap_or(inner).to_owned();
    }
    let whole = condition.strip_prefix('(').and_then(|inner| inner.strip_suffix(')'));
    if let Some(inner) = whole.filter(|inner| !inner.contains(['(', ')', '&', '|', '?'])) {
        return format!("({})", negated(inner));
    }
    for (operator, other) in [
        (" == ", " != "),
        (" != ", " == "),
        (" <= ", " > "),
        (" >= ", " < "),
        (" < ", " >= "),
        (" > ", " <= "),
    ] {
        let mut found = condition.match_indices(operator).map(|(at, _)| at);
        let is_plain = !["&&", "||", "?", "instanceof"].iter().any(|word| condition.contains(word));
        if let (Some(at), None, true) = (found.next(), found.next(), is_plain)
            && is_outside(condition, at)
        {
            return condition.replacen(operator, other, 1);
        }
    }
    let parts: Vec<&str> = condition.split(" || ").collect();
    if parts.len() > 1 && parts.iter().all(|part| is_undivided(part)) {
        return parts.into_iter().map(negated).collect::<Vec<_>>().join(" && ");
    }
    let parts: Vec<&str> = condition.split(" && ").collect();
    if parts.len() > 1 && !condition.contains("||") && parts.iter().all(|part| is_undivided(part)) {
        return parts.into_iter().map(negated).collect::<Vec<_>>().join(" || ");
    }
    if is_closed(condition) { format!("!{condition}") } else { format!("!({condition})") }
}

/// Returns true if a byte of a condition is outside parentheses and string literals.
pub fn is_outside(condition: &str, at: usize) -> bool {
    let before = &condition[..at];
    let count = |c: char| before.matches(c).count();
    count('(') == count(')') && count('[') == count(']') && count('"').is_multiple_of(2)
}

/// Returns true if a part of a condition has no `&&` or `?` of its own.
fn is_undivided(part: &str) -> bool {
    let count = |c: char| part.matches(c).count();
    count('(') == count(')') && !["&&", "?", "\""].iter().any(|word| part.contains(word))
}

#[cfg(test)]
mod tests {
    use super::negated;

    #[test]
    fn the_opposite_of_a_condition_is_as_short_as_it_can_be() {
        for (condition, opposite) in [
            ("a == null", "a != null"),
            ("i < n", "i >= n"),
            ("!done", "done"),
            ("done", "!done"),
            ("list.isEmpty()", "!list.isEmpty()"),
            ("a < b && c", "a >= b || !c"),
            ("a && (b || c)", "!(a && (b || c))"),
            ("a == null || f(b) < 0 || c", "a != null && f(b) >= 0 && !c"),
            ("a || f(b || c)", "!(a || f(b || c))"),
            ("x instanceof String", "!(x instanceof String)"),
            ("!(x instanceof String)", "x instanceof String"),
            ("!(a).is(b)", "(a).is(b)"),
            ("f(i < n)", "!f(i < n)"),
            ("a[i] < n", "a[i] >= n"),
        ] {
            assert_eq!(negated(condition), opposite);
        }
    }
}
