//! Equivalence of comparisons, by examples and properties.

use super::*;
use proptest::prelude::*;

fn compared(text: &str) -> LinearComparison {
    let words: Vec<&str> = text.split(' ').collect();
    let at = words.iter().position(|word| word.contains(['<', '>', '=', '!'])).unwrap();
    let side = |words: &[&str]| LinearSum::read(&words.join(" ")).unwrap();
    LinearComparison::new(&side(&words[..at]), words[at], &side(&words[at + 1..])).unwrap()
}

fn non_negative(conditions: &str) -> NonNegativeSums {
    let mut known = NonNegativeSums::default();
    known.add_condition(conditions);
    known
}

/// Says whether two comparisons are the same where some conditions hold.
fn are_same(one: &str, other: &str, conditions: &str) -> bool {
    compared(one).is_same(&compared(other), &non_negative(conditions))
}

#[test]
fn a_comparison_says_the_same_however_it_is_written() {
    for (one, other) in [
        ("a < b", "b > a"),
        ("a < b", "a + 1 <= b"),
        ("a < b", "a - b < 0"),
        ("a < b", "a <= b - 1"),
        ("2 * a < 2 * b", "a < b"),
        ("2 * a <= 2 * b + 1", "a <= b"),
        ("a == b", "b == a"),
        ("a != b", "b - a != 0"),
        ("a.length() > n", "n < a.length()"),
    ] {
        assert!(are_same(one, other, "true"), "{one} and {other}");
        assert_eq!(compared(one).compares(), compared(other).compares(), "{one} and {other}");
    }
    for (one, other) in
        [("a < b", "a <= b"), ("n == 0", "n <= 0"), ("a < b", "b < a"), ("a == b", "a != b")]
    {
        assert!(!are_same(one, other, "true"), "{one} and {other}");
    }
}

#[test]
fn what_holds_besides_makes_comparisons_the_same() {
    for (one, other, conditions) in [
        ("n == 0", "n <= 0", "n >= 0"),
        ("n < 1", "n == 0", "n >= 0"),
        ("n != 0", "n > 0", "n >= 0"),
        ("n >= m", "n == m", "n <= m"),
        ("n <= m", "n < m", "n <= k && k < m || false"),
        ("n >= m", "n == m", "n <= k && k <= m"),
        ("n > 3", "n == 5", "2 * n >= 9 && n <= 5"),
        ("n == m", "k == m", "n == k"),
    ] {
        let wanted = !conditions.contains("||");
        assert_eq!(are_same(one, other, conditions), wanted, "{one} and {other}: {conditions}");
    }
    assert!(!are_same("n == 0", "n <= 0", "m >= 0 && m >= n"));
}

#[test]
fn what_is_always_so_or_never_is_settled() {
    for (text, conditions, settled) in [
        ("n >= 0", "n >= 0", true),
        ("n < 0", "n >= 0", true),
        ("n == m", "n < m", true),
        ("n != m", "n < k && k <= m", true),
        ("a - a >= 0", "true", true),
        ("n <= 0", "n >= 0", false),
        ("n >= 0", "m >= 0", false),
        ("n == n / 2", "n >= 0", false),
    ] {
        assert_eq!(
            compared(text).is_settled(&non_negative(conditions)),
            settled,
            "{text}: {conditions}"
        );
    }
}

#[test]
fn what_cannot_be_decided_is_not_the_same() {
    let many: Vec<String> = (0..20)
        .flat_map(|at| [format!("n + x{at} >= m"), format!("m + y{at} >= n + x{at}")])
        .collect();
    assert!(!are_same("n <= m", "n == m", &many.join(" && ")));
    let large = "2147483647 * n + k >= 2147483647 * m && 2147483647 * m >= 2147483646 * k + n";
    assert!(!are_same("n == k", "n <= k", large));
}

/// A comparison of three numbers.
fn any() -> impl Strategy<Value = ([i32; 4], &'static str)> {
    let operator = prop::sample::select(vec!["<", "<=", ">", ">=", "==", "!="]);
    ([-2..=2_i32, -2..=2_i32, -1..=1_i32, -3..=3_i32], operator)
}

fn written(([i, n, m, number], operator): ([i32; 4], &str)) -> String {
    format!("{i} * i + {n} * n {operator} {m} * m + {number}").replace("+ -", "- ")
}

fn holds(([i, n, m, number], operator): ([i32; 4], &str), values: [i32; 3]) -> bool {
    let (left, right) = (i * values[0] + n * values[1], m * values[2] + number);
    match operator {
        "<" => left < right,
        "<=" => left <= right,
        ">" => left > right,
        ">=" => left >= right,
        "==" => left == right,
        _ => left != right,
    }
}

/// All small values of three numbers.
fn values() -> impl Iterator<Item = [i32; 3]> {
    let small = || -4..=4_i32;
    small().flat_map(move |i| small().flat_map(move |n| small().map(move |m| [i, n, m])))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn what_is_called_the_same_agrees_wherever_it_is_asked(
        one in any(), other in any(), besides in prop::collection::vec(any(), 0..3)
    ) {
        let conditions: Vec<String> = besides.iter().map(|besides| written(*besides)).collect();
        let known = non_negative(&[&["true".to_owned()], &conditions[..]].concat().join(" && "));
        let [first, second] = [one, other].map(|one| compared(&written(one)));
        let is_asked = |values: &[i32; 3]| besides.iter().all(|besides| holds(*besides, *values));
        if first.is_same(&second, &known) {
            for values in values().filter(is_asked) {
                prop_assert_eq!(holds(one, values), holds(other, values), "{:?}", values);
            }
        }
        if first.is_settled(&known) {
            let mut truths = values().filter(is_asked).map(|values| holds(one, values));
            let first = truths.next();
            prop_assert!(truths.all(|truth| Some(truth) == first));
        }
    }

    #[test]
    fn comparisons_of_one_number_are_called_the_same_if_they_are(
        first in (-4..=4_i32, 0..6_usize), second in (-4..=4_i32, 0..6_usize)
    ) {
        let operators = ["<", "<=", ">", ">=", "==", "!="];
        let [one, other] = [first, second].map(|(number, at)| ([1, 0, 0, number], operators[at]));
        let is_same = (0..=9).all(|i| holds(one, [i, 0, 0]) == holds(other, [i, 0, 0]));
        let text = |([_, _, _, number], operator): ([i32; 4], &str)| format!("i {operator} {number}");
        prop_assert_eq!(are_same(&text(one), &text(other), "i >= 0"), is_same);
    }
}
