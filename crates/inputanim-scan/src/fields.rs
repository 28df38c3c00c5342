//! The columns of a scan, and which of them are computed.

use std::collections::HashSet;

use inputanim::{CurvePath, DeviceName, Element, Joint, Recording, Side};
use inputanim_convert::TableShape;
use inputanim_convert::frames::{Columns, DeviceParts};
use inputanim_convert::tables::{DataType, Field, TableColumns};

use crate::epochs::SegmentColumn;
use crate::error::ScanError;
use crate::options::ScanOptions;
#[cfg(feature = "catalog")]
use crate::rows::catalog::CatalogRows;
use crate::rows::{EventRows, InfoRows, List, ListRows, StatsRows};
use crate::segment_names::{SegmentColumnError, segment_column_names};
use crate::segments::Segments;
use crate::shape::{OnError, Shape};
use inputanim::names::{CurveChoice, ElementChoice, UnknownElement, similar};

/// The selected columns, and how they are computed.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub(crate) fields: Vec<Field>,
    /// The origins of the columns.
    pub(crate) origins: Vec<Origin>,
    pub(crate) content: Content,
    /// The streams and joints to which recordings are reduced.
    pub(crate) choice: ElementChoice,
    /// The curves whose keys are the rows of a table of keys; `None` if it has all rows.
    pub(crate) curves: Option<CurveChoice>,
}

/// The origin of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    File,
    Recording,
    /// A column of the path pattern.
    Path(usize),
    /// A column of the segment.
    Segment(SegmentColumn),
    /// A selected column of the shape.
    Shape(usize),
    Damage,
    Error,
}

/// The selected columns of a shape.
#[derive(Clone, Debug)]
pub(crate) enum Content {
    Table(TableColumns),
    Info(InfoRows),
    /// The rows of a catalogue, of which all columns are selected.
    #[cfg(feature = "catalog")]
    Catalog(CatalogRows),
    Events(Box<EventRows>),
    Stats(Box<StatsRows>),
    List(Box<ListRows>),
}

/// The name of the column with the message of a file that failed.
pub(crate) const ERROR: &str = "error";

