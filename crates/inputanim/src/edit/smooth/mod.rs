//! Less noise in poses.

mod filter;

use std::cmp::Ordering;

use glam::{DQuat, DVec3};

use crate::curve::{FloatCurve, Keys};
use crate::joint::{Joint, Side};
use crate::key::FullKey;
use crate::recording::Recording;
use crate::span::Span;
use crate::summary::Summary;
use crate::vector::{VectorKind, VectorPath, share_times};

use super::{EditError, Piece, tracking};
use filter::{Direction, OneEuro, Signal};

/// How poses are smoothed: the parameters of the One Euro filter (Casiez, Roussel and Vogel, CHI
/// 2012), a low-pass that lets more through the faster something moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Smoothing {
    /// The cutoff at rest, in Hz. Less is smoother, and slower to follow a slow movement; infinite
    /// changes nothing.
    pub min_cutoff: f64,
    /// By how many Hz the cutoff of positions rises for each metre per second. More follows fast
    /// movements closer, and leaves more noise in them.
    pub beta: f64,
    /// By how many Hz the cutoff of rotations and of the gaze's direction rises for each radian
    /// per second.
    pub rotation_beta: f64,
    /// The cutoff of the speed itself, in Hz.
    pub derivative_cutoff: f64,
}

impl Default for Smoothing {
    /// For hands at about 60 keys a second. Chosen on generated motion with 1 mm and 0.5° of noise
    /// on each axis, where these betas give the truest velocities; slow joints are off by two
    /// fifths less than they were, and those faster than 0.5 m/s by 5 mm instead of 2, since what
    /// is smoothed is late (docs/commands.md).
    fn default() -> Self {
        Smoothing {
            min_cutoff: 1.0,
            beta: 80.0,
            rotation_beta: 8.0,
            derivative_cutoff: 1.0,
        }
    }
}

/// Smooths the poses that `which` says, by a filter that knows only what came before: what comes
/// out is less noisy and a little late. Keys keep their times and their number; the first key of
/// all and the first after a time in which a hand was not tracked stay as they are, and nothing
/// reaches over such a time. So do keys behind a jump, which is two keys at one time.
///
/// Rotations and the gaze's direction come out with length 1; a rotation keeps the sign that
/// it was recorded with. Left alone are the entry None, what is not tracked, and keys that are
/// not finite, or rotations and directions of length 0, behind which the filter starts anew.
/// Whatever does not change stays byte for byte.
///
/// ```
/// use inputanim::{Layout, Pose, Recording, edit::{self, Smoothing}};
/// let mut take = Recording::new(Layout::Mrtk1_1);
/// for (step, height) in [1.600, 1.602, 1.599, 1.601].into_iter().enumerate() {
///     take.camera_mut().push(step as f32 / 60.0, &Pose::at([0.0, height, 0.0]));
/// }
/// edit::smooth(&mut take, &Smoothing::default(), |_| true)?;
/// let height = &take.camera.unwrap().position[1].keys;
/// assert!(height.points().all(|(_, height)| (height - 1.6).abs() < 0.001));
/// # Ok::<(), edit::EditError>(())
/// ```
///
/// # Errors
/// When a parameter is not in its range, or curves of a vector have their keys at different times
/// or are not straight lines.
pub fn smooth(
    recording: &mut Recording<'_>,
    with: &Smoothing,
    which: impl Fn(Piece) -> bool,
) -> Result<(), EditError> {
    with.check()?;
    let is_meant = |path: VectorPath| {
        let mut pieces = path.curves().map(Piece::from);
        !matches!(path, VectorPath::Joint(_, Joint::None, _)) && pieces.any(&which)
    };
    for (path, curves) in recording.vectors_mut() {
        if is_meant(path) {
            check(path, curves)?;
        }
    }
    let summary = Summary::of(recording);
    let tracked = Side::BOTH.map(|side| tracking::spans(&summary, side));
    for (path, curves) in recording.vectors_mut() {
        if !is_meant(path) {
            continue;
        }
        let is_joined = |from: f32, to: f32| match path {
            VectorPath::Joint(side, ..) => {
                let way = Span {
                    start: from,
                    end: to,
                };
                way.is_in(&tracked[side as usize])
            }
            VectorPath::Camera(_) | VectorPath::Gaze(_) => true,
        };
        match path.kind() {
            VectorKind::Position => run::<DVec3>(curves, with, with.beta, is_joined),
            VectorKind::Rotation => run::<DQuat>(curves, with, with.rotation_beta, is_joined),
            VectorKind::Direction => run::<Direction>(curves, with, with.rotation_beta, is_joined),
        }
    }
    Ok(())
}

