//! The columns of a wide table, and its rows as frames: for text and for columnar tables.

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap, HashSet};

use inputanim::{
    CurvePath, DeviceFrame, DeviceName, Element, Flags, Frame, HandFrame, InputName, InputValue,
    Joint, Joints, Layout, Pose, PoseChannel, PoseName, Ray, RayChannel, Recording, Side, Space,
};

use super::held_pinches::HeldPinches;
use super::values::{self, KindCell, KnownNames, UnknownNames};
use crate::shared::bone_rotations::BoneRotations;
use crate::shared::mapping::{
    ACTIVE, Angles, Binding, MARKER, Mapping, Meaning, PROFILE, RECORDING, TIME, TIME_S, Target,
};
use crate::shared::options::MIN_CONFIDENCE;
use crate::shared::suggest;
use crate::shared::units::{Quantity, is_position};
use crate::shared::{Note, NoteKind, Suggestion};
use crate::table::table_error::{NameKind, Place, TableError, WIDE_COLUMNS, excerpt, first_names};

/// A column of a table, and the factor that converts its numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Column {
    pub(crate) index: usize,
    /// The index of the number in a cell of several numbers, and their count.
    pub(crate) part: Option<(usize, usize)>,
    pub(crate) factor: f64,
}

/// Options for finding and reading columns.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WideOptions<'o> {
    pub(crate) mappings: &'o [Mapping],
    /// The unit that the metadata state for each column; empty without metadata.
    pub(crate) units: &'o [Option<String>],
    /// The confidence below which values are unknown.
    pub(crate) min_confidence: Option<f32>,
    /// The axes of the table.
    pub(crate) space: Space,
}

/// The cells of one row.
pub(crate) trait Cells {
    /// Returns the number of the line or row in the table, for errors.
    fn place(&self) -> Place;

    /// Returns the numbers of a pose or ray in these columns, multiplied by the factors of the columns; `None` where a
    /// cell is empty or NaN.
    fn numbers<const N: usize>(
        &mut self,
        columns: [Column; N],
    ) -> Result<[Option<f32>; N], TableError>;

    /// Returns the state in a column, `true` for on; `None` if the cell is empty.
    fn state(&mut self, column: Column) -> Result<Option<bool>, TableError>;

    /// Returns the value of the input `name` in a column, multiplied by the factor of the column; `None` if the cell is empty
    /// or NaN.
    fn input(&mut self, column: Column, name: InputName) -> Result<Option<InputValue>, TableError>;

    /// Returns the text in a column; `None` if the cell is empty.
    fn text(&mut self, column: Column) -> Result<Option<&str>, TableError>;
}

/// Returns `true` if a table has columns of a tidy table, which cannot be read. `has` returns `true` for the names of
/// the columns of the table.
pub(crate) fn is_tidy(has: impl Fn(&str) -> bool) -> bool {
    has("joint") && has("position_x")
}

/// The columns of a wide table by their meaning.
#[derive(Debug)]
pub(crate) struct WideColumns {
    pub(crate) names: Vec<String>,
    pub(crate) time: Column,
    pub(crate) marker: Option<usize>,
    /// The column with the names of recordings, in a table of several recordings.
    pub(crate) recording: Option<usize>,
    /// The columns of curves.
    pub(crate) curves: Vec<(CurvePath, Column)>,
    head: Option<PoseColumns>,
    hands: [HandColumns; 2],
    gaze: Option<[Column; 6]>,
    devices: BTreeMap<DeviceName, ReadDevice>,
    /// The rotations that are angles, by their curve of x.
    angles: HashMap<CurvePath, Angles>,
    confidences: Vec<(Element, Column)>,
    min_confidence: f32,
    /// The number of known values with a low confidence so far, for each column of a confidence.
    low: Cell<u64>,
    /// Notes on the units of columns.
    units: Vec<Note>,
    space: Space,
    /// The joints of each hand whose rotations are computed.
    rotations: [BoneRotations; 2],
    /// The number of poses so far that are unknown because no rotation can be computed.
    uncomputed: Cell<usize>,
    pub(crate) pinches: HeldPinches,
}

