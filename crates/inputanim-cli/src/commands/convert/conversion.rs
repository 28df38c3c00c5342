//! What a conversion is told, and what is to be said of it.

use std::path::Path;
#[cfg(feature = "mcap")]
use std::time::{Duration, SystemTime};

use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use inputanim::{Layout, Space};
use inputanim_convert::Format;
use inputanim_convert::gltf::NodeNames;
use inputanim_convert::tables::Shape;

use super::table_args::{TableArgs, Told};
use crate::outcome::Refusal;
use crate::values::{layouts, rate, spaces};

/// The options of a conversion.
#[derive(Debug, clap::Args)]
pub(super) struct Conversion {
    /// The layout to write [default: that of IN]
    #[arg(long, value_name = "LAYOUT", value_parser = layouts())]
    pub(super) layout: Option<Layout>,
    /// The format of IN [default: by its content]
    #[arg(long, value_name = "FORMAT", value_parser = formats(Format::can_be_read))]
    pub(super) from: Option<Format>,
    /// The format to write [default: by the extension of OUT, else bin]
    #[arg(long, value_name = "FORMAT", value_parser = formats(|_| true))]
    pub(super) to: Option<Format>,
    /// Frames per second of iwer, mcap, bvh, usd and tables, and of curves that glTF cannot have
    /// [default: 60]
    #[arg(long, value_name = "HZ", value_parser = rate, allow_negative_numbers = true)]
    pub(super) rate: Option<f64>,
    /// Have a frame of mcap or row of a table wherever a curve has a key, not at a rate
    #[arg(long, conflicts_with = "rate")]
    pub(super) at_keys: bool,
    /// The axes of glTF or of a table that is read [default: gltf; as the table says, else unity]
    #[arg(long, value_name = "SPACE", value_parser = spaces())]
    pub(super) space: Option<Space>,
    /// The hand that bvh has [default: both, if tracked]
    #[arg(long, value_name = "HAND", value_enum)]
    pub(super) hand: Option<Hand>,
    /// Units of bvh in a metre [default: 100, for centimetres]
    #[arg(long, value_name = "UNITS", value_parser = scale, allow_negative_numbers = true)]
    pub(super) scale: Option<f64>,
    /// The function that markers call in anim [default: OnMarker]
    #[arg(long, value_name = "NAME")]
    pub(super) event: Option<String>,
    /// Go on where the layout cannot hold everything
    #[arg(long)]
    pub(super) allow_loss: bool,
    /// The names of nodes in glTF that is written [default: inputanim]
    #[arg(long, value_name = "NAMES", value_parser = node_names())]
    pub(super) node_names: Option<NodeNames>,
    /// The animation of glTF to read [default: the first that moves a hand, head or gaze]
    #[arg(long, value_name = "NAME")]
    pub(super) animation: Option<String>,
    /// When t = 0 was, for mcap, as 2024-05-01T10:00:00Z [default: in 1970]
    #[cfg(feature = "mcap")]
    #[arg(long, value_name = "TIME", value_parser = since_1970)]
    pub(super) start_time: Option<Duration>,
    #[command(flatten)]
    pub(super) tables: TableArgs,
}

/// Which hands are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Hand {
    Left,
    Right,
    Both,
}

fn scale(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(scale) if scale > 0.0 && scale.is_finite() => Ok(scale),
        _ => Err("expected a number above 0".to_owned()),
    }
}

fn formats(are_wanted: impl Fn(Format) -> bool) -> impl TypedValueParser<Value = Format> {
    let formats = Format::ALL.into_iter();
    // Extensions that are no names count as such.
    let names = formats.filter(|&format| are_wanted(format)).map(|format| {
        let others = format.extensions().iter();
        let others = others.filter(move |&&other| other != format.name());
        PossibleValue::new(format.name()).aliases(others)
    });
    PossibleValuesParser::new(names).try_map(|name| {
        let named = name.parse::<Format>();
        named.or_else(|error| Format::of_extension(name.as_ref()).ok_or(error))
    })
}

fn node_names() -> impl TypedValueParser<Value = NodeNames> {
    PossibleValuesParser::new(NodeNames::ALL.map(NodeNames::name))
        .try_map(|name| name.parse::<NodeNames>())
}

/// A time of the clock, such as `2024-05-01T10:00:00Z`.
#[cfg(feature = "mcap")]
fn since_1970(text: &str) -> Result<Duration, String> {
    let time = humantime::parse_rfc3339_weak(text);
    let since = time
        .ok()
        .and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
    since.ok_or_else(|| "expected a time in UTC from 1970 on, as 2024-05-01T10:00:00Z".to_owned())
}

/// What is to be said of a conversion.
#[derive(Default)]
pub(super) struct Said {
    /// What the output does not have.
    pub(super) lost: Vec<String>,
    /// What is so for every recording in that format.
    pub(super) notes: Vec<String>,
}

