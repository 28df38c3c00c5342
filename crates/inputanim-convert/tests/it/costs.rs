//! What damage of a file costs: a table that a person can read, and rules that hold for all damage.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use inputanim::{CurvePath, Recording};
use inputanim_convert::{Error, LossKind, NoteKind, Report};

/// The result of reading a damaged file.
pub(crate) type Reading = Result<(Recording<'static>, Report), Error>;

/// The table of the damage of one file.
pub(crate) struct Costs {
    whole: Recording<'static>,
    /// The values of each curve of the undamaged reading.
    values: BTreeMap<String, Vec<u32>>,
    /// The values of another reading of the undamaged file, such as of its messages instead of the recording in it.
    others: BTreeMap<String, Vec<u32>>,
    /// `true` if times are compared too. Otherwise a file may begin later, because its start is damaged.
    has_times: bool,
    /// The damage of each part with equal costs.
    lines: Vec<(String, Vec<String>, String)>,
    /// The damage that changed the recording without a loss or a note.
    pub(crate) silent: Vec<String>,
    /// The damage for which the file is refused.
    pub(crate) refused: Vec<String>,
}

impl Costs {
    pub(crate) fn new(whole: Recording<'static>) -> Costs {
        let values = values(&whole, false);
        Costs {
            whole,
            values,
            others: BTreeMap::new(),
            has_times: false,
            lines: Vec::new(),
            silent: Vec::new(),
            refused: Vec::new(),
        }
    }

    /// Compares times too, which tables keep.
    #[cfg(feature = "parquet")]
    pub(crate) fn with_times(mut self) -> Costs {
        self.values = values(&self.whole, true);
        self.has_times = true;
        self
    }

    /// Also accepts the keys of another reading of the undamaged file.
    pub(crate) fn or(mut self, other: &Recording<'_>) -> Costs {
        self.others = values(other, self.has_times);
        self
    }

    /// Adds a line to the table: the damage, how many keys are left, and the losses and notes about damage. Fails the test if
    /// a key is left that the undamaged reading does not have, unless `may_change`.
    pub(crate) fn add(&mut self, part: &str, damage: &str, reading: Reading, may_change: bool) {
        let name = format!("{part}, {damage}");
        let cost = match reading {
            Err(error) => {
                self.refused.push(name.clone());
                let cause = std::error::Error::source(&error);
                let cause = cause.map_or_else(String::new, |cause| format!(": {cause}"));
                format!("refused: {error}{cause}")
            }
            Ok((recording, report)) => {
                let (mut kept, mut invented) = self.kept(&recording, &self.values);
                let mut all: usize = self.values.values().map(Vec::len).sum();
                let mut keys = "keys";
                if invented.is_some() && !self.others.is_empty() {
                    (kept, invented) = self.kept(&recording, &self.others);
                    all = self.others.values().map(Vec::len).sum();
                    keys = "samples";
                }
                // A loss that states this is the best that a reader can do where only a checksum of all bytes differs.
                let is_doubtful =
                    |loss: &inputanim_convert::Loss| loss.message.contains("may be damaged");
                let may_change = may_change || report.losses.iter().any(is_doubtful);
                assert!(
                    may_change || invented.is_none(),
                    "{name}: {invented:?} is not in the undamaged reading; {report:?}"
                );
                let mut cost = match invented {
                    None if kept == all => format!("all {keys}"),
                    None => format!("{kept} of {all} {keys}"),
                    Some(_) => format!("other {keys}"),
                };
                let markers = |recording: &Recording<'_>| recording.markers.len();
                if markers(&recording) != markers(&self.whole) {
                    let _ = write!(
                        cost,
                        ", {} of {} markers",
                        markers(&recording),
                        markers(&self.whole)
                    );
                }
                for loss in &report.losses {
                    let _ = write!(cost, "; lost: {}", loss.message);
                }
                let damage = report
                    .notes
                    .iter()
                    .filter(|note| note.kind == NoteKind::Damage);
                for note in damage.clone() {
                    let _ = write!(cost, "; note: {}", note.message);
                }
                if recording != self.whole && report.losses.is_empty() && damage.count() == 0 {
                    self.silent.push(name.clone());
                    cost += "; silent";
                }
                let is_counted = |loss: &inputanim_convert::Loss| {
                    loss.kind != LossKind::Damage || loss.count > 0
                };
                assert!(report.losses.iter().all(is_counted), "{name}");
                cost
            }
        };
        let cost = masked(&cost);
        let mut same = self.lines.iter_mut().filter(|(other, _, _)| other == part);
        match same.find(|(_, _, other)| *other == cost) {
            Some((_, damages, _)) => damages.push(damage.to_owned()),
            None => {
                let line = (part.to_owned(), vec![damage.to_owned()], cost);
                self.lines.push(line);
            }
        }
    }

    /// Returns the table: a line for each part and cost, with all damages of the part that have this cost.
    pub(crate) fn text(&self) -> String {
        let line = |(part, damages, cost): &(String, Vec<String>, String)| {
            format!("{part} | {} | {cost}\n", damages.join(", "))
        };
        self.lines.iter().map(line).collect()
    }

    /// Returns the number of values that are also in the undamaged reading, in the same order, and the curve of the first
    /// value that is not.
    fn kept(
        &self,
        recording: &Recording<'_>,
        undamaged: &BTreeMap<String, Vec<u32>>,
    ) -> (usize, Option<String>) {
        let mut kept = 0;
        for (path, values) in values(recording, self.has_times) {
            let whole = undamaged.get(&path).map_or(&[][..], Vec::as_slice);
            let mut whole = whole.iter();
            for value in &values {
                if !whole.any(|known| known == value) {
                    return (kept, Some(path));
                }
                kept += 1;
            }
        }
        (kept, None)
    }
}

/// Returns the bits of the values of all curves of numbers, and of their times. The signs of rotations are left out, because
/// readers choose them along a curve.
fn values(recording: &Recording<'_>, has_times: bool) -> BTreeMap<String, Vec<u32>> {
    let mut all = BTreeMap::new();
    for (path, curve) in recording.curves() {
        if matches!(path, CurvePath::Tracked(_) | CurvePath::Pinching(_)) || curve.is_empty() {
            continue;
        }
        let path = path.to_string();
        let is_rotation = path.contains("rotation");
        let value = |value: f32| if is_rotation { value.abs() } else { value };
        if has_times {
            let times = curve.points().map(|(time, _)| time.to_bits());
            all.insert(format!("{path}, time"), times.collect());
        }
        let values = curve.points().map(|(_, number)| value(number).to_bits());
        all.insert(path, values.collect());
    }
    all
}

/// The number of characters of a cost in the table.
const SHOWN: usize = 240;

/// Replaces the places of bytes, which change with the version of the library.
fn masked(cost: &str) -> String {
    let mut parts = cost.split("byte ");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        text += "byte ";
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit());
        if rest.len() < part.len() {
            text += "…";
        }
        text += rest;
    }
    let mut parts = text.split("CRC failed (");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        text += "CRC failed (…)";
        text += part.split_once(')').map_or("", |(_, rest)| rest);
    }
    let text = text.replace('\n', " ");
    let mut shown: String = text.chars().take(SHOWN).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}