#[derive(Debug, Default)]
struct HandColumns {
    tracked: Option<Column>,
    pinching: Option<Column>,
    joints: Vec<(Joint, PoseColumns)>,
}

impl HandColumns {
    /// Returns `true` if the table has no column of the hand.
    fn is_empty(&self) -> bool {
        self.tracked.is_none() && self.pinching.is_none() && self.joints.is_empty()
    }
}

/// The columns of a device.
#[derive(Debug, Default)]
struct ReadDevice {
    active: Option<Column>,
    profile: Option<Column>,
    poses: Vec<(PoseName, PoseColumns)>,
    inputs: Vec<(InputName, Column, KindCell)>,
}

impl ReadDevice {
    /// Returns the columns of the state and of the profile.
    fn states(&self) -> impl Iterator<Item = Column> {
        self.active.into_iter().chain(self.profile)
    }
}

/// The columns of a pose; a table may contain positions without rotations.
#[derive(Clone, Copy, Debug)]
struct PoseColumns {
    position: [Column; 3],
    rotation: RotationColumns,
}

#[derive(Clone, Copy, Debug)]
enum RotationColumns {
    Missing,
    Quaternion([Column; 4]),
    /// Angles about x, y and z in radians.
    Angles([Column; 3], Angles),
}

/// Columns whose numbers are converted, by their quantity and unit: the number of columns, and the name of the first one.
type Conversions = BTreeMap<(Quantity, String), (usize, String)>;

/// Returns the quantity of the numbers with a meaning; `None` for numbers without a unit.
fn quantity(meaning: Meaning) -> Option<Quantity> {
    match meaning {
        Meaning::Time => Some(Quantity::Time),
        Meaning::Angle(..) => Some(Quantity::Angle),
        Meaning::Curve(path) if is_position(path) => Some(Quantity::Length),
        _ => None,
    }
}

/// Returns the target with the name `name`, or with this name and a unit behind it.
fn named_target(name: &str) -> Option<Target> {
    let target = |name: &str| match name {
        TIME => Some(Target::Time),
        name => Target::parse(name),
    };
    let with_unit = |quantity: Quantity| target(&quantity.of_name(name)?.0);
    target(name)
        .or_else(|| with_unit(Quantity::Length))
        .or_else(|| with_unit(Quantity::Time))
        .or_else(|| with_unit(Quantity::Angle))
}

/// Returns the names of all columns that a wide table may have.
fn all_names() -> Vec<String> {
    let all = Recording::with_streams(Layout::Mrtk1_1, Flags::ALL);
    let paths = all.curves().map(|(path, _)| path);
    // `None` is not a joint of a hand.
    let paths = paths.filter(|path| !matches!(path, CurvePath::Joint(_, Joint::None, _)));
    let others = [TIME_S, MARKER, RECORDING].map(str::to_owned);
    others
        .into_iter()
        .chain(paths.map(|path| path.to_string()))
        .collect()
}

/// Returns the factor of a column. If the mapping has no factor, the unit that the metadata state (`stated`) or that the name
/// of the column contains is converted to metres, seconds or radians. Returns `None` for angles without a known unit.
fn factor_of(
    binding: &Binding,
    stated: Option<&str>,
    conversions: &mut Conversions,
) -> Option<f64> {
    let factor = binding.factor.unwrap_or(1.0);
    let Some(quantity) = quantity(binding.meaning) else {
        return Some(factor);
    };
    if let Meaning::Angle(
        _,
        Angles {
            unit: Some(unit), ..
        },
    ) = binding.meaning
    {
        return Some(factor * quantity.size(unit)?);
    }
    // Angles need a unit even if a factor changes their sign.
    if binding.factor.is_some() && quantity != Quantity::Angle {
        return Some(factor);
    }
    let of_name = || quantity.of_name(&binding.source);
    let unit = match stated {
        Some(unit) => Some(unit.trim()),
        None => of_name()
            .map(|(_, unit)| unit)
            .filter(|unit| !unit.is_empty()),
    };
    let size = unit.and_then(|unit| quantity.size(unit));
    if let Some(unit) = unit
        && size != Some(1.0)
        && !["", "1"].contains(&unit)
        && binding.part.is_none_or(|(index, _)| index == 0)
    {
        let key = (quantity, unit.to_owned());
        let (count, _) = conversions
            .entry(key)
            .or_insert_with(|| (0, binding.source.clone()));
        *count += 1;
    }
    match (quantity, size) {
        (Quantity::Angle, None) => None,
        (_, size) => Some(factor * size.unwrap_or(1.0)),
    }
}

