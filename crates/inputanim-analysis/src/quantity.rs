//! The catalogue of measures: names, units and definitions.

use std::fmt;

use inputanim::{Joint, Side};

use crate::source::{Source, Sources};

/// A group of quantities.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
#[non_exhaustive]
pub enum Group {
    /// Completeness and timing of the data.
    Quality,
    /// Head.
    Head,
    /// Paths, speeds and space of the joints of the hands.
    Hands,
    /// Movements of one joint.
    Movements,
    /// Angles and bones of the fingers.
    Fingers,
    /// Pinches.
    Pinches,
    /// Gaze, fixations and saccades.
    Gaze,
    /// Looks at targets, distances and hits.
    Targets,
    /// Fitts's law, from pinches that select targets.
    Fitts,
    /// Controllers and other devices: poses, presses, sticks, and pointing at targets.
    Devices,
}

impl Group {
    /// Every group.
    pub const ALL: &'static [Group] = &[
        Group::Quality,
        Group::Head,
        Group::Hands,
        Group::Movements,
        Group::Fingers,
        Group::Pinches,
        Group::Gaze,
        Group::Targets,
        Group::Fitts,
        Group::Devices,
    ];

    /// Returns the name of the group of measures, such as `quality`.
    pub const fn name(self) -> &'static str {
        match self {
            Group::Quality => "quality",
            Group::Head => "head",
            Group::Hands => "hands",
            Group::Movements => "movements",
            Group::Fingers => "fingers",
            Group::Pinches => "pinches",
            Group::Gaze => "gaze",
            Group::Targets => "targets",
            Group::Fitts => "fitts",
            Group::Devices => "devices",
        }
    }
}

impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A quantity that is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "camelCase"))]
#[non_exhaustive]
pub struct Quantity {
    /// Group.
    pub group: Group,
    /// Name of its measures. `{side}`, `{joint}`, `{finger}`, `{stream}`, `{target}`, `{pose}`, `{pointer}`, `{input}` and
    /// `{stick}` stand for names; a
    /// quantity with a distribution adds the name of the statistic: `head.speed.median`.
    pub name: &'static str,
    /// Unit, such as `m/s`; empty for a number without one.
    pub unit: &'static str,
    /// `true` for a quantity with a [`Distribution`](crate::Distribution), `false` for a single value.
    pub has_distribution: bool,
    /// Parts of a recording from which it is computed; none for a quantity that describes the file.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub sources: &'static [Source],
    /// Definition in one sentence.
    pub definition: &'static str,
}

impl Quantity {
    /// Returns the parts of a recording that a measure uses. `names` replace the placeholders in its name.
    pub(crate) fn sources(&self, names: &[&str]) -> Sources {
        let placeholders = self.name.split('{').skip(1);
        let placeholders = placeholders.filter_map(|part| part.split_once('}'));
        let (mut side, mut joint) = (None, None);
        for ((placeholder, _), name) in placeholders.zip(names) {
            match placeholder {
                "side" => side = Side::BOTH.into_iter().find(|side| side.name() == *name),
                // Angles of fingers are computed from several joints.
                "joint" if self.group == Group::Hands => joint = name.parse::<Joint>().ok(),
                _ => {}
            }
        }
        Sources::new(self.sources, side, joint)
    }

    /// Returns the parts of a recording that a measure needs. Unlike [`sources`](Self::sources), it has the streams whose
    /// completeness and timing the measures of the group quality describe.
    pub(crate) fn recorded_sources(&self, names: &[&str]) -> Sources {
        if self.group != Group::Quality {
            return self.sources(names);
        }
        let name = self.filled(names);
        let stream = name.split('.').next().unwrap_or_default();
        let side = Side::BOTH.into_iter().find(|side| side.name() == stream);
        let sources: &[Source] = match stream {
            "head" => &[Source::HeadPosition, Source::HeadRotation],
            "gaze" => &[Source::Gaze],
            _ if side.is_none() => &[],
            // The measures of a stream of joints, and the measures of the states of a hand.
            _ if self.name.starts_with("{stream}") => &[Source::Joints],
            _ => &[Source::States],
        };
        Sources::new(sources, side, None)
    }

    /// Returns the name of a measure, in which `names` replace the placeholders.
    pub(crate) fn filled(&self, names: &[&str]) -> String {
        let mut filled = String::new();
        let mut rest = self.name;
        for name in names {
            let Some((before, after)) = rest.split_once('{') else {
                break;
            };
            filled.push_str(before);
            filled.push_str(name);
            rest = after.split_once('}').map_or("", |(_, rest)| rest);
        }
        filled.push_str(rest);
        filled
    }
}

