//! Pictures: SVG that needs nothing but itself, with what it says in words.

use crate::report::harmless::harmless;
use svg::Document;
use svg::node::element::{Group, Path, Style, Text, Title};

/// How the parts of pictures look; a page has it once for all of its pictures.
pub(super) const STYLE: &str = include_str!("templates/picture.css");

/// A picture of a run.
#[derive(Clone, Debug)]
pub struct Picture {
    /// A word for its file.
    name: String,
    /// What it shows, and what is to be seen there.
    told: String,
    size: (f64, f64),
    content: Group,
}

impl Picture {
    pub(super) fn new(name: &str, told: String, size: (f64, f64), content: Group) -> Self {
        Self { name: name.to_owned(), told, size, content }
    }

    /// A name for its file, without ending.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it says, in words.
    pub fn told(&self) -> &str {
        &self.told
    }

    /// As a part of a page that has [`STYLE`].
    pub(super) fn inline(&self) -> String {
        self.document().to_string()
    }

    /// As a file of its own.
    pub fn file(&self) -> String {
        self.document().add(Style::new(STYLE)).to_string()
    }

    fn document(&self) -> Document {
        let (width, height) = self.size;
        let frame = (0.0, 0.0, round(width), round(height));
        Document::new()
            .set("viewBox", frame)
            .set("width", round(width))
            .set("height", round(height))
            .set("class", "picture")
            .set("role", "img")
            .add(Title::new(harmless(&self.told)))
            .add(self.content.clone())
    }
}

/// A number with one digit after the point.
pub(super) fn round(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}

/// A count as a number of pixels or of a scale.
pub(super) fn float(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

/// How many letters of a bold text are sure to fit.
pub(super) fn letters(room: f64) -> usize {
    const LETTER: f64 = 7.6;
    (1..200).take_while(|count| float(*count) * LETTER < room).count()
}

/// A group of a class.
pub(super) fn group(class: &str) -> Group {
    Group::new().set("class", class)
}

/// A text at a place.
pub(super) fn text(class: &str, (x, y): (f64, f64), words: &str) -> Text {
    Text::new(harmless(words)).set("class", class).set("x", round(x)).set("y", round(y))
}

/// A line that is drawn as its data say.
pub(super) fn path(class: &str, data: impl Into<String>) -> Path {
    Path::new().set("class", class).set("d", data.into())
}

/// What is shown where a pointer rests.
pub(super) fn tip(words: &str) -> Title {
    Title::new(harmless(words))
}

/// How a verdict looks: a ring for pass, a diamond for fail, a bar for what is neither, so that neither colour nor a
/// colour printer is needed.
pub(super) fn mark(verdict: &str, (x, y): (f64, f64), size: f64) -> Path {
    let (x, y) = (round(x), round(y));
    let [ring, across, edge, bar] = [4.0, 8.0, 5.5, 4.5].map(|length| round(length * size));
    match verdict {
        "pass" => {
            let half = format!("a{ring} {ring} 0 1 0");
            path("mark pass", format!("M{x} {y}m-{ring} 0{half} {across} 0{half}-{across} 0z"))
        }
        "fail" => {
            let sides = format!("l{edge} {edge}l-{edge} {edge}l-{edge}-{edge}z");
            path("mark fail", format!("M{x} {y}m0-{edge}{sides}"))
        }
        _ => path("mark unresolved", format!("M{x} {y}m-{bar} 0h{}", 2.0 * bar)),
    }
}
