//! Runs requests to GitHub from code that is not asynchronous.

use anyhow::Context as _;
use mend_model::Result;

/// Runs requests to GitHub to completion.
pub(super) fn block_on_request<T>(request: impl Future<Output = Result<T>>) -> Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.context("starting the runtime for requests to GitHub")?.block_on(request)
}