/// Returns a note for each quantity and unit that was converted, or that is not known.
fn unit_notes(conversions: &Conversions) -> Vec<Note> {
    let notes = conversions
        .iter()
        .map(|((quantity, unit), (count, first))| {
            let first = excerpt(first);
            let columns = match count {
                1 => first,
                count => format!("{first} and {} more", count - 1),
            };
            let size = quantity.size(unit);
            let unit = excerpt(unit);
            let message = match size {
                Some(size) if *quantity != Quantity::Angle => {
                    let base = quantity.base();
                    format!("converted from {unit} to {base} by the factor {size}: {columns}")
                }
                Some(_) => format!("angles in {unit}: {columns}"),
                None => {
                    let base = quantity.base();
                    format!("unknown unit {unit}, read as {base}: {columns}")
                }
            };
            Note::new(NoteKind::Units, message)
        });
    notes.collect()
}

impl WideColumns {
    /// Finds the meaning of each column by its name or its mappings.
    ///
    /// # Errors
    /// When the time, a part of a pose or a mapped column is missing. When a column occurs twice. When a column is
    /// unknown and unknown columns are not ignored. All missing columns are in one error.
    pub(crate) fn new(
        place: Place,
        names: Vec<String>,
        options: &WideOptions<'_>,
        unknown: &mut UnknownNames,
    ) -> Result<WideColumns, TableError> {
        let mappings = options.mappings;
        let known: HashSet<&str> = names.iter().map(String::as_str).collect();
        let has = |name: &str| known.contains(name);
        if is_tidy(has) {
            return Err(TableError::Tidy);
        }
        if let Some(mapping) = mappings.iter().find(|mapping| mapping.pose().is_some()) {
            return Err(TableError::Pose(mapping.column.clone()));
        }
        let bindings: Vec<Binding> = mappings
            .iter()
            .flat_map(|mapping| mapping.bindings(has))
            .collect();
        let mut by_source: HashMap<&str, Vec<&Binding>> = HashMap::new();
        for binding in &bindings {
            by_source.entry(&binding.source).or_default().push(binding);
        }
        let is_time_s = has(TIME_S) || mappings.iter().any(|mapping| mapping.column == TIME_S);
        let (mut time, mut marker, mut recording) = (None, None, None);
        let mut curves = Vec::<(CurvePath, Column)>::new();
        let mut seen = HashSet::new();
        let mut angles = HashMap::new();
        let mut confidences = Vec::<(Element, Column)>::new();
        let mut conversions = Conversions::new();
        let mut unknown_names = Vec::new();
        let mut devices = BTreeMap::<DeviceName, ReadDevice>::new();
        for (index, name) in names.iter().enumerate() {
            let of_name = match by_source.get(&**name) {
                Some(_) => Vec::new(),
                // If both `time` and `time_s` exist, `time` is often a date.
                None if name == RECORDING || (is_time_s && name == TIME) => Vec::new(),
                None => {
                    named_target(name).map_or_else(Vec::new, |target| target.bind(name, None, &has))
                }
            };
            let mapped = by_source.get(&**name).into_iter().flatten().copied();
            let found: Vec<&Binding> = mapped.chain(&of_name).collect();
            if found.is_empty() {
                let is_duplicate = name == RECORDING && recording.replace(index).is_some();
                if is_duplicate {
                    let column = name.clone();
                    return Err(TableError::Duplicate { place, column });
                }
                // Unknown names are reported after the loop, because the message about missing columns is more useful.
                if name != RECORDING {
                    unknown_names.push(name.to_owned());
                }
            }
            for binding in found {
                let stated = options.units.get(index).and_then(Option::as_deref);
                let factor = factor_of(binding, stated, &mut conversions)
                    .ok_or_else(|| TableError::unit_of_angles(place, mappings, binding))?;
                let column = Column {
                    index,
                    part: binding.part,
                    factor,
                };
                let is_duplicate = match binding.meaning {
                    Meaning::Time => time.replace(column).is_some(),
                    Meaning::Marker => marker.replace(index).is_some(),
                    Meaning::Curve(path) | Meaning::Angle(path, _) => {
                        curves.push((path, column));
                        !seen.insert(path)
                    }
                    Meaning::Confidence(element) => {
                        let mut others = confidences.iter();
                        let is_duplicate = others.any(|(other, _)| *other == element);
                        confidences.push((element, column));
                        is_duplicate
                    }
                    Meaning::Active(device) => {
                        let device = devices.entry(device).or_default();
                        device.active.replace(column).is_some()
                    }
                    Meaning::Profile(device) => {
                        let device = devices.entry(device).or_default();
                        device.profile.replace(column).is_some()
                    }
                };
                if let Meaning::Angle(path, of) = binding.meaning {
                    angles.insert(path, of);
                }
                if is_duplicate {
                    let column = match binding.meaning {
                        Meaning::Time => TIME_S.to_owned(),
                        Meaning::Curve(path) | Meaning::Angle(path, _) => path.to_string(),
                        Meaning::Active(device) => format!("{device}.{ACTIVE}"),
                        Meaning::Profile(device) => format!("{device}.{PROFILE}"),
                        _ => name.clone(),
                    };
                    return Err(TableError::Duplicate { place, column });
                }
            }
        }
        let missing_sources: Vec<(&Mapping, Binding)> = mappings
            .iter()
            .flat_map(|mapping| {
                let bindings = mapping.bindings(has).into_iter();
                bindings.map(move |binding| (mapping, binding))
            })
            .filter(|(_, binding)| !has(&binding.source))
            .collect();
        let division = missing_sources.iter().find_map(|(mapping, _)| {
            let mapping = mapping.without_division()?;
            has(&mapping.source).then(|| Box::new(mapping))
        });
        let mut missing: Vec<String> = missing_sources
            .chunk_by(|(a, _), (b, _)| a == b && a.is_of_hand())
            .map(|sources| {
                let (mapping, binding) = &sources[0];
                let more = match sources.len() {
                    1 => String::new(),
                    // The mapping of a hand has many columns.
                    count => format!(" and {} more", count - 1),
                };
                // A user knows a mapped column by its name in the table.
                format!("{:?}{more} (for {})", binding.source, mapping.column)
            })
            .collect();
        let mut like = None;
        if time.is_none() {
            if !is_time_s {
                like = suggest::likely_time(names.iter().map(String::as_str)).map(str::to_owned);
            }
            if like.is_none() && missing.is_empty() && curves.is_empty() && devices.is_empty() {
                let found = first_names(&names);
                let suggested = suggest::mappings(&names, mappings, false);
                return Err(TableError::UnknownColumns {
                    place,
                    found,
                    suggested: suggested.into(),
                });
            }
            let is_mapped = mappings.iter().any(|mapping| mapping.column == TIME_S);
            if !is_mapped {
                missing.push(TIME_S.to_owned());
            }
        }
        let mut columns = WideColumns {
            names,
            // The placeholder is never read: a missing column is an error.
            time: time.unwrap_or(Column {
                index: 0,
                part: None,
                factor: 1.0,
            }),
            marker,
            recording,
            curves,
            head: None,
            hands: Default::default(),
            gaze: None,
            devices,
            angles,
            confidences,
            min_confidence: options.min_confidence.unwrap_or(MIN_CONFIDENCE),
            low: Cell::default(),
            pinches: HeldPinches::default(),
            units: unit_notes(&conversions),
            space: options.space,
            rotations: Side::BOTH.map(BoneRotations::none),
            uncomputed: Cell::default(),
        };
        let mut of_groups = Vec::new();
        columns.group(&mut of_groups);
        let is_mapped = |path: &CurvePath| {
            let mut mapped = missing_sources.iter();
            mapped.any(|(_, binding)| match binding.meaning {
                Meaning::Curve(other) | Meaning::Angle(other, _) => other == *path,
                _ => false,
            })
        };
        of_groups.retain(|path| !is_mapped(path));
        missing.extend(of_groups.iter().map(CurvePath::to_string));
        if !missing.is_empty() {
            let mut seen = HashSet::new();
            missing.retain(|column| seen.insert(column.clone()));
            // A mapping of a name that does not exist would fail again.
            let suggested = if missing_sources.is_empty() {
                suggest::mappings(&columns.names, mappings, !columns.curves.is_empty())
            } else {
                Suggestion::default()
            };
            return Err(TableError::MissingColumns {
                place,
                kind: NameKind::Column,
                columns: missing,
                found: first_names(&columns.names),
                like,
                suggested: suggested.into(),
                division,
            });
        }
        if !columns.has_more_than_time() {
            unknown.suggest(suggest::mappings(&columns.names, mappings, false));
        }
        let known = KnownNames {
            kind: NameKind::Column,
            expected: WIDE_COLUMNS,
            names: &all_names,
        };
        unknown.add(place, unknown_names.iter().map(String::as_str), &known)?;
        Ok(columns)
    }

