//! Published items.

use crate::publishing::obsolete_pulls::Closed;
use mend_github::{CheckRun, Comment, ForgeError, ForgeResult, Pull, PullNumber};
use mend_report::github::{LeftOut, Remark, Story, Telling, Words};

/// Items that are on GitHub now.
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
    /// The closed fix pull requests that were no longer needed.
    pub closed: Vec<Closed>,
    /// Items that were not published, with the reason.
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

/// Published run.
#[derive(Debug)]
pub struct Published {
    /// With what GitHub knows.
    pub story: Story,
    /// The publishing state of the fix.
    pub words: Words,
    /// On which lines there is something to say.
    pub remarks: Vec<Remark>,
    /// The items that are on GitHub now.
    pub told: Told,
}

impl Published {
    /// Creates the result for a rejected run. Nothing of it is published.
    pub(super) fn refused(story: Story, why: LeftOut) -> Self {
        let told = Told { left_out: vec![why], ..Told::default() };
        Self { story, words: Words::default(), remarks: Vec::new(), told }
    }
}
