//! Failure that an exploration tries to reproduce, parsed from a stack trace.

/// Failure to reproduce: exception, first line of the message, and frames.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FailureGoal {
    /// Class of the exception, fully qualified.
    pub exception: String,
    /// First line of the message; empty if there is none.
    pub message: String,
    /// Frames as `pkg.Class.method`, innermost first.
    pub frames: Vec<String>,
}

impl FailureGoal {
    /// Parses a stack trace in a text, such as the log of a CI job; `None` if there is none. The last one directly after
    /// a line that reports a failed test is preferred, otherwise the first one. Causes are not compared.
    pub fn from_log(log: &str) -> Option<Self> {
        let lines: Vec<&str> = log.lines().map(|line| without_timestamp(line).trim()).collect();
        let mut failed = (0..lines.len()).rev().filter(|at| reports_failed_test(lines[*at]));
        let of_failed = |at: usize| {
            let trace = lines[at + 1..].iter().position(|line| !line.is_empty())? + at + 1;
            parse_exception(lines[trace]).and_then(|_| Self::from_lines(&lines[trace..]))
        };
        failed.find_map(of_failed).or_else(|| Self::from_lines(&lines))
    }

    /// Parses the first stack trace.
    fn from_lines(lines: &[&str]) -> Option<Self> {
        let thrown = |at: usize| parse_exception(lines.get(at)?);
        let is_followed_by_frame =
            |at: &usize| lines[at + 1..].iter().take(MAX_MESSAGE_LINES).any(|line| is_frame(line));
        let at = (0..lines.len()).filter(|at| thrown(*at).is_some()).find(is_followed_by_frame);
        let at = at.or_else(|| (0..lines.len()).find(|at| thrown(*at).is_some()))?;
        let (exception, message) = thrown(at)?;
        let after = lines[at + 1..].iter().skip_while(|line| !is_frame(line));
        let frames = after.map_while(|line| parse_frame(line)).collect();
        Some(Self { exception: exception.to_owned(), message: message.to_owned(), frames })
    }

    /// Returns the texts of a request: exception, message, and frames.
    pub(super) fn to_texts(&self) -> Vec<&str> {
        let own = [self.exception.as_str(), self.message.as_str()];
        own.into_iter().chain(self.frames.iter().map(String::as_str)).collect()
    }
}

/// Maximum number of lines of a message.
const MAX_MESSAGE_LINES: usize = 20;

/// Removes the time at the start of a line, such as `2026-03-14T15:09:26.1234567Z `.
fn without_timestamp(line: &str) -> &str {
    let line = line.trim_start_matches('\u{feff}');
    let Some((time, rest)) = line.split_once(' ') else {
        return if is_timestamp(line) { "" } else { line };
    };
    if is_timestamp(time) { rest } else { line }
}

fn is_timestamp(word: &str) -> bool {
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '-' | ':' | '.');
    let Some((date, time)) = word.strip_suffix('Z').and_then(|word| word.split_once('T')) else {
        return false;
    };
    date.len() == "2026-03-14".len()
        && time.len() >= "15:09:26".len()
        && [date, time].iter().all(|part| part.chars().all(is_part))
}

/// Returns true for a line of Surefire or Gradle that reports a failed test, and precedes its stack trace.
fn reports_failed_test(line: &str) -> bool {
    line.contains("<<< FAILURE!") || line.contains("<<< ERROR!") || line.ends_with(" FAILED")
}

/// Returns the class and the message of an exception in a line such as `java.lang.Error: full` or
/// `Exception in thread "main" java.lang.Error`.
fn parse_exception(line: &str) -> Option<(&str, &str)> {
    let line = line.strip_prefix("[ERROR]").unwrap_or(line).trim_start();
    let line = match line.strip_prefix("Exception in thread \"") {
        Some(rest) => rest.split_once("\" ")?.1,
        None => line,
    };
    let (class, message) = match line.split_once(" at ") {
        // Gradle names only the place: `java.lang.Error at TillTest.java:12`.
        Some((class, place)) if is_place(place) && !class.contains(':') => (class, ""),
        _ => line.split_once(':').unwrap_or((line, "")),
    };
    let simple_name = class.rsplit(['.', '$']).next().unwrap_or_default();
    let is_name = class.contains('.')
        && class.split('.').all(|part| !part.is_empty() && part.chars().all(is_java_identifier));
    let is_exception = ["Exception", "Error", "Throwable", "Failure", "Invocations", "Wanted"]
        .iter()
        .any(|end| simple_name.contains(end));
    (is_name && is_exception && simple_name.starts_with(char::is_uppercase))
        .then_some((class, message.trim()))
}

/// Returns true for a file and a line such as `TillTest.java:12`.
fn is_place(text: &str) -> bool {
    text.rsplit_once(':').is_some_and(|(file, line)| {
        !file.contains(' ') && file.contains('.') && line.parse::<u32>().is_ok()
    })
}

