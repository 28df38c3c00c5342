//! The class `Recording`: the bytes of a file, and results that are computed from them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use inputanim::diff::{DiffOptions, Tolerance};
use inputanim::doctor::{self, Code, ExplainedFinding, Finding, Remedy};
use inputanim::edit;
use inputanim::info::Info;
use inputanim::marker_names::MarkerChoice;
use inputanim::{
    BooleanCurve, Curve, CurvePath, DamagedPart, Device, InputCurve, Keys, Known, Limits,
    ParseError, Parts, Player, Recording, Sampler, SimpleKey, TimeRange, WriteError,
};
use inputanim_convert::{Format, WriteOptions};
use numpy::PyArrayDescr;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;
use serde::Serialize;

use crate::failure::Failure;
use crate::formats::{WrittenTexts, written_texts};
use crate::names;
use crate::values::floats;
use crate::views;
use crate::work::interruptible;

/// The bytes of a file, and the content of its recording that no file of MRTK can hold.
pub(crate) struct RecordingFile {
    pub(crate) bytes: PyBackedBytes,
    pub(crate) parts: Parts,
}

impl RecordingFile {
    /// Parses the recording without limits, because they were checked when the file was read.
    pub(crate) fn content(&self) -> Result<Recording<'_>, Failure> {
        Ok(parsed(&self.bytes)?.with_borrowed_parts(&self.parts))
    }

    /// Returns the approximate size of the recording in bytes.
    pub(crate) fn size(&self) -> usize {
        let curves = self.parts.devices.iter().flat_map(|device| device.curves());
        let keys = curves.map(|(_, curve)| curve.len() * size_of::<SimpleKey>());
        self.bytes.len() + keys.sum::<usize>()
    }
}

/// A recording as the bytes of a file, and the content that no file of MRTK can hold.
pub(crate) struct RecordingBytes {
    bytes: Vec<u8>,
    parts: Parts,
}

impl RecordingBytes {
    /// Writes a recording into memory, in its own layout. Fails if the layout cannot represent it.
    pub(crate) fn of(content: &mut Recording<'_>) -> Result<RecordingBytes, Failure> {
        let parts = content.take_parts();
        let bytes = content.to_bytes()?;
        Ok(RecordingBytes { bytes, parts })
    }
}

/// A recording. It never changes: edits return another recording.
#[pyclass(name = "Recording", module = "inputanim._native", frozen)]
pub(crate) struct NativeRecording {
    pub(crate) file: Arc<RecordingFile>,
    /// Read once, because parsing takes as long as all that Python does to make arrays of some curves.
    facts: OnceLock<Facts>,
    /// Made when it is first needed, because it takes much longer than reading.
    sampler: OnceLock<Sampler>,
    /// Written once, because arrays of keys are views of these bytes.
    devices: OnceLock<DeviceFacts>,
    /// Found once, because samples of a few times take much less time.
    damage: OnceLock<Vec<AffectedCurves>>,
}

/// The header of a file and the positions of its curves.
struct Facts {
    header: (&'static str, bool, bool, bool),
    /// For each curve in file order.
    places: Vec<Place>,
}

/// The devices of a recording as bytes.
struct DeviceFacts {
    bytes: PyBackedBytes,
    /// For each curve of the devices, in their order.
    places: Vec<Place>,
}

/// The keys of a curve.
struct Place {
    /// Bytes of the file; empty without keys.
    bytes: Range<usize>,
    /// Whether keys have tangents and weights.
    is_full: bool,
    wrap: (i32, i32),
}

impl Facts {
    fn of(bytes: &[u8]) -> Result<Facts, Failure> {
        let content = parsed(bytes)?;
        let flags = content.flags();
        Ok(Facts {
            header: (content.layout.name(), flags.head, flags.hand, flags.gaze),
            places: content
                .curves()
                .map(|(_, curve)| Place::of(curve, bytes))
                .collect(),
        })
    }
}

impl Place {
    /// Returns the place of the keys of a curve that borrows them from `bytes`.
    fn of(curve: Curve<'_, '_>, bytes: &[u8]) -> Place {
        let file = bytes.as_ptr().addr();
        // The keys are views of the bytes, so the difference of the addresses is their place in them.
        let (address, length, is_full) = match curve {
            Curve::Boolean(BooleanCurve { keys, .. }) => {
                (keys.as_ptr().addr(), size_of_val(&**keys), false)
            }
            Curve::Float(curve) => match &curve.keys {
                Keys::Simple(keys) => (keys.as_ptr().addr(), size_of_val(&**keys), false),
                Keys::Full(keys) => (keys.as_ptr().addr(), size_of_val(&**keys), true),
            },
        };
        let start = if length == 0 { 0 } else { address - file };
        let (pre_wrap, post_wrap) = curve.wrap();
        Place {
            bytes: start..start + length,
            is_full,
            wrap: (pre_wrap.0, post_wrap.0),
        }
    }
}

/// The types of simple and of full keys in NumPy.
type KeyTypes<'py> = (Bound<'py, PyArrayDescr>, Bound<'py, PyArrayDescr>);

/// Returns the keys of a curve as an array of NumPy over the bytes of the file. The last argument is the types of
/// simple and of full keys.
fn view<'py>(
    file: &Bound<'py, PyBytes>,
    place: &Place,
    (simple, full): &KeyTypes<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let element = if place.is_full { full } else { simple };
    views::view(file, place.bytes.clone(), element)
}

