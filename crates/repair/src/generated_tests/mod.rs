//! Generated tests: copies of tests with small changes, and the comparison of behaviour by them.

pub(crate) mod differential;
pub(crate) mod extra_calls;
pub(crate) mod origins;
pub(crate) mod suite;
pub(crate) mod test_mutants;
pub(crate) mod test_mutation;
pub(crate) mod transitions;
