//! Compilation of variants: javac, warm compilers, annotation processors and compiler facts.

pub(crate) mod annotation_processors;
pub(crate) mod attribution_server;
pub(crate) mod compile_worker;
pub(crate) mod compiler_pool;
pub(crate) mod encoding;
pub(crate) mod fresh_compiler;
pub(crate) mod javac;
pub(crate) mod resource_copy;
pub(crate) mod shared_jvm;
pub(crate) mod warm_compiler;