macro_rules! quantities {
    ($($id:ident: $group:ident $kind:ident $name:literal [$unit:literal] [$($source:ident)*] $definition:literal;)*) => {
        $(pub(crate) const $id: Quantity = Quantity {
            group: Group::$group,
            name: $name,
            unit: $unit,
            has_distribution: quantities!(@$kind),
            sources: &[$(Source::$source),*],
            definition: $definition,
        };)*

        impl Quantity {
            /// Every quantity, by group.
            pub const ALL: &'static [Quantity] = &[$($id),*];
        }
    };
    (@one) => { false };
    (@all) => { true };
}

quantities! {
    DURATION: Quality one "duration" ["s"] [] "Length of the time range.";
    DAMAGED: Quality one "damaged" ["s"] [] "Time in which playback differs from what was recorded: the union of the time ranges of all findings of severity damage.";
    SAMPLING_RATE: Quality one "{stream}.sampling_rate" ["Hz"] [] "Number of intervals between the recorded instants of the stream, divided by their time; for hands while tracked. An instant is a time at which any curve of the stream has a key. Recorders drop samples that linear interpolation explains, which lowers the rate.";
    SAMPLING_JITTER: Quality one "{stream}.sampling_jitter" ["ms"] [] "Standard deviation of the intervals between recorded instants.";
    LONGEST_GAP: Quality one "{stream}.longest_gap" ["s"] [] "Longest interval between recorded instants; for hands while tracked.";
    FROZEN_TAIL: Quality one "{stream}.frozen_tail" ["s"] [] "Time after the last recorded instant of the stream, in which playback holds the last value; for hands while tracked.";
    TRACKED_SHARE: Quality one "{side}.tracked_share" [""] [] "Time in which the hand is tracked, divided by the length of the time range within the recording.";
    DROPOUTS: Quality one "{side}.dropouts" [""] [] "Number of times in which tracking was lost and found again, by the time of the loss.";
    DROPOUT: Quality all "{side}.dropout" ["s"] [] "Time from a loss of tracking to its return.";
    GAZE_VALID: Quality one "gaze.valid_share" [""] [] "Time in which the direction of the gaze is known, divided by the sampled time.";
    GAZE_FROZEN: Quality one "gaze.frozen_share" [""] [] "Time in which the direction of the gaze does not change for 0.25 s or longer (`frozen`), divided by the sampled time.";

    HEAD_PATH: Head one "head.path_length" ["m"] [HeadPosition] "Length of the path of the head through all samples, interpolated at the ends of the time range.";
    HEAD_SPEED: Head all "head.speed" ["m/s"] [HeadPosition] "Speed of the head, by the Savitzky-Golay filter.";
    HEAD_ANGULAR_PATH: Head one "head.angular_path" ["°"] [HeadRotation] "Sum of the angles between neighbouring rotations of the head, in proportion at the ends of the time range.";
    HEAD_ANGULAR_SPEED: Head all "head.angular_speed" ["°/s"] [HeadRotation] "Angle between the rotations before and after a sample, divided by the time between them; between the sample and its only neighbour at the ends of an uninterrupted part.";
    HEAD_YAW: Head one "head.yaw_range" ["°"] [HeadRotation] "Difference of the greatest and the smallest heading of the view direction; full turns add up.";
    HEAD_PITCH: Head one "head.pitch_range" ["°"] [HeadRotation] "Difference of the greatest and the smallest angle of the view direction above the horizon.";
    HEAD_ROLL: Head one "head.roll_range" ["°"] [HeadRotation] "Difference of the greatest and the smallest tilt of the head: the angle whose tangent is the height of its right axis divided by the height of its up axis, positive if the right side is higher.";

    PATH: Hands one "{side}.{joint}.path_length" ["m"] [Joints States] "Length of the path of the joint through all known samples, interpolated at the ends of the time range.";
    SPEED: Hands all "{side}.{joint}.speed" ["m/s"] [Joints States] "Speed of the joint, by the Savitzky-Golay filter.";
    ACCELERATION: Hands all "{side}.{joint}.acceleration" ["m/s²"] [Joints States] "Magnitude of the acceleration of the joint, by the Savitzky-Golay filter.";
    JERK: Hands all "{side}.{joint}.jerk" ["m/s³"] [Joints States] "Magnitude of the jerk of the joint, by the Savitzky-Golay filter.";
    REACH: Hands all "{side}.{joint}.reach" ["m"] [Joints States HeadPosition] "Distance of the joint from the head.";
    BOX_X: Hands one "{side}.{joint}.box_x" ["m"] [Joints States] "Extent of the positions along the world's x axis.";
    BOX_Y: Hands one "{side}.{joint}.box_y" ["m"] [Joints States] "Extent of the positions along the vertical axis.";
    BOX_Z: Hands one "{side}.{joint}.box_z" ["m"] [Joints States] "Extent of the positions along the world's z axis.";
    HULL: Hands one "{side}.{joint}.hull_volume" ["m³"] [Joints States] "Volume of the convex hull of the positions (Barber, Dobkin and Huhdanpaa 1996).";
    HANDS_DISTANCE: Hands all "hands.{joint}.distance" ["m"] [Joints States] "Distance between the joint of the left hand and the joint of the right hand.";
    HANDS_CORRELATION: Hands one "hands.{joint}.speed_correlation" [""] [Joints States] "Pearson's correlation of the speeds of both hands.";
    HANDEDNESS: Hands one "hands.{joint}.laterality" [""] [Joints States] "Path length of the right hand minus that of the left one, divided by their sum: 1 if only the right hand moves, −1 if only the left one moves. Missing if one of the two path lengths is missing.";

    MOVEMENTS: Movements one "{side}.movements" [""] [Joints States] "Number of movements, including cut ones.";
    MOVING_SHARE: Movements one "{side}.moving_share" [""] [Joints States] "Time of the movements, divided by the time in which the speed of the joint is known.";
    MOVEMENT_DURATION: Movements all "{side}.movement.duration" ["s"] [Joints States] "Time from the onset of a movement to its end: from its first to its last sample. This and all further measures of movements include only movements that are not cut.";
    MOVEMENT_AMPLITUDE: Movements all "{side}.movement.amplitude" ["m"] [Joints States] "Distance from the position at the onset to that at the end.";
    MOVEMENT_PEAK: Movements all "{side}.movement.peak_speed" ["m/s"] [Joints States] "Greatest speed of a movement.";
    MOVEMENT_PEAK_TIME: Movements all "{side}.movement.time_to_peak" ["s"] [Joints States] "Time from the onset of a movement to its greatest speed.";
    MOVEMENT_STRAIGHTNESS: Movements all "{side}.movement.straightness" [""] [Joints States] "Amplitude of a movement, divided by the length of its path: 1 for a straight line.";
    SUBMOVEMENTS: Movements all "{side}.movement.submovements" [""] [Joints States] "Number of peaks of the speed with a prominence of at least 5 % of the peak speed (`prominence`); at least 1.";
    SPARC: Movements all "{side}.movement.sparc" [""] [Joints States] "Spectral arc length of the speed of a movement (Balasubramanian et al. 2015): the smoother the closer to 0.";
    LDLJ: Movements all "{side}.movement.ldlj" [""] [Joints States] "Logarithm of the dimensionless jerk of the speed of a movement (Balasubramanian et al. 2015): the smoother the larger.";

    FLEXION: Fingers all "{side}.{joint}.flexion" ["°"] [Joints States] "Flexion of the joint toward the palm; 0 for a straight finger.";
    ABDUCTION: Fingers all "{side}.{joint}.abduction" ["°"] [Joints States] "Abduction at the knuckle, positive toward the thumb; for the thumb, the angle between its metacarpal bone and the metacarpal bone of the index finger.";
    CURL: Fingers all "{side}.{finger}.curl" [""] [Joints States] "1 minus the distance from the base of the finger to its tip, divided by the length of its bones: 0 for a straight finger.";
    APERTURE: Fingers all "{side}.aperture" ["m"] [Joints States] "Distance of the tip of the thumb from the tip of the index finger.";
    OPENNESS: Fingers all "{side}.openness" ["m"] [Joints States] "Mean distance of the five fingertips from the palm.";
    BONE: Fingers all "{side}.{joint}.bone_length" ["m"] [Joints States] "Distance of the joint from its parent; its variation is an error of tracking.";

    PINCHES: Pinches one "{side}.{source}.count" [""] [Joints States] "Number of pinches, including cut ones.";
    PINCH_DURATION: Pinches all "{side}.{source}.duration" ["s"] [Joints States] "Time from the onset of a pinch to its end; only pinches that are not cut.";
    PINCH_DRAG: Pinches all "{side}.{source}.drag" ["m"] [Joints States] "Length of the path of the point between both tips during a pinch; only pinches that are not cut.";
    PINCH_INTERVAL: Pinches all "{side}.{source}.interval" ["s"] [Joints States] "Time from the onset of a pinch to the onset of the next one; both onsets are in the time range and not cut.";
    PINCH_MOVEMENT_TIME: Pinches all "{side}.{source}.movement_time" ["s"] [Joints States] "Time from the end of a pinch to the onset of the next one; both onsets are in the time range, and neither the end nor the onset is cut.";
    PINCH_AGREEMENT: Pinches one "{side}.pinch_agreement" [""] [Joints States] "Agreement of the recorded state with the distance of the tips, sample by sample: Cohen's kappa (Cohen 1960). Closings that are shorter than the shortest pinch count too.";

    FIXATIONS: Gaze one "gaze.{method}.count" [""] [Gaze] "Number of fixations.";
    FIXATION_RATE: Gaze one "gaze.{method}.rate" ["1/s"] [Gaze] "Number of fixations, divided by the time in which the gaze is known and not frozen.";
    FIXATION_SHARE: Gaze one "gaze.{method}.share" [""] [Gaze] "Time of the fixations within the time range, divided by the time in which the gaze is known and not frozen.";
    FIXATION_DURATION: Gaze all "gaze.{method}.duration" ["s"] [Gaze] "Duration of a fixation, from its first to its last sample.";
    FIXATION_DISPERSION: Gaze all "gaze.{method}.dispersion" ["°"] [Gaze] "Largest angle between two directions of a fixation.";
    FIXATION_BCEA: Gaze all "gaze.{method}.bcea" ["°²"] [Gaze] "Area of the bivariate contour ellipse of a fixation, for 68.2 % of its samples (Steinman 1965; Crossland and Rubin 2002).";
    SCAN_PATH: Gaze one "gaze.{method}.scan_path" ["°"] [Gaze] "Sum of the angles between the mean directions of successive fixations that begin in the time range.";
    SACCADES: Gaze one "gaze.saccades" [""] [Gaze] "Number of saccades.";
    SACCADE_AMPLITUDE: Gaze all "gaze.saccade.amplitude" ["°"] [Gaze] "Angle between the first and the last direction of a saccade.";
    SACCADE_PEAK: Gaze all "gaze.saccade.peak_velocity" ["°/s"] [Gaze] "Greatest velocity of a saccade.";
    SACCADE_DURATION: Gaze all "gaze.saccade.duration" ["s"] [Gaze] "Duration of a saccade.";
    MAIN_EXPONENT: Gaze one "gaze.main_sequence_exponent" [""] [Gaze] "Exponent of the power law of peak velocity over amplitude (main sequence, Bahill, Clark and Stark 1975), fitted to the logarithms.";
    MAIN_COEFFICIENT: Gaze one "gaze.main_sequence_coefficient" ["°/s"] [Gaze] "Peak velocity of that power law at an amplitude of 1°.";
    GAZE_BCEA: Gaze one "gaze.bcea" ["°²"] [Gaze] "Area of the bivariate contour ellipse of all directions that are not frozen, for 68.2 % of the samples.";
    GAZE_DISPERSION: Gaze one "gaze.dispersion" ["°"] [Gaze] "Root mean square of the angles between the directions that are not frozen and their mean.";
    HEAD_OFFSET: Gaze all "gaze.head_offset" ["°"] [Gaze HeadRotation] "Angle between the gaze and the view direction of the head, for directions that are not frozen.";

    TARGET_DWELL: Targets one "{target}.dwell" ["s"] [Gaze] "Time within the time range in which the gaze hits the target before any other.";
    TARGET_LOOKS: Targets one "{target}.looks" [""] [Gaze] "Number of uninterrupted looks that begin at the target.";
    TARGET_FIRST: Targets one "{target}.first_look" ["s"] [Gaze] "Time from the start of the time range to the first look; 0 if the gaze is on the target at the start.";
    TARGET_FIXATIONS: Targets one "{target}.fixations" [""] [Gaze] "Number of fixations (I-DT) whose mean direction hits the target.";
    TARGET_DISTANCE: Targets one "{target}.{side}.nearest" ["m"] [Joints States] "Smallest distance of the index tip from the surface of the target; 0 inside.";
    TARGET_HITS: Targets one "{target}.{side}.ray_hits" [""] [Joints States] "Number of times in which the ray of the index finger enters the target.";

    FITTS_SELECTIONS: Fitts one "{side}.fitts.selections" [""] [Joints States] "Number of recorded pinches that select another target than the pinch before; both pinches are in the time range.";
    FITTS_AMPLITUDE: Fitts one "{side}.fitts.effective_amplitude" ["m"] [Joints States] "Mean distance that was moved along the task axis (effective amplitude).";
    FITTS_WIDTH: Fitts one "{side}.fitts.effective_width" ["m"] [Joints States] "√(2πe) = 4.1327 times the standard deviation of the selected points along the task axis (effective width).";
    FITTS_DIFFICULTY: Fitts one "{side}.fitts.effective_difficulty" ["bit"] [Joints States] "Effective index of difficulty: log₂(effective amplitude / effective width + 1).";
    FITTS_TIME: Fitts one "{side}.fitts.movement_time" ["s"] [Joints States] "Mean time from the end of a pinch to the onset of the next one that selects another target.";
    FITTS_THROUGHPUT: Fitts one "{side}.fitts.throughput" ["bit/s"] [Joints States] "Effective index of difficulty, divided by the mean movement time (ISO/TS 9241-411).";

    POSE_PATH: Devices one "{pose}.path_length" ["m"] [] "Length of the path of the pose through all known samples, interpolated at the ends of the time range.";
    POSE_SPEED: Devices all "{pose}.speed" ["m/s"] [] "Speed of the pose, by the Savitzky-Golay filter.";
    POSE_ACCELERATION: Devices all "{pose}.acceleration" ["m/s²"] [] "Magnitude of the acceleration of the pose, by the Savitzky-Golay filter.";
    POSE_JERK: Devices all "{pose}.jerk" ["m/s³"] [] "Magnitude of the jerk of the pose, by the Savitzky-Golay filter.";
    POSE_REACH: Devices all "{pose}.reach" ["m"] [HeadPosition] "Distance of the pose from the head.";
    POSE_BOX_X: Devices one "{pose}.box_x" ["m"] [] "Extent of the positions along the world's x axis.";
    POSE_BOX_Y: Devices one "{pose}.box_y" ["m"] [] "Extent of the positions along the vertical axis.";
    POSE_BOX_Z: Devices one "{pose}.box_z" ["m"] [] "Extent of the positions along the world's z axis.";
    POSE_HULL: Devices one "{pose}.hull_volume" ["m³"] [] "Volume of the convex hull of the positions (Barber, Dobkin and Huhdanpaa 1996).";
    POSE_ANGULAR_PATH: Devices one "{pose}.angular_path" ["°"] [] "Sum of the angles between neighbouring rotations of the pose, in proportion at the ends of the time range.";
    POSE_ANGULAR_SPEED: Devices all "{pose}.angular_speed" ["°/s"] [] "Angle between the rotations before and after a sample, divided by the time between them; between the sample and its only neighbour at the ends of an uninterrupted part.";

    PRESSES: Devices one "{input}.presses" [""] [] "Number of presses, including cut ones.";
    PRESS_RATE: Devices one "{input}.press_rate" ["1/s"] [] "Number of presses, divided by the time in which the input is known.";
    PRESSED_SHARE: Devices one "{input}.pressed_share" [""] [] "Time of the presses within the time range, divided by the time in which the input is known.";
    PRESS_DURATION: Devices all "{input}.press.duration" ["s"] [] "Time from the onset of a press to its end; only presses that are not cut.";
    PRESS_INTERVAL: Devices all "{input}.press.interval" ["s"] [] "Time from the onset of a press to the onset of the next one; both onsets are in the time range and not cut, and the input is known between them.";
    HOLDS: Devices one "{input}.holds" [""] [] "Number of presses that last 0.5 s or longer (`hold`), including cut ones whose known part does.";
    INPUT_VALUE: Devices all "{input}.value" [""] [] "Value of the input; 1 for on and 0 for off.";

    STICK_TRAVEL: Devices one "{stick}.travel" [""] [] "Length of the path of the point (x, y) through all known samples, interpolated at the ends of the time range; 1 is the way from the centre to the end of an axis.";
    STICK_DEFLECTION: Devices all "{stick}.deflection" [""] [] "Distance of the point (x, y) from the centre.";

    POINTER_DWELL: Devices one "{target}.{pointer}.dwell" ["s"] [] "Time within the time range in which the ray of the pose hits the target before any other.";
    POINTER_HITS: Devices one "{target}.{pointer}.hits" [""] [] "Number of uninterrupted times in which the ray of the pose hits the target before any other, by their start.";
    POINTER_FIRST: Devices one "{target}.{pointer}.first_hit" ["s"] [] "Time from the start of the time range to the first hit; 0 if the ray is on the target at the start.";

    INPUT_FITTS_SELECTIONS: Devices one "{input}.fitts.selections" [""] [] "Number of presses that select another target than the press before with the ray of the device; both presses are in the time range.";
    INPUT_FITTS_AMPLITUDE: Devices one "{input}.fitts.effective_amplitude" ["m"] [] "Mean distance that the selected point moved along the task axis (effective amplitude).";
    INPUT_FITTS_WIDTH: Devices one "{input}.fitts.effective_width" ["m"] [] "√(2πe) = 4.1327 times the standard deviation of the selected points along the task axis (effective width).";
    INPUT_FITTS_DIFFICULTY: Devices one "{input}.fitts.effective_difficulty" ["bit"] [] "Effective index of difficulty: log₂(effective amplitude / effective width + 1).";
    INPUT_FITTS_TIME: Devices one "{input}.fitts.movement_time" ["s"] [] "Mean time from the end of a press to the onset of the next one that selects another target.";
    INPUT_FITTS_THROUGHPUT: Devices one "{input}.fitts.throughput" ["bit/s"] [] "Effective index of difficulty, divided by the mean movement time (ISO/TS 9241-411).";
}

