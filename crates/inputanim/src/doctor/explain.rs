//! The explanation of each code: cause, effect on playback, remedy.

use super::code::Code;
use super::remedy::Remedy;

/// The explanation of one code.
struct Explanation {
    cause: &'static str,
    meaning: &'static str,
    remedy: Remedy,
    advice: &'static str,
}

impl Code {
    /// Returns the cause of the finding: which programs write such files, and why.
    pub const fn cause(self) -> &'static str {
        self.explanation().cause
    }

    /// Returns the effect of the finding on playback, in one to three sentences.
    pub const fn meaning(self) -> &'static str {
        self.explanation().meaning
    }

    /// Returns the kind of action that helps against the finding.
    pub const fn remedy(self) -> Remedy {
        self.explanation().remedy
    }

    /// Returns advice on what to do about the finding, in one or two sentences that name no program.
    pub const fn advice(self) -> &'static str {
        self.explanation().advice
    }

    const fn explanation(self) -> Explanation {
        use Remedy::*;
        let (remedy, [cause, meaning, advice]) = match self {
            Code::RotationWLost => (
                Repair,
                [
                    "MRTK 2.6.0 to 2.7.2 save a single key of w if the recorder's partition size is above 0, which is the default; fixed in 2.7.3.",
                    "Rotations play back wrong after the first key: w keeps its first value while x, y and z change. Positions are correct.",
                    "A repair computes w from x, y and z, and selects the sign of each w.",
                ],
            ),
            Code::RotationWCopiesZ => (
                Repair,
                [
                    "MRTK 2.6.0 to 2.7.2 save the first key of w and a copy of the last key of z if the recorder's partition size is 0; fixed in 2.7.3.",
                    "Rotations play back wrong after the first key: w is interpolated from its first value to a value of z. Positions are correct.",
                    "A repair removes the wrong key, computes w from x, y and z, and selects the sign of each w.",
                ],
            ),
            Code::TailLost => (
                Trim,
                [
                    "In recordings of MRTK 2.6 to 2.8, the samples after the last full partition are missing: by default up to 31 samples, half a second. In recordings of other programs, the stream ended earlier than the others, or the end of the file is missing.",
                    "The last pose of the stream is held until the end, while other streams continue.",
                    "The samples are lost. Trim the recording to the last time that all streams share.",
                ],
            ),
            Code::SignFlip => (
                Repair,
                [
                    "All MRTK releases store rotations as the device delivers them: q and -q are the same rotation, and neighbouring keys can have either sign.",
                    "MRTK and other programs that interpolate the four components separately show a fast spin between such keys. At the keys the rotation is correct.",
                    "A repair changes signs so that neighbouring keys agree. The rotations at the keys stay the same.",
                ],
            ),
            Code::StartLost => (
                Nothing,
                [
                    "In version 1.0, the rolling buffer (30 s by default) had already dropped the first poses when the recording was saved.",
                    "The start of the recording is missing. The rest plays back as recorded.",
                    "The data is lost. Save earlier next time, or disable the rolling buffer.",
                ],
            ),
            Code::FileEmpty => (
                Nothing,
                [
                    "MRTK 2.6 to 2.8 leave an empty file when nothing was recorded.",
                    "The file contains no recording.",
                    "There is no data to recover. Look for another copy, or record again.",
                ],
            ),
            Code::FileTruncated => (
                Recover,
                [
                    "Saving was interrupted, or the file was copied only in part. Zeros at the end are data that was not written to the disk.",
                    "Programs cannot open the file as it is. The data before the damage is intact.",
                    "Recover the intact part of the file.",
                ],
            ),
            Code::ReductionUnchecked => (
                Nothing,
                [
                    "The recorders of all MRTK releases drop samples that linear interpolation can reproduce. They also drop a single sample between two kept ones, without a check.",
                    "The error of a curve can exceed the recorder's threshold.",
                    "Do not rely on the recorder's thresholds. The files that are affected cannot be identified.",
                ],
            ),
            Code::UnknownWrapMode => (
                Nothing,
                [
                    "The file was written by a program other than MRTK, or bytes were changed.",
                    "Before the first and after the last key, programs can differ. Unity probably treats such a mode as Loop.",
                    "No action is needed if the recording plays back as expected. Otherwise set the mode to one that Unity defines.",
                ],
            ),
            Code::UnknownWeightedMode => (
                Nothing,
                [
                    "The file was written by a program other than MRTK, or bytes were changed.",
                    "Between such keys, programs can differ: they use the tangents with or without their weights.",
                    "No action is needed if the recording plays back as expected. Otherwise set the mode to one that Unity defines.",
                ],
            ),
            Code::TimeNotFinite => (
                Repair,
                [
                    "The file was written by a program other than MRTK, a clock returned an invalid time, or bytes were changed.",
                    "A curve with a NaN time cannot be played back. A curve with an infinite time holds its value, or has an infinite duration.",
                    "A repair removes the keys without a finite time.",
                ],
            ),
            Code::ValueNotFinite => (
                Repair,
                [
                    "A device or program returned an invalid value, or bytes were changed.",
                    "Between the neighbouring keys the curve has no finite value, and the object that it moves disappears or jumps.",
                    "A repair removes the keys without a finite value. The curve is then interpolated across them.",
                ],
            ),
            Code::TimesUnsorted => (
                Repair,
                [
                    "The file was written by a program other than MRTK, or the clock was set back.",
                    "Unity sorts the keys on loading and plays them back in order of time. Programs that do not sort play them back wrong.",
                    "A repair sorts the keys.",
                ],
            ),
            Code::TimesEqual => (
                Nothing,
                [
                    "A recorder took two samples at the same time, or a program stored a jump of the value.",
                    "The value jumps at that time: the last of the keys applies from then on.",
                    "No action is needed.",
                ],
            ),
            Code::BooleanValue => (
                Repair,
                [
                    "The file was written by a program other than MRTK.",
                    "A state is on where its value is above 0.5. Programs that compare the value with 1 can show a different state.",
                    "A repair sets the values to 0 or 1. The states do not change.",
                ],
            ),
            Code::FlagByte => (
                Repair,
                [
                    "The file was written by a program other than MRTK, or bytes were changed.",
                    "Any byte except 0 means on. Programs that compare the byte with 1 can read it as off.",
                    "A repair sets the bytes to 1.",
                ],
            ),
            Code::MixedLayout => (
                ChangeLayout,
                [
                    "No known program writes this layout. Without a marker list, it can be an MRTK file that was truncated exactly before its markers.",
                    "MRTK cannot load the file as it is.",
                    "Write it in the layout MRTK 1.1 to load it with MRTK.",
                ],
            ),
            Code::StreamEmpty => (
                Nothing,
                [
                    "Recording of the stream was enabled, but the device delivered no data.",
                    "The stream has no data to play back. Curves without keys evaluate to 0.",
                    "No action is needed.",
                ],
            ),
            Code::GazeZero => (
                DropStream,
                [
                    "Recording of gaze was enabled, but the device delivered no data: no eye tracking, no permission or no calibration.",
                    "The gaze plays back as a ray without direction at the origin. It is not a measurement.",
                    "The data does not exist. Exclude the gaze from every evaluation, or drop the stream.",
                ],
            ),
            Code::KeyCountsDiffer => (
                Sample,
                [
                    "Programs that reduce each curve separately write such files.",
                    "Each curve plays back separately, as in Unity. Programs that read key by key mix up the components.",
                    "No action is needed. For programs that need all components at the same times, sample the recording.",
                ],
            ),
            Code::CurvesMissing => (
                DropStream,
                [
                    "The file was damaged: a recovery keeps the intact curves of a pose and leaves the others empty. Or another program wrote only some components.",
                    "A curve without keys evaluates to 0. The pose is at a wrong place or has a wrong rotation.",
                    "The missing curves are not in the file. Exclude the pose from every evaluation.",
                ],
            ),
            Code::NegativeTime => (
                Shift,
                [
                    "The recorder of version 1.0 keeps one key before the start, or an edit moved keys there.",
                    "Playback starts at 0. The part before 0 is not played back.",
                    "No action is needed. To start playback at the first key, shift all times.",
                ],
            ),
            Code::MarkerOutside => (
                EditMarkers,
                [
                    "A marker was set before the first or after the last sample, or the recording was trimmed without its markers.",
                    "Playback never reaches the marker.",
                    "No action is needed, or move or remove the marker.",
                ],
            ),
            Code::MarkersUnsorted => (
                Repair,
                [
                    "A program appended markers to the list. MRTK does not sort them.",
                    "Programs that expect an order can skip markers.",
                    "A repair sorts the markers. Markers at the same time keep their order.",
                ],
            ),
            Code::RotationNotUnit => (
                Repair,
                [
                    "The file was written by a program other than MRTK, or bytes were changed.",
                    "Programs that normalise rotations are not affected. Others shear or scale the object.",
                    "A repair scales the rotations to length 1.",
                ],
            ),
            Code::JointsMissing => (
                Nothing,
                [
                    "The recorder stored the states of a hand, but the device or program delivered no joints.",
                    "The hand is shown at the origin, or not at all.",
                    "The joints are not in the file and cannot be recovered.",
                ],
            ),
            Code::RotationZero => (
                Repair,
                [
                    "A device or program delivered a position without a rotation for a joint.",
                    "Four zeros are not a rotation: some programs show no rotation, others scale the joint to zero or compute NaN.",
                    "A repair removes these keys. The rotation is then interpolated across them.",
                ],
            ),
            Code::MovesUntracked => (
                FillGaps,
                [
                    "The file was recorded by a program other than MRTK: MRTK does not record joints of a hand that is not tracked. The poses are estimates of the device, or the states are wrong.",
                    "MRTK hides the hand during that time. Programs that ignore the state `tracked` show it moving.",
                    "Drop the keys between the times in which the hand is tracked. If the hand was visible, correct its states.",
                ],
            ),
            Code::GapInterpolated => (
                FillGaps,
                [
                    "The device lost the hand and found it again. Recorders store no keys in between.",
                    "MRTK hides the hand during that time. Programs that ignore the state `tracked` show it gliding between the two poses.",
                    "No action is needed. For programs that ignore `tracked`, fill the gaps: hold the last pose, or interpolate across short gaps.",
                ],
            ),
            Code::BoneJump => (
                Inspect,
                [
                    "The device's tracking failed for a moment, or two recordings were joined.",
                    "A joint is displaced by centimetres for a moment, and the hand looks deformed.",
                    "The file contains the data of the device, and the correct poses are unknown. Play back these times, and exclude them from measurements if necessary.",
                ],
            ),
            Code::SamplingGap => (
                Nothing,
                [
                    "The application stalled, or the device was busy: recorders skip such frames.",
                    "All streams are interpolated across the pause. The motion during the pause is missing.",
                    "The data is lost. Exclude these times from measurements of speed.",
                ],
            ),
            Code::RateIrregular => (
                Sample,
                [
                    "The frame rate of the application was irregular, or recordings with different rates were joined.",
                    "The recording plays back at the right speed. Programs that count frames instead of reading times play it back unevenly.",
                    "Use the times of the keys, or sample the recording at a steady rate.",
                ],
            ),
            Code::NoKeys => (
                Nothing,
                [
                    "The recorder was stopped before its first sample, or recording was disabled for all streams.",
                    "The duration is 0, and there is no motion to play back.",
                    "The recording contains no data. Record it again.",
                ],
            ),
            Code::NothingTracked => (
                Nothing,
                [
                    "The device had lost the hands for the complete recording, or hand tracking was switched off.",
                    "MRTK hides both hands, and there is no other motion to play back.",
                    "The recording contains no motion. Check the tracking of the device, and record it again.",
                ],
            ),
            Code::ZerosAmongValues => (
                ForgetZeros,
                [
                    "Some trackers write the position (0, 0, 0) while they have lost an object. Some programs begin with zeros.",
                    "The object jumps to the origin and back. Paths, speeds and distances contain these jumps.",
                    "If the zeros mean that the tracker lost the object, make them unknown. Positions that were really zero become unknown, too.",
                ],
            ),
            Code::ImplausibleUnits => (
                Transform,
                [
                    "The program that wrote the file used another unit, such as centimetres, or different origins for the head and the hands.",
                    "The hands are too large or too small, or out of sight.",
                    "Find out the unit and the origin of that program, and scale or move the recording.",
                ],
            ),
        };
        Explanation {
            cause,
            meaning,
            remedy,
            advice,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn explanations_are_sentences_that_do_not_name_the_program() {
        for &code in Code::ALL {
            for text in [code.cause(), code.meaning(), code.advice()] {
                let is_sentence = text.ends_with('.') && !text.contains("  ");
                assert!(is_sentence && !text.contains("inputanim"), "{code}: {text}");
            }
            let repairs = code.advice().starts_with("A repair");
            assert_eq!(repairs, code.remedy() == Remedy::Repair, "{code}");
        }
    }
}
