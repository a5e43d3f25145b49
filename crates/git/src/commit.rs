//! Commits, parsed from `git log`.

use anyhow::{Context, anyhow};
use mend_model::CommitId;
use mend_model::{Result, TreeId};

/// One commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// Its object id.
    pub id: CommitId,
    /// Tree of its files.
    pub tree: TreeId,
    /// Parents, the first parent first.
    pub parents: Vec<CommitId>,
    /// Author: `Name <address>`.
    pub author: String,
    /// Author date, in ISO 8601 with the author's offset.
    pub date: String,
    /// The first line of its message.
    pub summary: String,
}

/// Arguments that make `git log` print the format of [`parse_log`].
pub(super) const GIT_LOG_FORMAT_ARGS: [&str; 4] =
    ["-z", "--no-patch", "--encoding=UTF-8", "--format=%H%n%T%n%P%n%an <%ae>%n%aI%n%s"];

/// Parses the output of `git log` with [`GIT_LOG_FORMAT_ARGS`].
pub(super) fn parse_log(output: &[u8]) -> Result<Vec<Commit>> {
    let text = String::from_utf8_lossy(output);
    text.split('\0').filter(|entry| !entry.is_empty()).map(parse_entry).collect()
}

fn parse_entry(entry: &str) -> Result<Commit> {
    let mut lines = entry.splitn(6, '\n');
    let mut next_line =
        || lines.next().with_context(|| anyhow!("git log printed an entry cut short: {entry:?}"));
    Ok(Commit {
        id: CommitId(next_line()?.to_owned()),
        tree: TreeId(next_line()?.to_owned()),
        parents: next_line()?.split_whitespace().map(|id| CommitId(id.to_owned())).collect(),
        author: next_line()?.to_owned(),
        date: next_line()?.to_owned(),
        summary: next_line()?.trim_end().to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn root_commit_without_message_is_parsed() {
        let commits = parse_log(b"aa\nbb\n\nA <a@b>\n2024-01-01T00:00:00Z\n\0").unwrap();
        assert_eq!(commits.len(), 1);
        assert!(commits[0].parents.is_empty());
        assert_eq!(commits[0].summary, "");
    }
}