/// The code of a kind of damage, its meaning, and whether the repair corrects it.
pub(crate) type DamageKind = (&'static str, &'static str, bool);

/// A kind of damage, and the curves of a recording that it affects.
type AffectedCurves = (Code, Vec<CurvePath>);

/// A device: its name; the changes of the profile, as time, active and profile; the names of the poses; the names of the inputs,
/// each with `true` if it is on or off; the haptic pulses, as time, output, duration, frequency and amplitude.
type DeviceObject = (
    &'static str,
    Vec<(f32, bool, Option<String>)>,
    Vec<&'static str>,
    Vec<(&'static str, bool)>,
    Vec<(f32, &'static str, Option<f32>, Option<f32>, f32)>,
);

/// Returns the damage of a recording: the code of each finding, and the curves that it affects.
fn affected_curves(recording: &Recording<'_>) -> Vec<AffectedCurves> {
    let findings = doctor::damage(recording, |_| true);
    let curves = |finding: &Finding| {
        let paths = recording.curves().map(|(path, _)| path);
        paths.filter(|path| finding.affects(*path)).collect()
    };
    findings
        .iter()
        .map(|finding| (finding.code, curves(finding)))
        .collect()
}

/// Returns the kinds of damage with these codes, without duplicates: the code, its meaning, and `true` if the repair
/// corrects it.
pub(crate) fn damage_kinds(codes: impl IntoIterator<Item = Code>) -> Vec<DamageKind> {
    let codes: BTreeSet<Code> = codes.into_iter().collect();
    let kind = |code: Code| (code.id(), code.meaning(), code.remedy() == Remedy::Repair);
    codes.into_iter().map(kind).collect()
}

fn explained(findings: Vec<Finding>) -> Vec<ExplainedFinding> {
    findings.into_iter().map(ExplainedFinding::from).collect()
}

/// The damage that a recovery found.
#[derive(Serialize)]
struct Damage<'a> {
    error: Option<&'a ParseError>,
    damaged: &'a [DamagedPart],
    findings: Vec<ExplainedFinding>,
}

/// Returns no limits if `no_limits` is true, and the default limits otherwise.
pub(crate) fn limits(no_limits: bool) -> Limits {
    if no_limits {
        Limits::NONE
    } else {
        Limits::default()
    }
}

/// Parses the bytes of a file without limits, because they were checked when the file was read.
pub(crate) fn parsed(bytes: &[u8]) -> Result<Recording<'_>, Failure> {
    Ok(Recording::parse_with(bytes, &Limits::NONE)?)
}

pub(crate) fn json(value: &impl Serialize) -> Result<String, Failure> {
    Ok(serde_json::to_string(value)?)
}

impl NativeRecording {
    fn of_file(bytes: PyBackedBytes, parts: Parts) -> NativeRecording {
        NativeRecording {
            file: Arc::new(RecordingFile { bytes, parts }),
            facts: OnceLock::new(),
            sampler: OnceLock::new(),
            devices: OnceLock::new(),
            damage: OnceLock::new(),
        }
    }

