//! SVG pictures with a description in words, and helpers for drawing them.

use crate::sanitize::sanitise_text;
use svg::Document;
use svg::node::element::{Group, Path, Style, Text, Title};

/// Style sheet of all pictures. A page contains it once.
pub(super) const STYLE: &str = include_str!("templates/picture.css");

/// Picture of a run.
#[derive(Clone, Debug)]
pub struct Picture {
    /// File name without extension.
    name: String,
    /// Description in words.
    description: String,
    size: (f64, f64),
    content: Group,
}

impl Picture {
    pub(super) fn new(name: &str, description: String, size: (f64, f64), content: Group) -> Self {
        Self { name: name.to_owned(), description, size, content }
    }

    /// Returns the file name without extension.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the description in words.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Formats the picture for a page that has [`STYLE`].
    pub(super) fn to_inline_svg(&self) -> String {
        self.to_document().to_string()
    }

    /// Formats the picture as a separate file.
    pub fn to_svg_file(&self) -> String {
        self.to_document().add(Style::new(STYLE)).to_string()
    }

    fn to_document(&self) -> Document {
        let (width, height) = self.size;
        let view_box = (0.0, 0.0, round_to_tenth(width), round_to_tenth(height));
        Document::new()
            .set("viewBox", view_box)
            .set("width", round_to_tenth(width))
            .set("height", round_to_tenth(height))
            .set("class", "picture")
            .set("role", "img")
            .add(Title::new(sanitise_text(&self.description)))
            .add(self.content.clone())
    }
}

/// Rounds a number to one decimal place.
pub(super) fn round_to_tenth(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}

/// Converts a count to a coordinate.
pub(super) fn to_coordinate(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

/// Returns the number of bold letters that certainly fit into a width.
pub(super) fn max_letters(width: f64) -> usize {
    const LETTER: f64 = 7.6;
    (1..200).take_while(|count| to_coordinate(*count) * LETTER < width).count()
}

/// Creates a group with a class.
pub(super) fn svg_group(class: &str) -> Group {
    Group::new().set("class", class)
}

/// Creates a text at a position.
pub(super) fn svg_text(class: &str, (x, y): (f64, f64), content: &str) -> Text {
    Text::new(sanitise_text(content))
        .set("class", class)
        .set("x", round_to_tenth(x))
        .set("y", round_to_tenth(y))
}

/// Creates a path from its data.
pub(super) fn svg_path(class: &str, data: impl Into<String>) -> Path {
    Path::new().set("class", class).set("d", data.into())
}

/// Creates a tooltip.
pub(super) fn tooltip(text: &str) -> Title {
    Title::new(sanitise_text(text))
}

/// Draws a verdict: a ring for pass, a diamond for fail, a bar otherwise. The shapes differ without colour.
pub(super) fn verdict_mark(verdict: &str, (x, y): (f64, f64), size: f64) -> Path {
    let (x, y) = (round_to_tenth(x), round_to_tenth(y));
    let [ring, across, edge, bar] =
        [4.0, 8.0, 5.5, 4.5].map(|length| round_to_tenth(length * size));
    match verdict {
        "pass" => {
            let half = format!("a{ring} {ring} 0 1 0");
            svg_path("mark pass", format!("M{x} {y}m-{ring} 0{half} {across} 0{half}-{across} 0z"))
        }
        "fail" => {
            let sides = format!("l{edge} {edge}l-{edge} {edge}l-{edge}-{edge}z");
            svg_path("mark fail", format!("M{x} {y}m0-{edge}{sides}"))
        }
        _ => svg_path("mark unresolved", format!("M{x} {y}m-{bar} 0h{}", 2.0 * bar)),
    }
}
