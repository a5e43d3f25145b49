//! JVMs: the embedded Java programs, launchers, the wire protocol and warm JVMs.

pub(crate) mod cpu_affinity;
pub(crate) mod java_program;
pub(crate) mod jvm_process;
pub(crate) mod launcher;
pub(crate) mod options;
pub(crate) mod prewarm;
pub(crate) mod request_encoding;
pub(crate) mod supervised_launcher;
