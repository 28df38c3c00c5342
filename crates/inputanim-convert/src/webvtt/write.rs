//! Markers out as cues.

use std::io::{self, Write};

use inputanim::{Marker, Recording};

use super::Loss;
use super::stamp::{milliseconds, seconds, stamp};

/// Writes the markers of a recording, in order of time, and says what did not come through.
///
/// Buffer `output` unless it is memory.
///
/// # Errors
/// When `output` fails.
///
/// ```
/// use inputanim::{Layout, Marker, Recording};
/// use inputanim_convert::webvtt;
/// let mut take = Recording::new(Layout::Mrtk1_1);
/// take.markers = vec![Marker::new(0.5, "reach"), Marker::new(2.0, "a < b")];
/// let mut text = Vec::new();
/// assert_eq!(webvtt::write(&take, &mut text)?, []);
/// assert_eq!(text, b"WEBVTT
///
/// 00:00:00.500 --> 00:00:02.000
/// reach
///
/// 00:00:02.000 --> 00:00:02.001
/// a &lt; b
/// ");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write(recording: &Recording<'_>, mut output: impl Write) -> io::Result<Vec<Loss>> {
    let output = &mut output;
    let markers = recording.markers.iter();
    let mut cues: Vec<(u64, &Marker<'_>)> = markers
        .filter_map(|marker| Some((milliseconds(marker.time)?, marker)))
        .collect();
    let losses = losses(&recording.markers, &cues);
    cues.sort_by_key(|&(start, _)| start);
    let last = milliseconds(recording.duration()).unwrap_or_default();
    writeln!(output, "WEBVTT")?;
    for (index, &(start, marker)) in cues.iter().enumerate() {
        let rest = &cues[index..];
        let later = rest.get(rest.partition_point(|&(time, _)| time <= start));
        let end = later.map_or(last, |&(time, _)| time).max(start + 1);
        writeln!(output, "\n{} --> {}", stamp(start), stamp(end))?;
        // A cue without text has no line for it.
        if !marker.name.is_empty() {
            writeln!(output, "{}", escaped(&marker.name))?;
        }
    }
    Ok(losses)
}

fn losses(markers: &[Marker<'_>], cues: &[(u64, &Marker<'_>)]) -> Vec<Loss> {
    let mut losses = Vec::new();
    let changes = cues.iter().filter_map(|&(start, marker)| {
        let (before, after) = (marker.time, seconds(start));
        let change = (f64::from(after) - f64::from(before)).abs();
        (before.to_bits() != after.to_bits()).then_some(change)
    });
    let rounded = changes.clone().count();
    if rounded > 0 {
        losses.push(Loss::Rounded {
            markers: rounded,
            most: changes.fold(0.0, f64::max),
        });
    }
    let mut left_out = markers
        .iter()
        .filter(|marker| milliseconds(marker.time).is_none());
    if let Some(first) = left_out.next() {
        losses.push(Loss::LeftOut {
            markers: 1 + left_out.count(),
            time: first.time,
        });
    }
    if !cues.is_sorted_by_key(|&(start, _)| start) {
        losses.push(Loss::Order);
    }
    let with_nul = cues.iter().filter(|(_, marker)| marker.name.contains('\0'));
    let markers = with_nul.count();
    if markers > 0 {
        losses.push(Loss::Nul { markers });
    }
    losses
}

/// A name as the text of a cue: no empty line, which would end it, and nothing that looks like a
/// tag or an arrow.
fn escaped(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    let mut letters = name.chars().peekable();
    let mut before = '\n';
    while let Some(letter) = letters.next() {
        let is_after_text = before != '\n';
        let is_before_text = letters.peek().is_some_and(|&next| next != '\n');
        match letter {
            '&' => text.push_str("&amp;"),
            '<' => text.push_str("&lt;"),
            '>' => text.push_str("&gt;"),
            '\0' => text.push('\u{fffd}'),
            '\r' => text.push_str("&#13;"),
            '\n' if !(is_after_text && is_before_text) => text.push_str("&#10;"),
            other => text.push(other),
        }
        before = letter;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use inputanim::{Layout, Pose};

    fn written(markers: &[(f32, &'static str)]) -> (String, Vec<Loss>) {
        let mut take = Recording::new(Layout::Mrtk1_1);
        take.camera_mut().push(5.0, &Pose::IDENTITY);
        let markers = markers.iter().map(|&(time, name)| Marker::new(time, name));
        take.markers = markers.collect();
        let mut text = Vec::new();
        let losses = write(&take, &mut text).unwrap();
        (String::from_utf8(text).unwrap(), losses)
    }

    fn times(text: &str) -> Vec<&str> {
        text.lines().filter(|line| line.contains("-->")).collect()
    }

    #[test]
    fn a_cue_lasts_to_the_next_later_one_and_the_last_to_the_end() {
        let (text, losses) = written(&[(1.0, "a"), (1.0, "b"), (2.0, "c"), (5.0, "d")]);
        assert_eq!(losses, []);
        assert_eq!(
            times(&text),
            [
                "00:00:01.000 --> 00:00:02.000",
                "00:00:01.000 --> 00:00:02.000",
                "00:00:02.000 --> 00:00:05.000",
                "00:00:05.000 --> 00:00:05.001",
            ]
        );
        assert_eq!(written(&[]), ("WEBVTT\n".to_owned(), Vec::new()));
    }

    #[test]
    fn names_of_any_lines_stay_within_their_cue() {
        let escaped = |name| escaped(name);
        assert_eq!(escaped("a\nb"), "a\nb");
        assert_eq!(escaped("\na\n\nb\n"), "&#10;a&#10;&#10;b&#10;");
        assert_eq!(escaped("a\r\nb"), "a&#13;\nb");
        assert_eq!(escaped("<b> --> & 🖐"), "&lt;b&gt; --&gt; &amp; 🖐");
        assert_eq!(written(&[(1.0, "")]).0.lines().count(), 3);
    }

    #[test]
    fn what_cannot_be_said_is_told() {
        let (text, losses) = written(&[
            (2.0, "a\0"),
            (1.0004, "b"),
            (-0.5, "c"),
            (f32::NAN, "d"),
            (1.0, "e"),
        ]);
        assert_eq!(times(&text).len(), 3);
        let [Loss::Rounded { markers: 1, most }, rest @ ..] = losses.as_slice() else {
            panic!("{losses:?}")
        };
        assert!((most - 4e-4).abs() < 1e-6);
        let left_out = Loss::LeftOut {
            markers: 2,
            time: -0.5,
        };
        assert_eq!(rest, [left_out, Loss::Order, Loss::Nul { markers: 1 }]);
    }
}
