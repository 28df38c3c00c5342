//! The class `Recording`: reading, evaluation, findings, comparison and writing.

use std::cell::{OnceCell, RefCell};

#[cfg(feature = "edits")]
use inputanim::CurvePath;
#[cfg(feature = "edits")]
use inputanim::doctor::Code;
use inputanim::doctor::{self, ExplainedFinding, FileDamage, Finding};
use inputanim::edit;
use inputanim::info::Info;
use inputanim::marker_names::telemetry;
#[cfg(feature = "edits")]
use inputanim::names;
use inputanim::row::{self, LENGTH, Row};
use inputanim::{
    DamagedPart, Frame, Layout, ParseError, Player, Sampler, SamplerCursor, TimeRange,
};
use js_sys::{Array, Float32Array, Object};
use serde::Serialize;
use wasm_bindgen::prelude::*;

use crate::content::Content;
#[cfg(feature = "edits")]
use crate::devices::DeviceObject;
use crate::devices::{DeviceColumns, active_name};
use crate::failure::Failure;
use crate::value::{device_text, limits, parts, set, to_js};

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = include_str!("types.ts");

#[wasm_bindgen(module = "/js/copy.js")]
extern "C" {
    #[wasm_bindgen(js_name = copyNumbers)]
    fn copy_numbers(memory: &JsValue, address: usize, length: usize, out: &Float32Array);
}

/// A recording. It never changes: edits return another recording.
#[wasm_bindgen(js_name = Recording)]
pub struct JsRecording {
    content: Content,
    /// The damage of the file, if the recording is its intact part, or was made from this part by edits.
    damage: Option<Box<FileDamage>>,
    /// Created when it is first needed, because this takes longer than reading.
    playback: OnceCell<RefCell<Playback>>,
    /// The duration is stored, because computing it reads every key and pages ask for it in each frame.
    duration: OnceCell<f32>,
}

/// A sampler with buffers, so that sampling does not allocate.
pub(crate) struct Playback {
    pub(crate) sampler: Sampler,
    cursor: SamplerCursor,
    frame: Frame,
    row: Box<Row>,
    devices: DeviceColumns,
}

impl JsRecording {
    pub(crate) fn new(recording: inputanim::Recording<'static>) -> JsRecording {
        JsRecording::of(Content::Made(Box::new(recording)))
    }

    /// Parses the name of a layout. The default is the layout of the recording.
    fn layout_of(&self, name: &JsValue) -> Result<Layout, Failure> {
        match name.as_string() {
            Some(name) => name.parse().map_err(|error| Failure::of(&error)),
            None => Ok(self.content().layout),
        }
    }

    /// Sets the damage of the file whose intact part is the recording.
    pub(crate) fn damaged(self, damage: Option<Box<FileDamage>>) -> JsRecording {
        JsRecording { damage, ..self }
    }

    pub(crate) fn damage(&self) -> Option<&FileDamage> {
        self.damage.as_deref()
    }

    /// Returns a recording that an edit has made from this one. It lacks the same parts of the file.
    pub(crate) fn edited(&self, recording: inputanim::Recording<'static>) -> JsRecording {
        JsRecording::new(recording).damaged(self.damage.clone())
    }

    fn of(content: Content) -> JsRecording {
        JsRecording {
            content,
            damage: None,
            playback: OnceCell::new(),
            duration: OnceCell::new(),
        }
    }

    pub(crate) fn content(&self) -> &inputanim::Recording<'_> {
        self.content.get()
    }

    pub(crate) fn playback(&self) -> Result<&RefCell<Playback>, Failure> {
        if let Some(playback) = self.playback.get() {
            return Ok(playback);
        }
        let playback = Playback {
            sampler: Sampler::new(self.content())?,
            cursor: SamplerCursor::default(),
            frame: Frame::default(),
            row: Box::new([f32::NAN; LENGTH]),
            devices: DeviceColumns::of(self.content()),
        };
        Ok(self.playback.get_or_init(|| RefCell::new(playback)))
    }

    pub(crate) fn sampler(&self) -> Result<Sampler, Failure> {
        Ok(self.playback()?.borrow().sampler.clone())
    }
}

fn explained(findings: Vec<Finding>) -> Result<JsValue, Failure> {
    let findings: Vec<ExplainedFinding> =
        findings.into_iter().map(ExplainedFinding::from).collect();
    to_js(&findings)
}

/// The damaged parts that a recovery has found.
#[derive(Serialize)]
struct Damage<'a> {
    error: Option<&'a ParseError>,
    damaged: &'a [DamagedPart],
}

/// Returns the names of the numbers that `sample` writes, in order: `head.position.x` and so on. A recording with devices has more:
/// `Recording.columnNames`.
#[wasm_bindgen(js_name = columnNames)]
pub fn column_names() -> Vec<String> {
    row::paths().map(|path| path.to_string()).collect()
}