    /// Returns the bytes of the file as the `bytes` object of Python, without a copy.
    fn file<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(self.file.bytes.clone_ref(py).into_pyobject(py)?)
    }

    fn facts(&self) -> Result<&Facts, Failure> {
        if let Some(facts) = self.facts.get() {
            return Ok(facts);
        }
        let facts = Facts::of(&self.file.bytes)?;
        Ok(self.facts.get_or_init(|| facts))
    }

    fn device_facts(&self, py: Python<'_>) -> Result<&DeviceFacts, Failure> {
        if let Some(facts) = self.devices.get() {
            return Ok(facts);
        }
        let bytes = PyBackedBytes::from(PyBytes::new(py, &self.file.parts.device_bytes()));
        let devices = Parts::devices_of_bytes(&bytes);
        let devices = devices.map_err(|error| Failure::of("InvalidArgument", &error))?;
        let curves = devices.iter().flat_map(Device::curves);
        let places = curves.map(|(_, curve)| Place::of(curve, &bytes)).collect();
        let facts = DeviceFacts { bytes, places };
        Ok(self.devices.get_or_init(|| facts))
    }

    /// Returns the bytes with the keys of a curve, and their place. `curve` is its index: the curves of the file come first, and
    /// those of the devices follow.
    fn place<'py>(&self, py: Python<'py>, curve: usize) -> PyResult<(Bound<'py, PyBytes>, &Place)> {
        let places = &self.facts()?.places;
        if let Some(place) = places.get(curve) {
            return Ok((self.file(py)?, place));
        }
        let devices = self.device_facts(py)?;
        let Some(place) = devices.places.get(curve - places.len()) else {
            let curves = places.len() + devices.places.len();
            return Err(PyIndexError::new_err(format!(
                "invalid curve index {curve}: the recording has {curves} curves"
            )));
        };
        Ok((devices.bytes.clone_ref(py).into_pyobject(py)?, place))
    }

    /// Creates a recording from a copy of its bytes.
    pub(crate) fn of_written(py: Python<'_>, written: RecordingBytes) -> NativeRecording {
        let bytes = PyBackedBytes::from(PyBytes::new(py, &written.bytes));
        NativeRecording::of_file(bytes, written.parts)
    }

    /// Returns the sampler of all curves; `None` if it has not been created yet.
    pub(crate) fn cached_sampler(&self) -> Option<&Sampler> {
        self.sampler.get()
    }

    /// Returns the sampler of all curves. The first call creates it, without the interpreter's lock.
    pub(crate) fn sampler(&self, py: Python<'_>) -> PyResult<&Sampler> {
        if let Some(sampler) = self.sampler.get() {
            return Ok(sampler);
        }
        let file = Arc::clone(&self.file);
        let work = move || Ok::<_, Failure>(Sampler::new(&file.content()?)?);
        let sampler = interruptible(py, self.file.size(), work)??;
        // Another thread may have been faster; then its sampler, which is equal, stays.
        Ok(self.sampler.get_or_init(|| sampler))
    }

    /// Returns the result of `work` on the content, which runs without the interpreter's lock. Ctrl-C ends the call.
    pub(crate) fn result<T: Send + 'static>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&Recording<'_>) -> Result<T, Failure> + Send + 'static,
    ) -> PyResult<T> {
        let file = Arc::clone(&self.file);
        let work = move || work(&file.content()?);
        Ok(interruptible(py, self.file.size(), work)??)
    }

    /// Applies `edit` to a copy of the content, without the interpreter's lock. Returns a recording with the changed
    /// content, and the result of `edit`.
    pub(crate) fn edited<T: Send + 'static>(
        &self,
        py: Python<'_>,
        edit: impl FnOnce(&mut Recording<'_>) -> Result<T, Failure> + Send + 'static,
    ) -> PyResult<(NativeRecording, T)> {
        let file = Arc::clone(&self.file);
        let (written, result) = interruptible(py, self.file.size(), move || {
            let mut content = file.content()?;
            let result = edit(&mut content)?;
            Ok::<_, Failure>((RecordingBytes::of(&mut content)?, result))
        })??;
        Ok((NativeRecording::of_written(py, written), result))
    }
}

#[pymethods]
impl NativeRecording {
    /// Creates a recording from the bytes of a file. Raises an exception if they are not a well-formed recording, or
    /// exceed the limits.
    #[new]
    fn new(bytes: PyBackedBytes, no_limits: bool) -> PyResult<NativeRecording> {
        Recording::parse_with(&bytes, &limits(no_limits)).map_err(Failure::from)?;
        let recording = NativeRecording::of_file(bytes, Parts::default());
        recording.facts()?;
        Ok(recording)
    }

