//! Matches the versions of a library to the tags of its repository, by name.

use std::cmp::Reverse;

/// Words before a version in tags that name no artifact.
const RELEASE_WORDS: [&str; 8] = ["", "v", "r", "rel", "release", "releases", "version", "ver"];

/// Words after a version in tags of releases.
const RELEASE_SUFFIXES: [&str; 4] = ["", "final", "ga", "release"];

/// Kind of a tag's name, from the most to the least specific.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum TagPrefix {
    /// The artifact, as in `rel/commons-io-2.4`.
    Artifact,
    /// No name, as in `v2.4`.
    Plain,
    /// Another name, as in `IO_2_4`.
    Other,
}

/// Rank of a tag for a version, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct TagRank {
    /// True if the tag has the name of something else.
    is_other: bool,
    is_candidate: bool,
    prefix: TagPrefix,
    suffix: TagSuffix,
}

/// Part of a tag's name after the version, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum TagSuffix {
    Release,
    /// Number of a release candidate. The last one was released.
    Candidate(Reverse<u32>),
}

/// Returns the tags that name a version of an artifact best; several if their names are equally good.
pub(super) fn find_tags<'a>(tags: &'a [String], artifact: &str, version: &str) -> Vec<&'a str> {
    let best = |version: &str| {
        let ranked = tags.iter().filter_map(|tag| Some((rank(tag, artifact, version)?, &**tag)));
        let ranked: Vec<(TagRank, &str)> = ranked.collect();
        let best = ranked.iter().map(|(rank, _)| *rank).min();
        let is_best = |(rank, _): &&(TagRank, &'a str)| Some(*rank) == best;
        ranked.iter().filter(is_best).map(|(_, tag)| *tag).collect::<Vec<_>>()
    };
    let exact = best(version);
    match version_number(version) {
        // Tags often lack the qualifier of `31.1-jre` or `5.6.Final`.
        Some(number) if exact.is_empty() => best(number),
        _ => exact,
    }
}

/// Returns a version without a qualifier at its end that is no pre-release.
fn version_number(version: &str) -> Option<&str> {
    let (number, qualifier) = version.rsplit_once(['-', '.'])?;
    let qualifier = qualifier.to_lowercase();
    ["jre", "android", "final", "ga", "release"].contains(&&*qualifier).then_some(number)
}

/// Returns the rank of a tag for a version; `None` if it names another version.
fn rank(tag: &str, artifact: &str, version: &str) -> Option<TagRank> {
    let normalise = |text: &str| text.to_lowercase().replace(['_', '-'], ".");
    let (tag, version) = (normalise(tag), normalise(version));
    tag.match_indices(&version).find_map(|(at, _)| {
        let (prefix, suffix) = (&tag[..at], &tag[at + version.len()..]);
        let suffix = parse_suffix(suffix)?;
        let prefix = classify_prefix(prefix, &normalise(artifact))?;
        let (is_other, is_candidate) = (prefix == TagPrefix::Other, suffix != TagSuffix::Release);
        Some(TagRank { is_other, is_candidate, prefix, suffix })
    })
}

/// Parses the part of a tag after the version; `None` if it is part of another version.
fn parse_suffix(suffix: &str) -> Option<TagSuffix> {
    let word = suffix.trim_start_matches('.');
    if RELEASE_SUFFIXES.contains(&word) && (suffix.is_empty() || !word.is_empty()) {
        return Some(TagSuffix::Release);
    }
    let number = word.strip_prefix("rc").or_else(|| word.strip_prefix("cr"))?;
    let number = number.trim_start_matches('.');
    let number = if number.is_empty() { 0 } else { number.parse().ok()? };
    Some(TagSuffix::Candidate(Reverse(number)))
}