    /// Checks the names of values that only later objects of JSON have: `new`, at `place`. They cannot become columns.
    ///
    /// # Errors
    /// When a name is that of a column, and when a name is unknown and unknown names are not ignored.
    pub(crate) fn check_new(
        &self,
        place: Place,
        new: &[String],
        unknown: &mut UnknownNames,
    ) -> Result<(), TableError> {
        let columns = new.iter().filter(|name| named_target(name).is_some());
        let names: Vec<String> = columns.cloned().collect();
        if !names.is_empty() {
            return Err(TableError::LateMembers { place, names });
        }
        let known = KnownNames {
            kind: NameKind::Member,
            expected: WIDE_COLUMNS,
            names: &all_names,
        };
        unknown.add(place, new.iter().map(String::as_str), &known)
    }

    /// Finds the columns of the head, the hands and the gaze among `self.curves`, and stores them. Adds the
    /// curves that an incomplete pose or ray lacks to `missing`.
    fn group(&mut self, missing: &mut Vec<CurvePath>) {
        let mut devices = std::mem::take(&mut self.devices);
        let pose = |path: &dyn Fn(PoseChannel) -> CurvePath, missing: &mut Vec<CurvePath>| {
            let [x, y, z, rotation @ ..] = PoseChannel::ALL.map(path);
            let position = self.group_of([x, y, z], missing);
            let [rx, ry, rz, _] = rotation;
            // Many trackers record positions only. An incomplete rotation is an error.
            let has_rotation = rotation.iter().any(|&path| self.column(path).is_some());
            let rotation = match self.angles.get(&rx) {
                Some(angles) => {
                    RotationColumns::Angles(self.group_of([rx, ry, rz], missing), *angles)
                }
                None if has_rotation => {
                    RotationColumns::Quaternion(self.group_of(rotation, missing))
                }
                None => RotationColumns::Missing,
            };
            PoseColumns { position, rotation }
        };
        let (mut head, mut gaze) = (None, None);
        let mut hands = <[HandColumns; 2]>::default();
        for &(path, column) in &self.curves {
            match path {
                CurvePath::Head(_) if head.is_none() => {
                    head = Some(pose(&CurvePath::Head, missing));
                }
                CurvePath::Gaze(_) if gaze.is_none() => {
                    let paths = RayChannel::ALL.map(CurvePath::Gaze);
                    gaze = Some(self.group_of(paths, missing));
                }
                CurvePath::Tracked(side) => hands[side as usize].tracked = Some(column),
                CurvePath::Pinching(side) => hands[side as usize].pinching = Some(column),
                CurvePath::Joint(side, joint, _) => {
                    let joints = &mut hands[side as usize].joints;
                    if joints.iter().all(|(other, _)| *other != joint) {
                        let path = |channel| CurvePath::Joint(side, joint, channel);
                        joints.push((joint, pose(&path, missing)));
                    }
                }
                CurvePath::Head(_) | CurvePath::Gaze(_) => {}
                CurvePath::DevicePose(device, name, _) => {
                    let poses = &mut devices.entry(device).or_default().poses;
                    if poses.iter().all(|(other, _)| *other != name) {
                        let path = |channel| CurvePath::DevicePose(device, name, channel);
                        poses.push((name, pose(&path, missing)));
                    }
                }
                CurvePath::Input(device, name) => {
                    let inputs = &mut devices.entry(device).or_default().inputs;
                    inputs.push((name, column, KindCell::default()));
                }
            }
        }
        for device in devices.values_mut() {
            device.poses.sort_by_key(|(name, _)| *name);
            device.inputs.sort_by_key(|(name, ..)| *name);
        }
        self.devices = devices;
        (self.head, self.hands, self.gaze) = (head, hands, gaze);
        self.rotations = Side::BOTH.map(|side| {
            let mut has_position = Joints::from_fn(|_| false);
            let mut has_rotation = has_position;
            for (joint, columns) in &self.hands[side as usize].joints {
                has_position[*joint] = true;
                has_rotation[*joint] = !matches!(columns.rotation, RotationColumns::Missing);
            }
            BoneRotations::new(side, &has_position, &has_rotation)
        });
    }

