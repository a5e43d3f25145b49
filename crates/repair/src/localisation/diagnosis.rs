//! Failure evidence besides the failure location.

use crate::candidates::candidate::FixOperator;
use crate::localisation::exception_kinds;
use crate::localisation::postcondition_violations::PostconditionViolations;
use crate::localisation::stack_trace::located;
use mend_java::Code;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole};
use mend_model::{Failure, Frame, RepoPath};

/// Failure evidence besides the failure location.
#[derive(Clone, Debug, Default)]
pub struct Diagnosis {
    /// The classes of what failing tests threw.
    thrown: Vec<String>,
    /// Observed failures.
    pub(crate) failures: Vec<Failure>,
    /// Exceptions that they waited for in vain.
    pub(crate) awaited: Vec<String>,
    /// Null expressions reported by the JVM.
    pub(crate) nulls: Vec<String>,
    /// Postconditions that failing tests violated.
    pub(crate) breaches: PostconditionViolations,
}

impl Diagnosis {
    /// Reads the exceptions of failing tests, and the exceptions that these tests expect.
    pub fn from_failures<'a>(
        failures: impl IntoIterator<Item = &'a Failure>,
        tests: &[(RepoPath, Code<'_>)],
    ) -> Self {
        let mut diagnosis = Self::default();
        for failure in failures {
            let is_in_vain = exception_kinds::is_assertion(&failure.exception);
            let caught = |at: &Frame| caught(tests, at, is_in_vain);
            diagnosis.awaited.extend(failure.frames.iter().find_map(caught));
            diagnosis.thrown.push(failure.exception.clone());
            diagnosis.failures.push(failure.clone());
            diagnosis.awaited.extend(failure.message.as_deref().and_then(awaited));
            let is_null = exception_kinds::is_null(&failure.exception);
            let message = failure.message.as_deref().filter(|_| is_null);
            diagnosis.nulls.extend(message.and_then(null));
        }
        diagnosis.awaited.dedup();
        diagnosis
    }

    /// Adds the postconditions that failing tests violated.
    #[must_use]
    pub fn with_violations(self, breaches: PostconditionViolations) -> Self {
        Self { breaches, ..self }
    }

    /// Returns true if a null reference was dereferenced.
    pub(crate) fn is_null(&self) -> bool {
        self.thrown.iter().any(|class| exception_kinds::is_null(class))
    }

    /// Returns true if all failures are wrong results: no exception was thrown, or an expected one was missing.
    pub(crate) fn is_wrong(&self) -> bool {
        self.awaited.is_empty()
            && self.thrown.iter().all(|class| exception_kinds::is_assertion(class))
    }

    /// Returns the prior likelihood that an operator fixes the failure, relative to an average operator.
    pub(crate) fn prior(&self, strategy: FixOperator) -> f64 {
        let is = |kind: fn(&str) -> bool| self.thrown.iter().any(|class| kind(class));
        match strategy {
            FixOperator::NullCheck if is(exception_kinds::is_null) => 1.8,
            FixOperator::RangeCheck if is(exception_kinds::is_range) => 1.4,
            FixOperator::WrongGuard if is(exception_kinds::is_guard) => 1.0,
            FixOperator::EarlyExit if !self.awaited.is_empty() => 1.0,
            FixOperator::Operator => 1.0,
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
        }
    }
}

/// Returns the exception that a test catches around the `fail` of a stack frame. If another exception was thrown, it is
/// the one that the test catches around both the frame and a `fail`.
fn caught(tests: &[(RepoPath, Code<'_>)], frame: &Frame, is_in_vain: bool) -> Option<String> {
    let (file, on_line) = located(tests, frame)?;
    let code = &tests[file].1;
    let is_fail = |id: &NodeIndex| {
        (*id..code.node(*id).end).any(|id| {
            let name = code.symbol(id).map_or("", |symbol| code.facts.text(symbol.name));
            code.is(id, NodeKind::MethodInvocation) && name == "fail"
        })
    };
    let failed = on_line.into_iter().find(|id| !is_in_vain || is_fail(id))?;
    let around = code.self_and_ancestors(failed).collect::<Vec<_>>();
    let is_tried = |pair: &&[NodeIndex]| {
        code.is(pair[1], NodeKind::Try) && code.role(pair[0]) == NodeRole::Body
    };
    let [body, attempt] = *around.windows(2).find(is_tried)? else { return None };
    if !is_fail(&body) {
        return None;
    }
    let catches = code.children(attempt).into_iter().filter(|id| code.is(*id, NodeKind::Catch));
    let parameters = catches.filter_map(|id| code.child(id, NodeRole::Parameter));
    let mut types = parameters.filter_map(|id| Some(code.facts.text(code.symbol(id)?.ty.erased)));
    let is_general = |ty: &str| matches!(ty, "java.lang.Throwable" | "java.lang.Exception");
    types.find(|ty| !ty.is_empty() && !is_general(ty)).map(str::to_owned)
}

/// Returns the null expression that a message of the JVM names, in source form.
pub(crate) fn null(message: &str) -> Option<String> {
    let (_, said) = message.split_once("because ")?;
    let (said, _) = said.split_once(" is null")?;
    if let Some(call) = said.strip_prefix("the return value of ") {
        // For a call, the JVM reports the name with its class and parameter types.
        let (name, _) = call.trim_matches('"').split_once('(')?;
        return Some(format!("{}(", name.rsplit('.').next()?));
    }
    let named = said.trim_matches('"');
    let named = named.strip_prefix("this.").unwrap_or(named);
    Some(named.to_owned()).filter(|named| !named.starts_with('<'))
}

/// Texts that frameworks print before an expected exception.
const STARTS: [&str; 6] = [
    "Expected exception: ",
    "Expected exception of type class ",
    "Expected ",
    "expected: <",
    "expected<",
    "expected ",
];

/// Returns the expected exception that a message names.
fn awaited(message: &str) -> Option<String> {
    let of = |start: &&str| {
        let (_, after) = message.split_once(*start)?;
        let class = after.split([' ', ',', '\n', '>', '<']).next()?.trim_end_matches([':', '.']);
        let is_class =
            class.contains('.') && (class.ends_with("Exception") || class.ends_with("Error"));
        is_class.then(|| class.to_owned())
    };
    STARTS.iter().find_map(of)
}

#[cfg(test)]
mod tests {
    use super::{awaited, null};

    #[test]
    fn what_was_null_is_read_from_the_message() {
        let start = "Cannot invoke \"String.length()\" because ";
        for (said, named) in [
            ("\"name\" is null", Some("name")),
            ("\"this.name\" is null", Some("name")),
            ("\"a.b[i]\" is null", Some("a.b[i]")),
            ("the return value of \"p.A.find(int)\" is null", Some("find(")),
            ("\"<local4>\" is null", None),
            ("of something else", None),
        ] {
            assert_eq!(null(&format!("{start}{said}")).as_deref(), named);
        }
    }

    #[test]
    fn an_exception_that_was_waited_for_is_read_from_the_message() {
        let class = Some("java.lang.IllegalStateException".to_owned());
        assert_eq!(awaited("Expected exception: java.lang.IllegalStateException"), class);
        assert_eq!(
            awaited("Expected java.lang.IllegalStateException to be thrown, but nothing was"),
            class
        );
        let thrown = "but was<java.lang.NullPointerException>";
        for start in ["exception, expected<", "exception type thrown, expected: <"] {
            let message = format!("Unexpected {start}java.lang.IllegalStateException> {thrown}");
            assert_eq!(awaited(&message), class);
        }
        assert_eq!(awaited("expected:<3> but was:<4>"), None);
    }
}
