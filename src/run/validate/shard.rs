//! Plans and tests shards of a validation.

use super::command::ValidateRequest;
use super::patch_pool::PatchPool;
use super::pool_baseline::PoolBaseline;
use super::trials::{PoolTests, PoolTrials, count_patches};
use crate::run::session::request::Context;
use crate::run::session::shard::{Shard, ShardResult};
use crate::run::session::{FinishedRun, Session, repository_of};
use mend_model::Result;
use mend_report::RunGoal;

/// Tests the version without a patch, and returns the number of patches too.
///
/// # Errors
/// Those of [`validate`](super::command::validate).
pub fn plan_validation(
    request: &ValidateRequest,
    context: &Context,
) -> Result<(FinishedRun, usize)> {
    let pool = PatchPool::read(&request.pool)?;
    let item_count = pool.entries.len();
    let finished = run_shard(request, context, |session| {
        PoolBaseline::learn(session, request.runs_all_tests)?;
        let message = format!("{} to test", count_patches(item_count));
        Ok(ShardResult { message })
    })?;
    Ok((finished, item_count))
}

/// Tests the patches of a shard, so that a validation of the whole pool finds their outcomes in the cache.
///
/// # Errors
/// Those of [`validate`](super::command::validate).
pub fn validate_shard(
    request: &ValidateRequest,
    shard: Shard,
    context: &Context,
) -> Result<FinishedRun> {
    let pool = PatchPool::read(&request.pool)?;
    let entries = shard.select(&pool.entries);
    let (item_count, all) = (entries.len(), count_patches(pool.entries.len()));
    let part = PatchPool { entries, ..PatchPool::default() };
    run_shard(request, context, |session| {
        let baseline = PoolBaseline::learn(session, request.runs_all_tests)?;
        let (oracle, applier) = (baseline.create_oracle(session), baseline.create_applier()?);
        let tests =
            PoolTests { expectations: &baseline.expectations, runs_all: request.runs_all_tests };
        PoolTrials::new(session, &oracle, tests, &applier, &baseline.prepared.bad)
            .try_all(&part)?;
        let message = format!("shard {shard}: tested {item_count} of {all}");
        Ok(ShardResult { message })
    })
}

fn run_shard(
    request: &ValidateRequest,
    context: &Context,
    action: impl FnOnce(&Session<'_>) -> Result<ShardResult>,
) -> Result<FinishedRun> {
    let subject = &request.subject;
    let repository = repository_of(subject)?;
    let session = Session::open("validate", RunGoal::Fix, subject, context, repository)?;
    session.finish(action(&session))
}
