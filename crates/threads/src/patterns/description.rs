//! Descriptions of access patterns for people, and their notation.

use mend_model::schedules::{CodeLocation, PatternCount};
use mend_model::without_packages;

/// Formats a code location as `pkg.Class.method:line`.
pub fn format_location(site: &CodeLocation) -> String {
    let CodeLocation { class, method, line, .. } = site;
    if *line == 0 { format!("{class}.{method}") } else { format!("{class}.{method}:{line}") }
}

/// Formats a code location as `Class.method:line`.
pub fn format_short_location(site: &CodeLocation) -> String {
    let class = without_packages(&site.class).replace('$', ".");
    format_location(&CodeLocation { class, ..site.clone() })
}

/// Returns the name of a variable without packages.
fn short_variable_name(site: &CodeLocation) -> String {
    let mut parts = site.subject.rsplit('.');
    let (own, class) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let class = class.rsplit('$').next().unwrap_or_default();
    if own.starts_with("[]") || own.ends_with("[]") || site.subject == "[]" {
        "an element".to_owned()
    } else {
        format!("{class}.{own}")
    }
}

/// Returns true if the access is a call of a JDK method.
fn is_call(site: &CodeLocation) -> bool {
    ["java.util.", "java.lang.", "java.text.", "java.io."]
        .iter()
        .any(|jdk| site.subject.starts_with(jdk))
}

/// Describes the access at a location; `place` is the location with the value.
fn describe_access(site: &CodeLocation, place: &str, letter: char) -> String {
    let what = short_variable_name(site);
    match letter {
        _ if is_call(site) => format!("calls {what} at {place}"),
        'R' => format!("reads {what} at {place}"),
        _ => format!("writes {what} at {place}"),
    }
}

/// Describes a pattern of accesses to one object that includes calls.
fn describe_calls(pattern: &PatternCount, places: &[String], a: &str, b: &str) -> Option<String> {
    let steps = pattern.sites.iter().zip(places).zip(pattern.form.chars());
    let steps: Vec<String> =
        steps.map(|((site, place), letter)| describe_access(site, place, letter)).collect();
    match &steps[..] {
        _ if !pattern.sites.iter().any(is_call) => None,
        [one, two] => Some(format!("{a} {one} before {b} {two}")),
        [one, two, three] => Some(format!("{a} {one} and {three}, but {b} {two} in between")),
        _ => None,
    }
}

