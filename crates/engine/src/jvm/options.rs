//! JVM options for fast start.

/// Options of all our JVMs: they run for seconds, so fast start matters most.
pub(crate) const FAST_START_OPTIONS: [&str; 2] = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"];