/// The quantities of a point over time.
pub(crate) struct PointQuantities {
    pub(crate) path: &'static Quantity,
    pub(crate) speed: &'static Quantity,
    pub(crate) acceleration: &'static Quantity,
    pub(crate) jerk: &'static Quantity,
    pub(crate) reach: &'static Quantity,
    pub(crate) box_extents: [&'static Quantity; 3],
    pub(crate) hull: &'static Quantity,
}

/// The quantities of a joint of a hand.
pub(crate) const JOINT: PointQuantities = PointQuantities {
    path: &PATH,
    speed: &SPEED,
    acceleration: &ACCELERATION,
    jerk: &JERK,
    reach: &REACH,
    box_extents: [&BOX_X, &BOX_Y, &BOX_Z],
    hull: &HULL,
};

/// The quantities of a pose of a device.
pub(crate) const POSE: PointQuantities = PointQuantities {
    path: &POSE_PATH,
    speed: &POSE_SPEED,
    acceleration: &POSE_ACCELERATION,
    jerk: &POSE_JERK,
    reach: &POSE_REACH,
    box_extents: [&POSE_BOX_X, &POSE_BOX_Y, &POSE_BOX_Z],
    hull: &POSE_HULL,
};

/// The quantities of Fitts's law.
pub(crate) struct FittsQuantities {
    pub(crate) selections: &'static Quantity,
    pub(crate) amplitude: &'static Quantity,
    pub(crate) width: &'static Quantity,
    pub(crate) difficulty: &'static Quantity,
    pub(crate) time: &'static Quantity,
    pub(crate) throughput: &'static Quantity,
}

/// The quantities of selections by the pinches of a hand.
pub(crate) const SIDE_FITTS: FittsQuantities = FittsQuantities {
    selections: &FITTS_SELECTIONS,
    amplitude: &FITTS_AMPLITUDE,
    width: &FITTS_WIDTH,
    difficulty: &FITTS_DIFFICULTY,
    time: &FITTS_TIME,
    throughput: &FITTS_THROUGHPUT,
};

/// The quantities of selections by the presses of an input.
pub(crate) const INPUT_FITTS: FittsQuantities = FittsQuantities {
    selections: &INPUT_FITTS_SELECTIONS,
    amplitude: &INPUT_FITTS_AMPLITUDE,
    width: &INPUT_FITTS_WIDTH,
    difficulty: &INPUT_FITTS_DIFFICULTY,
    time: &INPUT_FITTS_TIME,
    throughput: &INPUT_FITTS_THROUGHPUT,
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_filled_in_order() {
        assert_eq!(SPEED.filled(&["right", "Palm"]), "right.Palm.speed");
        assert_eq!(HEAD_SPEED.filled(&[]), "head.speed");
    }

    #[test]
    fn names_are_unique_and_definitions_are_sentences() {
        let mut names: Vec<&str> = Quantity::ALL.iter().map(|quantity| quantity.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Quantity::ALL.len());
        for quantity in Quantity::ALL {
            assert!(quantity.definition.ends_with('.'), "{}", quantity.name);
        }
    }
}