impl Table {
    /// Checks the names of streams and joints with the devices of a recording: see [`ElementChoice::check`].
    pub(crate) fn check_names(&self, recordings: &[&Recording<'_>]) -> Result<(), UnknownElement> {
        self.choice.check(recordings)?;
        let mut curves = self.curves.iter();
        curves.try_for_each(|curves| curves.check(recordings))
    }

    pub(crate) fn new(options: &ScanOptions) -> Result<Table, ScanError> {
        options.check()?;
        let has_names = !(options.joints.is_empty() && options.exclude.is_empty());
        let (choice, curves) = if options.shape.has_curves() {
            let curves = CurveChoice::new(&options.joints, &options.exclude)?;
            (ElementChoice::default(), has_names.then_some(curves))
        } else {
            let choice = ElementChoice::new(&options.joints, &options.exclude)?;
            (choice, None)
        };
        let mut content = Content::new(options, &choice, curves.as_ref())?;
        let shape_fields = content.fields();
        let mut all: Vec<(Origin, Field)> = labels(options);
        let segments = SegmentColumn::all(options).into_iter();
        all.extend(segments.map(|(column, field)| (Origin::Segment(column), field)));
        let shape_fields = shape_fields.into_iter().enumerate();
        all.extend(shape_fields.map(|(index, field)| (Origin::Shape(index), field)));
        let meaning = "Codes of the findings that change values, such as `D1 D4` (docs/findings.md), and `recovered` \
                       if parts of the file are missing; missing without damage.";
        // The damage that affects a measure is in a column of this name too.
        let damage = options.damage_column.clone();
        if let Some(name) = damage.filter(|_| options.shape != Shape::Measures) {
            all.push((Origin::Damage, Field::new(name, DataType::Text, meaning)));
        }
        if options.on_error == OnError::Column {
            // The row of a file that failed has no values.
            for (origin, field) in &mut all {
                field.is_nullable |= !matches!(origin, Origin::File | Origin::Recording);
            }
            let meaning = "Reason why the file cannot be read; missing for other files.";
            all.push((Origin::Error, Field::new(ERROR, DataType::Text, meaning)));
        }
        // Without segments, the names would be made in vain.
        let possible = if options.segments == Segments::Recording {
            Vec::new()
        } else {
            content.all_names()
        };
        rename_segment_columns(&mut all, options, &possible)?;
        let mut names = HashSet::new();
        if let Some((_, field)) = all.iter().find(|(_, field)| !names.insert(&field.name)) {
            let name = field.name.to_string();
            return Err(ScanError::DuplicateColumn { name });
        }
        if let Some(wanted) = &options.columns {
            all = select(all, wanted, options.shape)?;
        }
        let mut indices = Vec::new();
        for (origin, _) in &mut all {
            if let Origin::Shape(index) = origin {
                indices.push(*index);
                *index = indices.len() - 1;
            }
        }
        content.select(&indices);
        let (origins, fields) = all.into_iter().unzip();
        Ok(Table {
            fields,
            origins,
            content,
            choice,
            curves,
        })
    }
}

impl ScanOptions {
    /// Returns the columns of these options with their types, units and meanings, without reading a file.
    ///
    /// # Errors
    /// When a column, stream or joint is unknown, when two columns have one name, or when an option has no
    /// effect on the shape.
    pub fn fields(&self) -> Result<Vec<Field>, ScanError> {
        Ok(Table::new(self)?.fields)
    }
}

/// Adds the prefix `segment_` to the columns of segments that have the names of other columns. `possible` are the names
/// of columns that the shape has with other options, so that names do not depend on these options. Fails if a name is
/// still not unique.
fn rename_segment_columns(
    all: &mut [(Origin, Field)],
    options: &ScanOptions,
    possible: &[String],
) -> Result<(), ScanError> {
    let segments = &options.segments;
    let columns = segments.columns().len();
    let is_analysed = options.shape.is_analysed();
    // The shapes that are analysed begin with these columns. The first of them is the name of the segment.
    let is_of_segment = |origin: Origin| match origin {
        Origin::Shape(index) => is_analysed && (1..columns).contains(&index),
        Origin::Segment(SegmentColumn::Text(index)) => index > 0,
        _ => false,
    };
    let names = all.iter().filter(|(origin, _)| is_of_segment(*origin));
    let names: Vec<&str> = names.map(|(_, field)| &*field.name).collect();
    let others = all.iter().filter(|(origin, _)| !is_of_segment(*origin));
    let others = others.map(|(_, field)| &*field.name);
    let others = others.chain(possible.iter().map(String::as_str));
    let names = segment_column_names(&names, others);
    let names = names.map_err(|error| match error {
        // The other column is one of the path pattern, because only trial tables have columns of any name.
        SegmentColumnError::Taken { prefixed: name, .. }
            if !matches!(segments, Segments::Trials(_)) =>
        {
            ScanError::DuplicateColumn { name }
        }
        error => error.into(),
    })?;
    let fields = all.iter_mut().filter(|(origin, _)| is_of_segment(*origin));
    for ((_, field), name) in fields.zip(names) {
        field.name = name.into();
    }
    Ok(())
}

fn select(
    all: Vec<(Origin, Field)>,
    wanted: &[String],
    shape: Shape,
) -> Result<Vec<(Origin, Field)>, ScanError> {
    let mut seen = HashSet::new();
    let found = wanted.iter().map(|name| {
        if !seen.insert(name) {
            let name = name.clone();
            return Err(ScanError::DuplicateColumn { name });
        }
        let found = all.iter().find(|(_, field)| field.name == *name);
        found.cloned().ok_or_else(|| ScanError::UnknownColumn {
            name: name.clone(),
            shape,
            similar: similar(name, all.iter().map(|(_, field)| field.name.to_string())),
        })
    });
    found.collect()
}

/// Returns the columns that are the same for all shapes: the path of the file, the name of its recording, and the parts
/// of its path.
fn labels(options: &ScanOptions) -> Vec<(Origin, Field)> {
    let mut labels = Vec::new();
    let text = |name: &str, meaning: &'static str| {
        Field::new(name.to_owned(), DataType::Text, meaning).required()
    };
    if let Some(name) = &options.file_column {
        labels.push((Origin::File, text(name, "Path of the file.")));
    }
    if let Some(name) = &options.recording_column {
        let meaning = "Name of the recording: its path without the extension.";
        labels.push((Origin::Recording, text(name, meaning)));
    }
    let names = options
        .path_pattern
        .iter()
        .flat_map(|pattern| pattern.names());
    for (index, name) in names.enumerate() {
        labels.push((
            Origin::Path(index),
            text(name, "Part of the path of the file."),
        ));
    }
    labels
}

impl Content {
    /// Returns all columns of the shape of the options. `choice` are the streams and joints of a wide or tidy table,
    /// and `curves` are the curves of a list. Fails if the parameters of the analysis are invalid, or if a string
    /// selects no measure.
    fn new(
        options: &ScanOptions,
        choice: &ElementChoice,
        curves: Option<&CurveChoice>,
    ) -> Result<Content, ScanError> {
        let table = |shape| {
            let mut streams = streams(choice);
            streams.devices = device_columns(options, shape, choice);
            Content::Table(TableColumns::new(shape, &streams, options.space))
        };
        let list = |list| {
            let curves = curves.cloned().unwrap_or_default();
            Content::List(Box::new(ListRows::new(list, options, curves)))
        };
        Ok(match options.shape {
            Shape::Wide => table(TableShape::Wide),
            Shape::Tidy => table(TableShape::Tidy),
            Shape::Keys => table(TableShape::Keys),
            #[cfg(feature = "catalog")]
            Shape::Info if options.catalogued.is_some() => Content::Catalog(CatalogRows),
            Shape::Info => Content::Info(InfoRows::new()),
            Shape::Events => Content::Events(Box::new(EventRows::new(options))),
            Shape::Stats | Shape::Measures => Content::Stats(Box::new(StatsRows::new(options)?)),
            Shape::Findings => list(List::Findings),
            Shape::Markers => list(List::Markers),
            Shape::Curves => list(List::Curves),
            Shape::States => list(List::States),
            Shape::Haptics => list(List::Haptics),
        })
    }

