//! Cues in as markers.

use inputanim::{Limits, Marker};

use crate::lines::utf_8;

use super::Loss;
use super::stamp::{read_times, seconds};

/// Text that is not WebVTT.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file does not begin as it must.
    #[error("line 1: expected WEBVTT, found {found:?}")]
    Signature {
        /// How it begins.
        found: String,
    },
    /// The text is not UTF-8.
    #[error("line {line}: expected text in UTF-8")]
    Encoding {
        /// Counted from 1.
        line: usize,
    },
    /// The times of a cue are not well formed.
    #[error("line {line}: expected two times as in 00:01.000 --> 00:02.500, found {found:?}")]
    Times {
        /// Counted from 1.
        line: usize,
        /// What was found.
        found: String,
    },
    /// There is more than the limits allow.
    #[error("expected at most {limit} {things} (the limit), found more")]
    Limit {
        /// The limit.
        limit: u64,
        /// What it bounds.
        things: &'static str,
    },
}

/// Reads a marker from each cue, in the order in which they stand, and says what did not come
/// through; with the default [`Limits`].
///
/// # Errors
/// When the text is not WebVTT, or a cue's times are not well formed; the error says in which line.
///
/// ```
/// use inputanim::Marker;
/// use inputanim_convert::webvtt;
/// let text = b"WEBVTT\n\n1\n00:01.500 --> 00:02.000\n<b>reach</b> &amp; grab\n";
/// let (markers, losses) = webvtt::read(text)?;
/// assert_eq!(markers, [Marker::new(1.5, "reach & grab")]);
/// assert_eq!(losses, [webvtt::Loss::Tags { cues: 1 }]);
/// # Ok::<(), webvtt::Error>(())
/// ```
pub fn read(text: &[u8]) -> Result<(Vec<Marker<'static>>, Vec<Loss>), Error> {
    read_with(text, &Limits::default())
}

/// Reads a marker from each cue within `limits`; [`Limits::max_bytes`] bounds the text.
///
/// # Errors
/// As [`read`], and when a limit is passed.
pub fn read_with(text: &[u8], limits: &Limits) -> Result<(Vec<Marker<'static>>, Vec<Loss>), Error> {
    let too_many = |limit, things| Err(Error::Limit { limit, things });
    if text.len() as u64 > limits.max_bytes {
        return too_many(limits.max_bytes, "bytes");
    }
    let text = utf_8(text).map_err(|line| Error::Encoding { line })?;
    let text = without_returns(text);
    let mut lines = text.split('\n').zip(1..).peekable();
    let first = lines.next().map_or("", |(line, _)| line);
    let after = first.strip_prefix("WEBVTT");
    if !after.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t'])) {
        let found = start_of(first);
        return Err(Error::Signature { found });
    }

    let (mut markers, mut with_tags) = (Vec::new(), 0);
    let goes_on = |line: &str| !line.is_empty() && !line.contains("-->");
    // Each round is a block of lines; the rest of the head is the first.
    loop {
        while lines.next_if(|&(line, _)| goes_on(line)).is_some() {}
        let Some((times, number)) = lines.next() else {
            break;
        };
        // Without times it was a head, a comment, a style or a region; with times, the line before
        // them an identifier.
        if times.is_empty() || times.starts_with("NOTE") {
            continue;
        }
        let Some((start, _)) = read_times(times) else {
            let found = start_of(times);
            return Err(Error::Times {
                line: number,
                found,
            });
        };
        if markers.len() as u64 == limits.max_markers {
            return too_many(limits.max_markers, "markers");
        }
        let mut payload = Vec::new();
        while let Some((line, _)) = lines.next_if(|&(line, _)| goes_on(line)) {
            payload.push(line);
        }
        let payload = payload.join("\n");
        let plain = without_tags(&payload);
        with_tags += usize::from(plain.len() < payload.len());
        let name = html_escape::decode_html_entities(&plain).into_owned();
        markers.push(Marker::new(seconds(start), name));
    }
    let tags = (with_tags > 0).then_some(Loss::Tags { cues: with_tags });
    Ok((markers, tags.into_iter().collect()))
}

/// Lines may end in any of three ways; NUL characters are no text.
fn without_returns(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    text.replace('\r', "\n").replace('\0', "\u{fffd}")
}

/// From each `<` to the next `>`; one that is never closed is text.
fn without_tags(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, tag)) = rest.split_once('<') {
        let Some((_, after)) = tag.split_once('>') else {
            break;
        };
        plain.push_str(before);
        rest = after;
    }
    plain + rest
}

fn start_of(line: &str) -> String {
    line.chars().take(60).collect()
}
