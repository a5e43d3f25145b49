//! Turns what a terminal would show into an SVG picture: ANSI text from standard input to standard output.

use anstyle_svg::Term;
use std::io::{Read as _, Write as _};

fn main() -> std::io::Result<()> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    std::io::stdout().write_all(Term::new().render_svg(&text).as_bytes())
}
