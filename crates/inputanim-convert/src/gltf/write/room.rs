//! How many keys may be made that nobody recorded.

use inputanim::Span;

use super::Error;

pub(super) struct Room(u64);

impl Room {
    /// At most 100 MB of them.
    pub(super) const MOST: u64 = 1 << 22;

    pub(super) const fn new() -> Room {
        Room(Room::MOST)
    }

    /// Takes room for keys of a vector.
    pub(super) fn take(&mut self, keys: f64, name: &str) -> Result<(), Error> {
        match keys <= self.0 as f64 {
            true => {
                self.0 -= keys.max(0.0) as u64;
                Ok(())
            }
            false => Err(Error::TooManyKeys {
                vector: name.to_owned(),
            }),
        }
    }

    /// The times between the ends of a span that are whole parts of a second, with room for keys.
    pub(super) fn times(
        &mut self,
        span: Span,
        rate: f64,
        name: &str,
    ) -> Result<impl Iterator<Item = f32> + use<>, Error> {
        let first = (f64::from(span.start) * rate).floor() + 1.0;
        let count = (f64::from(span.end) * rate).ceil() - first;
        self.take(count, name)?;
        let times = (0..count as u64).map(move |step| ((first + step as f64) / rate) as f32);
        let mut before = span.start;
        Ok(times.filter(move |&time| {
            let is_new = before < time && time < span.end;
            before = before.max(time);
            is_new
        }))
    }
}
