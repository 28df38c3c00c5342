//! Events as rows of a table.

use crate::event::{Event, EventKind};

/// The columns of a table of events: kind, times, side, name, place, and one column for each property of some kinds.
#[derive(Clone, Debug)]
pub struct EventColumns {
    properties: Vec<PropertyColumn>,
}

/// A property of events with its unit, which has a column of its own: an amplitude is a length or an angle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PropertyColumn {
    /// Name, such as `amplitude`.
    pub name: &'static str,
    /// Unit, such as `m`; empty for a number without one.
    pub unit: &'static str,
}

impl PropertyColumn {
    /// Returns the name of its column, with the unit: `amplitude_m`, `peak_velocity_deg_s`.
    pub fn column(self) -> String {
        property_column(self.name, self.unit)
    }

    /// Returns the kinds of events that have the property.
    pub fn kinds(self) -> impl Iterator<Item = EventKind> {
        let has = move |kind: &EventKind| {
            let mut all = kind.properties().iter();
            all.any(|&(name, unit)| name == self.name && unit == self.unit)
        };
        EventKind::ALL.iter().copied().filter(has)
    }
}

/// Returns the name of the column of a property of events, with the unit: `amplitude_m`, `peak_velocity_deg_s`.
/// [`EventKind::properties`] returns the names and units of the properties of a kind.
pub fn property_column(name: &str, unit: &str) -> String {
    let unit = unit.replace('°', "deg").replace('²', "2");
    let unit = unit.replace('/', "_").to_lowercase();
    let separator = if unit.is_empty() { "" } else { "_" };
    format!("{name}{separator}{unit}")
}

impl EventColumns {
    /// The names of the columns before the properties.
    pub const FIXED: [&'static str; 12] = [
        "kind",
        "start_s",
        "end_s",
        "duration_s",
        "side",
        "name",
        "position_x",
        "position_y",
        "position_z",
        "direction_x",
        "direction_y",
        "direction_z",
    ];

    /// Returns the columns of events of some kinds. The order of the columns does not depend on the order of the kinds.
    ///
    /// ```
    /// use inputanim_analysis::{EventColumns, EventKind};
    /// let columns = EventColumns::new(&[EventKind::Pinch]);
    /// assert!(columns.names()[12..].contains(&"drag_m".to_owned()));
    /// ```
    pub fn new(kinds: &[EventKind]) -> EventColumns {
        let mut properties: Vec<PropertyColumn> = Vec::new();
        for kind in EventKind::ALL.iter().filter(|kind| kinds.contains(kind)) {
            for &(name, unit) in kind.properties() {
                let property = PropertyColumn { name, unit };
                if !properties.contains(&property) {
                    properties.push(property);
                }
            }
        }
        EventColumns { properties }
    }

    /// Returns the properties, each of which has a column after [`FIXED`](Self::FIXED).
    pub fn properties(&self) -> &[PropertyColumn] {
        &self.properties
    }

    /// Returns the names of the columns.
    pub fn names(&self) -> Vec<String> {
        let fixed = Self::FIXED.into_iter().map(str::to_owned);
        let properties = self.properties.iter().map(|property| property.column());
        fixed.chain(properties).collect()
    }

    /// Returns `true` if a column has texts, and not numbers.
    pub fn is_text(index: usize) -> bool {
        matches!(index, 0 | 4 | 5)
    }

    /// Returns the text of an event in a column with texts; `None` without one.
    pub fn text(event: &Event, index: usize) -> Option<&str> {
        match index {
            0 => Some(event.kind.name()),
            4 => event.side.map(|side| side.name()),
            5 => event.name.as_deref(),
            _ => None,
        }
    }

    /// Returns the number of an event in a column with numbers; `None` without one.
    pub fn number(&self, event: &Event, index: usize) -> Option<f64> {
        match index {
            1 => single(event.start),
            2 => single(event.start + event.duration),
            3 => single(event.duration),
            6..12 => {
                let is_direction = event.kind == EventKind::Fixation;
                let position = event.position.filter(|_| is_direction == (index >= 9))?;
                single(position[(index - 6) % 3])
            }
            _ => {
                let property = self.properties.get(index.checked_sub(Self::FIXED.len())?)?;
                let mut values = event.properties.iter();
                let value =
                    values.find(|value| value.name == property.name && value.unit == property.unit);
                value.map(|value| value.value)
            }
        }
    }
}

/// Rounds a time or position to single precision, because recordings store it so. Returns the double with the same
/// decimal digits, which tables in text show; `None` if it is not finite.
pub fn single(number: f64) -> Option<f64> {
    let digits = (number as f32).to_string();
    digits
        .parse()
        .ok()
        .filter(|number: &f64| number.is_finite())
}
