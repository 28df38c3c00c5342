//! Helper functions that make XDF files as other programs write them, and describe XDF files as text.

use std::fmt::Write as _;

/// The content of a boundary chunk.
pub const BOUNDARY: [u8; 16] = [
    0x43, 0xa5, 0x46, 0xdc, 0xcb, 0xf5, 0x41, 0x0f, 0xb3, 0x0e, 0xd5, 0x46, 0x73, 0x83, 0xcb, 0xe4,
];

/// The bytes of an XDF file that is made chunk by chunk.
#[derive(Clone)]
pub struct Lab(pub Vec<u8>);

/// A sample: a time stamp in seconds (`None` if the sample has none), and the bytes of its values.
pub type LabSample = (Option<f64>, Vec<u8>);

impl Default for Lab {
    fn default() -> Lab {
        Lab::new()
    }
}

impl Lab {
    /// Returns a file with only the file header.
    pub fn new() -> Lab {
        let mut lab = Lab(b"XDF:".to_vec());
        lab.chunk(
            1,
            b"<?xml version=\"1.0\"?><info><version>1.0</version></info>",
        );
        lab
    }

    /// Adds a chunk with its length. `tag` is the number of its type, such as 3 for samples.
    pub fn chunk(&mut self, tag: u16, content: &[u8]) -> &mut Lab {
        self.0.extend(length(content.len() + 2));
        self.0.extend(tag.to_le_bytes());
        self.0.extend(content);
        self
    }

    fn of_stream(&mut self, tag: u16, id: u32, content: &[u8]) -> &mut Lab {
        let content = [&id.to_le_bytes(), content].concat();
        self.chunk(tag, &content)
    }

    /// Adds the header of a stream: `id` is its number in the file, and `format` the type of its values, such as
    /// `float32`. The rate is in Hz, 0 for an irregular one; there is a channel for each of the `labels`, with the unit
    /// metres.
    pub fn stream(
        &mut self,
        id: u32,
        [name, kind, format]: [&str; 3],
        rate: f64,
        labels: &[&str],
    ) -> &mut Lab {
        let channels = labels
            .iter()
            .map(|label| format!("<channel><label>{label}</label><unit>meters</unit></channel>"));
        let channels: String = channels.collect();
        let xml = format!(
            "<?xml version=\"1.0\"?><info><name>{name}</name><type>{kind}</type>\
             <channel_count>{}</channel_count><nominal_srate>{rate}</nominal_srate>\
             <channel_format>{format}</channel_format><desc><channels>{channels}</channels></desc></info>",
            labels.len()
        );
        self.header(id, &xml)
    }

    /// Adds the header of the stream with the number `id`, as XML.
    pub fn header(&mut self, id: u32, xml: &str) -> &mut Lab {
        self.of_stream(2, id, xml.as_bytes())
    }

    /// Adds a chunk with samples of the stream with the number `id`.
    pub fn samples(&mut self, id: u32, samples: &[LabSample]) -> &mut Lab {
        let mut content = length(samples.len());
        for (stamp, values) in samples {
            match stamp {
                Some(stamp) => {
                    content.push(8);
                    content.extend(stamp.to_le_bytes());
                }
                None => content.push(0),
            }
            content.extend(values);
        }
        self.of_stream(3, id, &content)
    }

    /// Adds a chunk with samples of 32-bit floats of the stream with the number `id`. Each sample has a time stamp in
    /// seconds, and a number for each channel.
    pub fn floats(&mut self, id: u32, samples: &[(f64, &[f32])]) -> &mut Lab {
        let samples = samples
            .iter()
            .map(|(time, numbers)| sample(*time, numbers, f32::to_le_bytes));
        let samples: Vec<LabSample> = samples.collect();
        self.samples(id, &samples)
    }

    /// Adds a chunk with samples of text of the stream with the number `id`. Each sample has a time stamp in seconds,
    /// and one text.
    pub fn texts(&mut self, id: u32, samples: &[(f64, &str)]) -> &mut Lab {
        let samples = samples.iter().map(|(time, text)| {
            let bytes = [&length(text.len()), text.as_bytes()].concat();
            (Some(*time), bytes)
        });
        let samples: Vec<LabSample> = samples.collect();
        self.samples(id, &samples)
    }

    /// Adds a clock offset of the stream with the number `id`. `time` is the time of its measurement, and `value` is to
    /// be added to the stream's time stamps, both in seconds.
    pub fn clock_offset(&mut self, id: u32, time: f64, value: f64) -> &mut Lab {
        self.of_stream(4, id, &[time.to_le_bytes(), value.to_le_bytes()].concat())
    }

    /// Adds a boundary chunk, by which readers find the next intact chunk after damage.
    pub fn boundary(&mut self) -> &mut Lab {
        self.chunk(5, &BOUNDARY)
    }

    /// Adds the footer of the stream with the number `id`, as XML.
    pub fn footer(&mut self, id: u32, xml: &str) -> &mut Lab {
        self.of_stream(6, id, xml.as_bytes())
    }
}

/// Returns a sample of numbers with a time stamp in seconds; `bytes` encodes a number, as [`f64::to_le_bytes`] does.
pub fn sample<T: Copy, const N: usize>(
    time: f64,
    numbers: &[T],
    bytes: fn(T) -> [u8; N],
) -> LabSample {
    let bytes = numbers.iter().flat_map(|&number| bytes(number));
    (Some(time), bytes.collect())
}