    /// Returns the columns of curves. For a curve without a column, adds its name to `missing`, and returns the column
    /// of times as a placeholder.
    fn group_of<const N: usize>(
        &self,
        paths: [CurvePath; N],
        missing: &mut Vec<CurvePath>,
    ) -> [Column; N] {
        paths.map(|path| {
            self.column(path).unwrap_or_else(|| {
                // The column of times is a placeholder that is never read: a missing column is an error.
                missing.push(path);
                self.time
            })
        })
    }

    fn column(&self, path: CurvePath) -> Option<Column> {
        let mut curves = self.curves.iter();
        curves
            .find(|(other, _)| *other == path)
            .map(|(_, column)| *column)
    }

    /// Returns `true` if the table has a column of markers or of a curve.
    pub(crate) fn has_more_than_time(&self) -> bool {
        self.marker.is_some() || !self.curves.is_empty() || !self.devices.is_empty()
    }

    /// Returns `true` for each hand that has no column.
    pub(crate) fn unseen_hands(&self) -> [bool; 2] {
        self.hands.each_ref().map(HandColumns::is_empty)
    }

    /// Returns the columns of the states and profiles of devices.
    pub(crate) fn device_states(&self) -> impl Iterator<Item = Column> {
        self.devices.values().flat_map(ReadDevice::states)
    }