/// Returns the fewest names that select exactly these curves, such as the curves that a truncated file has lost: a stream, a pose or a
/// vector of which all curves are given has one name, such as `right.joints`.
#[cfg(feature = "edits")]
#[wasm_bindgen(js_name = namesOfCurves)]
pub fn names_of_curves(curves: Vec<String>) -> Result<Vec<String>, Failure> {
    let curves = curves.iter().map(|curve| curve.parse());
    let curves = curves.collect::<Result<Vec<CurvePath>, _>>();
    let curves = curves.map_err(|error| Failure::of(&error))?;
    Ok(names::of_curves(&curves))
}

/// Returns the codes of findings with spaces between them, each once, as the program lists them in an overview of many files.
#[cfg(feature = "edits")]
#[wasm_bindgen(js_name = codesInOverview)]
pub fn codes_in_overview(codes: Vec<String>) -> Result<String, Failure> {
    let codes = codes.iter().map(|code| code.parse());
    let codes = codes.collect::<Result<Vec<Code>, _>>();
    let codes = codes.map_err(|error| Failure::of(&error))?;
    Ok(Code::list(
        codes.into_iter().filter(|code| code.is_in_overview()),
    ))
}

#[wasm_bindgen(js_class = Recording)]
impl JsRecording {
    /// Opens a recording from the bytes of a file. Throws an error if the file is not well formed. `parts` are the parts of
    /// the recording that the file cannot hold: the property `parts` of a recording, or of the result of `read`.
    pub fn open(
        bytes: Vec<u8>,
        #[wasm_bindgen(js_name = parts, unchecked_optional_param_type = "Parts")] given: JsValue,
    ) -> Result<JsRecording, Failure> {
        Ok(JsRecording::of(Content::open(bytes, parts(&given)?)?))
    }

    /// The parts of the recording that no file of MRTK can hold.
    #[wasm_bindgen(getter, unchecked_return_type = "Parts")]
    pub fn parts(&self) -> Result<JsValue, Failure> {
        let parts = Object::new();
        if !self.content().known.is_complete() {
            set(&parts, "gaps", self.gaps()?);
        }
        if !self.content().about.is_empty() {
            set(&parts, "about", self.about()?);
        }
        if !self.content().devices.is_empty() {
            set(&parts, "devices", device_text(&self.content().devices));
        }
        Ok(parts.into())
    }

    /// The times at which values are unknown, for each element that has some.
    #[wasm_bindgen(getter, unchecked_return_type = "ElementGaps[]")]
    pub fn gaps(&self) -> Result<JsValue, Failure> {
        to_js(&self.content().known)
    }

    /// Texts about the recording by their names. `task`, `device`, `system` (the tracking system),
    /// `program` and `format` have a fixed meaning.
    #[wasm_bindgen(getter, unchecked_return_type = "Record<string, string>")]
    pub fn about(&self) -> Result<JsValue, Failure> {
        to_js(&self.content().about)
    }

    /// Reads the intact parts of a file that is not well formed. Returns a recording of these parts, with the damage
    /// and findings.
    #[wasm_bindgen(unchecked_return_type = "Recovered")]
    pub fn recover(bytes: &[u8]) -> Result<Object, Failure> {
        let recovery = inputanim::Recording::recover(bytes)?;
        let findings = doctor::findings_of_recovery(&recovery, &Info::of(&recovery.recording));
        let result = Object::new();
        let damage = Damage {
            error: recovery.error.as_ref(),
            damaged: &recovery.damaged,
        };
        let damage = Object::from(to_js(&damage)?);
        Object::assign(&result, &damage);
        set(&result, "findings", explained(findings)?);
        let damage = FileDamage::of(&recovery).map(Box::new);
        let recording = JsRecording::new(recovery.recording.into_owned());
        set(&result, "recording", recording.damaged(damage));
        Ok(result)
    }

    /// The layout of the file: `mrtk-1.1`, for example.
    #[wasm_bindgen(getter, unchecked_return_type = "Layout")]
    pub fn layout(&self) -> String {
        self.content().layout.name().to_owned()
    }

    /// The latest key time in seconds. MRTK plays the recording until this time.
    #[wasm_bindgen(getter)]
    pub fn duration(&self) -> f32 {
        *self.duration.get_or_init(|| self.content().duration())
    }

    /// The size of the file in bytes.
    #[wasm_bindgen(getter, js_name = byteLength)]
    pub fn byte_length(&self) -> f64 {
        self.content().encoded_len() as f64
    }

    /// Returns statistics of the recording: streams, rates, gaps, states.
    #[wasm_bindgen(unchecked_return_type = "Info")]
    pub fn info(&self) -> Result<JsValue, Failure> {
        to_js(&Info::of(self.content()))
    }

