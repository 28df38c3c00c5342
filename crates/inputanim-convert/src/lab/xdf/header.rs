//! The headers and footers of streams, which are XML.

use inputanim::{About, Space};
use roxmltree::{Document, Node};

use super::devices::WrittenDevice;
use crate::shared::texts::{Texts, full_name};

/// The largest number of bytes of a header or footer. A header with ten thousand channels has two megabytes.
const MAX_BYTES: usize = 4 << 20;
/// The largest number of attributes of a header or footer. The Lab Streaming Layer writes none except for the version of
/// XML. The parser takes quadratic time for attributes, and cubic time for nested declarations of namespaces.
const MAX_ATTRIBUTES: usize = 100;

/// The type of the values of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChannelFormat {
    Int8,
    Int16,
    Int32,
    Int64,
    Float32,
    Double64,
    String,
}

impl ChannelFormat {
    const ALL: [ChannelFormat; 7] = [
        ChannelFormat::Int8,
        ChannelFormat::Int16,
        ChannelFormat::Int32,
        ChannelFormat::Int64,
        ChannelFormat::Float32,
        ChannelFormat::Double64,
        ChannelFormat::String,
    ];

    pub(super) const fn name(self) -> &'static str {
        match self {
            ChannelFormat::Int8 => "int8",
            ChannelFormat::Int16 => "int16",
            ChannelFormat::Int32 => "int32",
            ChannelFormat::Int64 => "int64",
            ChannelFormat::Float32 => "float32",
            ChannelFormat::Double64 => "double64",
            ChannelFormat::String => "string",
        }
    }

    /// Returns the number of bytes of a value; `None` for texts, which have different lengths.
    pub(super) const fn size(self) -> Option<usize> {
        match self {
            ChannelFormat::Int8 => Some(1),
            ChannelFormat::Int16 => Some(2),
            ChannelFormat::Int32 | ChannelFormat::Float32 => Some(4),
            ChannelFormat::Int64 | ChannelFormat::Double64 => Some(8),
            ChannelFormat::String => None,
        }
    }
}

/// The header of a stream.
#[derive(Debug)]
pub(super) struct StreamHeader {
    pub(super) id: u32,
    pub(super) name: String,
    pub(super) kind: String,
    pub(super) channels: u32,
    pub(super) format: ChannelFormat,
    /// The samples per second; 0 for an irregular stream.
    pub(super) rate: f64,
    /// The labels of the first channels.
    pub(super) labels: Vec<Option<String>>,
    /// The units of these channels.
    pub(super) units: Vec<Option<String>>,
    /// `true` if the stream states that samples may be missing. Its times are then not made regular.
    pub(super) can_drop_samples: bool,
    /// The recording that this library wrote to the stream.
    pub(super) written: Option<WrittenStream>,
    /// The device that this library wrote to the stream.
    pub(super) device: Option<WrittenDevice>,
    /// The texts of the stream about the recording.
    pub(super) texts: Texts,
}

/// The facts that this library writes into the header of a stream.
#[derive(Clone, Debug)]
pub(super) struct WrittenStream {
    /// The id that the streams of one recording share.
    pub(super) recording_id: String,
    /// The name of the recording.
    pub(super) recording: String,
    /// The time stamp of the zero of the recording.
    pub(super) zero: f64,
    /// The duration of the recording in seconds. The last sample of a rate can be earlier.
    pub(super) duration: Option<f32>,
    pub(super) space: Space,
}

