//! Converts terminal output into an SVG picture: ANSI text from standard input, SVG to standard output.

use anstyle_svg::{Term, WIN10_CONSOLE};
use std::io::{Read as _, Write as _};

/// Characters that SVG escapes, their placeholders during rendering, and their escapes. The renderer places backgrounds
/// by the length of the escaped text.
const ESCAPED: [(&str, &str, &str); 3] =
    [("&", "\u{e000}", "&amp;"), ("<", "\u{e001}", "&lt;"), (">", "\u{e002}", "&gt;")];

fn main() -> std::io::Result<()> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    for (sign, stand_in, _) in ESCAPED {
        text = text.replace(sign, stand_in);
    }
    // The renderer makes faint text too faint to read.
    let picture = Term::new().palette(WIN10_CONSOLE).render_svg(&text);
    let mut picture = picture.replace("opacity: 0.4", "opacity: 0.7");
    for (_, stand_in, escape) in ESCAPED {
        picture = picture.replace(stand_in, escape);
    }
    std::io::stdout().write_all(picture.as_bytes())
}