    /// Returns damage and unusual content, the most severe first, with explanations. The damage of the file is the first finding
    /// if the recording is the intact part of a file, or was made from this part by edits.
    #[wasm_bindgen(unchecked_return_type = "Finding[]")]
    pub fn findings(&self) -> Result<JsValue, Failure> {
        explained(match &self.damage {
            Some(damage) => doctor::findings_of_damaged(self.content(), damage),
            None => doctor::findings(self.content()),
        })
    }

    /// The damage of the file, if the recording is its intact part, or was made from this part by edits; `null` otherwise.
    #[wasm_bindgen(getter, js_name = fileDamage, unchecked_return_type = "FileDamage | null")]
    pub fn file_damage(&self) -> Result<JsValue, Failure> {
        to_js(&self.damage())
    }

    /// Returns the markers in the order of the file.
    #[wasm_bindgen(unchecked_return_type = "Marker[]")]
    pub fn markers(&self) -> Result<JsValue, Failure> {
        to_js(&self.content().markers)
    }

    /// Returns the names of which the recording has more than 100 markers, such as the frame rate that a game logs in each
    /// frame, with the times of the first and the last marker in seconds. Overviews leave these markers out, because they would
    /// hide the others. Empty if there are no others.
    #[wasm_bindgen(unchecked_return_type = "NameCount[]")]
    pub fn telemetry(&self) -> Result<JsValue, Failure> {
        to_js(&telemetry(&self.content().markers))
    }

    /// Returns the times of all keys of all curves in seconds, sorted, without duplicates.
    #[wasm_bindgen(js_name = keyTimes)]
    pub fn key_times(&self) -> Result<Vec<f32>, Failure> {
        Ok(self.playback()?.borrow().sampler.key_times())
    }

    /// Returns the times in seconds and the values of the keys of a curve, such as `left.Palm.position.x`. Throws an
    /// error if no curve has the name.
    #[cfg(feature = "edits")]
    #[wasm_bindgen(unchecked_return_type = "CurveKeys")]
    pub fn keys(&self, curve: &str) -> Result<Object, Failure> {
        let path: CurvePath = curve.parse().map_err(|error| Failure::of(&error))?;
        let content = self.content();
        let curve = content.curve(path);
        let points = || curve.iter().flat_map(|curve| curve.points());
        let times: Vec<f32> = points().map(|(time, _)| time).collect();
        let values: Vec<f32> = points().map(|(_, value)| value).collect();
        let keys = Object::new();
        set(&keys, "times", Float32Array::from(&times[..]));
        set(&keys, "values", Float32Array::from(&values[..]));
        Ok(keys)
    }

    /// Returns the transitions of one playback: hands found and lost, pinches, markers, and changes of devices.
    #[wasm_bindgen(unchecked_return_type = "Transition[]")]
    pub fn transitions(&self) -> Result<JsValue, Failure> {
        to_js(&Player::transitions(self.sampler()?))
    }

    /// Returns the names of all numbers that `sample` writes, in order: those of the function `columnNames`, and those of the
    /// devices, such as `right.controller.active`, `right.controller.aim.position.x` and `right.controller.trigger.value`.
    #[wasm_bindgen(js_name = columnNames)]
    pub fn column_names(&self) -> Vec<String> {
        let devices = DeviceColumns::of(self.content());
        let mut names = column_names();
        names.extend(devices.names());
        names
    }

    /// Returns the controllers, trackers and other devices, without keys: `keys` returns those of a pose or an input.
    #[cfg(feature = "edits")]
    #[wasm_bindgen(unchecked_return_type = "Device[]")]
    pub fn devices(&self) -> Result<JsValue, Failure> {
        let devices = self.content().devices.iter();
        to_js(&devices.map(DeviceObject::from).collect::<Vec<_>>())
    }

    /// Evaluates the recording at a time in seconds. Writes one number for each of the function `columnNames` into
    /// `out`, and allocates no buffers. Values that are not recorded or not tracked are NaN; states are
    /// 1 or 0. If `out` is as long as the method `columnNames()`, also writes the numbers of devices; they are NaN while a device is
    /// not active.
    pub fn sample(&self, time: f32, out: &Float32Array) -> Result<(), Failure> {
        self.playback()?.borrow_mut().sample(time, out)
    }

