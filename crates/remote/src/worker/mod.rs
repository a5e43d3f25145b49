//! Worker: judges a batch of trials inside an action.

pub(crate) mod batch_run;
pub(crate) mod variant_tree;