    /// Returns the columns of texts besides those of markers: the profiles of devices.
    #[cfg(feature = "arrow")]
    pub(crate) fn texts(&self) -> impl Iterator<Item = Column> {
        self.devices.values().filter_map(|device| device.profile)
    }

    /// Returns `true` if the column with this index contains times, markers or a curve, so that it is read.
    #[cfg(feature = "arrow")]
    pub(crate) fn uses(&self, index: usize) -> bool {
        self.time.index == index
            || self.marker == Some(index)
            || self.curves.iter().any(|(_, column)| column.index == index)
            || self.device_states().any(|column| column.index == index)
            || self
                .confidences
                .iter()
                .any(|(_, column)| column.index == index)
    }

    /// Returns the columns of numbers: of the time, the curves and the confidences.
    #[cfg(feature = "arrow")]
    pub(crate) fn numbers(&self) -> impl Iterator<Item = Column> {
        let confidences = self.confidences.iter().map(|(_, column)| *column);
        let active = self.devices.values().filter_map(|device| device.active);
        let confidences = confidences.chain(active);
        self.curves
            .iter()
            .map(|(_, column)| *column)
            .chain(confidences)
    }

    /// Returns `true` if a column is the confidence of something.
    pub(crate) fn has_confidence(&self) -> bool {
        !self.confidences.is_empty()
    }

