//! Check of the git hooks: determines if a change breaks affected tests. Only a test that the change breaks blocks it.

mod comparison;
mod regression_gate;
mod request;
mod result;
mod warm_up;

pub use regression_gate::check_change;
pub use request::HookCheckRequest;
pub use result::HookResult;
pub use warm_up::warm_runtime;
