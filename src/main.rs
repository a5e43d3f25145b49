//! The `git-mend` program.

fn main() {}
