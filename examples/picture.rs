//! Turns what a terminal would show into an SVG picture: ANSI text from standard input to standard output.

use anstyle_svg::{Term, WIN10_CONSOLE};
use std::io::{Read as _, Write as _};

/// What SVG escapes, and what stands for it until the end: the renderer places backgrounds by the length of escaped text.
const ESCAPED: [(&str, &str, &str); 3] =
    [("&", "\u{e000}", "&amp;"), ("<", "\u{e001}", "&lt;"), (">", "\u{e002}", "&gt;")];

fn main() -> std::io::Result<()> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    for (sign, stand_in, _) in ESCAPED {
        text = text.replace(sign, stand_in);
    }
    // Faint text is fainter here than on any terminal: too faint to be read.
    let picture = Term::new().palette(WIN10_CONSOLE).render_svg(&text);
    let mut picture = picture.replace("opacity: 0.4", "opacity: 0.7");
    for (_, stand_in, escape) in ESCAPED {
        picture = picture.replace(stand_in, escape);
    }
    std::io::stdout().write_all(picture.as_bytes())
}
