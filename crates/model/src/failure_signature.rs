//! Signatures of failures.

use super::{Failure, Frame, MessageTemplate};

/// Signature of a failure: its properties that are equal in all versions with the same bug.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailureSignature {
    /// Class of the exception.
    pub exception: String,
    /// First line of the message on bad, for people; not compared.
    pub message: String,
    /// Form of the message.
    pub template: MessageTemplate,
    /// Class and method of the innermost frame in the project's own code, if it can be compared.
    pub frame: Option<(String, String)>,
}

impl FailureSignature {
    /// Creates the signature of one failure. `is_own` returns true for frames in the project's code, `is_comparable` for
    /// frames whose method exists in both versions.
    pub(crate) fn from_failure(
        failure: &Failure,
        is_comparable: &dyn Fn(&Frame) -> bool,
        is_own: &dyn Fn(&Frame) -> bool,
    ) -> Self {
        let message = failure.message.as_deref().unwrap_or_default();
        Self {
            exception: failure.exception.clone(),
            message: message.lines().next().unwrap_or_default().to_owned(),
            template: MessageTemplate::new(message),
            frame: project_frame(failure, is_own)
                .filter(|frame| is_comparable(frame))
                .map(|frame| (frame.class.clone(), frame.method.clone())),
        }
    }

    /// Returns true if this is the same failure.
    pub(crate) fn matches(&self, failure: &Failure, is_own: &dyn Fn(&Frame) -> bool) -> bool {
        self.is_same_place(failure, is_own)
            && self.template.matches(failure.message.as_deref().unwrap_or_default())
    }

    /// Returns true if the exception class and the frame are equal, whatever the message is.
    pub(crate) fn is_same_place(&self, failure: &Failure, is_own: &dyn Fn(&Frame) -> bool) -> bool {
        let has_same_frame = |(class, method): &(String, String)| {
            project_frame(failure, is_own)
                .is_some_and(|frame| frame.class == *class && frame.method == *method)
        };
        self.exception == failure.exception && self.frame.as_ref().is_none_or(has_same_frame)
    }

    /// Masks what differs between the message and that of the same failure in another run.
    pub(crate) fn generalise_message(&mut self, failure: &Failure) {
        self.template = self.template.generalise(failure.message.as_deref().unwrap_or_default());
    }
}

/// Returns the innermost frame in the project's own code; `None` if the same bug may fail elsewhere the next time.
fn project_frame<'a>(failure: &'a Failure, is_own: &dyn Fn(&Frame) -> bool) -> Option<&'a Frame> {
    let frame = failure.frames.iter().find(|frame| is_own(frame));
    frame.filter(|_| failure.has_stable_location())
}
