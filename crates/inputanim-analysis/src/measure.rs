//! Measures as a flat table of names, values, units and reasons.

use inputanim::TimeRange;
use inputanim::doctor::Code;

use crate::missing::{Measured, Missing};
use crate::quality::Quality;
use crate::quantity::Quantity;
use crate::statistics::Distribution;

/// One measure of a time range.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Measure {
    /// Name, such as `right.Palm.speed.median`. Names are stable; docs/analysis.md lists them.
    pub name: String,
    /// Value, or the reason why the value is missing.
    pub value: Measured,
    /// The quantity, with its unit and definition.
    pub quantity: &'static Quantity,
    /// Codes of the findings that affect the curves from which the value is computed, within the time range;
    /// docs/findings.md lists them.
    pub damage: Vec<Code>,
}

#[cfg(feature = "serde")]
impl serde::Serialize for Measure {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct;
        let mut fields = serializer.serialize_struct("Measure", 5)?;
        fields.serialize_field("name", &self.name)?;
        fields.serialize_field("value", &self.value.ok())?;
        fields.serialize_field("unit", self.quantity.unit)?;
        fields.serialize_field("reason", &self.value.err())?;
        fields.serialize_field("damage", &self.damage)?;
        fields.end()
    }
}

/// The measures of a time range, in a fixed order.
///
/// Every recording has the same measures for the same parameters. A measure that cannot be computed has a reason instead
/// of a value.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
#[non_exhaustive]
pub struct Measures {
    /// The measures.
    pub rows: Vec<Measure>,
}

impl Measures {
    /// Names of the measures that most studies report first, for a table that fits a terminal. They exist
    /// with the default parameters.
    pub const HEADLINES: [&'static str; 16] = [
        "duration",
        "damaged",
        "left.sampling_rate",
        "right.sampling_rate",
        "left.tracked_share",
        "right.tracked_share",
        "head.path_length",
        "head.angular_path",
        "left.Palm.path_length",
        "right.Palm.path_length",
        "left.movements",
        "right.movements",
        "left.pinch.count",
        "right.pinch.count",
        "gaze.idt.count",
        "gaze.idt.duration.median",
    ];

    /// Returns the measure with this name, such as `right.Palm.speed.median`; `None` if there is none.
    pub fn get(&self, name: &str) -> Option<&Measure> {
        self.rows.iter().find(|measure| measure.name == name)
    }
}

/// Collects the measures of a time range.
pub(crate) struct MeasureList<'a> {
    pub(crate) rows: Vec<Measure>,
    quality: &'a Quality,
    range: TimeRange,
}

impl<'a> MeasureList<'a> {
    /// Returns an empty list of the measures of a time range.
    pub(crate) fn new(quality: &'a Quality, range: TimeRange) -> MeasureList<'a> {
        MeasureList {
            rows: Vec::new(),
            quality,
            range,
        }
    }

    pub(crate) fn value(&mut self, quantity: &'static Quantity, names: &[&str], value: Measured) {
        debug_assert!(!quantity.has_distribution, "{}", quantity.name);
        let damage = self.damage(quantity, names);
        let value = self.known(quantity, names).and(value);
        self.push(quantity, quantity.filled(names), value, damage);
    }

    /// Adds one measure for each statistic of the values that are not NaN. `names` replace the placeholders in the name
    /// of the quantity. Without such values, the measures have `reason` instead of a value.
    pub(crate) fn distribution(
        &mut self,
        quantity: &'static Quantity,
        names: &[&str],
        values: impl IntoIterator<Item = f64>,
        reason: Missing,
    ) {
        debug_assert!(quantity.has_distribution, "{}", quantity.name);
        let name = quantity.filled(names);
        let damage = self.damage(quantity, names);
        let known = self.known(quantity, names);
        let values = match Distribution::of(values) {
            Some(distribution) => distribution.values(),
            None => [Err(reason); Distribution::NAMES.len()],
        };
        let values = values.map(|value| known.and(value));
        for (statistic, value) in Distribution::NAMES.into_iter().zip(values) {
            self.push(
                quantity,
                format!("{name}.{statistic}"),
                value,
                damage.clone(),
            );
        }
    }

    fn damage(&self, quantity: &Quantity, names: &[&str]) -> Vec<Code> {
        let sources = quantity.sources(names);
        let lost = quantity.recorded_sources(names);
        let mut codes = self.quality.affecting(&sources, self.range);
        // The measures of quality use no values, and the lost curves would change them.
        if self.quality.lost.overlap(&lost) && !self.quality.lost.overlap(&sources) {
            codes.splice(0..0, self.quality.lost_code());
        }
        codes
    }

    /// Returns [`Missing::Damaged`] if the file has lost a curve that a measure needs.
    fn known(&self, quantity: &Quantity, names: &[&str]) -> Result<(), Missing> {
        let lost = quantity.recorded_sources(names);
        if self.quality.lost.overlap(&lost) {
            Err(Missing::Damaged)
        } else {
            Ok(())
        }
    }

    fn push(
        &mut self,
        quantity: &'static Quantity,
        name: String,
        value: Measured,
        damage: Vec<Code>,
    ) {
        // Sums of values near the limits of single precision can leave the range of numbers.
        let value = value.and_then(|value| {
            if value.is_finite() {
                // An empty sum of floating-point numbers is -0, which tables would show. -0 + 0 is 0.
                Ok(value + 0.0)
            } else {
                Err(Missing::Undefined)
            }
        });
        self.rows.push(Measure {
            name,
            value,
            quantity,
            damage,
        });
    }
}
