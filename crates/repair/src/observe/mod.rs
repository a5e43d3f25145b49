//! Instrumentation and observation of test runs: probes, recorded values, calls and state transitions.

pub(crate) mod call_instrumentation;
pub(crate) mod call_recording;
pub(crate) mod command_probes;
pub(crate) mod instrumentation_io;
pub(crate) mod object_model;
pub(crate) mod postcondition_checks;
pub(crate) mod probe_exclusions;
pub(crate) mod probes;
pub(crate) mod values;
