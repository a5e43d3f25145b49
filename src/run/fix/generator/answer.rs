//! Parser of an answer, which is a line that a generator wrote.

use super::fault::GeneratorFault;
use super::protocol::{GeneratorAnswer, ProposedPatch};

/// Parses an answer. An answer without a patch ends the exchange.
pub(super) fn parse_answer(line: &[u8]) -> Result<Vec<ProposedPatch>, GeneratorFault> {
    let not_utf8 = |_| GeneratorFault::InvalidAnswer("it is not UTF-8".to_owned());
    let text = std::str::from_utf8(line).map_err(not_utf8)?;
    let answer: GeneratorAnswer = serde_json::from_str(text)
        .map_err(|error| GeneratorFault::InvalidAnswer(error.to_string()))?;
    Ok(answer.candidates)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_parsed_and_unknown_keys_ignored() {
        let answer = br#"{"candidates": [{"patch": "diff", "reason": "why", "model": "x"}, {"patch": ""}], "id": 1}"#;
        let patches = parse_answer(answer).unwrap();
        assert_eq!((patches.len(), patches[0].reason.as_deref()), (2, Some("why")));
        assert!(parse_answer(br#"{"candidates": []}"#).unwrap().is_empty());
    }

    #[test]
    fn garbage_is_an_invalid_answer() {
        for garbage in [
            &b"Here is your patch:"[..],
            b"",
            b"[]",
            b"{}",
            b"{\"candidates\": 3}",
            b"{\"candidates\": [{\"diff\": \"\"}]}",
            b"\xff\xfe",
        ] {
            let fault = parse_answer(garbage).unwrap_err();
            assert!(matches!(fault, GeneratorFault::InvalidAnswer(_)), "{fault}");
        }
    }
}