    /// Evaluates the recording at `rate` samples per second from `start` to `end` in seconds. Returns the times, and an
    /// array for each recorded column with the name of the column.
    #[wasm_bindgen(js_name = sampleRange, unchecked_return_type = "Samples")]
    pub fn sample_range(&self, start: f32, end: f32, rate: f64) -> Result<Object, Failure> {
        if !(rate > 0.0 && rate <= TimeRange::MAX_RATE) {
            let message =
                format!("invalid rate: {rate} Hz (must be above 0 and at most 1,000,000)");
            return Err(Failure::new(message));
        }
        let times = (f64::from(end - start) * rate).floor() + 1.0;
        let bytes = 4 * (1 + self.content().curves().count() as u64);
        let limits = limits().for_rate(self.content());
        limits.check_samples(times, bytes)?;
        let range = TimeRange { start, end };
        let columns = self.sampler()?.columns(range.times_at(rate));
        let arrays = Object::new();
        for (path, column) in columns.floats() {
            set(&arrays, &path.to_string(), Float32Array::from(column));
        }
        for device in &columns.devices {
            let active = Float32Array::from(&device.active[..]);
            set(&arrays, &active_name(device.name), active);
            for (name, input) in &device.inputs {
                let column = Float32Array::from(&input.values[..]);
                set(&arrays, &format!("{}.{name}", device.name), column);
            }
        }
        for side in inputanim::Side::BOTH {
            let hand = columns.hand(side);
            for (name, states) in [("tracked", &hand.tracked), ("pinching", &hand.pinching)] {
                let states: Vec<f32> = states.iter().map(|on| f32::from(u8::from(*on))).collect();
                let column = Float32Array::from(&states[..]);
                set(&arrays, &format!("{side}.{name}"), column);
            }
        }
        let result = Object::new();
        set(&result, "times", Float32Array::from(&columns.times[..]));
        set(&result, "columns", arrays);
        Ok(result)
    }

    /// Returns the bytes of the file, in its own layout or in another one. Throws an error if the layout cannot
    /// represent all content, unless `allowLoss` is true. Also throws an error if another layout would hide damage.
    #[wasm_bindgen(js_name = toBytes)]
    pub fn to_bytes(
        &self,
        #[wasm_bindgen(unchecked_optional_param_type = "Layout")] layout: JsValue,
        #[wasm_bindgen(js_name = allowLoss, unchecked_optional_param_type = "boolean")]
        allow_loss: Option<bool>,
    ) -> Result<Vec<u8>, Failure> {
        let layout = self.layout_of(&layout)?;
        // The damage cannot be recognised and repaired after the layout has changed.
        if layout != self.content().layout {
            edit::check_w(self.content())?;
        }
        if allow_loss == Some(true) {
            let mut bytes = Vec::new();
            self.content().write_lossy_as(&mut bytes, layout)?;
            return Ok(bytes);
        }
        Ok(self.content().to_bytes_as(layout)?)
    }

    /// Returns the content that a layout cannot represent, with its amount: what `toBytes` drops if `allowLoss` is true. The
    /// layout is that of the recording unless another one is given.
    pub fn losses(
        &self,
        #[wasm_bindgen(unchecked_optional_param_type = "Layout")] layout: JsValue,
    ) -> Result<Vec<String>, Failure> {
        let losses = self.content().losses(self.layout_of(&layout)?);
        Ok(losses.iter().map(ToString::to_string).collect())
    }

    /// Returns a copy of the recording.
    #[wasm_bindgen(js_name = clone)]
    pub fn copied(&self) -> JsRecording {
        self.edited(self.content().clone().into_owned())
    }

    /// Returns the names of all layouts.
    #[wasm_bindgen(unchecked_return_type = "Layout[]")]
    pub fn layouts() -> Array {
        Layout::ALL
            .iter()
            .map(|layout| JsValue::from(layout.name()))
            .collect()
    }
}

impl Playback {
    pub(crate) fn sample(&mut self, time: f32, out: &Float32Array) -> Result<(), Failure> {
        self.sampler.read(time, &mut self.cursor, &mut self.frame);
        self.frame.write_row(&mut self.row);
        copy_row(&self.row, out)?;
        copy_devices(&mut self.devices, &self.frame, out);
        Ok(())
    }
}

/// Copies the numbers of devices into an array of JavaScript, after the row, if the array is long enough.
pub(crate) fn copy_devices(devices: &mut DeviceColumns, frame: &Frame, out: &Float32Array) {
    if out.length() as usize > LENGTH {
        let values = devices.values(frame);
        let end = LENGTH + values.len();
        if out.length() as usize >= end {
            out.subarray(LENGTH as u32, end as u32).copy_from(values);
        }
    }
}

/// Copies a row of numbers into an array of JavaScript. Fails if the array is shorter than the row.
pub(crate) fn copy_row(row: &Row, out: &Float32Array) -> Result<(), Failure> {
    if (out.length() as usize) < LENGTH {
        let message = format!(
            "the array has {} numbers, expected at least {LENGTH}",
            out.length()
        );
        return Err(Failure::new(message).with_hint("new Float32Array(columnNames().length)"));
    }
    let memory = wasm_bindgen::memory();
    copy_numbers(&memory, row.as_ptr() as usize, LENGTH, out);
    Ok(())
}
