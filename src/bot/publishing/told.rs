//! What became of telling.

use super::unneeded::Closed;
use crate::github::{CheckRun, Comment, ForgeError, ForgeResult, Pull, PullNumber};
use crate::report::story::{LeftOut, Remark, Story, Telling, Words};

/// What stands on GitHub now.
#[derive(Debug, Default)]
pub struct Told {
    /// The fix pull request.
    pub pull: Option<Pull>,
    /// The check run.
    pub check_run: Option<CheckRun>,
    /// The comment.
    pub comment: Option<Comment>,
    /// The pull request with the culprit, where several were put together.
    pub(super) brought: Option<PullNumber>,
    /// The fix pull requests that nobody needs any more.
    pub closed: Vec<Closed>,
    /// What was left out, and why.
    pub left_out: Vec<LeftOut>,
}

impl Told {
    /// The answer of a call, or nothing where the token may not make it: that is named and no error.
    pub(super) fn allowed<T>(
        &mut self,
        what: Telling,
        answer: ForgeResult<T>,
    ) -> ForgeResult<Option<T>> {
        match answer {
            Ok(answer) => Ok(Some(answer)),
            Err(ForgeError::Forbidden(why)) => {
                self.left_out.push(LeftOut::Denied(what, why));
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }
}

/// A run that was told.
#[derive(Debug)]
pub struct Published {
    /// With what GitHub knows.
    pub story: Story,
    /// What became of the patch.
    pub words: Words,
    /// On which lines there is something to say.
    pub remarks: Vec<Remark>,
    /// What stands on GitHub now.
    pub told: Told,
}

impl Published {
    /// A run that is not believed. Nothing of it is told.
    pub(super) fn refused(story: Story, why: LeftOut) -> Self {
        let told = Told { left_out: vec![why], ..Told::default() };
        Self { story, words: Words::default(), remarks: Vec::new(), told }
    }
}
