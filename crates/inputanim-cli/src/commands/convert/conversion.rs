//! The options of a conversion, and the library calls that they become.

use std::path::Path;
#[cfg(any(feature = "isaac", feature = "mcap", feature = "xdf"))]
use std::time::{Duration, SystemTime};

use anyhow::Context;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use inputanim::doctor::{self, Finding};
use inputanim::edit::EditError;
use inputanim::{Corrections, Layout, Limits, Recording, Side, Space, TimeRange, edit};
use inputanim_convert::tables::PathPattern;
use inputanim_convert::{
    Format, Mapping, NoEffect, NodeNames, ReadField, ReadOptions, Report, Sampling, TableShape,
    WriteField, WriteOptions, without_extension,
};

use super::segments::SegmentArgs;
use crate::arguments::names::{MarkerArgs, NameArgs, warn_of_unmatched, warn_of_unrecorded};
use crate::arguments::time_range::within;
use crate::arguments::values::{Hand, formats, layouts, rate, spaces};
use crate::files::input::{CorrectionArgs, FromArgs, Input, path_values};
use crate::messages::outcome::{Outcome, Refusal};
use crate::messages::text::printable;
use inputanim::RelativeTimeRange;
use inputanim_scan::ScanOptions;

/// The heading of the options for tables in --help.
const TABLES: &str = "Options for tables";

/// The hint of an option without effect.
const REMOVE: &str = "remove it; `inputanim convert --help` lists the formats that use it";