impl StreamHeader {
    /// Parses the XML of the header of a stream, whose id is `id`.
    ///
    /// # Errors
    /// Returns the problem as text.
    pub(super) fn parse(id: u32, xml: &[u8]) -> Result<StreamHeader, String> {
        let text = checked(xml)?;
        let document = parse(&text)?;
        let info = info(&document)?;
        let number = |name: &str| text_of(info, name).ok_or_else(|| format!("no <{name}>"));
        let invalid = |name: &str, found: &str| {
            let found: String = found.chars().take(40).collect();
            format!("invalid <{name}>: {found:?}")
        };
        let count = number("channel_count")?;
        let channels = count.parse().map_err(|_| invalid("channel_count", count))?;
        let rate = number("nominal_srate")?;
        let is_rate = |rate: &f64| rate.is_finite();
        let rate = rate
            .parse()
            .ok()
            .filter(is_rate)
            .ok_or_else(|| invalid("nominal_srate", rate))?;
        let name = number("channel_format")?;
        let mut formats = ChannelFormat::ALL.into_iter();
        let format = formats
            .find(|format| format.name() == name)
            .ok_or_else(|| invalid("channel_format", name))?;
        let desc = child(info, "desc");
        let text = |channel, name| text_of(channel, name).map(str::to_owned);
        let (labels, units) = desc
            .and_then(|desc| child(desc, "channels"))
            .into_iter()
            .flat_map(|list| children(list, "channel"))
            .take(channels as usize)
            .map(|channel| (text(channel, "label"), text(channel, "unit")))
            .unzip();
        let can_drop_samples = desc
            .and_then(|desc| child(desc, "synchronization"))
            .and_then(|sync| text_of(sync, "can_drop_samples"))
            .is_some_and(|text| text.eq_ignore_ascii_case("true"));
        let owned = |name: &str| text_of(info, name).unwrap_or_default().to_owned();
        Ok(StreamHeader {
            id,
            name: owned("name"),
            kind: owned("type"),
            channels,
            format,
            rate,
            labels,
            units,
            can_drop_samples,
            texts: desc.map(texts).unwrap_or_default(),
            written: desc
                .and_then(|desc| child(desc, WRITTEN))
                .and_then(WrittenStream::of),
            device: desc
                .and_then(|desc| child(desc, WRITTEN))
                .and_then(|own| child(own, DEVICE))
                .and_then(written_device),
        })
    }

    /// Returns the number of bytes of the values of all channels in a sample; `None` for texts, which have different
    /// lengths.
    pub(super) fn sample_bytes(&self) -> Option<usize> {
        let size = self.format.size()?;
        // A product that overflows is larger than any file.
        Some((self.channels as usize).saturating_mul(size))
    }
}

/// The element of [`WrittenStream`] in `desc`.
pub(super) const WRITTEN: &str = "inputanim";

impl WrittenStream {
    fn of(element: Node<'_, '_>) -> Option<WrittenStream> {
        let space = text_of(element, "space")?;
        let mut spaces = Space::ALL.iter().copied();
        let zero: f64 = text_of(element, "zero")?.parse().ok()?;
        let duration = text_of(element, "duration").and_then(|text| text.parse().ok());
        zero.is_finite().then_some(WrittenStream {
            recording_id: text_of(element, "recording_id")?.to_owned(),
            recording: text_of(element, "recording").unwrap_or_default().to_owned(),
            zero,
            duration: duration.filter(|duration: &f32| duration.is_finite()),
            space: spaces.find(|known| known.name() == space)?,
        })
    }
}

/// Elements of `desc` that describe the samples, and not the recording.
const OF_SAMPLES: [&str; 4] = ["channels", "synchronization", "coordinate_system", WRITTEN];

/// Returns the texts about the recording that the element `desc` of a header contains, by the names of their elements, such as
/// `acquisition.manufacturer`. Manufacturer and model together are the device.
fn texts(desc: Node<'_, '_>) -> Texts {
    let mut texts = Texts::default();
    if let Some(own) = child(desc, WRITTEN) {
        let about = child(own, ABOUT).map(written_texts).unwrap_or_default();
        for (name, text) in &about {
            texts.add("", name, text);
        }
        return texts;
    }
    add_texts("", desc, MAX_DEPTH, &mut texts);
    for group in std::iter::once(desc).chain(child(desc, "acquisition")) {
        let names = ["manufacturer", "model"].into_iter();
        let device: Vec<&str> = names.filter_map(|name| text_of(group, name)).collect();
        if !device.is_empty() {
            texts.add("", About::DEVICE, device.join(" "));
        }
    }
    texts
}

/// The number of elements inside each other whose texts are read.
const MAX_DEPTH: usize = 8;

