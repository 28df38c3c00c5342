//! Rows of what played, as frames.

use arrow_array::Array;
use inputanim::{CurvePath, Frame, Joint, Pose, PoseChannel, RayChannel, Side};

use super::cells;
use super::schema::RECORDING;
use crate::frames::Mapping;
use crate::frames::line;
use crate::frames::{MARKER, TIME_S};
use crate::tables::error::shown;
use crate::tables::keys::{CURVES, place_of};
use crate::tables::take::{Take, refuse_passed_over};
use crate::tables::{Error, Place, ReadOptions};

/// Which columns of a table mean what.
pub(super) struct Heads {
    time: (usize, f64),
    marker: Option<usize>,
    /// Where curves stand in the table, and what their numbers are multiplied with.
    curves: Vec<(CurvePath, usize, f64)>,
    /// The poses and rays that there are columns of.
    camera: bool,
    hands: [Vec<Joint>; 2],
    gaze: bool,
    /// The poses that have no columns of a rotation.
    not_turned: Vec<[CurvePath; 7]>,
    /// Whether this library wrote the table: what is not finite may have become null since.
    is_ours: bool,
}

impl Heads {
    pub(super) fn new(
        names: &[&str],
        is_ours: bool,
        options: &ReadOptions,
    ) -> Result<Heads, Error> {
        let mut heads = Heads {
            time: (0, 1.0),
            marker: None,
            curves: Vec::new(),
            camera: false,
            hands: [Vec::new(), Vec::new()],
            gaze: false,
            not_turned: Vec::new(),
            is_ours,
        };
        let mut time = None;
        let mut passed = Vec::new();
        for (index, name) in names.iter().enumerate() {
            for (column, factor) in Mapping::targets(&options.mappings, name) {
                let before = match (column, column.parse::<CurvePath>()) {
                    (TIME_S, _) => time.replace((index, factor)).is_some(),
                    (MARKER, _) => heads.marker.replace(index).is_some(),
                    (_, Ok(path)) => heads.add(path, index, factor),
                    (RECORDING, _) => false,
                    (_, Err(_)) => {
                        passed.push(shown(column));
                        false
                    }
                };
                if before {
                    return Err(Error::Twice(column.to_owned()));
                }
            }
        }
        for mapping in &options.mappings {
            if !names.contains(&mapping.source.as_str()) {
                return Err(Error::NoSource {
                    column: mapping.column.clone(),
                    source_column: mapping.source.clone(),
                    found: list(names),
                });
            }
        }
        let Some(time) = time else {
            return Err(match line::time_of(names.iter().copied()) {
                Some(like) => Error::NoTime {
                    like: like.to_owned(),
                },
                None => Error::Columns { found: list(names) },
            });
        };
        heads.time = time;
        if let (Some(unknown), false) = (passed.first(), options.ignores_unknown()) {
            return Err(Error::Unknown(unknown.clone()));
        }
        if heads.curves.is_empty() && heads.marker.is_none() {
            refuse_passed_over(&passed)?;
        }
        heads.check()?;
        Ok(heads)
    }

    /// Makes sure that poses and rays have all of their columns, but for rotations.
    fn check(&mut self) -> Result<(), Error> {
        let has = |path: &CurvePath| self.curves.iter().any(|(other, ..)| other == path);
        let mut poses = Vec::new();
        poses.extend(self.camera.then(|| PoseChannel::ALL.map(CurvePath::Camera)));
        for side in Side::BOTH {
            let joints = self.hands[side as usize].iter();
            poses.extend(joints.map(|&joint| {
                PoseChannel::ALL.map(|channel| CurvePath::Joint(side, joint, channel))
            }));
        }
        let (not_turned, whole): (Vec<_>, Vec<_>) = poses
            .into_iter()
            .partition(|[.., x, y, z, w]| ![x, y, z, w].into_iter().any(has));
        let of_positions = not_turned.iter().flat_map(|[x, y, z, ..]| [*x, *y, *z]);
        let of_rays = self.gaze.then(|| RayChannel::ALL.map(CurvePath::Gaze));
        let mut expected = (whole.iter().flatten().copied())
            .chain(of_positions)
            .chain(of_rays.into_iter().flatten());
        match expected.find(|path| !has(path)) {
            Some(missing) => Err(Error::NoColumn(missing.to_string())),
            None => {
                self.not_turned = not_turned;
                Ok(())
            }
        }
    }

