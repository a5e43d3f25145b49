//! The user's choice of an engine.

/// Choice of the engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EngineChoice {
    /// The resident engine where it can, else processes.
    #[default]
    Auto,
    /// The resident engine, or not at all.
    Resident,
    /// A fresh compiler and a fresh JVM each.
    Process,
}