/// Classifies the part of a tag before the version; `None` if the version begins before it.
fn classify_prefix(prefix: &str, artifact: &str) -> Option<TagPrefix> {
    let is_separator = |c: char| ".@/".contains(c);
    let name = prefix.trim_end_matches(is_separator);
    let has_separator = name != prefix;
    let is_version_sign = |name: &str| name == "v" || name == "r";
    // `lib1.2` is no tag of version 1.2 of `lib`, but `v1.2` is one of version 1.2.
    if !has_separator && !name.is_empty() && !is_version_sign(name.rsplit(is_separator).next()?) {
        return None;
    }
    // In `2.1.2.3`, the version is not 1.2.3.
    if has_separator && name.ends_with(|c: char| c.is_ascii_digit()) && name != artifact {
        let last = name.rsplit(is_separator).next()?;
        if last.chars().all(|c| c.is_ascii_digit()) {
            return None;
        }
    }
    let mut words: Vec<&str> = name.split(is_separator).collect();
    let is_release_word = |word: &&str| RELEASE_WORDS.contains(word);
    while words.first().is_some_and(is_release_word) {
        words.remove(0);
    }
    while words.last().is_some_and(is_release_word) {
        words.pop();
    }
    let name = words.join(".");
    let is_artifact = name == artifact || name == format!("{artifact}.{artifact}");
    Some(match name.is_empty() {
        true => TagPrefix::Plain,
        false if is_artifact => TagPrefix::Artifact,
        false => TagPrefix::Other,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(tags: &[&str], artifact: &str, version: &str) -> Vec<String> {
        let tags: Vec<String> = tags.iter().map(ToString::to_string).collect();
        find_tags(&tags, artifact, version).into_iter().map(str::to_owned).collect()
    }

    #[test]
    fn usual_names_of_tags_are_found() {
        for tag in [
            "1.2.3",
            "v1.2.3",
            "r1.2.3",
            "rel/1.2.3",
            "release-1.2.3",
            "releases/v1.2.3",
            "lib-1.2.3",
            "lib-v1.2.3",
            "lib/1.2.3",
            "lib@1.2.3",
            "rel/lib-1.2.3",
            "LIB_1_2_3",
            "1.2.3.Final",
            "lib-1.2.3-RC1",
            "lib-parent-1.2.3",
            "lib-1.2.3-RC",
        ] {
            let others = ["1.2", "1.2.30", "11.2.3", "2.1.2.3", "lib-1.2.3.1", "v1.2.3-beta1", tag];
            assert_eq!(find(&others, "lib", "1.2.3"), [tag], "{tag}");
        }
    }

    #[test]
    fn releases_and_names_of_the_artifact_come_first() {
        let tags = ["lib-1.2-RC1", "lib-1.2-RC2", "other-1.2", "v1.2"];
        assert_eq!(find(&tags, "lib", "1.2"), ["v1.2"]);
        assert_eq!(find(&["v1.2", "lib-1.2"], "lib", "1.2"), ["lib-1.2"]);
        assert_eq!(find(&tags[..2], "lib", "1.2"), ["lib-1.2-RC2"]);
        assert_eq!(find(&tags[..3], "lib", "1.2"), ["lib-1.2-RC2"]);
        assert_eq!(find(&["commons-io-2.12.0-RC1"], "commons-io", "2.12.0").len(), 1);
        assert_eq!(find(&["log4j2-1.0"], "log4j2", "1.0").len(), 1);
    }

    #[test]
    fn equally_good_names_are_all_returned_and_missing_ones_none() {
        assert_eq!(find(&["a-1.2", "b-1.2"], "lib", "1.2"), ["a-1.2", "b-1.2"]);
        assert!(find(&["v1.3"], "lib", "1.2").is_empty());
        assert!(find(&[], "lib", "1.2").is_empty());
    }

    #[test]
    fn qualifier_of_a_version_may_be_missing() {
        assert_eq!(find(&["v31.1"], "guava", "31.1-jre"), ["v31.1"]);
        assert_eq!(find(&["v31.1", "v31.1-jre"], "guava", "31.1-jre"), ["v31.1-jre"]);
        assert!(find(&["v2.0"], "lib", "2.0-beta").is_empty());
    }
}