/// The options of a conversion.
#[derive(Debug, clap::Args)]
pub(super) struct Conversion {
    #[command(flatten)]
    inputs: FromArgs,
    /// The format to write [default: by the extension of OUT; bin on standard output]
    #[arg(long, visible_alias = "output-format", value_name = "FORMAT", value_parser = formats(Format::can_write))]
    pub(super) to: Option<Format>,
    #[command(flatten)]
    corrections: CorrectionArgs,
    #[command(flatten)]
    names: NameArgs,
    #[command(flatten)]
    marker_names: MarkerArgs,
    /// Convert only this time range. Rows of tables keep their times; in other formats the start of the
    /// range becomes t = 0 [default: all]
    #[arg(long, value_name = "A..B", allow_hyphen_values = true)]
    time: Option<RelativeTimeRange>,
    /// If OUT is a wide or tidy table, xdf, motion-bids or lerobot: the axes of OUT [default: unity]. For all other
    /// formats of OUT: the axes of IN, which must be glTF, a wide table, xdf or xror [default: as stated in IN, else
    /// gltf for glTF and unity for the others]
    #[arg(long, value_name = "SPACE", value_parser = spaces(), ignore_case = true)]
    space: Option<Space>,
    /// The axes of IN, where --space gives the axes of OUT [default: as stated in IN, else gltf for glTF and
    /// unity for the others]
    #[arg(long, value_name = "SPACE", value_parser = spaces(), ignore_case = true)]
    input_space: Option<Space>,
    /// Samples per second, for iwer, mcap, isaac, xdf, handsbin, bvh, usd, datasets and tables, and for curves that are not
    /// representable in glTF [default: 60; 30 for lerobot]
    #[arg(long, value_name = "HZ", value_parser = rate, allow_negative_numbers = true)]
    rate: Option<f64>,
    /// Sample mcap, isaac, xdf, handsbin and tables at the times of all keys instead of at a rate
    #[arg(long, conflicts_with = "rate")]
    at_keys: bool,
    /// The layout to write, for bin, json and glTF [default: the layout of IN]
    #[arg(long, value_name = "LAYOUT", value_parser = layouts())]
    layout: Option<Layout>,
    /// Drop the data that the layout cannot represent, instead of refusing to write
    #[arg(long)]
    allow_loss: bool,
    /// The hands to write to bvh [default: both, if tracked]
    #[arg(long, value_name = "HAND")]
    hand: Option<Hand>,
    /// Units of bvh per metre [default: 100, for centimetres]
    #[arg(long, value_name = "UNITS", value_parser = scale, allow_negative_numbers = true)]
    scale: Option<f64>,
    /// The function that markers call in anim [default: OnMarker]
    #[arg(long, value_name = "NAME")]
    event: Option<String>,
    /// The names of nodes in the glTF that is written [default: inputanim]
    #[arg(long, value_name = "NAMES", value_parser = node_names())]
    node_names: Option<NodeNames>,
    /// The animation to read from glTF [default: the first that moves a hand, the head or the gaze]
    #[arg(long, value_name = "NAME")]
    animation: Option<String>,
    /// The hand of all joints in glTF, left or right [default: the hand in the names of nodes or of IN]
    #[arg(long, value_name = "HAND")]
    side: Option<Side>,
    /// The date and time of t = 0 in isaac, mcap and xdf, such as 2024-05-01T10:00:00Z [default: 1970-01-01T00:00:00Z;
    /// none in xdf]
    #[cfg(any(feature = "isaac", feature = "mcap", feature = "xdf"))]
    #[arg(long, value_name = "TIME", value_parser = since_1970)]
    start_time: Option<Duration>,
    /// The rows of the table: wide, one per instant; tidy, one per joint and instant; keys, one per
    /// key [default: wide]
    #[arg(help_heading = TABLES, long, value_name = "SHAPE", value_parser = shapes())]
    shape: Option<TableShape>,
    /// Write each marker as a separate row into a wide csv, tsv or ndjson
    #[arg(help_heading = TABLES, long)]
    pub(super) markers: bool,
    /// Add columns from the path of IN, such as '{participant}/{condition}_{*}.bin'. For motion-bids, the
    /// labels of the files: '{sub}/{ses}/{task}_{run}.bin'
    #[arg(help_heading = TABLES, long, value_name = "PATTERN")]
    path_pattern: Option<PathPattern>,
    /// The confidence below which a hand in egodex counts as untracked, and joints of egodex and values with a mapped confidence
    /// are unknown, a number from 0 to 1 [default: 0.5]
    #[arg(long, value_name = "NUMBER", value_parser = confidence, allow_negative_numbers = true)]
    min_confidence: Option<f32>,
    /// Set a text about the recording, such as 'task=pick up the cube', 'device=Quest 3' or 'user=P01'; an empty text removes it.
    /// May be repeated. For json, mcap, isaac, xdf, parquet, arrow, glTF and usd; lerobot and motion-bids have some of them
    /// [default: the texts of IN]
    #[arg(long, value_name = "NAME=TEXT", value_parser = named_text)]
    about: Vec<(String, String)>,
    /// Keep the times of the samples in xdf, instead of making the times of regular streams regular, as pyxdf does
    #[arg(long)]
    keep_jitter: bool,
    /// Compute palm, wrist and pinch of a hand from its controller while the hand is not tracked: for json, tables, iwer, mcap,
    /// isaac, xdf and xror with controllers
    #[arg(long)]
    palms_from_controllers: bool,
    #[command(flatten)]
    pub(super) segments: SegmentArgs,
    #[cfg(feature = "lerobot")]
    #[command(flatten)]
    pub(super) lerobot: super::lerobot_args::LeRobotArgs,
    #[command(flatten)]
    pub(super) rows: RowArgs,
    #[cfg(feature = "xdf")]
    #[command(flatten)]
    pub(super) append: super::append::AppendArgs,
    /// Subtract the time of the first row of IN from all times, in double precision
    #[arg(help_heading = TABLES, long)]
    from_zero: bool,
    /// The name of the recording to read, if the column `recording` of a table has several names, or an xdf
    /// contains several recordings
    #[arg(help_heading = TABLES, long, value_name = "NAME")]
    recording: Option<String>,
}

/// Options for rows that another program wrote, which `convert` and `record` share.
#[derive(Debug, clap::Args)]
pub(crate) struct RowArgs {
    /// Read a column under another name, and multiply its numbers: 'time_s=Timestamp [us]*1e-6', or columns as a vector or as
    /// angles: right.Palm.position=px,py,pz, head.rotation.yxz-deg=rx,ry,rz (docs/tables.md). Of xdf, the name is
    /// STREAM/CHANNEL. Of glTF, a joint and its node: 'right.IndexTip=bone_12'. May be repeated; other unknown columns are
    /// then ignored
    #[arg(help_heading = TABLES, long, value_name = "COLUMN=NAME[*N]")]
    pub(crate) map: Vec<Mapping>,
    /// Ignore unknown columns and members
    #[arg(help_heading = TABLES, long)]
    pub(crate) ignore_unknown: bool,
    /// Skip rows that cannot be read, and report them with exit code 3
    #[arg(help_heading = TABLES, long)]
    pub(crate) skip_bad: bool,
}

