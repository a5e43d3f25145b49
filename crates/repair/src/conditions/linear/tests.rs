//! Bounds from linear conditions, by examples and properties.

use super::condition::{Bounds, LinearCondition};
use super::sum::LinearSum;
use proptest::prelude::*;

/// Returns the bounds of a name that a condition implies.
fn bounds_of(condition: &str, name: &str) -> Option<[Option<String>; 2]> {
    let Bounds { least, largest } = LinearCondition::read(condition)?.bounds_of(name)?;
    Some([least, largest].map(|end| end.map(|end| end.to_string())))
}

#[test]
fn linear_condition_has_bounds() {
    for (condition, least, largest) in [
        ("1 <= i && i <= count + 1", "1", "count + 1"),
        ("i >= 0 && i < a.length", "0", "a.length - 1"),
        ("!(i < 0 || i > size())", "0", "size()"),
        ("(i - 1) > from && s != null", "from + 2", ""),
        ("n - i > m", "", "n - m - 1"),
        ("2 * i <= 2 * n + 5 && -3 * i <= 7", "-2", "n + 2"),
        ("i == f(a, b)", "f(a, b)", "f(a, b)"),
        ("i >= 0 && i >= n && i < 10 && i < 12L", "Math.max(0, n)", "9"),
        ("i < n / 2", "", "(n / 2) - 1"),
        ("3 * n < i", "3 * n + 1", ""),
        ("i + n <= 0", "", "-n"),
        ("j > 0", "", ""),
    ] {
        let wanted = [least, largest].map(|end| (!end.is_empty()).then(|| end.to_owned()));
        assert_eq!(bounds_of(condition, "i"), Some(wanted), "{condition}");
    }
}

#[test]
fn nonlinear_condition_has_no_bounds() {
    for condition in [
        "i != 0",
        "i < 0 || i > n",
        "i * i < n",
        "i / 2 < n",
        "2 * i < n",
        "a[i] < i",
        "i > 0 && !used.get(i)",
        "i < 1.5",
        "i > 5 && i < 6",
        "i < 9999999999",
        "i >",
    ] {
        assert_eq!(bounds_of(condition, "i"), None, "{condition}");
    }
}

#[test]
fn known_conditions_tighten_bounds() {
    for (condition, besides, least, largest) in [
        ("i >= 0 && i <= n + 1", "n >= 0", "0", "n + 1"),
        ("i >= 1 && i > n", "n >= 0", "n + 1", ""),
        ("i < n && i < a.length", "n <= a.length && f(n)", "", "n - 1"),
        ("i < a.length", "0 <= i && i <= n", "0", "Math.min(a.length - 1, n)"),
        ("i < n", "2 * i <= n && a[i] > i && i != 3", "", "n - 1"),
        ("i < n", "i >", "", "n - 1"),
    ] {
        let linear =
            LinearCondition::read(condition).unwrap().with_known_conditions(&[besides.to_owned()]);
        let Bounds { least: low, largest: high } = linear.bounds_of("i").unwrap();
        let found = [low, high].map(|end| end.map_or(String::new(), |end| end.to_string()));
        assert_eq!(found, [least, largest], "{condition} where {besides}");
    }
    let crossed = LinearCondition::read("i >= n && i < m").unwrap();
    assert!(crossed.bounds_of("i").is_some());
    assert_eq!(crossed.with_known_conditions(&["n > m".to_owned()]).bounds_of("i"), None);
}

#[test]
fn condition_is_evaluated_on_values() {
    let of = |condition: &str, i: f64| {
        let value = |term: &str| match term {
            "i" => Some(i),
            "a.length" => Some(3.0),
            _ => None,
        };
        LinearCondition::read(condition).unwrap().evaluate(value)
    };
    assert_eq!(of("i >= 0 && i < a.length", 2.0), Some(true));
    assert_eq!(of("i >= 0 && i < a.length", 3.0), Some(false));
    assert_eq!(of("i < unknown", 3.0), None);
    assert_eq!(of("i < 5 && used.get(i)", 3.0), None);
}

/// The comparison `times * i + other * n + number operator limit * m`.
#[derive(Clone, Debug)]
struct RandomComparison {
    coefficient: i32,
    n_coefficient: i32,
    constant: i32,
    operator: &'static str,
    m_coefficient: i32,
}

impl RandomComparison {
    fn any_comparison() -> impl Strategy<Value = Self> {
        let operator = prop::sample::select(vec!["<", "<=", ">", ">=", "=="]);
        let parts = (-3..=3_i32, -6..=6_i32, -9..=9_i32, operator, -3..=3_i32);
        parts.prop_map(|(times, other, number, operator, limit)| Self {
            coefficient: times,
            n_coefficient: other,
            constant: number,
            operator,
            m_coefficient: limit,
        })
    }