    /// Returns the recording with other gaps: for each element by its name, such as `gaze`, `left.Palm` or `left.tracked`, the
    /// times in seconds at which its value is unknown. Raises an exception for an unknown name, and for a gap that does not
    /// end after its start.
    fn with_gaps(
        &self,
        py: Python<'_>,
        gaps: Vec<(String, Vec<(f32, f32)>)>,
    ) -> PyResult<NativeRecording> {
        let invalid = |error| Failure::of("InvalidArgument", &error);
        let mut known = Known::default();
        for (name, gaps) in gaps {
            let element = Known::element(&name).map_err(invalid)?;
            for (start, end) in gaps {
                let gap = TimeRange { start, end };
                known.try_add_gap(element, gap).map_err(invalid)?;
            }
        }
        let parts = self.file.parts.clone();
        let bytes = self.file.bytes.clone_ref(py);
        Ok(NativeRecording::of_file(bytes, Parts { known, ..parts }))
    }

    /// Returns the texts about the recording by their names.
    fn about(&self) -> BTreeMap<&str, &str> {
        self.file.parts.about.iter().collect()
    }

    /// Returns the recording with other texts.
    fn with_about(&self, py: Python<'_>, about: BTreeMap<String, String>) -> NativeRecording {
        let parts = Parts {
            about: about.into_iter().collect(),
            ..self.file.parts.clone()
        };
        NativeRecording::of_file(self.file.bytes.clone_ref(py), parts)
    }