impl RowArgs {
    /// Returns the mappings of `--map`. Fails if two of them assign the same column.
    pub(crate) fn mappings(&self) -> anyhow::Result<Vec<Mapping>> {
        for (index, mapping) in self.map.iter().enumerate() {
            let mut earlier = self.map[..index].iter();
            if let Some(earlier) = earlier.find(|earlier| earlier.column == mapping.column) {
                let message = format!(
                    "--map assigns {} twice: from \"{}\" and from \"{}\"",
                    mapping.column,
                    printable(&earlier.source),
                    printable(&mapping.source)
                );
                return Err(Refusal::usage(message, "remove one of them"));
            }
        }
        Ok(self.map.clone())
    }
}

fn scale(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(scale) if scale > 0.0 && scale.is_finite() => Ok(scale),
        _ => Err("expected a number above 0".to_owned()),
    }
}

fn confidence(text: &str) -> Result<f32, String> {
    match text.parse::<f32>() {
        Ok(confidence) if ReadOptions::MIN_CONFIDENCES.contains(&confidence) => Ok(confidence),
        _ => Err("expected a number from 0 to 1".to_owned()),
    }
}

/// Parses the name and the text of `--about`.
fn named_text(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, text)) if !name.trim().is_empty() => {
            Ok((name.trim().to_owned(), text.to_owned()))
        }
        _ => Err("expected NAME=TEXT, as 'task=pick up the cube'".to_owned()),
    }
}

fn node_names() -> impl TypedValueParser<Value = NodeNames> {
    PossibleValuesParser::new(NodeNames::ALL.iter().map(|names| names.name()))
        .try_map(|name| name.parse::<NodeNames>())
}

fn shapes() -> impl TypedValueParser<Value = TableShape> {
    PossibleValuesParser::new(TableShape::ALL.iter().map(|shape| shape.name()))
        .try_map(|name| name.parse::<TableShape>())
}

/// Parses a date and time in UTC such as `2024-05-01T10:00:00Z`. Returns the time since 1970.
#[cfg(any(feature = "isaac", feature = "mcap", feature = "xdf"))]
fn since_1970(text: &str) -> Result<Duration, String> {
    let time = humantime::parse_rfc3339_weak(text);
    let since = time
        .ok()
        .and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
    since.ok_or_else(|| "expected a time in UTC from 1970 on, as 2024-05-01T10:00:00Z".to_owned())
}

impl Conversion {
    /// Returns how the inputs are read.
    pub(super) fn inputs(&self) -> FromArgs {
        self.inputs
    }

    /// Returns the format to write: of `--to`, otherwise by the extension of the output. `-` is .bin.
    pub(super) fn format(&self, output: &Path) -> anyhow::Result<Format> {
        if let Some(format) = self.to {
            return Ok(format);
        }
        if output == Path::new("-") {
            return Ok(Format::Bin);
        }
        // `convert take.bin csv` is most likely a forgotten --to, and not a file called `csv`.
        let Some(extension) = output.extension() else {
            let name = output.display();
            let message = format!("missing format: {name} has no extension");
            let hint = "add an extension such as .bin, or choose the format with --to";
            return Err(Refusal::usage(message, hint));
        };
        match Format::from_path(output) {
            Some(format) if format.can_write() => Ok(format),
            Some(format) => {
                let hint = "choose another extension for OUT; IN may be such a file";
                let message = format!("{format} can be read, but not written");
                Err(Refusal::usage(message, hint))
            }
            None => {
                let extension = extension.to_string_lossy();
                let written = Format::ALL.iter().filter(|format| format.can_write());
                let names = written
                    .map(|format| format.name())
                    .collect::<Vec<_>>()
                    .join(", ");
                let message =
                    format!("cannot infer a format from \".{extension}\"; supported: {names}");
                let hint = "for Blender use .glb, for Unity .anim; or choose the format with --to";
                Err(Refusal::usage(message, hint))
            }
        }
    }

