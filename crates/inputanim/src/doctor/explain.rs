//! What each finding means to those who have the file, and what they can do.

use std::fmt;

use super::code::Code;

/// What `inputanim repair` can do about a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Remedy {
    /// It mends it.
    Repair,
    /// What is lost cannot be brought back; with `--trim-frozen` it cuts off what follows.
    Trim,
    /// Nothing: it is lost, or nothing needs to be done, or something else has to do it.
    Nothing,
}

impl Remedy {
    /// `repair`, `trim` or `nothing`.
    pub const fn name(self) -> &'static str {
        match self {
            Remedy::Repair => "repair",
            Remedy::Trim => "trim",
            Remedy::Nothing => "nothing",
        }
    }
}

impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// All that is to be said of a code.
struct Explanation {
    cause: &'static str,
    meaning: &'static str,
    remedy: Remedy,
    advice: &'static str,
}

impl Code {
    /// Where it comes from: who writes such files, and why.
    pub const fn cause(self) -> &'static str {
        self.explanation().cause
    }

    /// What it means when the recording is played, in one to three sentences.
    pub const fn meaning(self) -> &'static str {
        self.explanation().meaning
    }

    /// Whether it can be repaired.
    pub const fn remedy(self) -> Remedy {
        self.explanation().remedy
    }

    /// What to run or to do, in one sentence.
    pub const fn advice(self) -> &'static str {
        self.explanation().advice
    }

    const fn explanation(self) -> Explanation {
        use Remedy::{Nothing, Repair, Trim};
        let (remedy, [cause, meaning, advice]) = match self {
            Code::RotationWLost => (
                Repair,
                [
                    "MRTK 2.6.0 to 2.7.2 save a single key of w if the recorder's partition size is above 0, as it is by default; fixed in 2.7.3.",
                    "Rotations play wrong from the second key on: w keeps its first value while x, y and z go on. Positions are right.",
                    "`inputanim repair` works w out from x, y and z, and finds its signs.",
                ],
            ),
            Code::RotationWFalse => (
                Repair,
                [
                    "MRTK 2.6.0 to 2.7.2 save the first key of w and a copy of z's last if the recorder's partition size is 0; fixed in 2.7.3.",
                    "Rotations play wrong from the second key on: w slides from its first value to one of z. Positions are right.",
                    "`inputanim repair` takes the false key out, works w out from x, y and z, and finds its signs.",
                ],
            ),
            Code::TailLost => (
                Trim,
                [
                    "MRTK 2.6 to 2.8 do not save the samples after the last full partition: up to 31, half a second, by default.",
                    "The stream stands still from there to the end, while others go on.",
                    "The samples are lost: `inputanim repair --trim-frozen` cuts the recording off where they stop.",
                ],
            ),
            Code::HemisphereFlip => (
                Repair,
                [
                    "Every release stores rotations as the device gives them: q and -q are one rotation, and neighbours may have either sign.",
                    "The toolkit and others that play the four numbers one by one whirl through zero for one interval. At the keys themselves the rotations are right.",
                    "`inputanim repair` changes signs so that neighbours agree: the same rotations without the whirl.",
                ],
            ),
            Code::HeadLost => (
                Nothing,
                [
                    "Version 1.0, saved late: the rolling buffer, 30 s by default, had already let go of the first poses.",
                    "The start of the take is gone; what is there plays as recorded.",
                    "It is lost: next time save sooner, or switch the rolling buffer off.",
                ],
            ),
            Code::FileEmpty => (
                Nothing,
                [
                    "MRTK 2.6 to 2.8 leave such a file when nothing was recorded.",
                    "There is nothing to play.",
                    "Nothing can be recovered: look for another copy, or record again.",
                ],
            ),
            Code::FileCut => (
                Nothing,
                [
                    "Saving was interrupted, or the file was copied in part; zeros at the end are what never reached the disk.",
                    "The file does not open as it is. What comes before the cut is intact.",
                    "`inputanim recover` keeps what is whole and names what is missing.",
                ],
            ),
            Code::ReductionUnchecked => (
                Nothing,
                [
                    "The recorders of all releases leave out samples that a straight line explains, and a lone sample between two kept ones without looking at it.",
                    "A curve may be further from what was recorded than the recorder's threshold.",
                    "Do not rely on the recorder's thresholds: which files are affected cannot be told.",
                ],
            ),
            Code::UnknownWrapMode => (
                Nothing,
                [
                    "Another program than the toolkit wrote the file, or bytes were changed.",
                    "Before the first and after the last key programs may differ: Unity likely takes such a mode as Loop.",
                    "Nothing needs to be done if it plays well; else set the mode in lossless JSON (`inputanim convert`).",
                ],
            ),
            Code::UnknownWeightedMode => (
                Nothing,
                [
                    "Another program than the toolkit wrote the file, or bytes were changed.",
                    "Between such keys programs may differ: tangents may be taken with their weights or without.",
                    "Nothing needs to be done if it plays well; else set the mode in lossless JSON (`inputanim convert`).",
                ],
            ),
            Code::TimeNotFinite => (
                Repair,
                [
                    "Another program than the toolkit wrote the file, a clock gave no number, or bytes were changed.",
                    "A time that is not a number keeps its curve from being played at all; an infinite one makes the curve hold or stretch without end.",
                    "`inputanim repair` takes out the keys without a time.",
                ],
            ),
            Code::ValueNotFinite => (
                Repair,
                [
                    "A device or program gave no number for a moment, or bytes were changed.",
                    "From the key before to the key after, the curve gives no number, and what hangs on it vanishes or jumps.",
                    "`inputanim repair` takes out the keys without a number, so that the line goes on across them.",
                ],
            ),
            Code::TimesUnsorted => (
                Repair,
                [
                    "Another program than the toolkit wrote the file, or the clock was set back.",
                    "Unity sorts the keys on loading and plays them in order of time; programs that do not sort play them wrong.",
                    "`inputanim repair` sorts them.",
                ],
            ),
            Code::TimesEqual => (
                Nothing,
                [
                    "A recorder took two samples at one time, or a program meant the value to jump there.",
                    "The value jumps at that time: the last of the keys counts from then on.",
                    "Nothing needs to be done.",
                ],
            ),
            Code::BooleanValue => (
                Repair,
                [
                    "Another program than the toolkit wrote the file.",
                    "A state is on where its value is above 0.5, and plays so; programs that ask for exactly 1 differ.",
                    "`inputanim repair` makes them the 0 or 1 that they are played as.",
                ],
            ),
            Code::FlagByte => (
                Repair,
                [
                    "Another program than the toolkit wrote the file, or bytes were changed.",
                    "Any byte but 0 means on, and plays so; programs that ask for exactly 1 differ.",
                    "`inputanim repair` makes them 1.",
                ],
            ),
            Code::MixedLayout => (
                Nothing,
                [
                    "No known program writes this layout; without a list it may be an MRTK file that was cut exactly before its markers.",
                    "This program plays it; the toolkit does not load it as it is.",
                    "`inputanim convert --layout mrtk-1.1` makes a file that the toolkit loads.",
                ],
            ),
            Code::StreamEmpty => (
                Nothing,
                [
                    "The recorder was told to record it, but the device delivered nothing.",
                    "Nothing of it plays; curves without keys are 0.",
                    "Nothing needs to be done.",
                ],
            ),
            Code::GazeZero => (
                Nothing,
                [
                    "The recorder was told to record gaze, but the device delivered none: no eye tracking, no permission or no calibration.",
                    "The gaze plays as a ray of no direction at the origin: it is no measurement.",
                    "Nothing can be brought back: leave the gaze out of every evaluation, or take it out with `inputanim select`.",
                ],
            ),
            Code::KeyCountsDiffer => (
                Nothing,
                [
                    "Programs that reduce each curve by itself write this; `recover` leaves it where only some curves were whole.",
                    "Each curve plays by itself, as in Unity; one without keys is 0. Programs that read key by key mix up the components.",
                    "Nothing needs to be done, but `inputanim sample` gives all components at the same times.",
                ],
            ),
            Code::NegativeTime => (
                Nothing,
                [
                    "The recorder of version 1.0 keeps a key before its cut; an edit may also have moved keys there.",
                    "Playback starts at 0, inside the take: what comes before is not seen.",
                    "Nothing needs to be done, or `inputanim shift` moves the start to 0.",
                ],
            ),
            Code::MarkerOutside => (
                Nothing,
                [
                    "A marker was set before the first or after the last sample, or the recording was cut without its markers.",
                    "Playback never arrives at it.",
                    "Nothing needs to be done, or `inputanim markers` moves it or takes it out.",
                ],
            ),
            Code::MarkersUnsorted => (
                Repair,
                [
                    "A program added markers at the end of the list; the toolkit does not sort them.",
                    "Nothing changes for programs that look at all of them; those that expect an order may pass some over.",
                    "`inputanim repair` sorts them; those at one time keep their order.",
                ],
            ),
            Code::RotationNotUnit => (
                Repair,
                [
                    "Another program than the toolkit wrote the file, or bytes were changed.",
                    "Programs that normalise show a rotation all the same; others shear or scale what they show.",
                    "`inputanim repair` scales them to length 1.",
                ],
            ),
            Code::JointsMissing => (
                Nothing,
                [
                    "The recorder noted the states of a hand, but the device or the program gave it no joints.",
                    "The hand shows at the origin, or not at all.",
                    "The joints are not in the file: nothing can bring them back.",
                ],
            ),
            Code::RotationZero => (
                Repair,
                [
                    "A device or program gave a joint a position and no rotation for a moment.",
                    "Four zeros are no rotation: some programs show none, others shrink the joint to nothing or give no number.",
                    "`inputanim repair` takes these keys out, so that the rotation goes on across them.",
                ],
            ),
            Code::MovesUntracked => (
                Nothing,
                [
                    "Another recorder than the toolkit's, which records no joints then: it kept what a device guessed, or its states are wrong.",
                    "The toolkit and this program hide the hand for that time; programs that pass over `tracked` show it moving.",
                    "`inputanim fill --with drop` takes the keys out between two times in which the hand is tracked; if it was seen after all, mend its states.",
                ],
            ),
            Code::GapCrossed => (
                Nothing,
                [
                    "Every recording in which a hand was lost and found has it: nothing is recorded in between.",
                    "The toolkit and this program hide the hand for that time; programs that pass over `tracked` show it gliding from where it was lost to where it was found.",
                    "Nothing needs to be done; for programs that pass over `tracked`, `inputanim fill --with drop` lets the joints stand still, and `--with interpolate` closes short gaps.",
                ],
            ),
            Code::BoneJump => (
                Nothing,
                [
                    "The device's tracking slipped for a moment, or two takes were joined.",
                    "A joint lies some centimetres beside its place for a moment, so that the hand is torn.",
                    "It is as recorded: look at it with `inputanim play`, and leave these times out where it matters.",
                ],
            ),
            Code::SamplingGap => (
                Nothing,
                [
                    "The application stood still, or the device was busy: frames are skipped, and none are made up.",
                    "Everything moves in straight lines from one end of the pause to the other, and what happened meanwhile is not there.",
                    "It is lost: leave these times out where speeds matter.",
                ],
            ),
            Code::RateIrregular => (
                Nothing,
                [
                    "The application's frames came at an uneven rate, or takes of different rates were joined.",
                    "It plays at the right speed; programs that count frames instead of reading times play it unevenly.",
                    "Use the times of the keys, or `inputanim sample --rate` for samples at a steady rate.",
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
    fn what_is_said_of_a_code_is_whole_sentences() {
        for &code in Code::ALL {
            for text in [code.cause(), code.meaning(), code.advice()] {
                assert!(
                    text.ends_with('.') && !text.contains("  "),
                    "{code}: {text}"
                );
            }
            // What is there to be run is named where there is anything.
            let repairs = code.advice().contains("`inputanim repair");
            assert_eq!(repairs, code.remedy() != Remedy::Nothing, "{code}");
        }
    }
}