/// Adds the texts of the elements in `parent`, whose name is `group`. Elements in an element that has too many parents or a
/// name that is too long are counted.
fn add_texts(group: &str, parent: Node<'_, '_>, depth: usize, texts: &mut Texts) {
    for node in parent.children().filter(Node::is_element) {
        let name = node.tag_name().name();
        if group.is_empty() && OF_SAMPLES.contains(&name) {
            continue;
        }
        let has_elements = node.children().any(|inner| inner.is_element());
        match full_name(group, name) {
            Some(inner) if has_elements && depth > 0 => add_texts(&inner, node, depth - 1, texts),
            _ if has_elements => texts.skip(1),
            _ => texts.add(group, name, node.text().unwrap_or_default()),
        }
    }
}

/// The element of [`WRITTEN`] with the facts about a device.
pub(super) const DEVICE: &str = "device";

fn written_device(element: Node<'_, '_>) -> Option<WrittenDevice> {
    let profiles = children(element, "profile");
    Some(WrittenDevice {
        name: text_of(element, "name")?.parse().ok()?,
        profiles: profiles
            .map(|profile| profile.text().unwrap_or_default().trim().to_owned())
            .collect(),
    })
}

/// The element of [`WRITTEN`] with the texts about the recording.
pub(super) const ABOUT: &str = "about";

fn written_texts(element: Node<'_, '_>) -> About {
    let texts = children(element, "text");
    let texts = texts.filter_map(|text| Some((text_of(text, "name")?, text_of(text, "value")?)));
    texts.collect()
}

/// Returns the number of samples that the XML of a footer states; `None` if it states none.
///
/// # Errors
/// Returns the problem as text.
pub(super) fn sample_count(xml: &[u8]) -> Result<Option<usize>, String> {
    let text = checked(xml)?;
    let document = parse(&text)?;
    let count = text_of(info(&document)?, "sample_count");
    Ok(count.and_then(|count| count.parse().ok()))
}

/// Decodes the XML of a header or footer as UTF-8. Invalid bytes are replaced, as by other readers. Returns the problem
/// as text if there are too many bytes or attributes.
fn checked(xml: &[u8]) -> Result<std::borrow::Cow<'_, str>, String> {
    if xml.len() > MAX_BYTES {
        return Err(format!("more than {MAX_BYTES} bytes"));
    }
    if has_many_attributes(xml) {
        return Err(format!("more than {MAX_ATTRIBUTES} attributes"));
    }
    Ok(String::from_utf8_lossy(xml))
}

/// Returns `true` if XML may contain more than [`MAX_ATTRIBUTES`] attributes. Each attribute has a `=` before a quote,
/// and texts rarely contain both.
fn has_many_attributes(xml: &[u8]) -> bool {
    let values = xml.split(|&byte| byte == b'=').skip(1);
    let quoted = values.filter(|value| {
        let first = value.trim_ascii_start().first();
        matches!(first, Some(b'"' | b'\''))
    });
    quoted.take(MAX_ATTRIBUTES + 1).count() > MAX_ATTRIBUTES
}

fn parse(text: &str) -> Result<Document<'_>, String> {
    Document::parse(text.trim()).map_err(|error| error.to_string())
}

fn info<'d, 'x>(document: &'d Document<'x>) -> Result<Node<'d, 'x>, String> {
    let root = document.root_element();
    if root.has_tag_name("info") {
        Ok(root)
    } else {
        Err("expected <info>".to_owned())
    }
}

fn children<'d, 'x>(
    parent: Node<'d, 'x>,
    name: &'static str,
) -> impl Iterator<Item = Node<'d, 'x>> {
    parent
        .children()
        .filter(move |node| node.has_tag_name(name))
}

fn child<'d, 'x>(parent: Node<'d, 'x>, name: &'static str) -> Option<Node<'d, 'x>> {
    children(parent, name).next()
}

/// Returns the text of the first child element with a name; `None` if it does not exist or is empty.
fn text_of<'d>(parent: Node<'d, '_>, name: &str) -> Option<&'d str> {
    let found = parent.children().find(|node| node.has_tag_name(name))?;
    let text = found.text().unwrap_or_default().trim();
    (!text.is_empty()).then_some(text)
}