fn length(number: usize) -> Vec<u8> {
    match u8::try_from(number) {
        Ok(short) => vec![1, short],
        Err(_) => [&[4], &(number as u32).to_le_bytes()[..]].concat(),
    }
}

/// Returns the tag and the content of each chunk of an intact file.
pub fn chunks(file: &[u8]) -> Vec<(u16, &[u8])> {
    let mut rest = file.strip_prefix(b"XDF:").unwrap();
    let mut chunks = Vec::new();
    while !rest.is_empty() {
        let (length, after) = split_length(rest);
        let (body, after) = after.split_at(length);
        chunks.push((u16::from_le_bytes([body[0], body[1]]), &body[2..]));
        rest = after;
    }
    chunks
}

fn split_length(bytes: &[u8]) -> (usize, &[u8]) {
    match bytes[0] {
        1 => (usize::from(bytes[1]), &bytes[2..]),
        4 => {
            let length = u32::from_le_bytes(bytes[1..5].try_into().unwrap());
            (length as usize, &bytes[5..])
        }
        other => panic!("a length of {other} bytes"),
    }
}

/// Describes an intact file as text, for comparisons in tests: the XML, and the first numbers of the first two samples
/// of each chunk.
pub fn describe(file: &[u8]) -> String {
    let mut text = String::new();
    let mut widths = std::collections::HashMap::new();
    for (tag, content) in chunks(file) {
        if tag == 1 {
            writeln!(text, "file header {}", String::from_utf8_lossy(content)).unwrap();
            continue;
        }
        if tag == 5 {
            writeln!(text, "boundary {}", content == BOUNDARY).unwrap();
            continue;
        }
        let id = u32::from_le_bytes(content[..4].try_into().unwrap());
        let content = &content[4..];
        let number = |at: usize| f64::from_le_bytes(content[at..at + 8].try_into().unwrap());
        match tag {
            2 => {
                let xml = String::from_utf8_lossy(content);
                let between = |from: &str, to: &str| {
                    let rest = xml.split_once(from).unwrap().1;
                    rest.split_once(to).unwrap().0.to_owned()
                };
                let channels: usize = between("<channel_count>", "<").parse().unwrap();
                let format = between("<channel_format>", "<");
                widths.insert(id, (channels, format));
                writeln!(text, "header of stream {id} {xml}").unwrap();
            }
            3 => {
                let (count, mut rest) = split_length(content);
                writeln!(text, "samples of stream {id}: {count}").unwrap();
                let (channels, format) = &widths[&id];
                for _ in 0..count.min(2) {
                    let stamp = f64::from_le_bytes(rest[1..9].try_into().unwrap());
                    rest = &rest[9..];
                    let values = match &**format {
                        "string" => {
                            let (length, after) = split_length(rest);
                            let (value, after) = after.split_at(length);
                            rest = after;
                            String::from_utf8_lossy(value).into_owned()
                        }
                        "int8" => {
                            let (values, after) = rest.split_at(*channels);
                            rest = after;
                            format!("{values:?}")
                        }
                        _ => {
                            let (values, after) = rest.split_at(4 * channels);
                            rest = after;
                            let floats = values.as_chunks().0.iter().take(8);
                            let floats: Vec<f32> =
                                floats.map(|value| f32::from_le_bytes(*value)).collect();
                            format!("{floats:?}")
                        }
                    };
                    writeln!(text, "  {stamp}: {values}").unwrap();
                }
            }
            4 => writeln!(
                text,
                "clock offset of stream {id}: {} {}",
                number(0),
                number(8)
            )
            .unwrap(),
            6 => {
                let xml = String::from_utf8_lossy(content);
                writeln!(text, "footer of stream {id} {xml}").unwrap();
            }
            other => writeln!(text, "chunk {other}").unwrap(),
        }
    }
    text
}

/// Returns an XDF file as a laboratory records it: 8 s of an EEG with four channels, and markers. The clock of the EEG
/// is 0.25 s ahead of the clock of the recorder.
pub fn eeg() -> Vec<u8> {
    const RATE: f64 = 100.0;
    const START: f64 = 500.0;
    let mut lab = Lab::new();
    lab.stream(
        1,
        ["Amplifier", "EEG", "float32"],
        RATE,
        &["Fz", "Cz", "Pz", "Oz"],
    );
    lab.stream(2, ["Experiment", "Markers", "string"], 0.0, &["text"]);
    let wave = |sample: u32, channel: u32| {
        let phase = f64::from(sample) * f64::from(channel + 8) / RATE;
        (20.0 * (phase * std::f64::consts::TAU).sin()) as f32
    };
    for second in 0..8 {
        let numbers: Vec<(f64, [f32; 4])> = (100 * second..100 * (second + 1))
            .map(|sample| {
                let time = START + 0.25 + f64::from(sample) / RATE;
                (
                    time,
                    std::array::from_fn(|channel| wave(sample, channel as u32)),
                )
            })
            .collect();
        let numbers: Vec<(f64, &[f32])> = numbers
            .iter()
            .map(|(time, numbers)| (*time, &numbers[..]))
            .collect();
        lab.floats(1, &numbers);
        lab.clock_offset(1, START + f64::from(second), -0.25);
        lab.clock_offset(2, START + f64::from(second), 0.0);
    }
    lab.texts(2, &[(START + 1.5, "begin"), (START + 2.0, "reach")]);
    lab.footer(1, "<?xml version=\"1.0\"?><info></info>");
    lab.footer(2, "<?xml version=\"1.0\"?><info></info>");
    lab.0
}
