//! Serialisation of names and results (feature `serde`).
//!
//! Structs derive `Serialize` where they are defined, with camelCase keys. This module has the
//! types that a derive cannot express: types that are written as their name, and results whose text
//! is computed. Times are seconds. JSON cannot represent a number that is not finite, so such a
//! number becomes `null`.

use std::collections::BTreeMap;

use serde::de::{self, Deserialize, Deserializer};
use serde::ser::{Serialize, SerializeStruct, Serializer};

use crate::about::About;
use crate::device::{DeviceName, OutputName};
use crate::diff::{Aspect, Verdict};
use crate::doctor::{Code, Finding, Remedy, Severity};
use crate::element::Element;
use crate::joint::{Joint, Side};
use crate::known::Known;
use crate::layout::Layout;
use crate::path::{CurvePath, Stream};
use crate::pauses::Pauses;
use crate::read::{DamagedPart, FilePart, ParseError};
use crate::space::Space;
use crate::time_range::TimeRange;

macro_rules! serialize_as_name {
    ($($type:ident :: $name:ident),* $(,)?) => {
        $(impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str((*self).$name())
            }
        })*
    };
}

macro_rules! serialize_as_text {
    ($($type:ident),* $(,)?) => {
        $(impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        })*
    };
}

macro_rules! deserialize_from_text {
    ($($type:ident),* $(,)?) => {
        $(impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                text.parse().map_err(de::Error::custom)
            }
        })*
    };
}

serialize_as_name!(
    Code::id,
    Joint::name,
    Layout::name,
    Remedy::name,
    Severity::name,
    Side::name,
    Space::name,
    Stream::name,
    Verdict::name,
);
serialize_as_text!(Aspect, CurvePath, DeviceName, Element, OutputName);
deserialize_from_text!(Code, CurvePath, Joint, Layout, Side, Space);

impl Serialize for FilePart {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            // The text of this part is the beginning of a sentence, so it has a name here.
            FilePart::End => serializer.serialize_str("end"),
            part => serializer.collect_str(part),
        }
    }
}

impl Serialize for Finding {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Finding", 9)?;
        fields.serialize_field("code", &self.code)?;
        fields.serialize_field("severity", &self.severity())?;
        fields.serialize_field("title", self.code.title())?;
        fields.serialize_field("detail", &self.detail)?;
        fields.serialize_field("count", &self.count)?;
        fields.serialize_field("range", &self.range())?;
        fields.serialize_field("ranges", &self.ranges)?;
        fields.serialize_field("curves", &self.curves)?;
        fields.serialize_field("streams", &self.streams)?;
        fields.end()
    }
}

impl Serialize for ParseError {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("ParseError", 6)?;
        fields.serialize_field("kind", self.kind().name())?;
        fields.serialize_field("message", &self.to_string())?;
        fields.serialize_field("part", &self.part())?;
        fields.serialize_field("offset", &self.offset())?;
        fields.serialize_field("layout", &self.layout())?;
        fields.serialize_field("alsoTried", self.also_tried())?;
        fields.end()
    }
}

impl Serialize for DamagedPart {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("DamagedPart", 2)?;
        fields.serialize_field("part", &self.part)?;
        fields.serialize_field("message", &self.to_string())?;
        fields.end()
    }
}

/// The gaps of an element, as in lossless JSON: `{"element": "gaze", "unknown": [[1.48, 3.5]]}`. JSON has no infinity: a gap from
/// the start begins with `null`, and a gap until the end ends with it.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct ElementGaps<Bound> {
    element: String,
    unknown: Vec<[Bound; 2]>,
}

impl Serialize for Known {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter().map(|(element, gaps)| ElementGaps {
            element: element.to_string(),
            unknown: gaps.iter().map(|gap| [gap.start, gap.end]).collect(),
        }))
    }
}