    /// The names of poses that have no columns of a rotation.
    pub(super) fn not_turned(&self) -> Vec<String> {
        let firsts = self.not_turned.iter().map(|[first, ..]| *first);
        firsts.map(line::pose_of).collect()
    }

    /// Adds the column of a curve, and tells whether there was one before.
    fn add(&mut self, path: CurvePath, index: usize, factor: f64) -> bool {
        let is_twice = self.curves.iter().any(|(other, ..)| *other == path);
        self.curves.push((path, index, factor));
        match path {
            CurvePath::Camera(_) => self.camera = true,
            CurvePath::Gaze(_) => self.gaze = true,
            CurvePath::Joint(side, joint, _) => {
                let joints = &mut self.hands[side as usize];
                if !joints.contains(&joint) {
                    joints.push(joint);
                }
            }
            CurvePath::Tracked(_) | CurvePath::Pinching(_) => {}
        }
        is_twice
    }

    /// Whether a column holds text, and not numbers.
    pub(super) fn is_text(&self, index: usize) -> bool {
        self.marker == Some(index)
    }

    /// Whether a column of the table is read.
    pub(super) fn has(&self, index: usize) -> bool {
        self.time.0 == index
            || self.marker == Some(index)
            || self.curves.iter().any(|(_, column, _)| *column == index)
    }
}

fn list(names: &[&str]) -> String {
    shown(&names.join(", "))
}

/// The rows of a batch.
pub(super) struct Rows<'r> {
    heads: &'r Heads,
    times: Vec<Option<f64>>,
    markers: Option<Vec<Option<&'r str>>>,
    /// By the places of curves.
    numbers: Vec<Option<Vec<Option<f32>>>>,
}

