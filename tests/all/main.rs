//! What the program does as a whole.

#![allow(clippy::unwrap_used, reason = "what helps a test may fail as the test itself may")]

mod bisect;
mod design;
mod watchdog;
