//! Instants that become a recording.

use inputanim::{Frame, Layout, RecordError, Recorder, Side, Space};

use super::{Error, Loss, Place, ReadOptions, Reading};
use crate::frames::Event;
use crate::lines::is_utf_16;

/// A recorder within limits.
pub(super) struct Take<'o> {
    options: &'o ReadOptions,
    space: Space,
    recorder: Recorder,
    keys: u64,
    markers: u64,
    /// Poses and rays of which a number was not finite.
    not_finite: u64,
    /// Of the names of markers: many rows may share the bytes of one.
    bytes: u64,
}

impl Take<'_> {
    /// `layout` and `space` are what the table says of itself.
    pub(super) fn new(
        layout: Option<Layout>,
        space: Option<Space>,
        options: &ReadOptions,
    ) -> Take<'_> {
        let layout = options.layout.or(layout).unwrap_or(Layout::Mrtk1_1);
        Take {
            options,
            space: options.space.or(space).unwrap_or_default(),
            recorder: Recorder::new(layout),
            keys: 0,
            markers: 0,
            not_finite: 0,
            bytes: 0,
        }
    }

    pub(super) fn frame(&mut self, place: Place, frame: Frame) -> Result<(), Error> {
        self.keys += numbers(&frame);
        within(self.keys, self.options.limits.max_keys, "keys")?;
        let recorded = self.recorder.push(&self.space.frame(frame));
        recorded.map_err(|source| refused(place, source))?;
        Ok(())
    }

    pub(super) fn marker(
        &mut self,
        place: Place,
        time: f32,
        name: impl AsRef<str> + Into<String>,
    ) -> Result<(), Error> {
        self.markers += 1;
        within(self.markers, self.options.limits.max_markers, "markers")?;
        self.bytes += name.as_ref().len() as u64;
        within(self.bytes, self.options.limits.max_bytes, "bytes")?;
        let marked = self.recorder.mark(time, name);
        marked.map_err(|source| Error::Record { place, source })
    }

    /// What a line of text says.
    pub(super) fn event(&mut self, place: Place, event: Event) -> Result<(), Error> {
        match event {
            Event::Frame(frame) => self.frame(place, *frame),
            Event::Marker(marker) => self.marker(place, marker.time, marker.name),
        }
    }

    /// Counts a pose or ray that is left out.
    #[cfg(feature = "tables")]
    pub(super) fn leave_out(&mut self) {
        self.not_finite += 1;
    }

    pub(super) fn finish(self) -> Reading {
        let poses = self.not_finite;
        let loss = (poses > 0).then_some(Loss::NotFinite { poses });
        Reading {
            losses: loss.into_iter().collect(),
            ..self.recorder.finish().into()
        }
    }
}

/// Why a frame is not recorded.
fn refused(place: Place, source: RecordError) -> Error {
    /// From where on times that differ by a frame may be the same, in seconds.
    const COARSE: f32 = 1e-3;
    match source {
        RecordError::TimeNotAfter { time, .. } if time.next_up() - time > COARSE => {
            let step = time.next_up() - time;
            Error::TimesTooLarge { place, time, step }
        }
        source => Error::Record { place, source },
    }
}

/// A limit that is kept.
pub(super) fn within(count: u64, limit: u64, things: &'static str) -> Result<(), Error> {
    match count <= limit {
        true => Ok(()),
        false => Err(Error::Limit { limit, things }),
    }
}

/// Text of spreadsheets that cannot be read, but can be told.
pub(super) fn refuse_utf_16(text: &[u8]) -> Result<(), Error> {
    match is_utf_16(text) {
        true => Err(Error::Utf16),
        false => Ok(()),
    }
}

/// Where nothing is known, what was passed over is most likely not what was meant.
pub(super) fn refuse_passed_over<'n>(
    names: impl IntoIterator<Item = &'n String>,
) -> Result<(), Error> {
    let names: Vec<&str> = names.into_iter().take(10).map(String::as_str).collect();
    match names.is_empty() {
        true => Ok(()),
        false => Err(Error::NothingKnown {
            passed: names.join(", "),
        }),
    }
}

/// How many keys a frame has, states aside.
fn numbers(frame: &Frame) -> u64 {
    let joints = Side::BOTH.map(|side| {
        let hand = frame.hand(side);
        let known = hand.joints.iter().filter(|(_, pose)| pose.is_some());
        known.filter(|_| hand.tracked).count()
    });
    let poses = joints.iter().sum::<usize>() + usize::from(frame.camera.is_some());
    (7 * poses + 6 * usize::from(frame.gaze.is_some())) as u64
}
