//! Pages of runs.
