//! Diagnosis of a failure: its exceptions, expected exceptions, null expressions and violated postconditions.

use crate::candidates::candidate::{CandidateEdit, FixOperator};
use crate::localisation::exception_kinds;
use crate::localisation::postcondition_violations::PostconditionViolations;
use crate::localisation::stack_trace_suspicion::locate_frame;
use mend_java::Code;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole};
use mend_model::{Failure, Frame, RepoPath};
use std::collections::BTreeSet;

/// Evidence about a failure besides its location.
#[derive(Clone, Debug, Default)]
pub struct Diagnosis {
    /// Classes of the exceptions that failing tests threw.
    thrown_exceptions: Vec<String>,
    /// Observed failures.
    pub(crate) failures: Vec<Failure>,
    /// Exceptions that tests expected but that were not thrown.
    pub(crate) expected_exceptions: Vec<String>,
    /// Results that assertions expected, as frameworks print them.
    pub(crate) expected_results: Vec<String>,
    /// True if an assertion got null where it expected another value.
    pub(crate) has_null_result: bool,
    /// Null expressions reported by the JVM.
    pub(crate) null_expressions: Vec<String>,
    /// Postconditions that failing tests violated.
    pub(crate) violations: PostconditionViolations,
}

impl Diagnosis {
    /// Reads the exceptions of failing tests, and the exceptions that these tests expect.
    pub fn from_failures<'a>(
        failures: impl IntoIterator<Item = &'a Failure>,
        tests: &[(RepoPath, Code<'_>)],
    ) -> Self {
        let mut diagnosis = Self::default();
        for failure in failures {
            let is_missing_exception = exception_kinds::is_assertion_failure(&failure.exception);
            let find_expected =
                |at: &Frame| find_expected_exception(tests, at, is_missing_exception);
            diagnosis.expected_exceptions.extend(failure.frames.iter().find_map(find_expected));
            diagnosis.thrown_exceptions.push(failure.exception.clone());
            diagnosis
                .thrown_exceptions
                .extend(failure.message.as_deref().and_then(parse_unexpected_exception));
            diagnosis.failures.push(failure.clone());
            diagnosis
                .expected_exceptions
                .extend(failure.message.as_deref().and_then(parse_expected_exception));
            diagnosis
                .expected_results
                .extend(failure.message.as_deref().and_then(parse_expected_result));
            diagnosis.has_null_result |=
                failure.message.as_deref().is_some_and(reports_null_result);
            let is_null = exception_kinds::is_null_dereference(&failure.exception);
            let message = failure.message.as_deref().filter(|_| is_null);
            diagnosis.null_expressions.extend(message.and_then(parse_null_expression));
        }
        diagnosis.expected_exceptions.dedup();
        diagnosis.expected_results.dedup();
        diagnosis
    }

    /// Adds the postconditions that failing tests violated.
    #[must_use]
    pub fn with_violations(self, violations: PostconditionViolations) -> Self {
        Self { violations, ..self }
    }

    /// Returns true if an assertion expected a constant as the result.
    pub(crate) fn expects_result(&self, constant: &str) -> bool {
        let constant = constant.trim_matches('"').trim_end_matches(['d', 'L']);
        let is_equal_number = |expected: &str| {
            let numbers = (expected.parse::<f64>(), constant.parse::<f64>());
            matches!(numbers, (Ok(one), Ok(other)) if one.total_cmp(&other).is_eq())
        };
        self.expected_results.iter().any(|one| one == constant || is_equal_number(one))
    }

    /// Returns true if the test expects an exception, and an edit of a check lets the method go on or return instead.
    fn evades_expected_exception(&self, edit: &CandidateEdit) -> bool {
        let is_check = matches!(
            edit.operator,
            FixOperator::NullCheck | FixOperator::RangeCheck | FixOperator::EarlyExit
        );
        is_check && !self.expected_exceptions.is_empty() && !throws(edit)
    }

    /// Returns true if a null reference was dereferenced.
    pub(crate) fn is_null_dereference(&self) -> bool {
        self.thrown_exceptions.iter().any(|class| exception_kinds::is_null_dereference(class))
    }

    /// Returns true if all failures are wrong results: no exception was thrown, or an expected one was missing.
    pub(crate) fn is_wrong_result(&self) -> bool {
        self.expected_exceptions.is_empty()
            && self
                .thrown_exceptions
                .iter()
                .all(|class| exception_kinds::is_assertion_failure(class))
    }

    /// Returns the classes of the exceptions that failing tests threw, besides those of failed assertions.
    pub(crate) fn unhandled_exceptions(&self) -> BTreeSet<&str> {
        let thrown = self.thrown_exceptions.iter().map(String::as_str);
        thrown.filter(|class| !exception_kinds::is_assertion_failure(class)).collect()
    }

    /// Returns true if the kind of the failure indicates an edit. Only an exit that throws gives an expected exception.
    pub(crate) fn indicates(&self, edit: &CandidateEdit) -> bool {
        let operator = edit.operator;
        let is_thrown =
            |kind: fn(&str) -> bool| self.thrown_exceptions.iter().any(|class| kind(class));
        match operator {
            FixOperator::NullCheck => is_thrown(exception_kinds::is_null_dereference),
            FixOperator::RangeCheck => is_thrown(exception_kinds::is_range_exception),
            FixOperator::WrongGuard => is_thrown(exception_kinds::is_guard_exception),
            FixOperator::EarlyExit => !self.expected_exceptions.is_empty() && throws(edit),
            _ => false,
        }
    }

    /// Returns the prior likelihood that an operator fixes the failure, relative to an average operator.
    pub(crate) fn operator_prior(&self, edit: &CandidateEdit) -> f64 {
        let is_indicated = self.indicates(edit);
        let evasion_factor =
            if self.evades_expected_exception(edit) { EVADED_EXCEPTION_FACTOR } else { 1.0 };
        let prior = match edit.operator {
            FixOperator::NullCheck if is_indicated => 1.8,
            FixOperator::RangeCheck if is_indicated => 1.4,
            FixOperator::WrongGuard | FixOperator::EarlyExit if is_indicated => 1.0,
            FixOperator::Operator | FixOperator::External => 1.0,
            FixOperator::Argument => 0.9,
            FixOperator::Value | FixOperator::Method => 0.8,
            FixOperator::Widening
            | FixOperator::MultiLocation
            | FixOperator::Condition
            | FixOperator::EarlyExit
            | FixOperator::Assignment => 0.6,
            FixOperator::WrongGuard | FixOperator::Donor | FixOperator::Order => 0.5,
            FixOperator::Removal | FixOperator::RangeCheck => 0.35,
            FixOperator::NullCheck => 0.3,
        };
        prior * evasion_factor
    }
}

/// Factor for a check without a `throw` where the test expects an exception.
const EVADED_EXCEPTION_FACTOR: f64 = 0.6;

fn throws(edit: &CandidateEdit) -> bool {
    edit.edits.iter().any(|edit| edit.text.contains("throw "))
}

/// Returns the exception that a test catches around the `fail` of a stack frame. If another exception was thrown, it is
/// the one that the test catches around both the frame and a `fail`.
fn find_expected_exception(
    tests: &[(RepoPath, Code<'_>)],
    frame: &Frame,
    is_missing_exception: bool,
) -> Option<String> {
    let (file, statements_on_line) = locate_frame(tests, frame)?;
    let code = &tests[file].1;
    let is_fail = |id: &NodeIndex| {
        (*id..code.node(*id).subtree_end).any(|id| {
            let name = code.symbol(id).map_or("", |symbol| code.facts.text(symbol.name));
            code.has_kind(id, NodeKind::MethodInvocation) && name == "fail"
        })
    };
    let failed = statements_on_line.into_iter().find(|id| !is_missing_exception || is_fail(id))?;
    let enclosing = code.self_and_ancestors(failed).collect::<Vec<_>>();
    let is_try_body = |pair: &&[NodeIndex]| {
        code.has_kind(pair[1], NodeKind::Try) && code.role(pair[0]) == NodeRole::Body
    };
    let [body, attempt] = *enclosing.windows(2).find(is_try_body)? else { return None };
    if !is_fail(&body) {
        return None;
    }
    let catches =
        code.children(attempt).into_iter().filter(|id| code.has_kind(*id, NodeKind::Catch));
    let parameters = catches.filter_map(|id| code.child(id, NodeRole::Parameter));
    let mut types = parameters.filter_map(|id| Some(code.facts.text(code.symbol(id)?.ty.erased)));
    let is_general = |ty: &str| matches!(ty, "java.lang.Throwable" | "java.lang.Exception");
    types.find(|ty| !ty.is_empty() && !is_general(ty)).map(str::to_owned)
}

/// Returns the null expression that a message of the JVM names, in source form.
pub(crate) fn parse_null_expression(message: &str) -> Option<String> {
    let (_, reason) = message.split_once("because ")?;
    let (reason, _) = reason.split_once(" is null")?;
    if let Some(call) = reason.strip_prefix("the return value of ") {
        // For a call, the JVM reports the name with its class and parameter types.
        let (name, _) = call.trim_matches('"').split_once('(')?;
        return Some(format!("{}(", name.rsplit('.').next()?));
    }
    let named = reason.trim_matches('"');
    let named = named.strip_prefix("this.").unwrap_or(named);
    Some(named.to_owned()).filter(|named| !named.starts_with('<'))
}

/// Texts that frameworks print before an expected exception.
const EXPECTATION_PREFIXES: [&str; 6] = [
    "Expected exception: ",
    "Expected exception of type class ",
    "Expected ",
    "expected: <",
    "expected<",
    "expected ",
];

/// Texts that frameworks print before an exception that was thrown instead of the expected one.
const UNEXPECTED_PREFIXES: [&str; 2] = ["but was: <", "but was<"];

/// Returns the expected exception that a message names.
fn parse_expected_exception(message: &str) -> Option<String> {
    parse_exception_after(message, &EXPECTATION_PREFIXES)
}

/// Returns the result that the message of a failed assertion says was expected, without quotation marks.
fn parse_expected_result(message: &str) -> Option<String> {
    let starts = ["expected: <", "expected:<", "Expected: "];
    let after = starts.into_iter().find_map(|start| Some((start, message.split_once(start)?.1)));
    let (start, after) = after?;
    let ends: &[&str] = if start.ends_with('<') { &["> but was"] } else { &["\n", " but was"] };
    let (result, _) = ends.iter().find_map(|end| after.split_once(end))?;
    // `JUnit` 4 marks a difference between texts.
    Some(result.trim().trim_matches(['"', '[', ']']).to_owned())
}

/// Texts with which frameworks report that an assertion got null.
const NULL_RESULT_TEXTS: [&str; 4] =
    ["but was: <null>", "but was:<null>", "but: was null", "but found [null]"];

/// Returns true if the message of a failed assertion says that the result was null, and another one was expected.
fn reports_null_result(message: &str) -> bool {
    NULL_RESULT_TEXTS.iter().any(|text| message.contains(text))
        || message.contains("expected: not <null>")
}

/// Returns the exception that a message names as thrown instead of the expected one.
fn parse_unexpected_exception(message: &str) -> Option<String> {
    parse_exception_after(message, &UNEXPECTED_PREFIXES)
}

/// Returns the exception that a message names after one of some texts.
fn parse_exception_after(message: &str, prefixes: &[&str]) -> Option<String> {
    let class_after = |start: &&str| {
        let (_, after) = message.split_once(*start)?;
        let class = after.split([' ', ',', '\n', '>', '<']).next()?.trim_end_matches([':', '.']);
        let is_class =
            class.contains('.') && (class.ends_with("Exception") || class.ends_with("Error"));
        // The JVM separates a nested class by `$`.
        is_class.then(|| class.replace('$', "."))
    };
    prefixes.iter().find_map(class_after)
}

#[cfg(test)]
mod tests {
    use super::{
        Diagnosis, parse_expected_exception, parse_expected_result, parse_null_expression,
        parse_unexpected_exception,
    };

    #[test]
    fn null_expression_is_parsed_from_npe_message() {
        let start = "Cannot invoke \"String.length()\" because ";
        for (said, named) in [
            ("\"name\" is null", Some("name")),
            ("\"this.name\" is null", Some("name")),
            ("\"a.b[i]\" is null", Some("a.b[i]")),
            ("the return value of \"p.A.find(int)\" is null", Some("find(")),
            ("\"<local4>\" is null", None),
            ("of something else", None),
        ] {
            assert_eq!(parse_null_expression(&format!("{start}{said}")).as_deref(), named);
        }
    }

    #[test]
    fn expected_result_is_parsed_from_message() {
        for (message, expected) in [
            ("expected: <1.0> but was: <0.0>", Some("1.0")),
            ("the sum ==> expected: <true> but was: <false>", Some("true")),
            ("expected:<[]> but was:<[a]>", Some("")),
            ("\nExpected: \"\"\n     but: was \"a\"", Some("")),
            ("wrong", None),
        ] {
            assert_eq!(parse_expected_result(message).as_deref(), expected, "{message}");
        }
        let expected_results = ["1.0".to_owned(), String::new()].into();
        let diagnosis = Diagnosis { expected_results, ..Diagnosis::default() };
        let constants = ["1", "1d", "1L", "\"\"", "0", "-1", "null", "true"];
        assert_eq!(
            constants.map(|one| diagnosis.expects_result(one)),
            [true, true, true, true, false, false, false, false]
        );
    }

    #[test]
    fn expected_exception_is_parsed_from_message() {
        let class = Some("java.lang.IllegalStateException".to_owned());
        assert_eq!(
            parse_expected_exception("Expected exception: java.lang.IllegalStateException"),
            class
        );
        assert_eq!(
            parse_expected_exception(
                "Expected java.lang.IllegalStateException to be thrown, but nothing was"
            ),
            class
        );
        let thrown = "but was<java.lang.NullPointerException>";
        for start in ["exception, expected<", "exception type thrown, expected: <"] {
            let message = format!("Unexpected {start}java.lang.IllegalStateException> {thrown}");
            assert_eq!(parse_expected_exception(&message), class);
            let thrown = Some("java.lang.NullPointerException".to_owned());
            assert_eq!(parse_unexpected_exception(&message), thrown);
        }
        assert_eq!(parse_unexpected_exception("expected: <a> but was: <b.c>"), None);
        assert_eq!(parse_expected_exception("expected:<3> but was:<4>"), None);
    }
}