    /// Returns `true` if tables have a row for each joint and instant.
    pub(super) fn is_tidy(&self) -> bool {
        self.shape() == TableShape::Tidy
    }

    pub(super) fn shape(&self) -> TableShape {
        self.shape.unwrap_or_default()
    }

    /// Returns `true` if an output of this format can contain markers as rows, with `--markers`.
    pub(super) fn can_write_markers(&self, format: Format) -> bool {
        self.writes(WriteField::Markers, format)
    }

    /// Returns `true` if an output of this format uses a field of [`WriteOptions`].
    fn writes(&self, field: WriteField, format: Format) -> bool {
        field.is_used_by(format, self.shape())
    }

    /// Refuses unknown names, and options that have no effect on the output.
    pub(super) fn check(&self, format: Format) -> anyhow::Result<()> {
        self.names.choice()?;
        self.rows.mappings()?;
        let given = [
            ("--layout", WriteField::Layout, self.layout.is_some()),
            ("--allow-loss", WriteField::AllowLoss, self.allow_loss),
            ("--rate", WriteField::Rate, self.rate.is_some()),
            ("--at-keys", WriteField::KeyTimes, self.at_keys),
            (
                "--node-names",
                WriteField::NodeNames,
                self.node_names.is_some(),
            ),
            ("--hand", WriteField::Hand, self.hand.is_some()),
            ("--scale", WriteField::Scale, self.scale.is_some()),
            ("--event", WriteField::Event, self.event.is_some()),
            #[cfg(any(feature = "isaac", feature = "mcap", feature = "xdf"))]
            (
                "--start-time",
                WriteField::StartTime,
                self.start_time.is_some(),
            ),
            ("--shape", WriteField::Shape, self.shape.is_some()),
            ("--markers", WriteField::Markers, self.markers),
            (
                "--path-pattern",
                WriteField::Labels,
                self.path_pattern.is_some(),
            ),
        ];
        let unused = format.check_written(self.shape(), given);
        #[cfg(feature = "lerobot")]
        let unused = unused.and_then(|()| match self.lerobot.first_given() {
            Some(option) if format != Format::LeRobot => {
                Err(inputanim_convert::NoEffect::new(option, format))
            }
            _ => Ok(()),
        });
        let unused = unused.and_then(|()| self.check_segments(format));
        unused.map_err(|error| Refusal::usage(error.to_string(), REMOVE))?;
        if self.has_segment_rows(format) {
            // These rows are no recording.
            let given = [
                ("--markers", self.markers),
                ("--about", !self.about.is_empty()),
            ];
            if let Some((option, _)) = given.into_iter().find(|(_, is_given)| *is_given) {
                let message = format!("{option} has no effect on tables of segments");
                return Err(Refusal::usage(
                    message,
                    "remove it, or --segments and --points",
                ));
            }
        }
        let mut names = self.about.iter().map(|(name, _)| name);
        if let Some(name) = names.find(|name| !format.holds_text(name)) {
            let message = format!("--about {name} has no effect on a conversion to {format}");
            return Err(Refusal::usage(message, REMOVE));
        }
        Ok(())
    }

    /// Fails if an option of segments has no effect on outputs of a format.
    fn check_segments(&self, format: Format) -> Result<(), NoEffect> {
        let SegmentArgs { segments, points } = &self.segments;
        let is_sampled = format.is_table() && self.shape() != TableShape::Keys;
        let has_episodes = format == Format::LeRobot;
        if segments.is_some() && !(format.is_table() || has_episodes) {
            return Err(NoEffect::new("--segments", format));
        }
        if points.is_some() && !is_sampled {
            let mut error = NoEffect::new("--points", format);
            error.shape = format.is_table().then(|| self.shape());
            return Err(error);
        }
        Ok(())
    }

    /// Returns `true` if a table has the rows of segments.
    pub(super) fn has_segment_rows(&self, format: Format) -> bool {
        format.is_table() && self.segments.are_given()
    }

