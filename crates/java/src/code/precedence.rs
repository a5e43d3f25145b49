//! Operator precedence in Java expressions, to decide about parentheses.

/// Binary operators by precedence, the loosest first; within a level, longer ones come first.
const OPERATOR_LEVELS: [&[&str]; 10] = [
    &["->", "+=", "-=", "*=", "/=", "?"],
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &[">>>", "<<", ">>", "<=", ">=", "<", ">", " instanceof "],
    &["+", "-"],
    &["*", "/", "%"],
];

/// Levels of sums and products, which are readable without parentheses.
const ARITHMETIC_LEVELS: [usize; 2] = [8, 9];

/// Level of the loosest operators that bind tighter than `==`.
const SHIFTS: usize = 7;

/// Comparison operators; shifts are not included.
const COMPARISONS: [&str; 6] = ["==", "!=", "<=", ">=", "<", ">"];

/// Returns the precedence of the loosest operator of an expression outside parentheses; `None` if there is none.
fn loosest_operator_level(text: &str) -> Option<usize> {
    let (mut depth, mut quote, mut loosest_level) = (0_i32, None, None::<usize>);
    let (mut offset, mut is_operand) = (0, false);
    while let Some(c) = text[offset..].chars().next() {
        let rest = &text[offset..];
        let mut length = c.len_utf8();
        if let Some(end) = quote {
            match c {
                '\\' => length += rest[length..].chars().next().map_or(0, char::len_utf8),
                c if c == end => quote = None,
                _ => {}
            }
        } else {
            match c {
                '"' | '\'' => quote = Some(c),
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth -= 1,
                _ if depth == 0 && is_operand => {
                    let operators = OPERATOR_LEVELS.iter().enumerate().flat_map(|(level, all)| {
                        all.iter().map(move |operator| (level, *operator))
                    });
                    // Of operators with the same prefix, the longest one matches.
                    let matching = operators.filter(|(_, operator)| rest.starts_with(operator));
                    if let Some((level, operator)) = matching.max_by_key(|(_, one)| one.len()) {
                        loosest_level =
                            Some(loosest_level.map_or(level, |loosest| loosest.min(level)));
                        length = operator.len();
                        (offset, is_operand) = (offset + length, false);
                        continue;
                    }
                }
                _ => {}
            }
        }
        // A sign before an operand is not a binary operator.
        is_operand =
            if c.is_whitespace() { is_operand } else { !matches!(c, '!' | '~' | '+' | '-' | '(') };
        offset += length;
    }
    loosest_level
}

/// Returns true if an expression can be a side of a comparison without parentheses.
pub fn is_comparison_side(text: &str) -> bool {
    loosest_operator_level(text).is_none_or(|level| level >= SHIFTS)
}

/// Returns true if an expression has an operator that binds looser than `||`.
pub(crate) fn is_looser_than_or(text: &str) -> bool {
    loosest_operator_level(text) == Some(0)
}

/// Returns true if an expression is readable next to an operator without parentheses, on its right or its left side:
/// sums in comparisons, products in sums, and anything that binds tighter.
pub fn needs_no_parentheses(text: &str, operator: &str, is_right: bool) -> bool {
    let Some(inner_level) =
        loosest_operator_level(text).filter(|_| !text.starts_with(['-', '!', '~', '(']))
    else {
        return false;
    };
    let outer_level =
        OPERATOR_LEVELS.iter().position(|all| all.contains(&operator)).unwrap_or(usize::MAX);
    let is_arithmetic = ARITHMETIC_LEVELS.contains(&inner_level);
    is_arithmetic
        && (COMPARISONS.contains(&operator)
            || ARITHMETIC_LEVELS.contains(&outer_level)
                && (inner_level > outer_level || inner_level == outer_level && !is_right))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_operands_need_no_parentheses() {
        for (text, operator, is_right, alone) in [
            ("n - 1", ">=", false, true),
            ("n + 1", "==", true, true),
            ("n + 1", "+", false, true),
            ("n + 1", "-", true, false),
            ("n + 1", "*", false, false),
            ("a * f(b + 1)", "+", true, true),
            ("a % b", "%", true, false),
            ("a << 1", "<", false, false),
            ("a & b", "==", false, false),
            ("a > b", "==", false, false),
            ("-a + b", "<", false, false),
            ("c ? a : b + 1", "<", false, false),
            ("\" - \" + a", "+", false, true),
            ("x -> x + 1", "==", true, false),
        ] {
            assert_eq!(needs_no_parentheses(text, operator, is_right), alone, "{text} {operator}");
        }
    }
}