    /// Returns the devices as bytes, for `with_devices` in this or another process.
    fn device_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.file.parts.device_bytes())
    }

    /// Returns the devices: the name; the changes of the profile; the names of the poses; the names of the inputs, each with `true`
    /// if it is on or off; the haptic pulses.
    fn devices(&self) -> Vec<DeviceObject> {
        let devices = self.file.parts.devices.iter();
        let object = |device: &Device<'_>| {
            let profiles = device.profiles.iter().map(|change| {
                let profile = change.profile.as_deref().map(str::to_owned);
                (change.time, change.active, profile)
            });
            let poses = device.poses.iter().map(|(name, _)| name.as_str());
            let inputs = device.inputs.iter();
            let inputs = inputs
                .map(|(name, input)| (name.as_str(), matches!(input, InputCurve::Boolean(_))));
            let haptics = device.haptics.iter().map(|pulse| {
                let (duration, frequency) = (pulse.duration, pulse.frequency);
                let output = pulse.output.as_str();
                (pulse.time, output, duration, frequency, pulse.amplitude)
            });
            (
                device.name.as_str(),
                profiles.collect(),
                poses.collect(),
                inputs.collect(),
                haptics.collect(),
            )
        };
        devices.map(object).collect()
    }

    /// Returns the names of the curves of the devices, in their order.
    fn device_curves(&self) -> Vec<String> {
        let curves = self.file.parts.devices.iter().flat_map(Device::curves);
        curves.map(|(path, _)| path.to_string()).collect()
    }

    /// Returns the recording with the devices of `device_bytes`. Raises an exception for other bytes.
    fn with_devices(&self, py: Python<'_>, devices: &[u8]) -> PyResult<NativeRecording> {
        let invalid = |error| Failure::of("InvalidArgument", &error);
        let devices = Parts::devices_of_bytes(devices).map_err(invalid)?;
        let devices = devices.into_iter().map(Device::into_owned).collect();
        let parts = self.file.parts.clone();
        let bytes = self.file.bytes.clone_ref(py);
        Ok(NativeRecording::of_file(bytes, Parts { devices, ..parts }))
    }

    /// Returns the names of the elements that have gaps, each with its gaps as (start, end) in seconds.
    fn gaps(&self) -> Vec<(String, Vec<(f32, f32)>)> {
        let all = self.file.parts.known.iter();
        all.map(|(element, gaps)| {
            let gaps = gaps.iter().map(|gap| (gap.start, gap.end));
            (element.to_string(), gaps.collect())
        })
        .collect()
    }

    /// Returns the bytes of a file of MRTK, with the losses and notes: such a file cannot hold all parts of a recording.
    fn mrtk_bytes<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, WrittenTexts)> {
        if self.file.parts.is_empty() {
            return Ok((self.bytes(py)?, WrittenTexts::default()));
        }
        let (bytes, texts) = self.result(py, |content| {
            let (mut bytes, options) = (Vec::new(), WriteOptions::default());
            let report = inputanim_convert::write(Format::Bin, content, &options, &mut bytes)?;
            Ok((bytes, written_texts(&report)))
        })?;
        Ok((PyBytes::new(py, &bytes).into_any(), texts))
    }

    /// The bytes of the file: the same object that it was made from.
    #[getter]
    fn bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.file(py)?.into_any())
    }

    /// Returns the name of the layout, and three flags: `true` if the file has the head, the hands and the gaze.
    fn header(&self) -> PyResult<(&'static str, bool, bool, bool)> {
        Ok(self.facts()?.header)
    }

    /// Returns the keys of a curve as an array of NumPy over the bytes of the file. `curve` is its index in file order,
    /// and `types` are the types of simple and of full keys.
    fn keys<'py>(
        &self,
        py: Python<'py>,
        curve: usize,
        types: KeyTypes<'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (bytes, place) = self.place(py, curve)?;
        view(&bytes, place, &types)
    }

    /// Returns the keys of all curves in file order, as `keys` does.
    fn all_keys<'py>(
        &self,
        py: Python<'py>,
        types: KeyTypes<'py>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let file = self.file(py)?;
        let devices = self.device_facts(py)?;
        let bytes = devices.bytes.clone_ref(py).into_pyobject(py)?;
        let places = self.facts()?.places.iter().map(|place| (&file, place));
        let places = places.chain(devices.places.iter().map(|place| (&bytes, place)));
        places
            .map(|(bytes, place)| view(bytes, place, &types))
            .collect()
    }

    /// Returns the wrap modes of a curve before its first and after its last key, as numbers of the file. `curve` is
    /// its index in file order.
    fn wrap(&self, py: Python<'_>, curve: usize) -> PyResult<(i32, i32)> {
        Ok(self.place(py, curve)?.1.wrap)
    }

    /// Returns the latest key time in seconds.
    fn duration(&self, py: Python<'_>) -> PyResult<f32> {
        let file = &self.file;
        Ok(py.detach(|| Ok::<_, Failure>(file.content()?.duration()))?)
    }

    /// Returns the markers as (time, name), in the order of the file.
    fn markers(&self) -> PyResult<Vec<(f32, String)>> {
        let markers = self.file.content()?.markers.into_iter();
        Ok(markers
            .map(|marker| (marker.time, marker.name.into_owned()))
            .collect())
    }

    /// Returns the statistics of the recording as JSON.
    fn info(&self, py: Python<'_>) -> PyResult<String> {
        self.result(py, |content| json(&Info::of(content)))
    }

    /// Returns damage and unusual content with explanations as JSON, the most severe first.
    fn findings(&self, py: Python<'_>) -> PyResult<String> {
        self.result(py, |content| json(&explained(doctor::findings(content))))
    }

    /// Returns the kinds of damage of some streams (`head`, `left`, `right`, `gaze`) and joints: their codes, their
    /// meanings, and `true` if the repair corrects them. `None` stands for all streams or joints.
    #[pyo3(signature = (streams=None, joints=None))]
    pub(crate) fn damage(
        &self,
        py: Python<'_>,
        streams: Option<Vec<String>>,
        joints: Option<Vec<String>>,
    ) -> PyResult<Vec<DamageKind>> {
        let has = |names: &Option<Vec<String>>, name: &str| {
            names
                .as_ref()
                .is_none_or(|names| names.iter().any(|known| known == name))
        };
        let is_used = |path: CurvePath| match path {
            CurvePath::Head(_) => has(&streams, "head"),
            CurvePath::Gaze(_) => has(&streams, "gaze"),
            CurvePath::Tracked(side) | CurvePath::Pinching(side) => has(&streams, side.name()),
            CurvePath::Joint(side, joint, _) => {
                has(&streams, side.name()) && has(&joints, joint.name())
            }
            CurvePath::DevicePose(device, ..) | CurvePath::Input(device, _) => {
                has(&streams, device.as_str())
            }
        };
        let damage = match self.damage.get() {
            Some(damage) => damage,
            None => {
                let damage = self.result(py, |content| Ok(affected_curves(content)))?;
                self.damage.get_or_init(|| damage)
            }
        };
        let used = damage
            .iter()
            .filter(|(_, curves)| curves.iter().any(|path| is_used(*path)));
        Ok(damage_kinds(used.map(|(code, _)| *code)))
    }

    /// Returns the time in seconds up to which all streams have keys, if some streams end earlier than others; `None`
    /// otherwise.
    fn shared_end(&self, py: Python<'_>) -> PyResult<Option<f32>> {
        self.result(py, |content| Ok(Info::of(content).shared_end()))
    }

    /// Returns the times of all keys of all curves in seconds, sorted and without duplicates, as the bytes of
    /// single-precision numbers.
    fn key_times<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let sampler = self.sampler(py)?;
        let times = py.detach(|| sampler.key_times());
        Ok(PyBytes::new(py, floats(&times)))
    }

    /// Returns the range from the first to the last key in seconds; (0, 0) without keys.
    fn range(&self, py: Python<'_>) -> PyResult<(f32, f32)> {
        let range = self.sampler(py)?.range();
        Ok(range.map_or((0.0, 0.0), |range| (range.start, range.end)))
    }

    /// Returns the transitions of one playback as a JSON array: hands found and lost, pinches, markers, and changes of
    /// devices.
    fn transitions(&self, py: Python<'_>) -> PyResult<String> {
        let sampler = self.sampler(py)?.clone();
        let work = move || json(&Player::transitions(sampler));
        Ok(interruptible(py, self.file.size(), work)??)
    }

    /// Compares the playback of this recording and another one. Returns the difference as JSON. The tolerances are in
    /// metres (`position`), degrees (`rotation`), seconds (`timing`, `duration`) and numbers of inputs (`input`); `None` is the
    /// default.
    #[pyo3(signature = (other, *, position, rotation, timing, duration, input, start, end, between_keys, exclude, joints, markers, exclude_markers))]
    #[allow(clippy::too_many_arguments)]
    fn diff(
        &self,
        py: Python<'_>,
        other: &NativeRecording,
        position: Option<f64>,
        rotation: Option<f64>,
        timing: Option<f32>,
        duration: Option<f32>,
        input: Option<f64>,
        start: Option<f32>,
        end: Option<f32>,
        between_keys: u16,
        exclude: Vec<String>,
        joints: Vec<String>,
        markers: Vec<String>,
        exclude_markers: Vec<String>,
    ) -> PyResult<String> {
        let choice = names::choice(&joints, &exclude)?;
        let mut options = DiffOptions::default();
        options.tolerance =
            Tolerance::new(position, rotation, timing, duration, input).map_err(Failure::from)?;
        options.compare_only(&choice);
        options.between_keys = between_keys;
        options.markers = MarkerChoice::new(markers, exclude_markers);
        let files = [&self.file, &other.file].map(Arc::clone);
        let size = self.file.size().max(other.file.size());
        Ok(interruptible(py, size, move || {
            let [a, b] = &files;
            let (a, b) = (a.content()?, b.content()?);
            choice.check(&[&a, &b])?;
            if start.is_some() || end.is_some() {
                let either = a.covered_range().hull(b.covered_range());
                TimeRange::within(start, end, either)?;
                options.range = Some(TimeRange::between(start, end)?);
            }
            let found = a
                .diff(&b, &options)
                .map_err(|error| Failure::of("PlaybackError", &error))?;
            json(&found)
        })??)
    }

    /// Returns the recording in another layout, and the descriptions of the content that is lost. Raises an exception
    /// if content would be lost, unless `allow_loss` is true.
    fn with_layout(
        &self,
        py: Python<'_>,
        layout: &str,
        allow_loss: bool,
    ) -> PyResult<(NativeRecording, Vec<String>)> {
        let layout = names::layout(layout)?;
        let (written, losses) = self.result(py, move |content| {
            // In another layout, the damage could not be recognised and repaired any more.
            if layout != content.layout {
                edit::refuse_lost_w(content)?;
            }
            let losses = content.layout_losses(layout);
            if !(losses.is_empty() || allow_loss) {
                return Err(WriteError::Lossy { layout, losses }.into());
            }
            let mut content = content.clone().with_layout(layout);
            let losses: Vec<String> = losses.iter().map(ToString::to_string).collect();
            Ok((RecordingBytes::of(&mut content)?, losses))
        })?;
        Ok((NativeRecording::of_written(py, written), losses))
    }
}

/// Reads the intact parts of a file that may be damaged. Returns a recording of these parts, and the damage as JSON.
#[pyfunction]
pub(crate) fn recover(
    py: Python<'_>,
    bytes: PyBackedBytes,
    no_limits: bool,
) -> PyResult<(NativeRecording, String)> {
    let size = bytes.len();
    let (content, damage) = interruptible(py, size, move || {
        let recovery = Recording::recover_with(&bytes, &limits(no_limits))?;
        let findings = doctor::findings_of_recovery(&recovery, &Info::of(&recovery.recording));
        let damage = json(&Damage {
            error: recovery.error.as_ref(),
            damaged: &recovery.damaged,
            findings: explained(findings),
        })?;
        let mut recording = recovery.recording;
        Ok::<_, Failure>((RecordingBytes::of(&mut recording)?, damage))
    })??;
    Ok((NativeRecording::of_written(py, content), damage))
}
