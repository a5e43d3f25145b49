//! Arguments of the commands `ci plan`, `ci shard` and `ci merge`, which divide a run among jobs.

use super::values::parse_duration;
use crate::run::Shard;
use clap::Args;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// Arguments of `git mend ci plan`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  git mend ci plan --shards 8 -- validate --pool patches --test 'shop.*Test'
  git mend ci plan --shards 7 -- bisect --good v1.4 --test shop.CartTest

It runs the baseline check once for all shards, and prints the matrix as JSON on one line:
{\"shard\":[\"1-of-8\",\"2-of-8\",...]}. There are fewer shards if there are fewer patches or commits.
It stores test outcomes in .git/mend/cache.sqlite, which the other jobs read with `ci merge`.

Exit codes:
  0    the matrix was printed
  2    usage error
  3    baseline check failed: good does not pass, or bad does not fail
  4    environment: no JDK, a missing library, or a broken build (says what to install)
  5    the test is too flaky for a certain result
  70   internal error; a report file is written
  130  interrupted")]
pub(crate) struct CiPlanArguments {
    /// Maximum number of shards
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) shards: u16,
    /// The run to divide: `validate` or `bisect` with its options
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
}

/// Arguments of `git mend ci shard`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  git mend ci shard 3-of-8 --budget 5h -- validate --pool patches --test 'shop.*Test'

It tests each eighth patch of `validate`, or one of the commits that `bisect` tests first. It stores
test outcomes in .git/mend/cache.sqlite, and skips patches and commits that have one there. So a
shard that was stopped continues where it ended.

Exit codes:
  0    everything was tested, or the time limit was reached
  2    usage error
  3    baseline check failed: good does not pass, or bad does not fail
  4    environment: no JDK, a missing library, or a broken build (says what to install)
  5    the test is too flaky for a certain result
  70   internal error; a report file is written
  130  interrupted; what was tested is kept")]
pub(crate) struct CiShardArguments {
    /// The shard, as in the matrix of `ci plan`
    #[arg(value_name = "K-of-N")]
    pub(crate) shard: Shard,
    /// Time limit, such as 20m or 5h [default: none]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub(crate) budget: Option<Duration>,
    /// The run to divide, the same as for `ci plan`
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
}

/// Arguments of `git mend ci merge`.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  git mend ci merge outcomes
  git mend validate --pool patches --test 'shop.*Test' --output run --resume

The next run does not test again what the shards tested, if JDK, libraries and options are the same.
Without outcomes it tests everything, so a missing shard costs only time.

Exit codes:
  0    the outcomes were merged, if there are any
  2    usage error
  70   internal error; a report file is written")]
pub(crate) struct CiMergeArguments {
    /// Folder with files `cache.sqlite` of other jobs, at any depth
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
}