/// Formats the order of accesses, such as `Ra Wb Wa`; with two variables `Wa(x) Wb(x) …`.
pub fn format_notation(pattern: &PatternCount) -> String {
    let (order, letters) = pattern.form.split_once(' ').unwrap_or(("", &pattern.form));
    let steps = letters.chars().enumerate();
    let words = steps.map(|(at, letter)| match order.get(2 * at..2 * at + 2) {
        Some(who) => format!("{letter}{}({})", &who[..1], &who[1..]),
        None => format!("{letter}{}", if at == 1 { 'b' } else { 'a' }),
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Describes a pattern; `a` and `b` are the names of its threads, and `details` is shown after the locations of its
/// steps.
pub fn describe_pattern(
    pattern: &PatternCount,
    details: &[Option<String>],
    a: &str,
    b: &str,
) -> String {
    let place = |(at, site): (usize, &CodeLocation)| match details.get(at) {
        Some(Some(details)) => format!("{} ({details})", format_short_location(site)),
        _ => format_short_location(site),
    };
    let sites: Vec<String> = pattern.sites.iter().enumerate().map(place).collect();
    if let Some(description) = describe_calls(pattern, &sites, a, b) {
        return description;
    }
    let x = pattern.sites.first().map_or_else(String::new, short_variable_name);
    match (pattern.form.as_str(), &sites[..]) {
        ("RW", [one, two]) => format!("{a} reads {x} at {one} before {b} writes it at {two}"),
        ("WR", [one, two]) => format!("{a} writes {x} at {one} before {b} reads it at {two}"),
        ("WW", [one, two]) => {
            format!("{a} writes {x} at {one} before {b} overwrites it at {two}")
        }
        ("RWR", [one, two, three]) => format!(
            "{a} reads {x} at {one} and again at {three}, but {b} writes it in between at {two}: the two reads see \
             different values"
        ),
        ("WWR", [one, two, three]) => format!(
            "{a} writes {x} at {one} and reads it at {three}, but {b} overwrites it in between at {two}"
        ),
        ("WRW", [one, two, three]) => format!(
            "{b} reads {x} at {two} while {a} is between its writes at {one} and {three}: it sees an intermediate value"
        ),
        ("RWW", [one, two, three]) => format!(
            "{a} reads {x} at {one} and writes it at {three} using that value, but {b} writes it in between at {two}: \
             that write is lost"
        ),
        ("WWW", [one, two, three]) => format!(
            "{b} writes {x} at {two} between the writes by {a} at {one} and {three}: that write is lost"
        ),
        (_, [one, two, three, four]) => {
            describe_variable_pair(pattern, a, b, [one, two, three, four])
        }
        _ => format!("{a} and {b} access {x} at {}", sites.join(", ")),
    }
}

/// Describes a pattern of accesses to two related variables.
fn describe_variable_pair(pattern: &PatternCount, a: &str, b: &str, sites: [&String; 4]) -> String {
    let order = pattern.form.split_once(' ').map_or("", |(order, _)| order);
    let accesses_of = |who: char| -> Vec<(String, &String)> {
        let steps = order.as_bytes().chunks(2).zip(sites).enumerate();
        let own = steps.filter(|(_, (step, _))| step.first() == Some(&(who as u8)));
        own.map(|(at, (_, site))| (short_variable_name(&pattern.sites[at]), site)).collect()
    };
    let pair = |who: char| match &accesses_of(who)[..] {
        [(x, one), (y, two)] => format!("{x} at {one} and {y} at {two}"),
        _ => sites.map(String::as_str).join(", "),
    };
    format!(
        "{a} accesses {}, which belong together, but in between {b} accesses {}",
        pair('a'),
        pair('b')
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(subject: &str, line: u32) -> CodeLocation {
        let (class, method) = ("shop.Till".to_owned(), "add".to_owned());
        CodeLocation { class, method, line, turn: 0, subject: subject.to_owned() }
    }

    fn pattern(form: &str, sites: Vec<CodeLocation>) -> PatternCount {
        PatternCount { key: form.to_owned(), form: form.to_owned(), sites, failing: 1, passing: 0 }
    }

    #[test]
    fn lost_update_is_described_with_locations() {
        let sites = [3, 9, 4].map(|line| site("shop.Till.sum", line)).to_vec();
        let pattern = pattern("RWW", sites);
        assert_eq!(format_notation(&pattern), "Ra Wb Wa");
        assert_eq!(
            describe_pattern(&pattern, &[], "main", "Thread-0"),
            "main reads Till.sum at Till.add:3 and writes it at Till.add:4 using that value, but Thread-0 \
             writes it in between at Till.add:9: that write is lost"
        );
    }

    #[test]
    fn details_follow_the_locations() {
        let pattern = pattern("RW", [3, 9].map(|line| site("shop.Till.open", line)).to_vec());
        assert_eq!(
            describe_pattern(&pattern, &[Some("value false".to_owned()), None], "main", "Thread-0"),
            "main reads Till.open at Till.add:3 (value false) before Thread-0 writes it at Till.add:9"
        );
    }

    #[test]
    fn jdk_accesses_are_described_as_calls() {
        let names = ["java.util.Map.get", "java.util.Map.put", "java.util.Map.put"];
        let sites = names.iter().zip(1..).map(|(name, line)| site(name, line)).collect();
        assert_eq!(
            describe_pattern(&pattern("RWW", sites), &[], "main", "Thread-0"),
            "main calls Map.get at Till.add:1 and calls Map.put at Till.add:3, but Thread-0 calls Map.put at \
             Till.add:2 in between"
        );
    }

    #[test]
    fn two_variable_pattern_is_described_per_thread() {
        let names = ["shop.Till.low", "shop.Till.low", "shop.Till.high", "shop.Till.high"];
        let sites = names.iter().zip(1..).map(|(name, line)| site(name, line)).collect();
        let pattern = pattern("axbxbyay WRRW", sites);
        assert_eq!(format_notation(&pattern), "Wa(x) Rb(x) Rb(y) Wa(y)");
        let description = describe_pattern(&pattern, &[], "a", "b");
        assert!(
            description
                .starts_with("a accesses Till.low at Till.add:1 and Till.high at Till.add:4")
        );
        assert!(
            description.ends_with("b accesses Till.low at Till.add:2 and Till.high at Till.add:3")
        );
    }
}
