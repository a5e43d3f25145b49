//! The user's choice of an engine.

/// Choice of the engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EngineChoice {
    /// The resident engine if it supports the project, otherwise fresh processes.
    #[default]
    Auto,
    /// Only the resident engine.
    Resident,
    /// A fresh compiler and a fresh JVM for each variant.
    Process,
}