impl<'r> Rows<'r> {
    /// The columns that are read, by where they stand in the table.
    pub(super) fn new(
        heads: &'r Heads,
        column: impl Fn(usize) -> Option<(&'r str, &'r dyn Array)>,
    ) -> Result<Rows<'r>, Error> {
        let missing = || Error::Columns {
            found: String::new(),
        };
        let (index, factor) = heads.time;
        let (name, array) = column(index).ok_or_else(missing)?;
        let times = cells::doubles(name, array)?.into_iter();
        let mut rows = Rows {
            heads,
            times: times.map(|time| time.map(|time| time * factor)).collect(),
            markers: None,
            numbers: vec![None; CURVES],
        };
        if let Some((name, array)) = heads.marker.and_then(&column) {
            rows.markers = Some(cells::texts(name, array)?);
        }
        for &(path, index, factor) in &heads.curves {
            let (name, array) = column(index).ok_or_else(missing)?;
            let mut numbers = cells::floats(name, array)?;
            if factor != 1.0 {
                let doubles = cells::doubles(name, array)?.into_iter();
                let scaled = doubles.map(|number| number.map(|n| (n * factor) as f32));
                numbers = scaled.collect();
            }
            rows.numbers[place_of(path)] = Some(numbers);
        }
        for [x, _, _, rotation @ ..] in &heads.not_turned {
            let known = rows.numbers[place_of(*x)].clone().unwrap_or_default();
            for (path, number) in rotation.iter().zip(line::NOT_TURNED) {
                let numbers = known.iter().map(|known| known.map(|_| number));
                rows.numbers[place_of(*path)] = Some(numbers.collect());
            }
        }
        Ok(rows)
    }

    /// The time of a row, as exact as it is there.
    pub(super) fn time(&self, place: Place, row: usize) -> Result<f64, Error> {
        self.times[row].ok_or_else(|| Error::Missing {
            place,
            column: TIME_S.to_owned(),
        })
    }

    /// Records a row at a time.
    pub(super) fn push(
        &self,
        take: &mut Take<'_>,
        place: Place,
        row: usize,
        time: f32,
    ) -> Result<(), Error> {
        let marker = self.markers.as_ref().and_then(|markers| markers[row]);
        let marker = marker.filter(|name| !name.trim().is_empty());
        let is_marker_alone =
            || (self.heads.curves.iter()).all(|(path, ..)| self.number(*path, row).is_none());
        if let Some(name) = marker {
            take.marker(place, time, name)?;
            if is_marker_alone() {
                return Ok(());
            }
        }
        let frame = self.frame(take, place, row)?;
        take.frame(place, Frame { time, ..frame })
    }

    fn frame(&self, take: &mut Take<'_>, place: Place, row: usize) -> Result<Frame, Error> {
        let mut frame = Frame::default();
        if self.heads.camera {
            frame.camera = self.pose(take, place, row, CurvePath::Camera)?;
        }
        if self.heads.gaze {
            let numbers = self.numbers(take, row, RayChannel::ALL, CurvePath::Gaze);
            let missing = |index: usize| missing(place, CurvePath::Gaze(RayChannel::ALL[index]));
            frame.gaze = line::ray(numbers).map_err(missing)?;
        }
        for side in Side::BOTH {
            let hand = frame.hand_mut(side);
            for &joint in &self.heads.hands[side as usize] {
                let path = |channel| CurvePath::Joint(side, joint, channel);
                hand.joints[joint] = self.pose(take, place, row, path)?;
            }
            let state = |path| match self.number(path, row) {
                None => Ok(None),
                Some(0.0) => Ok(Some(false)),
                Some(1.0) => Ok(Some(true)),
                Some(other) => Err(Error::Value {
                    place,
                    column: path.to_string(),
                    expected: "1, 0, true or false",
                    found: other.to_string(),
                }),
            };
            let tracked = state(CurvePath::Tracked(side))?;
            let pinching = state(CurvePath::Pinching(side))?;
            *hand = line::hand(tracked, pinching, hand.joints);
        }
        Ok(frame)
    }

    fn pose(
        &self,
        take: &mut Take<'_>,
        place: Place,
        row: usize,
        path: impl Fn(PoseChannel) -> CurvePath,
    ) -> Result<Option<Pose>, Error> {
        let numbers = self.numbers(take, row, PoseChannel::ALL, &path);
        let missing = |index: usize| missing(place, path(PoseChannel::ALL[index]));
        line::pose(numbers).map_err(missing)
    }

    /// The numbers of a pose or ray: none where one of them is not finite, which is counted.
    fn numbers<C, const N: usize>(
        &self,
        take: &mut Take<'_>,
        row: usize,
        channels: [C; N],
        path: impl Fn(C) -> CurvePath,
    ) -> [Option<f32>; N] {
        let cells = channels.map(|channel| self.cell(path(channel), row));
        let is_null = cells.iter().any(Option::is_none);
        let is_finite = cells.iter().flatten().all(|number| number.is_finite());
        let is_known = |number: &f32| !number.is_nan();
        let is_empty = !cells.iter().flatten().any(is_known);
        if is_empty || (is_finite && !(is_null && self.heads.is_ours)) {
            return cells.map(|cell| cell.filter(is_known));
        }
        take.leave_out();
        [None; N]
    }

    /// What is known; what is no number is as good as nothing.
    fn number(&self, path: CurvePath, row: usize) -> Option<f32> {
        self.cell(path, row).filter(|number| !number.is_nan())
    }

    fn cell(&self, path: CurvePath, row: usize) -> Option<f32> {
        let numbers = self.numbers[place_of(path)].as_ref()?;
        numbers[row]
    }
}

fn missing(place: Place, path: CurvePath) -> Error {
    Error::Missing {
        place,
        column: path.to_string(),
    }
}
