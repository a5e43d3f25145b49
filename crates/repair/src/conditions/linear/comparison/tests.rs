//! Equivalence of comparisons, by examples and properties.

use super::*;
use proptest::prelude::*;

fn parse_comparison(text: &str) -> LinearComparison {
    let words: Vec<&str> = text.split(' ').collect();
    let at = words.iter().position(|word| word.contains(['<', '>', '=', '!'])).unwrap();
    let side = |words: &[&str]| LinearSum::read(&words.join(" ")).unwrap();
    LinearComparison::new(&side(&words[..at]), words[at], &side(&words[at + 1..])).unwrap()
}

fn non_negative_sums(conditions: &str) -> NonNegativeSums {
    let mut known = NonNegativeSums::default();
    known.add_condition(conditions);
    known
}

/// Returns true if two comparisons are equivalent under some conditions.
fn are_equivalent(one: &str, other: &str, conditions: &str) -> bool {
    parse_comparison(one).is_equivalent_to(&parse_comparison(other), &non_negative_sums(conditions))
}

#[test]
fn comparison_forms_are_equivalent() {
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
        assert!(are_equivalent(one, other, "true"), "{one} and {other}");
        assert_eq!(
            parse_comparison(one).compared_terms(),
            parse_comparison(other).compared_terms(),
            "{one} and {other}"
        );
    }
    for (one, other) in
        [("a < b", "a <= b"), ("n == 0", "n <= 0"), ("a < b", "b < a"), ("a == b", "a != b")]
    {
        assert!(!are_equivalent(one, other, "true"), "{one} and {other}");
    }
}

#[test]
fn known_conditions_make_comparisons_equivalent() {
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
        assert_eq!(
            are_equivalent(one, other, conditions),
            wanted,
            "{one} and {other}: {conditions}"
        );
    }
    assert!(!are_equivalent("n == 0", "n <= 0", "m >= 0 && m >= n"));
}

#[test]
fn always_or_never_true_comparisons_are_constant() {
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
            parse_comparison(text).is_constant(&non_negative_sums(conditions)),
            settled,
            "{text}: {conditions}"
        );
    }
}

#[test]
fn undecidable_comparisons_are_not_equivalent() {
    let many: Vec<String> = (0..20)
        .flat_map(|at| [format!("n + x{at} >= m"), format!("m + y{at} >= n + x{at}")])
        .collect();
    assert!(!are_equivalent("n <= m", "n == m", &many.join(" && ")));
    let large = "2147483647 * n + k >= 2147483647 * m && 2147483647 * m >= 2147483646 * k + n";
    assert!(!are_equivalent("n == k", "n <= k", large));
}

/// Generates a comparison of three numbers.
fn any_comparison() -> impl Strategy<Value = ([i32; 4], &'static str)> {
    let operator = prop::sample::select(vec!["<", "<=", ">", ">=", "==", "!="]);
    ([-2..=2_i32, -2..=2_i32, -1..=1_i32, -3..=3_i32], operator)
}

fn format_comparison(([i, n, m, number], operator): ([i32; 4], &str)) -> String {
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

/// Returns all small values of three numbers.
fn small_values() -> impl Iterator<Item = [i32; 3]> {
    let small = || -4..=4_i32;
    small().flat_map(move |i| small().flat_map(move |n| small().map(move |m| [i, n, m])))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn what_is_called_the_same_agrees_wherever_it_is_asked(
        one in any_comparison(), other in any_comparison(), besides in prop::collection::vec(any_comparison(), 0..3)
    ) {
        let conditions: Vec<String> = besides.iter().map(|besides| format_comparison(*besides)).collect();
        let known = non_negative_sums(&[&["true".to_owned()], &conditions[..]].concat().join(" && "));
        let [first, second] = [one, other].map(|one| parse_comparison(&format_comparison(one)));
        let is_asked = |values: &[i32; 3]| besides.iter().all(|besides| holds(*besides, *values));
        if first.is_equivalent_to(&second, &known) {
            for values in small_values().filter(is_asked) {
                prop_assert_eq!(holds(one, values), holds(other, values), "{:?}", values);
            }
        }
        if first.is_constant(&known) {
            let mut truths = small_values().filter(is_asked).map(|values| holds(one, values));
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
        prop_assert_eq!(are_equivalent(&text(one), &text(other), "i >= 0"), is_same);
    }
}