    /// Sets the options of the rows of segments.
    pub(super) fn set_row_options(&self, options: &mut ScanOptions) {
        if let Some(rate) = self.rate {
            options.sampling = Sampling::Rate(rate);
        } else if self.at_keys {
            options.sampling = Sampling::Keys;
        }
        options.space = self.space.unwrap_or_default();
        options.time = self.time;
        options.path_pattern = self.path_pattern.clone();
        (options.joints, options.exclude) = self.names.texts();
    }

    /// Returns `true` if the date and time of t = 0 are given.
    #[cfg(feature = "xdf")]
    pub(super) fn has_start_time(&self) -> bool {
        self.start_time.is_some()
    }

    /// Returns the axes of the input: of `--input-space`, or of `--space` if outputs of the format `to` do not use
    /// that option. `None` if neither is given.
    fn input_space(&self, to: Format) -> Option<Space> {
        let is_of_output = self.writes(WriteField::Space, to);
        self.input_space.or(self.space.filter(|_| !is_of_output))
    }

    /// Fails if a given option has no effect on inputs of the format `format`. `to` is the format of the output, and
    /// `name` the name of the input.
    fn check_reading(&self, format: Format, to: Format, name: &str) -> anyhow::Result<()> {
        let space = if self.input_space.is_some() {
            "--input-space"
        } else {
            "--space"
        };
        let given = [
            (space, ReadField::Space, self.input_space(to).is_some()),
            (
                "--animation",
                ReadField::Animation,
                self.animation.is_some(),
            ),
            ("--side", ReadField::Side, self.side.is_some()),
            (
                "--map",
                ReadField::Mappings,
                !self.input_mappings().is_empty(),
            ),
            (
                "--ignore-unknown",
                ReadField::IgnoreUnknown,
                self.rows.ignore_unknown,
            ),
            ("--skip-bad", ReadField::SkipBad, self.rows.skip_bad),
            ("--from-zero", ReadField::FromZero, self.from_zero),
            ("--pauses", ReadField::Pauses, self.inputs.pauses.is_some()),
            (
                "--min-confidence",
                ReadField::MinConfidence,
                self.min_confidence.is_some(),
            ),
            (
                "--keep-jitter",
                ReadField::KeepJitter,
                self.keep_jitter && !self.is_appending(),
            ),
            (
                "--palms-from-controllers",
                ReadField::PalmsFromControllers,
                self.palms_from_controllers,
            ),
            (
                "--recording",
                ReadField::Recording,
                self.recording.is_some(),
            ),
        ];
        format.check_read(given).map_err(|error| {
            // Of other outputs, the option is the axes of the output.
            let message = match error.option {
                "--space" => format!("--space has no effect on a conversion from {format} to {to}"),
                _ => error.to_string(),
            };
            Refusal::usage(format!("{name}: {message}"), REMOVE)
        })
    }

    /// Returns `true` if the recording is added to an existing file, for which `--map marker` and `--keep-jitter` are then.
    fn is_appending(&self) -> bool {
        #[cfg(feature = "xdf")]
        return self.append.append_to.is_some();
        #[cfg(not(feature = "xdf"))]
        false
    }

    /// Returns the mappings for inputs.
    fn input_mappings(&self) -> Vec<Mapping> {
        let all = self.rows.map.iter();
        let own = all.filter(|mapping| !self.is_appending() || !mapping.is_of_markers());
        own.cloned().collect()
    }

    /// Returns the options with which the file of `--append-to` is read.
    #[cfg(feature = "xdf")]
    pub(super) fn appending_options(&self, limits: &Limits) -> ReadOptions {
        let mut options = ReadOptions::default();
        options.limits = *limits;
        let all = self.rows.map.iter();
        options.mappings = all
            .filter(|mapping| mapping.is_of_markers())
            .cloned()
            .collect();
        options.keep_jitter = self.keep_jitter;
        options
    }

    fn read_options(&self, input: &Input, to: Format, limits: &Limits) -> ReadOptions {
        let mut options = input.options(limits);
        options.space = self.input_space(to);
        options.animation.clone_from(&self.animation);
        options.side = self.side;
        options.recording.clone_from(&self.recording);
        options.mappings = self.input_mappings();
        options.ignore_unknown = self.rows.ignore_unknown;
        options.skip_bad = self.rows.skip_bad;
        options.from_zero = self.from_zero;
        options.min_confidence = self.min_confidence;
        options.keep_jitter = self.keep_jitter;
        options.palms_from_controllers = self.palms_from_controllers;
        options
    }