    /// Returns notes on the units of columns, and on the values with a low confidence that were read so far.
    pub(crate) fn notes(&self) -> Vec<Note> {
        let mut notes = self.units.clone();
        let low = self.low.get() as usize;
        notes.extend(Note::of_low_confidences(low, Some(self.min_confidence)));
        notes
    }

    /// Returns the names of the joints whose rotations are computed from the positions of their hand.
    pub(crate) fn computed_rotations(&self) -> Vec<String> {
        self.rotations
            .iter()
            .flat_map(BoneRotations::names)
            .collect()
    }

    /// Returns the number of poses so far that are unknown because no rotation can be computed.
    pub(crate) fn uncomputed_rotations(&self) -> usize {
        self.uncomputed.get()
    }

    /// Returns the names of the poses that have columns of a position, none of a rotation, and no computed rotation.
    pub(crate) fn without_rotation(&self) -> Vec<String> {
        let head = self.head.iter().map(|columns| (Element::Head, columns));
        let joints = Side::BOTH.into_iter().flat_map(|side| {
            let joints = self.hands[side as usize].joints.iter();
            let rotations = &self.rotations[side as usize];
            let joints = joints.filter(|(joint, _)| !rotations.computes(*joint));
            joints.map(move |(joint, columns)| (Element::Joint(side, *joint), columns))
        });
        let devices = self.devices.iter().flat_map(|(device, columns)| {
            let poses = columns.poses.iter();
            poses.map(|(name, columns)| (Element::DevicePose(*device, *name), columns))
        });
        let poses = head.chain(joints).chain(devices);
        let is_missing = |rotation| matches!(rotation, RotationColumns::Missing);
        let poses = poses.filter(|(_, columns)| is_missing(columns.rotation));
        poses.map(|(pose, _)| pose.to_string()).collect()
    }

    /// Returns the frame of a row, with a time of 0 that the caller replaces. Fails if a cell is invalid, or if a pose
    /// or ray has only a part of its numbers.
    pub(crate) fn frame(&self, cells: &mut impl Cells) -> Result<Frame, TableError> {
        let mut frame = Frame::default();
        if let Some(columns) = self.head {
            frame.head = self.pose(cells, columns)?;
        }
        for (side, columns) in Side::BOTH.into_iter().zip(&self.hands) {
            let hand = frame.hand_mut(side);
            for &(joint, columns) in &columns.joints {
                hand.joints[joint] = self.pose(cells, columns)?;
            }
            let mut state = |column: Option<Column>| match column {
                Some(column) => cells.state(column),
                None => Ok(None),
            };
            let (tracked, pinching) = (state(columns.tracked)?, state(columns.pinching)?);
            *hand = values::hand(tracked, pinching, hand.joints);
            // The table states for each row whether the hand is tracked, but not for this one. A table without columns of a hand
            // states nothing of it.
            hand.unknown = (columns.tracked.is_some() && tracked.is_none() && !hand.tracked)
                || columns.is_empty();
        }
        if let Some(columns) = self.gaze {
            frame.gaze = self.ray(cells, columns)?;
        }
        for (name, columns) in &self.devices {
            frame.devices.extend(self.device(cells, *name, columns)?);
        }
        for &(element, column) in &self.confidences {
            let [confidence] = cells.numbers([column])?;
            if confidence.is_some_and(|confidence| confidence < self.min_confidence) {
                self.forget(&mut frame, element);
            }
        }
        for (side, rotations) in Side::BOTH.into_iter().zip(&self.rotations) {
            let joints = &mut frame.hand_mut(side).joints;
            let uncomputed = rotations.apply(joints, self.space);
            self.uncomputed.set(self.uncomputed.get() + uncomputed);
        }
        self.pinches.count(&frame);
        Ok(frame)
    }