fn is_java_identifier(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$')
}

fn is_frame(line: &str) -> bool {
    parse_frame(line).is_some()
}

/// Returns the class and method of a frame such as `at app//pkg.Class.method(Class.java:7)`.
fn parse_frame(line: &str) -> Option<String> {
    let (called, _) = line.strip_prefix("at ")?.split_once('(')?;
    // A class loader, a module and its version may precede the class.
    let called = called.rsplit('/').next().unwrap_or(called);
    called.contains('.').then(|| called.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SUREFIRE: &str = "[INFO] Running bank.AccountTest\n\
        [ERROR] Tests run: 1, Failures: 1, Errors: 0 <<< FAILURE! - in bank.AccountTest\n\
        [ERROR] bank.AccountTest.depositsAddUp  Time elapsed: 0.05 s  <<< FAILURE!\n\
        org.opentest4j.AssertionFailedError: expected: <2> but was: <1>\n\
        \tat org.junit.jupiter.api.Assertions.assertEquals(Assertions.java:527)\n\
        \tat app//bank.AccountTest.lambda$depositsAddUp$0(AccountTest.java:21)\n\
        \tat java.base/java.util.ArrayList.forEach(ArrayList.java:1511)\n\n\
        [INFO] Results:\n";

    #[test]
    fn stack_trace_in_a_log_is_found() {
        let goal = FailureGoal::from_log(SUREFIRE).unwrap();
        assert_eq!(goal.exception, "org.opentest4j.AssertionFailedError");
        assert_eq!(goal.message, "expected: <2> but was: <1>");
        let frames = [
            "org.junit.jupiter.api.Assertions.assertEquals",
            "bank.AccountTest.lambda$depositsAddUp$0",
            "java.util.ArrayList.forEach",
        ];
        assert_eq!(goal.frames, frames);
    }

    #[test]
    fn exception_of_a_thread_is_parsed() {
        let log = "Exception in thread \"worker 1\" java.lang.IllegalStateException: full: no\n\
            \tat bank.Account.deposit(Account.java:3)\nCaused by: java.lang.Error\n\tat a.B.c(B.java:1)\n";
        let goal = FailureGoal::from_log(log).unwrap();
        assert_eq!(goal.exception, "java.lang.IllegalStateException");
        assert_eq!(goal.message, "full: no");
        assert_eq!(goal.frames, ["bank.Account.deposit"]);
    }

    #[test]
    fn exception_without_frames_is_parsed() {
        let goal = FailureGoal::from_log("shop.SoldOutException").unwrap();
        let exception = "shop.SoldOutException".to_owned();
        assert_eq!(goal, FailureGoal { exception, ..FailureGoal::default() });
        assert_eq!(FailureGoal::from_log("BUILD FAILURE: see https://a.b/Error: 7\n"), None);
    }

    #[test]
    fn timestamps_of_a_ci_log_are_removed() {
        let time = "2026-03-14T15:09:26.1234567Z ";
        let stamped = format!("{time}{}", SUREFIRE.trim_end().replace('\n', &format!("\n{time}")));
        assert_eq!(FailureGoal::from_log(&stamped), FailureGoal::from_log(SUREFIRE));
        assert!(FailureGoal::from_log(&stamped).is_some());
    }

    #[test]
    fn short_form_of_gradle_is_parsed() {
        let log = "> Task :test\n\nTillTest > sells() FAILED\n    \
            org.opentest4j.AssertionFailedError at TillTest.java:12\n\n2 tests completed, 1 failed\n";
        let goal = FailureGoal::from_log(log).unwrap();
        let exception = "org.opentest4j.AssertionFailedError".to_owned();
        assert_eq!(goal, FailureGoal { exception, ..FailureGoal::default() });
    }

    #[test]
    fn message_with_a_place_is_kept() {
        let goal = FailureGoal::from_log("java.lang.Error: failed at A.java:12").unwrap();
        assert_eq!(goal.message, "failed at A.java:12");
    }

    #[test]
    fn trace_of_a_failed_test_is_preferred_to_logged_ones() {
        let warned =
            "WARN retry\njava.io.IOException: closed\n\tat bank.Account.read(Account.java:3)\n";
        let log = format!("{warned}{SUREFIRE}{warned}BUILD FAILED\n");
        assert_eq!(FailureGoal::from_log(&log), FailureGoal::from_log(SUREFIRE));
        let gradle = format!(
            "{warned}AccountTest > a FAILED\n  java.lang.Error: one\n    at a.B.c(B.java:1)\n\
             AccountTest > b FAILED\n  java.lang.Error: two\n    at a.B.d(B.java:1)\n{warned}"
        );
        assert_eq!(FailureGoal::from_log(&gradle).unwrap().message, "two");
    }
}