    /// Returns the options for writing a recording; `output` names a file or is `-`. `name` is the name of the
    /// recording, if it becomes a column.
    pub(super) fn write_options(
        &self,
        input: &Input,
        recording: &Recording<'_>,
        name: Option<&str>,
        format: Format,
        output: &Path,
        limits: &Limits,
    ) -> anyhow::Result<WriteOptions> {
        let mut options = WriteOptions::default();
        options.limits = *limits;
        options.layout = self.layout;
        options.allow_loss = self.allow_loss;
        if let Some(rate) = self.rate {
            options.sampling = Sampling::Rate(rate);
        } else if self.at_keys {
            options.sampling = Sampling::Keys;
        }
        options.space = self.space.unwrap_or_default();
        options.shape = self.shape();
        options.markers = self.markers;
        if let Some(time) = self.time.filter(|_| self.writes(WriteField::Time, format)) {
            // Playback starts at t = 0, even if the first key is later (docs/format.md 5.1).
            let playback = TimeRange {
                start: 0.0,
                end: recording.duration(),
            };
            let range = within(time, recording, input.name())?;
            options.time = Some(match self.shape() {
                // Keys before t = 0 are keys too.
                TableShape::Keys => range,
                _ => range.closed_by(playback),
            });
        }
        if format.is_table() {
            options.labels = self.labels(input, name)?;
        }
        options.source = input.file_name();
        // Unity expects a clip to have the name of its file.
        if let Some(stem) = output.file_stem().filter(|_| output != Path::new("-")) {
            options.clip_name = stem.to_string_lossy().into_owned();
        }
        if let Some(event) = &self.event {
            options.event.clone_from(event);
        }
        options.node_names = self.node_names.unwrap_or_default();
        options.hand = self.hand.and_then(Hand::side);
        options.scale = self.scale.unwrap_or(options.scale);
        #[cfg(any(feature = "isaac", feature = "mcap", feature = "xdf"))]
        {
            options.start_time = self.start_time.unwrap_or_default();
        }
        Ok(options)
    }

    /// Returns the columns that have one value for all rows of a recording, as pairs of name and value: the recording's
    /// name, if `name` is given or the table is tidy, and the columns of `--path-pattern`.
    fn labels(&self, input: &Input, name: Option<&str>) -> anyhow::Result<Vec<(String, String)>> {
        let mut labels = Vec::new();
        // Tidy tables are made to be concatenated, for which each row needs its recording.
        let of_file = || {
            let name = input.file_name().unwrap_or_else(|| "-".to_owned());
            without_extension(&name).to_owned()
        };
        let name = name.map(str::to_owned);
        let name = name.or_else(|| self.is_tidy().then(of_file));
        labels.extend(name.map(|name| (RECORDING.to_owned(), name)));
        labels.extend(self.path_labels(input.name())?);
        Ok(labels)
    }

    /// Returns the columns of `--path-pattern` for a path, as pairs of name and value. Empty without the option.
    /// Fails if the path does not match the pattern.
    pub(super) fn path_labels(&self, path: &str) -> anyhow::Result<Vec<(String, String)>> {
        let Some(pattern) = &self.path_pattern else {
            return Ok(Vec::new());
        };
        let values = path_values(pattern, path)?;
        Ok(pattern.names().iter().cloned().zip(values).collect())
    }

    /// Formats the columns of `--path-pattern` for a path: `participant = p01`. `None` without the option, or if the
    /// path does not match the pattern.
    pub(super) fn path_columns(&self, path: &Path) -> Option<String> {
        columns_of(self.path_pattern.as_ref()?, &path.to_string_lossy())
    }

