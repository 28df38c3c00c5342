//! What a conversion is told of tables.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use inputanim::Space;
use inputanim_convert::Format;
use inputanim_convert::frames::Mapping;
use inputanim_convert::tables::{Options, Shape, Times};

use crate::values::spaces;

/// An option, whether it is given, and whether it does something.
pub(super) type Told = (&'static str, bool, bool);

/// Where --help has them.
const TABLES: &str = "Options for tables";

/// Options for tables alone.
#[derive(Debug, clap::Args)]
pub(super) struct TableArgs {
    /// What a row is: an instant that plays, or a key [default: wide]
    #[arg(help_heading = TABLES, long, value_name = "SHAPE", value_parser = shapes())]
    pub(super) shape: Option<Shape>,
    /// The axes of a wide table to write [default: unity]
    #[arg(help_heading = TABLES, long, value_name = "SPACE", value_parser = spaces())]
    pub(super) to_space: Option<Space>,
    /// Leave out the markers of a wide table
    #[arg(help_heading = TABLES, long)]
    no_markers: bool,
    /// A column of IN by its name there, and what its numbers are multiplied with
    #[arg(help_heading = TABLES, long, value_name = "COLUMN=NAME[*N]")]
    pub(super) map: Vec<Mapping>,
    /// Pass over columns of IN that mean nothing here
    #[arg(help_heading = TABLES, long)]
    pub(super) ignore_unknown: bool,
    /// Make the first row of IN t = 0
    #[arg(help_heading = TABLES, long)]
    pub(super) from_zero: bool,
    /// Which recording of a parquet or arrow that has several
    #[arg(help_heading = TABLES, long, value_name = "NAME")]
    pub(super) recording: Option<String>,
}

fn shapes() -> impl TypedValueParser<Value = Shape> {
    let shape = |name: String| Shape::ALL.into_iter().find(|shape| shape.name() == name);
    PossibleValuesParser::new(Shape::ALL.map(Shape::name))
        .try_map(move |name| shape(name).ok_or("no shape"))
}

impl TableArgs {
    /// The options for OUT: which are given, and which do something.
    pub(super) fn of_output(&self, is_table: bool, is_wide: bool) -> [Told; 3] {
        [
            ("--shape", self.shape.is_some(), is_table),
            ("--to-space", self.to_space.is_some(), is_wide),
            ("--no-markers", self.no_markers, is_wide),
        ]
    }

    /// What a table is to hold, and what is to be said of it.
    pub(super) fn options(
        &self,
        rate: Option<f64>,
        at_keys: bool,
    ) -> (Options, Option<&'static str>) {
        let mut options = Options {
            shape: self.shape.unwrap_or_default(),
            space: self.to_space.unwrap_or_default(),
            markers: !self.no_markers,
            ..Options::default()
        };
        let mut note = None;
        match (at_keys, rate) {
            (true, _) => options.times = Times::Keys,
            (false, Some(rate)) => options.times = Times::Rate(rate),
            (false, None) if self.shape.is_none() => {
                note = Some("sampled at 60 Hz; --shape keys has all of a recording");
            }
            (false, None) => {}
        }
        (options, note)
    }

    /// The same for IN.
    pub(super) fn of_input(&self, format: Format) -> [Told; 4] {
        let is_table = format.is_table();
        let has_several = matches!(format, Format::Parquet | Format::Arrow);
        [
            ("--map", !self.map.is_empty(), is_table),
            ("--ignore-unknown", self.ignore_unknown, is_table),
            ("--from-zero", self.from_zero, is_table),
            ("--recording", self.recording.is_some(), has_several),
        ]
    }
}
