//! Operations that patterns belong to: the calls that contain both accesses of one thread.

use mend_model::schedules::{Findings, PatternInstance, ScheduleTrace};
use std::collections::BTreeSet;

/// Returns the keys of the patterns in which the first thread's accesses belong to different operations: only the start
/// of its stack is common to both. Such accesses need not be atomic.
pub(super) fn patterns_across_operations<'a>(
    findings: &'a Findings,
    is_test_class: &dyn Fn(&str) -> bool,
) -> BTreeSet<&'a str> {
    let examples = findings.groups.iter().map(|group| &group.example);
    let keys = examples.flat_map(|example| {
        let is_across = |instance: &&PatternInstance| {
            accesses_of_first_thread(instance, example)
                .is_some_and(|stacks| !is_one_operation(stacks, is_test_class))
        };
        example.patterns.iter().filter(is_across).map(|instance| instance.key.as_str())
    });
    keys.collect()
}

/// Returns the stacks of the first and the last access of a pattern's first thread; `None` if there is only one.
fn accesses_of_first_thread<'a>(
    instance: &PatternInstance,
    example: &'a ScheduleTrace,
) -> Option<[&'a [String]; 2]> {
    let first = example.steps.get(*instance.steps.first()?)?;
    let mut own = instance.steps.iter().skip(1).filter_map(|step| example.steps.get(*step));
    let last = own.rfind(|step| step.thread == first.thread)?;
    let stack = |index: Option<usize>| example.stacks.get(index?).map(Vec::as_slice);
    Some([stack(first.stack)?, stack(last.stack)?])
}

/// Returns true if two accesses of one thread are in the same method, or in the same call of product code or of
/// anything but the outermost method.
fn is_one_operation([one, other]: [&[String]; 2], is_test_class: &dyn Fn(&str) -> bool) -> bool {
    let is_same_method = match (one.first(), other.first()) {
        (Some(one), Some(other)) => method(one) == method(other),
        _ => true,
    };
    let pairs = one.iter().rev().zip(other.iter().rev());
    let mut common = Vec::new();
    for (own, others) in pairs {
        if method(own) != method(others) {
            break;
        }
        common.push(method(own));
        // In two lines of one method, further calls differ.
        if own != others {
            break;
        }
    }
    let is_product =
        |method: &&str| !is_test_class(method.rsplit_once('.').map_or("", |(class, _)| class));
    is_same_method || common.len() > 1 || common.iter().any(is_product)
}

/// Returns the method of a stack frame `pkg.Class.method:line`.
fn method(frame: &str) -> &str {
    frame.rsplit_once(':').map_or(frame, |(method, _)| method)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accesses_in_different_calls_of_a_test_are_different_operations() {
        let is_test_class = |class: &str| class == "shop.TillTest";
        let is_one = |one: &[&str], other: &[&str]| {
            let stack = |frames: &[&str]| frames.iter().map(|one| (*one).to_owned()).collect();
            let (one, other): (Vec<String>, Vec<String>) = (stack(one), stack(other));
            is_one_operation([&one, &other], &is_test_class)
        };
        let check = ["shop.Item.state:3", "shop.Till.sell:7", "shop.TillTest.test:9"];
        let change = ["shop.Item.sell:5", "shop.Till.sell:8", "shop.TillTest.test:9"];
        let later = ["shop.Item.state:3", "shop.Till.count:12", "shop.TillTest.test:10"];
        assert!(is_one(&check, &change));
        assert!(!is_one(&change, &later));
        assert!(is_one(&["shop.TillTest.add:4"], &["shop.TillTest.add:5"]));
    }
}
