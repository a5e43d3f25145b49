//! List of rejected phrases, which describe a standard term instead of naming it.

use regex::{Regex, RegexSet};
use std::sync::LazyLock;

/// Rejected phrases as regular expressions, each with the better wording.
const REJECTED_PHRASES: &[(&str, &str)] = &[
    (r"(?:come|comes|coming|came) upon", "execute, reach, depend on; \"affected tests\""),
    (r"(?:come|comes|came) to (?:no|an) end|never comes to an end", "hang, time out; finish"),
    (r"without an end", "endless, infinite"),
    (
        r"(?:compilers?|JVMs?|machines?|workers?|processes) that stays?",
        "warm compiler, warm JVM, persistent worker",
    ),
    (r"what stays|that stays? behind", "say which object is kept"),
    (
        r"(?:code|text|programs?|projects?) of others",
        "untrusted code, untrusted text, third-party projects",
    ),
    (r"by other hands", "with another backend"),
    (r"(?:take|takes|taken|taking|took) apart", "split into components"),
    (r"(?:tell|tells|telling|told)(?: \w+)? apart", "distinguish"),
    (r"told", "reported, printed, passed, known"),
    (r"(?:take|takes|taken|taking|took) back", "revert"),
    (
        r"mend(?:s|ed|ing|er|ers)?",
        "fix, fixed; \"repair\" only for the technique; \"mend\" only in the program's name",
    ),
    (r"(?:whoever|whichever it|be it|be that)", "name the actor or the cases"),
    (r"nobody|somebody", "name the actor; \"not checked\", \"no test\""),
    (r"so many", "say the number, or \"N\""),
    (r"as far as \w+(?: in sources)? (?:tells?|says?|can be told|is known)", "according to ..."),
    (r"as it seems", "say what is certain"),
    (r"(?:is|are) to blame", "is the culprit, causes the failure"),
    (r"(?:the|its|their) like", "name the things"),
    (r"premises?", "baseline check"),
    (r"speaks? for", "supports; evidence"),
    (r"win over", "override"),
    (r"under control", "controlled by the scheduler"),
    (r"(?:nine|95|99) (?:in|of) (?:ten|a hundred|100)", "90th percentile, 95th percentile, 90 %"),
    (r"circles? of", "cycle"),
    (r"ends? of its own accord", "exits"),
    (r"in its own room|rooms?", "module, crate, directory"),
    (r"where (?:nothing|none) (?:is|was) said", "by default"),
    (r"what (?:comes|came) of", "result, outcome"),
    (r"behaves? alike", "same behaviour, same results"),
    (r"Java machines?", "JVM"),
];

/// Pattern of the program's own name and the comment commands.
const PROGRAM_NAME_PATTERN: &str =
    r"(?i)git[- _]mend|[`/.]mend\b|\bmend(?:_\w+|/\w+|\.\w+)|\bmend \|";

static PHRASE_PATTERNS: LazyLock<RegexSet> = LazyLock::new(|| {
    RegexSet::new(REJECTED_PHRASES.iter().map(|(phrase, _)| phrase_pattern(phrase))).unwrap()
});

static PROGRAM_NAME_REGEX: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(PROGRAM_NAME_PATTERN).unwrap());

fn phrase_pattern(phrase: &str) -> String {
    format!(r"(?i)\b(?:{phrase})\b")
}

/// Returns the rejected phrases in a passage, as written there, each with the better wording.
pub(super) fn find_phrases(passage: &str) -> Vec<(String, &'static str)> {
    let words = passage.split_whitespace().collect::<Vec<_>>().join(" ");
    let words = PROGRAM_NAME_REGEX.replace_all(&words, "·");
    let mut phrases = Vec::new();
    for index in PHRASE_PATTERNS.matches(&words) {
        let (phrase, better) = REJECTED_PHRASES[index];
        let hit =
            Regex::new(&phrase_pattern(phrase)).unwrap().find(&words).unwrap().as_str().to_owned();
        phrases.push((hit, better));
    }
    phrases
}
