//! Shards: parts of a run that several machines do. Each stores outcomes of its part, and the last machine does the whole
//! run with the outcomes of all.

use crate::run::session::command_result::CommandResult;
use mend_report::{RunResult, RunStatus};
use std::fmt::{Display, Formatter};
use std::str::FromStr;

/// One of several parts of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Number, from 0.
    index: usize,
    /// Number of shards.
    count: usize,
}

impl Shard {
    /// Returns all shards; at least one.
    pub fn all(count: usize) -> impl Iterator<Item = Self> {
        let count = count.max(1);
        (0..count).map(move |index| Self { index, count })
    }

    /// Returns the number of shards.
    pub(crate) fn count(self) -> usize {
        self.count
    }

    /// Returns the items of this shard: each `count`-th, so that neighbours, which often take equally long, are in
    /// different shards.
    pub(crate) fn select<T: Clone>(self, items: &[T]) -> Vec<T> {
        items.iter().skip(self.index).step_by(self.count).cloned().collect()
    }
}

impl Display for Shard {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}-of-{}", self.index + 1, self.count)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parse = || {
            let (number, count) = text.split_once("-of-")?;
            let (number, count): (usize, usize) = (number.parse().ok()?, count.parse().ok()?);
            (1..=count).contains(&number).then(|| Self { index: number - 1, count })
        };
        parse().ok_or_else(|| "write K-of-N, such as 3-of-8".to_owned())
    }
}

/// Result of a plan or of a shard.
pub(crate) struct ShardResult {
    /// Summary for people.
    pub(crate) message: String,
}

impl CommandResult for ShardResult {
    fn status(&self) -> RunStatus {
        RunStatus::Found
    }

    fn write_to(&self, document: &mut RunResult) {
        document.message = Some(self.message.clone());
        document.messages = vec![self.message.clone()];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_in_exactly_one_shard() {
        let items: Vec<usize> = (0..10).collect();
        let mut parts: Vec<usize> = Shard::all(4).flat_map(|shard| shard.select(&items)).collect();
        assert_eq!(Shard::all(4).next().unwrap().select(&items), [0, 4, 8]);
        parts.sort_unstable();
        assert_eq!(parts, items);
    }

    #[test]
    fn names_of_shards_are_read_again() {
        let names: Vec<String> = Shard::all(2).map(|shard| shard.to_string()).collect();
        assert_eq!(names, ["1-of-2", "2-of-2"]);
        for shard in Shard::all(3) {
            assert_eq!(shard.to_string().parse(), Ok(shard));
        }
        for text in ["", "3", "0-of-2", "3-of-2", "x-of-2", "1-of-0"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }
}