impl Smoothing {
    fn check(&self) -> Result<(), EditError> {
        let cutoffs = [
            ("the minimum cutoff", self.min_cutoff),
            ("the cutoff of the derivative", self.derivative_cutoff),
        ];
        for (what, value) in cutoffs {
            if value.is_nan() || value <= 0.0 {
                let expected = "above 0 Hz";
                return Err(EditError::Number {
                    what,
                    value,
                    expected,
                });
            }
        }
        for (what, value) in [
            ("beta", self.beta),
            ("beta of rotations", self.rotation_beta),
        ] {
            if !(value >= 0.0 && value.is_finite()) {
                let expected = "0 or more, and finite";
                return Err(EditError::Number {
                    what,
                    value,
                    expected,
                });
            }
        }
        Ok(())
    }
}

/// Whether the keys alone say what plays: they are joined by straight lines, and all components
/// have theirs at the same times.
fn check(path: VectorPath, curves: &[FloatCurve<'_>]) -> Result<(), EditError> {
    for (curve, keys) in path.curves().zip(curves.iter().map(|curve| &curve.keys)) {
        let is_straight = match keys {
            Keys::Full(keys) => keys.len() < 2 || keys.iter().all(FullKey::is_linear),
            Keys::Simple(_) => true,
        };
        if !is_straight {
            return Err(EditError::HasTangents { curve });
        }
    }
    if share_times(curves) {
        return Ok(());
    }
    let times = |curve: &FloatCurve<'_>| -> Vec<u32> {
        let times = curve.keys.points().map(|(time, _)| time.to_bits());
        times.collect()
    };
    let differs = |curve: &&FloatCurve<'_>| times(curve) != times(&curves[0]);
    let mut pairs = path.curves().zip(curves);
    match pairs.find(|(_, curve)| differs(curve)) {
        Some((curve, _)) => Err(EditError::TimesDiffer { curve }),
        None => Ok(()),
    }
}

/// Filters one vector. Keys belong together where they are joined: from the time of one to that of
/// the next.
fn run<S: Signal>(
    curves: &mut [FloatCurve<'_>],
    with: &Smoothing,
    beta: f64,
    is_joined: impl Fn(f32, f32) -> bool,
) {
    let mut filter: Option<(f32, OneEuro<S>)> = None;
    for (key, time) in in_order(&curves[0]) {
        let mut numbers = [0.0; 4];
        for (number, curve) in numbers.iter_mut().zip(curves.iter()) {
            *number = curve
                .keys
                .point(key)
                .map_or(f64::NAN, |(_, value)| value.into());
        }
        let Some(raw) = S::read(&numbers) else {
            filter = None;
            continue;
        };
        let next = filter.as_mut().and_then(|(before, filter)| {
            let seconds = f64::from(time) - f64::from(*before);
            let is_joined = is_joined(*before, time);
            *before = time;
            is_joined.then(|| filter.next(raw, seconds, with, beta))?
        });
        match next {
            None => filter = Some((time, OneEuro::new(raw))),
            Some(value) if value == raw => {}
            Some(value) => write(curves, key, value.numbers()),
        }
    }
}

/// The keys with a finite time in order, equal times in file order.
fn in_order(curve: &FloatCurve<'_>) -> Vec<(usize, f32)> {
    let keys = curve.keys.points().map(|(time, _)| time).enumerate();
    let mut keys: Vec<(usize, f32)> = keys.filter(|(_, time)| time.is_finite()).collect();
    // -0 is equal to 0: not `total_cmp`.
    keys.sort_by(|a, b| a.1.partial_cmp(&b.1).unwrap_or(Ordering::Equal));
    keys
}

fn write(curves: &mut [FloatCurve<'_>], key: usize, numbers: [f64; 4]) {
    for (curve, number) in curves.iter_mut().zip(numbers) {
        let number = number as f32;
        match curve.keys.point(key) {
            Some((_, value)) if value != number => curve.keys.set_value(key, number),
            _ => {}
        }
    }
}
