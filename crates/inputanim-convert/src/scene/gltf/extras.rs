//! The layout, the states, the markers and the texts of a recording, which glTF does not represent, as `extras` of
//! the animation. They come back bit for bit.
//!
//! ```json
//! {"inputanim": {
//!   "version": 1, "layout": "mrtk-1.1", "flags": [1, 1, 1], "timeOffset": 0.0,
//!   "states": {"left.tracked": [[0.0, 1.0], [3.9, 0.0]]},
//!   "markers": [{"time": 0.32, "name": "reach"}]
//! }}
//! ```
//!
//! Times are times of the recording. A time of the animation is the time of the recording plus `timeOffset`.

use std::collections::BTreeMap;

use inputanim::{BooleanCurve, BooleanKey, Layout, Recording, Side};
use serde_json::value::RawValue;

use crate::shared::number::Number;

const VERSION: u32 = 1;

#[derive(Debug, serde::Serialize, serde::Deserialize)]
struct Extras<T> {
    inputanim: T,
}

#[derive(Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Own {
    version: u32,
    pub(super) layout: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) flags: Option<[u8; 3]>,
    #[serde(default)]
    pub(super) time_offset: Number,
    /// Time and value of each key, by the name of the curve.
    #[serde(default)]
    pub(super) states: BTreeMap<String, Vec<(Number, Number)>>,
    #[serde(default)]
    pub(super) markers: Vec<OwnMarker>,
    /// The texts about the recording.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) about: BTreeMap<String, String>,
}

#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct OwnMarker {
    pub(super) time: Number,
    pub(super) name: String,
}

/// Returns the `extras` of a recording as JSON: its layout, flags, states, markers and texts. The animation's clock is
/// `offset` seconds ahead of the recording's.
pub(super) fn write(recording: &Recording<'_>, offset: f32) -> serde_json::Result<Box<RawValue>> {
    // A sorted map, so that the same recording gives the same bytes.
    let mut states = BTreeMap::new();
    if let Some(hands) = &recording.hands {
        for side in Side::BOTH {
            let hand = hands.hand(side);
            for (name, curve) in [("tracked", &hand.tracked), ("pinching", &hand.pinching)] {
                let keys = curve.keys.iter();
                let keys = keys.map(|key| (Number(key.time()), Number(key.value())));
                states.insert(format!("{side}.{name}"), keys.collect());
            }
        }
    }
    let markers = recording.markers.iter().map(|marker| OwnMarker {
        time: Number(marker.time),
        name: marker.name.to_string(),
    });
    let texts = recording.about.iter();
    let texts = texts.map(|(name, text)| (name.to_owned(), text.to_owned()));
    serde_json::value::to_raw_value(&Extras {
        inputanim: Own {
            version: VERSION,
            layout: recording.layout.to_string(),
            flags: recording.layout.has_flags().then(|| recording.flag_bytes()),
            time_offset: Number(offset),
            states,
            markers: markers.collect(),
            about: texts.collect(),
        },
    })
}

/// Parses the `extras` of this library, and returns `None` for the `extras` of another program. Fails if the `extras`
/// of this library are malformed or have an unknown version.
pub(super) fn read(extras: &RawValue) -> serde_json::Result<Option<Own>> {
    use serde::de::{Error, IgnoredAny};
    // Any program may add extras. Only extras with the member of this library have to be valid.
    let is_ours = serde_json::from_str::<Extras<IgnoredAny>>(extras.get()).is_ok();
    if !is_ours {
        return Ok(None);
    }
    let extras: Extras<Own> = serde_json::from_str(extras.get())?;
    match extras.inputanim.version {
        VERSION => Ok(Some(extras.inputanim)),
        other => Err(serde_json::Error::custom(format!(
            "expected \"version\": {VERSION}, found {other}"
        ))),
    }
}

impl Own {
    /// Returns the curve of a state with a name such as `left.tracked`, on the recording's clock. The curve is empty if
    /// the `extras` lack the state.
    pub(super) fn state(&self, name: &str) -> BooleanCurve<'static> {
        let keys = self.states.get(name).into_iter().flatten();
        let keys = keys.map(|(time, value)| BooleanKey::from_value(time.0, value.0));
        BooleanCurve {
            keys: keys.collect(),
            ..BooleanCurve::default()
        }
    }

    pub(super) fn layout(&self) -> Result<Layout, inputanim::UnknownName> {
        self.layout.parse()
    }
}
