//! Options of JVMs.

/// The options of every JVM of ours: each lives for seconds, so that what starts quickly wins.
pub(crate) const FAST_START_OPTIONS: [&str; 2] = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"];