impl<'de> Deserialize<'de> for Known {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut known = Known::default();
        let elements = Vec::<ElementGaps<Option<f32>>>::deserialize(deserializer)?;
        for ElementGaps { element, unknown } in elements {
            let found = Known::element(&element).map_err(de::Error::custom)?;
            for [start, end] in unknown {
                let gap = TimeRange {
                    start: start.unwrap_or(f32::NEG_INFINITY),
                    end: end.unwrap_or(f32::INFINITY),
                };
                known.try_add_gap(found, gap).map_err(de::Error::custom)?;
            }
        }
        Ok(known)
    }
}

/// An object with a text for each name.
impl Serialize for About {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self)
    }
}

impl<'de> Deserialize<'de> for About {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let texts = BTreeMap::<String, String>::deserialize(deserializer)?;
        Ok(texts.into_iter().collect())
    }
}

/// Reads a limit in seconds, or a text.
impl<'de> Deserialize<'de> for Pauses {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(serde::Deserialize)]
        #[serde(untagged)]
        enum Given {
            Seconds(f32),
            Text(String),
        }
        let text = match Given::deserialize(deserializer)? {
            Given::Seconds(seconds) => seconds.to_string(),
            Given::Text(text) => text,
        };
        text.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::{Element, Known};

    use crate::{CurvePath, Layout, Recording, TimeRange, diff, doctor, info::Info};

    /// Returns a recording whose gaze has no keys, which is finding L10.
    fn recording() -> Recording<'static> {
        let mut recording = Recording::new(Layout::Mrtk1_1);
        recording.gaze_mut();
        recording
    }

    #[test]
    fn gaps_have_null_for_infinite_bounds() {
        let mut known = Known::default();
        for (start, end) in [(f32::NEG_INFINITY, 1.5), (2.0, 3.0), (4.0, f32::INFINITY)] {
            known.add_gap(Element::Gaze, TimeRange { start, end });
        }
        let value = serde_json::to_value(&known).unwrap();
        let expected = json!([{
            "element": "gaze",
            "unknown": [[null, 1.5], [2.0, 3.0], [4.0, null]],
        }]);
        assert_eq!(value, expected);
        assert_eq!(serde_json::from_value::<Known>(value).unwrap(), known);
    }

    #[test]
    fn a_finding_has_its_texts_and_names() {
        let finding = &doctor::findings(&recording())[0];
        let written = serde_json::to_value(finding).unwrap();
        assert_eq!(written["code"], "L24");
        assert_eq!(written["severity"], finding.severity().name());
        assert_eq!(written["range"], json!(null));
    }

    #[test]
    fn a_summary_has_camel_case_keys_and_both_hands() {
        let written = serde_json::to_value(Info::of(&recording())).unwrap();
        assert_eq!(written["layout"], "mrtk-1.1");
        assert_eq!(written["timeRange"], json!(null));
        assert_eq!(written["hands"]["right"]["pinching"], json!([]));
        assert_eq!(written["streams"][0]["recordedCurves"], 0);
    }

    #[test]
    fn a_parse_error_names_the_part() {
        let error = Recording::parse(b"").unwrap_err();
        let written = serde_json::to_value(&error).unwrap();
        assert_eq!(written["kind"], "empty");
        assert_eq!(written["part"], "file");
    }

    #[test]
    fn a_difference_names_its_verdict() {
        let options = diff::DiffOptions::default();
        let found = recording().diff(&recording(), &options).unwrap();
        let written = serde_json::to_value(&found).unwrap();
        assert_eq!(written["verdict"], "equal");
        assert_eq!(written["onlyIn"], json!([[], []]));
    }

    #[test]
    fn names_and_ranges_read_back() {
        let path: CurvePath = serde_json::from_value(json!("left.IndexTip.rotation.w")).unwrap();
        assert_eq!(path.to_string(), "left.IndexTip.rotation.w");
        let range: TimeRange = serde_json::from_value(json!({"start": 0.5, "end": 1.0})).unwrap();
        assert_eq!(range.length(), 0.5);
        assert!(serde_json::from_value::<Layout>(json!("mrtk-3.0")).is_err());
    }
}