    fn fields(&self) -> Vec<Field> {
        match self {
            Content::Table(columns) => columns.fields().to_vec(),
            Content::Info(rows) => rows.fields(),
            #[cfg(feature = "catalog")]
            Content::Catalog(_) => CatalogRows::fields(),
            Content::Events(rows) => rows.fields(),
            Content::Stats(rows) => rows.fields(),
            Content::List(rows) => rows.fields(),
        }
    }

    /// Returns the names of all columns that the shape can have, if options select some of them; empty for other
    /// shapes.
    fn all_names(&self) -> Vec<String> {
        match self {
            Content::Table(columns) => columns.all_names(),
            Content::Events(_) => EventRows::all_names().collect(),
            Content::Stats(rows) => rows.all_names().collect(),
            _ => Vec::new(),
        }
    }

    fn select(&mut self, indices: &[usize]) {
        match self {
            Content::Table(columns) => *columns = columns.select(indices),
            Content::Info(rows) => rows.select(indices),
            #[cfg(feature = "catalog")]
            Content::Catalog(_) => {}
            Content::Events(rows) => rows.select(indices),
            Content::Stats(rows) => rows.select(indices),
            Content::List(rows) => rows.select(indices),
        }
    }
}

/// The columns of tables of keys that only tables with devices have.
const PULSE_COLUMNS: [&str; 2] = ["duration_s", "frequency_hz"];

/// Returns the devices that have columns: those of the options that `choice` keeps, and those that selected columns name.
fn device_columns(
    options: &ScanOptions,
    shape: TableShape,
    choice: &ElementChoice,
) -> Vec<DeviceParts> {
    let mut devices = Columns::default();
    for parts in &options.devices {
        let name = parts.name;
        let mut parts = parts.clone();
        parts
            .poses
            .retain(|pose| choice.keeps(Element::DevicePose(name, *pose)));
        parts
            .inputs
            .retain(|(input, _)| choice.keeps(Element::Input(name, *input)));
        let has_parts = !parts.poses.is_empty() || !parts.inputs.is_empty();
        if has_parts || choice.keeps(Element::Profile(name)) {
            devices.devices.push(parts);
        }
    }
    if shape == TableShape::Wide {
        let names = options.columns.iter().flatten();
        let columns_of = |parts| Columns {
            devices: vec![parts],
            ..Columns::default()
        };
        let is_missing = |columns: &Columns| {
            let known = devices.names();
            !columns.names().iter().all(|name| known.contains(name))
        };
        // Their names are in the axes of the table, and the same conversion goes back.
        let named: Vec<Columns> = names
            .filter_map(|name| DeviceParts::of_column(name))
            .map(|parts| columns_of(parts).in_space(options.space))
            .filter(is_missing)
            .collect();
        for columns in &named {
            devices.add(columns);
        }
    }
    // A table of keys has these columns if it has any device, whatever its name is.
    let is_of_pulses = |name: &String| PULSE_COLUMNS.contains(&name.as_str());
    if shape == TableShape::Keys
        && devices.devices.is_empty()
        && options.columns.iter().flatten().any(is_of_pulses)
    {
        devices.devices.push(DeviceParts {
            name: DeviceName::controller(Side::Right),
            poses: Vec::new(),
            inputs: Vec::new(),
        });
    }
    devices.devices
}

/// Returns the columns of a wide or tidy table for the streams and joints that `choice` keeps.
fn streams(choice: &ElementChoice) -> Columns {
    let hand = |side: Side| {
        let joints = Joint::ALL.into_iter();
        let joints = joints.filter(|joint| choice.keeps(Element::Joint(side, *joint)));
        let joints: Vec<Joint> = joints.collect();
        let states = [CurvePath::Tracked(side), CurvePath::Pinching(side)];
        let has_states = states.into_iter().any(|path| choice.keeps(path.into()));
        (has_states || !joints.is_empty()).then_some(joints)
    };
    Columns {
        marker: false,
        head: choice.keeps(Element::Head),
        hands: Side::BOTH.map(hand),
        gaze: choice.keeps(Element::Gaze),
        without_pinches: [false; 2],
        devices: Vec::new(),
    }
}
