//! What did not come through, and what should be known.

use std::fmt;

use inputanim::{Curve, Recording, WrapMode};

/// What glTF could not hold, and what else is to be known of the file.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// What did not come through; empty where nothing was lost.
    pub losses: Vec<Loss>,
    /// What is another in glTF by its nature.
    pub notes: Vec<Note>,
}

/// Something that did not come through.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Loss {
    /// Curves that start over before their first or after their last key: here they hold their ends.
    WrapModes {
        /// How many.
        curves: u64,
    },
    /// Keys whose time or value is no finite number: they are left out.
    NotFinite {
        /// How many.
        keys: u64,
    },
    /// Vectors and rotations with weights, or with tangents that glTF cannot have: straight lines
    /// stand in for them.
    Sampled {
        /// How many.
        vectors: u64,
        /// How many lines a second.
        rate: f64,
    },
}

/// Something that is another in glTF by its nature.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Note {
    /// Keys before 0, where no animation can be: the clock is put forward.
    Shifted {
        /// By how many seconds.
        seconds: f32,
    },
    /// Rotations that take the shorter turn, where the toolkit whirls (D4).
    Whirls {
        /// Between how many keys.
        keys: u64,
    },
    /// Rotations made length 1.
    Lengths {
        /// Keys whose length was not.
        keys: u64,
    },
}

/// What is found on the way.
#[derive(Debug, Default)]
pub(super) struct Told {
    /// How often a second straight lines are made of what has no form in glTF.
    pub(super) rate: f64,
    /// By how much the clock is put forward.
    pub(super) shifted: f32,
    pub(super) left_out: u64,
    pub(super) sampled: u64,
    pub(super) whirls: u64,
    pub(super) lengths: u64,
}

impl Told {
    pub(super) fn report(&self, recording: &Recording<'_>) -> Report {
        let mut report = Report::default();
        let holds = |mode| [WrapMode::ONCE, WrapMode::CLAMP_FOREVER].contains(&mode);
        let starts_over = |curve: &Curve<'_, '_>| {
            let (pre, post) = curve.wrap();
            curve.len() > 1 && !(holds(pre) && holds(post))
        };
        let curves = recording.curves().map(|(_, curve)| curve);
        let curves = curves.filter(starts_over).count() as u64;
        if curves > 0 {
            report.losses.push(Loss::WrapModes { curves });
        }
        if self.left_out > 0 {
            let keys = self.left_out;
            report.losses.push(Loss::NotFinite { keys });
        }
        if self.sampled > 0 {
            report.losses.push(Loss::Sampled {
                vectors: self.sampled,
                rate: self.rate,
            });
        }
        if self.shifted > 0.0 {
            let seconds = self.shifted;
            report.notes.push(Note::Shifted { seconds });
        }
        if self.whirls > 0 {
            let keys = self.whirls;
            report.notes.push(Note::Whirls { keys });
        }
        if self.lengths > 0 {
            let keys = self.lengths;
            report.notes.push(Note::Lengths { keys });
        }
        report
    }
}

/// A number with what it counts.
struct Count(u64, &'static str);

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Count(number, thing) = self;
        let end = if *number == 1 { "" } else { "s" };
        write!(f, "{number} {thing}{end}")
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Loss::WrapModes { curves } => write!(
                f,
                "the wrap modes of {}, which start over and here hold their ends",
                Count(curves, "curve")
            ),
            Loss::NotFinite { keys } => {
                write!(f, "{} without a finite time and value", Count(keys, "key"))
            }
            Loss::Sampled { vectors, rate } => write!(
                f,
                "the weights and tangents of {}: lines at {rate} Hz stand in for them",
                Count(vectors, "position or rotation").plural("positions and rotations")
            ),
        }
    }
}

impl Count {
    /// With another word for many.
    fn plural(self, things: &'static str) -> String {
        match self.0 {
            1 => self.to_string(),
            number => format!("{number} {things}"),
        }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Note::Shifted { seconds } => write!(
                f,
                "the first key is at {} s, where no animation can be: all is {seconds} s later",
                -seconds
            ),
            Note::Whirls { keys } => write!(
                f,
                "where the toolkit whirls, between {} and the next, rotations take the shorter turn",
                Count(keys, "key")
            ),
            Note::Lengths { keys } => write!(
                f,
                "the rotations of {} are made length 1",
                Count(keys, "key")
            ),
        }
    }
}
