//! The times at which values are unknown, as metadata of a file: an entry for each element, such as `unknown.gaze` with the
//! gaps `1.48..3.5, 7..inf` in seconds.

use std::collections::BTreeMap;

use inputanim::{Known, TimeRange};

/// The start of the names of the entries.
const PREFIX: &str = "unknown.";
/// Between the start and the end of a gap.
const TO: &str = "..";

/// Returns the entries for the gaps of a recording.
pub(crate) fn entries(known: &Known) -> impl Iterator<Item = (String, String)> {
    known.iter().map(|(element, gaps)| {
        let gaps = gaps.iter();
        let texts = gaps.map(|gap| format!("{}{TO}{}", gap.start, gap.end));
        let texts: Vec<String> = texts.collect();
        (format!("{PREFIX}{element}"), texts.join(", "))
    })
}

/// Adds the gaps of the entries of a file to `known`. Returns an entry that cannot be read; the others are still added.
pub(crate) fn read(entries: &BTreeMap<String, String>, known: &mut Known) -> Option<String> {
    let mut wrong = None;
    for (name, text) in entries {
        let Some(name) = name.strip_prefix(PREFIX) else {
            continue;
        };
        let element = Known::element(name).ok();
        for gap in text.split(", ") {
            let bounds = gap.split_once(TO);
            let bounds =
                bounds.and_then(|(start, end)| Some((start.parse().ok()?, end.parse().ok()?)));
            match (element, bounds) {
                (Some(element), Some((start, end))) if start < end => {
                    known.add_gap(element, TimeRange { start, end });
                }
                _ => wrong = Some(format!("{PREFIX}{name} = {gap}")),
            }
        }
    }
    wrong
}

#[cfg(test)]
mod tests {
    use inputanim::{Element, Joint, Side};

    use super::*;

    #[test]
    fn gaps_read_back_bit_for_bit() {
        let mut known = Known::default();
        let tip = Element::Joint(Side::Left, Joint::IndexTip);
        for (element, start, end) in [
            (Element::Gaze, f32::NEG_INFINITY, 0.1),
            (Element::Gaze, 0.1, 1.0 / 3.0),
            (Element::Tracked(Side::Right), 7.0, f32::INFINITY),
            (tip, -1e-30, 3e30),
        ] {
            known.add_gap(element, TimeRange { start, end });
        }
        let all: BTreeMap<String, String> = entries(&known).collect();
        assert_eq!(all["unknown.gaze"], "-inf..0.1, 0.1..0.33333334");
        let mut again = Known::default();
        assert_eq!(read(&all, &mut again), None);
        assert_eq!(again, known);
        let bad = BTreeMap::from([("unknown.gaze".to_owned(), "1..x".to_owned())]);
        assert_eq!(
            read(&bad, &mut again).as_deref(),
            Some("unknown.gaze = 1..x")
        );
    }
}