impl Said {
    pub(super) fn lost<T: ToString>(losses: &[T]) -> Said {
        Said {
            lost: losses.iter().map(T::to_string).collect(),
            notes: Vec::new(),
        }
    }

    pub(super) fn with_note(mut self, note: String) -> Said {
        self.notes.push(note);
        self
    }

    pub(super) fn extend(&mut self, said: Said) {
        self.lost.extend(said.lost);
        self.notes.extend(said.notes);
    }
}

const fn is_gltf(format: Format) -> bool {
    matches!(format, Format::Glb | Format::Gltf)
}

const fn is_usd(format: Format) -> bool {
    matches!(format, Format::Usda | Format::Usdc)
}

/// Whether a recording can be written in another layout on its way to a format.
fn has_layout(format: Format) -> bool {
    matches!(format, Format::Bin | Format::Json) || is_gltf(format)
}

/// An option that is given and would do nothing.
fn idle(options: impl IntoIterator<Item = Told>) -> Option<&'static str> {
    let mut options = options.into_iter();
    let found = options.find(|&(_, is_given, counts)| is_given && !counts);
    found.map(|(option, ..)| option)
}

impl Conversion {
    /// The format to write, by the name of the output without --to.
    pub(super) fn format(&self, output: &Path) -> anyhow::Result<Format> {
        if let Some(format) = self.to {
            return Ok(format);
        }
        if output.extension().is_none() {
            let name = output.to_string_lossy();
            return match name.parse::<Format>() {
                Ok(format) if format != Format::Bin => {
                    let message = format!("{name} is the name of a format, not of a file");
                    Err(Refusal::usage(
                        message,
                        "--to says the format; or name it with .bin",
                    ))
                }
                _ => Ok(Format::Bin),
            };
        }
        Format::of_path(output).ok_or_else(|| {
            let message = format!("the extension of {} says no format", output.display());
            Refusal::usage(message, "--to says which; --help lists them")
        })
    }

    /// Whether a format holds what plays, and not a recording as it is: what is damaged shows there.
    pub(super) fn is_of_what_plays(&self, format: Format) -> bool {
        let is_keys = format.is_table() && self.tables.shape == Some(Shape::Keys);
        !(matches!(format, Format::Bin | Format::Json) || is_keys)
    }

    /// Refuses options that would do nothing for the output.
    pub(super) fn check(&self, format: Format) -> anyhow::Result<()> {
        let is_gltf = is_gltf(format);
        let is_wide = format.is_table() && self.is_of_what_plays(format);
        let is_sampled =
            is_usd(format) || matches!(format, Format::Iwer | Format::Mcap | Format::Bvh);
        let has_frames = is_gltf || is_wide || is_sampled;
        let options = [
            ("--layout", self.layout.is_some(), has_layout(format)),
            ("--allow-loss", self.allow_loss, has_layout(format)),
            ("--rate", self.rate.is_some(), has_frames),
            ("--at-keys", self.at_keys, is_wide || format == Format::Mcap),
            ("--node-names", self.node_names.is_some(), is_gltf),
            ("--hand", self.hand.is_some(), format == Format::Bvh),
            ("--scale", self.scale.is_some(), format == Format::Bvh),
            ("--event", self.event.is_some(), format == Format::UnityAnim),
            #[cfg(feature = "mcap")]
            (
                "--start-time",
                self.start_time.is_some(),
                format == Format::Mcap,
            ),
        ];
        let of_tables = self.tables.of_output(format.is_table(), is_wide);
        match idle(options.into_iter().chain(of_tables)) {
            None => Ok(()),
            Some(option) => Err(Refusal::usage(
                match format.is_table() && !is_wide {
                    true => format!("{option} does nothing for a table of keys"),
                    false => format!("{option} does nothing for {format}"),
                },
                "leave it out; --help says which formats it is for",
            )),
        }
    }

    /// The same for the input.
    pub(super) fn check_reading(&self, format: Format, name: &str) -> anyhow::Result<()> {
        let (is_gltf, is_table) = (is_gltf(format), format.is_table());
        let options = [
            ("--space", self.space.is_some(), is_gltf || is_table),
            ("--animation", self.animation.is_some(), is_gltf),
        ];
        let of_tables = self.tables.of_input(format);
        match idle(options.into_iter().chain(of_tables)) {
            None => Ok(()),
            Some(option) => Err(Refusal::usage(
                format!("{option} does nothing: {name} is {format}"),
                "leave it out; --help says which formats it is for",
            )),
        }
    }

    /// What a table is to hold, and what is to be said of it.
    pub(super) fn table_options(
        &self,
    ) -> (inputanim_convert::tables::Options, Option<&'static str>) {
        self.tables.options(self.rate, self.at_keys)
    }
}