    fn text(&self) -> String {
        let Self {
            coefficient: times,
            n_coefficient: other,
            constant: number,
            operator,
            m_coefficient: limit,
        } = self;
        format!("{times} * i + n * {other} - ({number}) {operator} {limit} * m")
    }

    fn evaluate(&self, i: i32, n: i32, m: i32) -> bool {
        let (left, right) =
            (self.coefficient * i + self.n_coefficient * n - self.constant, self.m_coefficient * m);
        match self.operator {
            "<" => left < right,
            "<=" => left <= right,
            ">" => left > right,
            ">=" => left >= right,
            _ => left == right,
        }
    }
}

/// Larger than any bound that these comparisons can have.
const VALUE_RANGE: i32 = 200;

proptest! {
    #[test]
    fn what_holds_besides_narrows_what_is_allowed_and_nothing_else(
        all in prop::collection::vec(RandomComparison::any_comparison(), 1..3),
        besides in prop::collection::vec(RandomComparison::any_comparison(), 1..3),
        n in -5..=5_i32, m in -5..=5_i32
    ) {
        let text = |all: &[RandomComparison]| all.iter().map(RandomComparison::text).collect::<Vec<_>>();
        let linear = LinearCondition::read(&text(&all).join(" && ")).unwrap();
        let holds = |all: &[RandomComparison], i: i32| all.iter().all(|one| one.evaluate(i, n, m));
        let both = |i: i32| holds(&all, i) && holds(&besides, i);
        let found = linear.with_known_conditions(&text(&besides)).bounds_of("i");
        if let Some(found) = found.filter(|_| (-VALUE_RANGE..=VALUE_RANGE).any(both)) {
            let value = |sum: &LinearSum| sum.evaluate(&|name| match name {
                "n" => Some(f64::from(n)),
                "m" => Some(f64::from(m)),
                _ => None,
            });
            for i in (-VALUE_RANGE..=VALUE_RANGE).filter(|i| both(*i)) {
                let is_past = |end: f64, side: f64| (f64::from(i) - end) * side < 0.0;
                for (end, side) in [(&found.least, 1.0), (&found.largest, -1.0)] {
                    let sums = end.iter().flat_map(|end| &end.sums);
                    prop_assert!(!sums.filter_map(value).any(|end| is_past(end, side)));
                }
            }
            // The bound itself satisfies the condition.
            for (end, step) in [(found.least, -1), (found.largest, 1)] {
                let values = end.iter().flat_map(|end| &end.sums).filter_map(value);
                let last = values.map(|one| one * f64::from(step)).reduce(f64::min);
                let end = (-VALUE_RANGE..=VALUE_RANGE).find(|i| Some(f64::from(i * step)) == last);
                prop_assert!(end.is_none_or(|end| holds(&all, end) || !both(end - step)));
            }
        }
    }

    #[test]
    fn an_extreme_value_is_allowed_and_the_next_one_is_not(
        all in prop::collection::vec(RandomComparison::any_comparison(), 1..4), n in -5..=5_i32, m in -5..=5_i32
    ) {
        let text: Vec<String> = all.iter().map(RandomComparison::text).collect();
        let linear = LinearCondition::read(&text.join(" && ")).unwrap();
        let holds = |i: i32| all.iter().all(|one| one.evaluate(i, n, m));
        let named = |name: &str| match name { "n" => Some(n), "m" => Some(m), _ => None };
        prop_assert_eq!(linear.evaluate(|name| named(name).map(f64::from).or(Some(3.0))), Some(holds(3)));
        if let Some(extremes) = linear.bounds_of("i").filter(|_| (-VALUE_RANGE..=VALUE_RANGE).any(holds)) {
            for (end, step) in [(extremes.least, -1), (extremes.largest, 1)] {
                let Some(end) = end else {
                    prop_assert!(holds(step * VALUE_RANGE));
                    continue;
                };
                let values = end.sums.iter().map(|sum| sum.evaluate(&|name| named(name).map(f64::from)).unwrap());
                let whole = |value: f64| (-VALUE_RANGE..=VALUE_RANGE).find(|one| (f64::from(*one) - value).abs() < 0.5).unwrap();
                let values = values.map(whole);
                let end = if step < 0 { values.max() } else { values.min() }.unwrap();
                prop_assert!(holds(end) && !holds(end + step), "{} {}", end, step);
            }
        }
    }
}