    /// Returns a device in a row; `None` if nothing is known about it. Without a column that states whether it is active, it is
    /// active while something of it is known.
    fn device(
        &self,
        cells: &mut impl Cells,
        name: DeviceName,
        columns: &ReadDevice,
    ) -> Result<Option<DeviceFrame>, TableError> {
        let mut frame = DeviceFrame::new(name);
        for (pose, columns) in &columns.poses {
            let read = self.pose(cells, *columns)?;
            frame.poses.extend(read.map(|read| (*pose, read)));
        }
        for (input, column, kind) in &columns.inputs {
            let Some(value) = cells.input(*column, *input)? else {
                continue;
            };
            let value = kind.convert(value).ok_or_else(|| {
                let name = &self.names[column.index];
                TableError::value(cells.place(), name, KindCell::EXPECTED, value.number())
            })?;
            frame.inputs.push((*input, value));
        }
        if let Some(column) = columns.profile {
            frame.profile = cells.text(column)?.map(Into::into);
        }
        let is_known =
            frame.profile.is_some() || !frame.poses.is_empty() || !frame.inputs.is_empty();
        let active = match columns.active {
            Some(column) => cells.state(column)?,
            None => None,
        };
        frame.active = active.unwrap_or(is_known);
        Ok((active.is_some() || is_known).then_some(frame))
    }

    /// Makes an element unknown in a frame, and counts it if it was known.
    fn forget(&self, frame: &mut Frame, element: Element) {
        let is_known = match element {
            Element::Head => frame.head.take().is_some(),
            Element::Gaze => frame.gaze.take().is_some(),
            Element::Joint(side, joint) => {
                let hand = frame.hand_mut(side);
                let is_known = hand.joints[joint].take().is_some();
                let is_empty = hand.joints.iter().all(|(_, pose)| pose.is_none());
                // Without a column that states it, nobody knows if this hand is tracked.
                if is_known && is_empty && self.hands[side as usize].tracked.is_none() {
                    hand.tracked = false;
                    hand.unknown = true;
                }
                is_known
            }
            Element::Tracked(side) | Element::Pinching(side) => {
                let hand = frame.hand_mut(side);
                let is_known = hand.tracked;
                *hand = HandFrame {
                    unknown: true,
                    ..HandFrame::default()
                };
                is_known
            }
            Element::DevicePose(device, pose) => {
                let mut devices = frame.devices.iter_mut();
                devices
                    .find(|other| other.name == device)
                    .is_some_and(|device| {
                        let before = device.poses.len();
                        device.poses.retain(|(name, _)| *name != pose);
                        device.poses.len() < before
                    })
            }
            // No column is the confidence of these.
            Element::Profile(_) | Element::Input(..) => false,
        };
        self.low.set(self.low.get() + u64::from(is_known));
    }

    fn pose(
        &self,
        cells: &mut impl Cells,
        PoseColumns { position, rotation }: PoseColumns,
    ) -> Result<Option<Pose>, TableError> {
        let [px, py, pz] = position;
        let (numbers, columns) = match rotation {
            RotationColumns::Quaternion([rx, ry, rz, rw]) => {
                let columns = [px, py, pz, rx, ry, rz, rw];
                (cells.numbers(columns)?, columns)
            }
            RotationColumns::Angles([rx, ry, rz], angles) => {
                let columns = [px, py, pz, rx, ry, rz];
                let pose = values::pose_of_angles(cells.numbers(columns)?, angles);
                return pose.map_err(|index| self.missing(cells, columns[index]));
            }
            RotationColumns::Missing => {
                let [x, y, z] = cells.numbers(position)?;
                let [rx, ry, rz, rw] = Pose::IDENTITY.rotation.map(|number| x.and(Some(number)));
                // The placeholders of the rotation repeat x. If x is missing, the caller reports x.
                ([x, y, z, rx, ry, rz, rw], [px, py, pz, px, px, px, px])
            }
        };
        values::pose(numbers).map_err(|index| self.missing(cells, columns[index]))
    }

    fn ray(&self, cells: &mut impl Cells, columns: [Column; 6]) -> Result<Option<Ray>, TableError> {
        let numbers = cells.numbers(columns)?;
        values::ray(numbers).map_err(|index| self.missing(cells, columns[index]))
    }

    fn missing(&self, cells: &impl Cells, column: Column) -> TableError {
        TableError::missing(cells.place(), &self.names[column.index])
    }
}