    /// Returns options of a LeRobot dataset, with the rate, axes, limits and names of this conversion. The options that
    /// only LeRobot has keep their defaults. Fails if LeRobot cannot have the rate.
    #[cfg(feature = "lerobot")]
    pub(super) fn dataset_options(
        &self,
        limits: &Limits,
    ) -> anyhow::Result<inputanim_scan::lerobot::EpisodeOptions> {
        let mut options = inputanim_scan::lerobot::EpisodeOptions::default();
        if let Some(rate) = self.rate {
            options.dataset.set_rate(rate).map_err(|error| {
                let hint = "LeRobot needs a whole number of frames per second, such as --rate 30";
                Refusal::usage(error.to_string(), hint)
            })?;
        }
        options.dataset.space = self.space.unwrap_or_default();
        options.dataset.limits = *limits;
        (options.joints, options.exclude) = self.names.texts();
        Ok(options)
    }

    /// Returns the corrections of `--recover` and `--repair`, which are applied while a recording is read.
    pub(super) fn corrections(&self) -> Corrections {
        self.corrections.corrections()
    }

    /// Reads a recording with the options of this conversion, and applies `--recover` and `--repair`. `to` is the
    /// format of the output.
    pub(super) fn read<'i>(
        &self,
        input: &'i Input,
        to: Format,
        limits: &Limits,
    ) -> anyhow::Result<(Recording<'i>, Report, Outcome)> {
        self.check_reading(input.format(), to, input.name())?;
        let options = self.read_options(input, to, limits);
        let (mut recording, report, outcome) = input.read_corrected(&options, self.corrections)?;
        for (name, text) in &self.about {
            recording.about.set(name, text);
        }
        Ok((recording, report, outcome))
    }

    /// Returns the damage that changes the output: damage in selected curves, if outputs of the format `to` contain
    /// evaluated values. Otherwise, the list is empty.
    pub(super) fn damage(
        &self,
        recording: &Recording<'_>,
        to: Format,
    ) -> anyhow::Result<Vec<Finding>> {
        if !to.is_evaluated(self.shape()) {
            return Ok(Vec::new());
        }
        let choice = self.names.choice()?;
        Ok(doctor::damage(recording, |path| choice.keeps(path.into())))
    }

    /// Reduces a recording to the selected streams and joints, and to `--time`. Does not change what the writer of
    /// the format `to` selects itself. Fails if nothing that is selected is recorded.
    pub(super) fn select(
        &self,
        recording: &mut Recording<'_>,
        input: &Input,
        to: Format,
    ) -> anyhow::Result<()> {
        if !self.names.is_empty() {
            let choice = self.names.choice()?;
            warn_of_unrecorded(&choice, recording, input.name())?;
        }
        let markers = self.marker_names.choice();
        warn_of_unmatched(markers.select(&mut recording.markers), input.name());
        // Rows of segments and episodes of a dataset select their streams, because events need further ones.
        if !self.names.is_empty() && to != Format::LeRobot {
            let choice = self.names.choice()?;
            if !self.has_segment_rows(to) {
                let checked = choice.check_tracking().map_err(EditError::from);
                let checked = checked
                    .and_then(|()| choice.check_profiles(recording).map_err(EditError::from));
                checked.with_context(|| input.context())?;
                edit::select(recording, |element| choice.keeps(element));
            }
            let mut curves = recording.curves();
            if curves.all(|(path, curve)| curve.is_empty() || !choice.keeps(path.into())) {
                let message = "nothing that --joints and --exclude select is recorded";
                let hint = "`inputanim info IN` lists the streams";
                return Err(Refusal::failure(message, hint).context(input.context()));
            }
        }
        // Tables have the rows of the time range. Any other format has the keys or samples of a trimmed recording.
        if let Some(time) = self.time.filter(|_| !self.writes(WriteField::Time, to)) {
            let range = within(time, recording, input.name())?;
            let trimmed = edit::trim(recording, range);
            trimmed.with_context(|| input.context())?;
            if range.start.is_finite() {
                edit::shift(recording, -range.start)?;
            }
        }
        Ok(())
    }
}

/// Returns the columns of a pattern with their texts for a path: `participant = p01`. `None` if the path does not match.
pub(super) fn columns_of(pattern: &PathPattern, path: &str) -> Option<String> {
    let values = pattern.values(path)?;
    let columns = pattern.names().iter().zip(values);
    let columns = columns.map(|(name, value)| format!("{name} = {value}"));
    Some(columns.collect::<Vec<_>>().join(", "))
}

/// The column of the name of a recording.
const RECORDING: &str = "recording";
