//! Edits of the class `Recording`. Each returns another recording.

use inputanim::TimeRange;
use inputanim::doctor::FileDamage;
use inputanim::edit::{
    self, AddMarker, Align, Edit, EditReport, Fill, Join, Mirror, MoveMarker, NameTriggers, Reduce,
    RemoveMarker, RenameMarker, Repeat, Resample, Retime, Select, Shift, Smooth, TransformSteps,
    Trim,
};
use inputanim::repair::{RepairGroup, joined};
use js_sys::Object;
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;

use crate::failure::Failure;
use crate::recording::JsRecording;
use crate::value::{about, json, known, limits, options, parts, set, to_js};

/// The repairs of a position, a rotation or another curve, with the times of its changed keys.
#[derive(Serialize)]
struct Group {
    #[serde(flatten)]
    group: RepairGroup,
    changed: Vec<TimeRange>,
}

/// The time between two recordings.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Between {
    gap: Option<f32>,
    blend: Option<f32>,
}

impl JsRecording {
    /// Applies an edit to a copy of the recording. Returns the copy and the report of the edit.
    fn apply(&self, edit: impl Into<Edit>) -> Result<(JsRecording, EditReport), Failure> {
        let mut content = self.content().clone();
        let edit = edit.into();
        let report = edit.apply(&mut content, &limits())?;
        let mut damage = self.damage().cloned().map(Box::new);
        if let (Some(damage), Edit::Mirror(_)) = (&mut damage, &edit) {
            damage.mirror();
        }
        let recording = JsRecording::new(content.into_owned()).damaged(damage);
        Ok((recording, report))
    }

    /// Applies an edit to a copy of the recording, and returns the copy without the report of the edit.
    fn changed(&self, edit: impl Into<Edit>) -> Result<JsRecording, Failure> {
        Ok(self.apply(edit)?.0)
    }

    /// Applies an edit to a copy of the recording. Returns an object with the copy and the report of the edit.
    fn reported(&self, edit: impl Into<Edit>) -> Result<Object, Failure> {
        let (recording, report) = self.apply(edit)?;
        let result = Object::new();
        set(&result, "recording", recording);
        set(&result, "report", to_js(&report)?);
        Ok(result)
    }
}

#[wasm_bindgen(js_class = Recording)]
impl JsRecording {
    /// Repairs damage by MRTK, and keys that prevent playback. Undamaged curves keep their bytes.
    #[wasm_bindgen(unchecked_return_type = "Repaired")]
    pub fn repair(&self) -> Result<Object, Failure> {
        let (recording, report) = self.apply(Edit::Repair)?;
        let result = Object::new();
        if let EditReport::Repair(report) = &report {
            let groups = report.groups(recording.content());
            let uncertain = groups.iter().flat_map(|group| group.uncertain.clone());
            set(&result, "uncertain", to_js(&joined(uncertain.collect()))?);
            let groups: Vec<Group> = groups
                .into_iter()
                .map(|group| Group {
                    changed: group.changed_times(self.content(), recording.content()),
                    group,
                })
                .collect();
            set(&result, "groups", to_js(&groups)?);
        }
        set(&result, "recording", recording);
        set(&result, "report", to_js(&report)?);
        Ok(result)
    }

    /// Returns a copy with other parts that no file of MRTK can hold.
    #[wasm_bindgen(js_name = withParts)]
    pub fn with_parts(
        &self,
        #[wasm_bindgen(js_name = parts, unchecked_param_type = "Parts")] given: JsValue,
    ) -> Result<JsRecording, Failure> {
        let content = self.content().clone().into_owned();
        Ok(self.edited(content.with_parts(parts(&given)?)))
    }

    /// Returns a copy with the damage of the file whose intact part it is: the property `fileDamage` of a recording.
    #[wasm_bindgen(js_name = withFileDamage)]
    pub fn with_file_damage(
        &self,
        #[wasm_bindgen(unchecked_param_type = "FileDamage | null")] damage: JsValue,
    ) -> Result<JsRecording, Failure> {
        let damage: Option<FileDamage> = if damage.is_null() {
            None
        } else {
            Some(json(&damage)?)
        };
        let copy = JsRecording::new(self.content().clone().into_owned());
        Ok(copy.damaged(damage.map(Box::new)))
    }

    /// Returns a copy with other gaps: `gaps` are the times at which values are unknown, as in the property `gaps`.
    #[wasm_bindgen(js_name = withGaps)]
    pub fn with_gaps(
        &self,
        #[wasm_bindgen(unchecked_param_type = "ElementGaps[]")] gaps: JsValue,
    ) -> Result<JsRecording, Failure> {
        let mut content = self.content().clone().into_owned();
        content.known = known(gaps)?;
        Ok(self.edited(content))
    }

    /// Returns a copy with other texts about it. Empty texts are left out.
    #[wasm_bindgen(js_name = withAbout)]
    pub fn with_about(
        &self,
        #[wasm_bindgen(js_name = about, unchecked_param_type = "Record<string, string>")]
        given: JsValue,
    ) -> Result<JsRecording, Failure> {
        let mut content = self.content().clone().into_owned();
        content.about = about(&given)?;
        Ok(self.edited(content))
    }

    /// Makes poses and gaze of zeros unknown: some trackers write them while they have lost an object.
    #[wasm_bindgen(js_name = forgetZeros, unchecked_return_type = "ForgottenZeros")]
    pub fn forget_zeros(&self) -> Result<Object, Failure> {
        self.reported(Edit::ForgetZeros)
    }

    /// Keeps a time range in seconds. Its start becomes 0 unless `keepTimes` is true. An infinite bound is open.
    pub fn trim(
        &self,
        start: f32,
        end: f32,
        #[wasm_bindgen(js_name = keepTimes)] keep_times: Option<bool>,
    ) -> Result<JsRecording, Failure> {
        let mut trim = Trim::default();
        (trim.start, trim.end) = (Some(start), Some(end));
        trim.keep_times = keep_times == Some(true);
        self.changed(trim)
    }

    /// Moves all keys and markers later by a time in seconds, or earlier if it is negative.
    pub fn shift(&self, seconds: f32) -> Result<JsRecording, Failure> {
        self.changed(Shift::new(seconds))
    }

    /// Changes the speed by a factor, or so that the recording gets a duration in seconds: `retime({ speed: 2 })`.
    pub fn retime(
        &self,
        #[wasm_bindgen(unchecked_param_type = "RetimeOptions")] retiming: JsValue,
    ) -> Result<JsRecording, Failure> {
        self.changed(options::<Retime>(retiming)?)
    }

    /// Changes all times to those of another clock, by markers that both have: `align({ markers: [{ time: 80000.5, name: "start" }] })`.
    #[wasm_bindgen(unchecked_return_type = "Aligned")]
    pub fn align(
        &self,
        #[wasm_bindgen(unchecked_param_type = "AlignOptions")] alignment: JsValue,
    ) -> Result<Object, Failure> {
        self.reported(options::<Align>(alignment)?)
    }

    /// Reflects everything across a plane, so that left becomes right: across the vertical plane through
    /// the head at t = 0 (`"head"`), or across x = 0 (`"world"`). Controllers, and trackers and inputs with the words left and right
    /// in their names, are exchanged. The buttons a and b of a right controller become x and y of a left one if its profile has them.
    pub fn mirror(
        &self,
        #[wasm_bindgen(unchecked_optional_param_type = "\"head\" | \"world\"")] across: JsValue,
    ) -> Result<JsRecording, Failure> {
        if across.is_undefined() || across.is_null() {
            return self.changed(Mirror::default());
        }
        let object = Object::new();
        set(&object, "across", across);
        self.changed(options::<Mirror>(object.into())?)
    }

    /// Smooths poses with a One Euro filter. Removes the recorded velocities of devices whose poses change, and reports them.
    #[wasm_bindgen(unchecked_return_type = "Smoothed")]
    pub fn smooth(
        &self,
        #[wasm_bindgen(unchecked_optional_param_type = "SmoothOptions")] smoothing: JsValue,
    ) -> Result<Object, Failure> {
        let (recording, report) = self.apply(options::<Smooth>(smoothing)?)?;
        let lost: Vec<String> = match report {
            EditReport::Smooth(lost) => lost.iter().map(ToString::to_string).collect(),
            _ => Vec::new(),
        };
        let result = Object::new();
        set(&result, "recording", recording);
        set(&result, "report", to_js(&lost)?);
        Ok(result)
    }

    /// Moves the head to the origin, scales, rotates and moves everything, in this order.
    pub fn transform(
        &self,
        #[wasm_bindgen(unchecked_param_type = "TransformOptions")] steps: JsValue,
    ) -> Result<JsRecording, Failure> {
        self.changed(options::<TransformSteps>(steps)?)
    }

    /// Keeps the streams, joints and markers that the options name, and removes the others.
    #[wasm_bindgen(unchecked_return_type = "Selected")]
    pub fn select(
        &self,
        #[wasm_bindgen(unchecked_param_type = "SelectOptions")] names: JsValue,
    ) -> Result<Object, Failure> {
        self.reported(options::<Select>(names)?)
    }

    /// Replaces the keys of all poses by keys at a constant rate in Hz.
    pub fn resample(&self, rate: f64) -> Result<JsRecording, Failure> {
        self.changed(Resample::new(rate))
    }

    /// Fills the gaps in which a hand is not tracked with interpolated poses, or with the pose before the gap.
    #[wasm_bindgen(unchecked_return_type = "Filled")]
    pub fn fill(
        &self,
        #[wasm_bindgen(unchecked_optional_param_type = "FillOptions")] filling: JsValue,
    ) -> Result<Object, Failure> {
        self.reported(options::<Fill>(filling)?)
    }

    /// Removes keys that interpolation can reproduce within error bounds.
    #[wasm_bindgen(unchecked_return_type = "Reduced")]
    pub fn reduce(
        &self,
        #[wasm_bindgen(unchecked_optional_param_type = "ReduceOptions")] reduction: JsValue,
    ) -> Result<Object, Failure> {
        self.reported(options::<Reduce>(reduction)?)
    }

    /// Repeats the recording; the result contains `times` copies.
    pub fn repeat(
        &self,
        times: u32,
        #[wasm_bindgen(unchecked_optional_param_type = "JoinOptions")] between: JsValue,
    ) -> Result<JsRecording, Failure> {
        let Between { gap, blend } = options(between)?;
        self.changed(Repeat::new(times, gap, blend))
    }

    /// Joins this recording and another one, which follows it.
    #[wasm_bindgen(unchecked_return_type = "Joined")]
    pub fn concat(
        &self,
        other: &JsRecording,
        #[wasm_bindgen(unchecked_optional_param_type = "JoinOptions")] between: JsValue,
    ) -> Result<Object, Failure> {
        let Between { gap, blend } = options(between)?;
        let parts = [self.content().clone(), other.content().clone()];
        let bytes = parts.iter().map(inputanim::Recording::content_len).sum();
        edit::check_size(bytes, &limits())?;
        let joined = edit::concat(&parts, Join::new(gap, blend)?)?;
        let lost = edit::invented_pinches(&parts).into_iter();
        let lost: Vec<String> = lost.map(|pinches| pinches.to_string()).collect();
        let result = Object::new();
        set(&result, "recording", JsRecording::new(joined));
        set(&result, "report", to_js(&lost)?);
        Ok(result)
    }

    /// Splits the recording at times in seconds, and returns its parts. Each part begins at 0.
    pub fn split(&self, times: Vec<f32>) -> Result<Vec<JsRecording>, Failure> {
        let parts = edit::split(self.content(), &times)?.into_iter();
        Ok(parts.map(|part| self.edited(part.into_owned())).collect())
    }

    /// Returns the time in seconds of the middle of each gap in which `hand` is not tracked. Without a hand, a gap is a
    /// time in which no hand is tracked.
    #[wasm_bindgen(js_name = gapTimes)]
    pub fn gap_times(
        &self,
        #[wasm_bindgen(unchecked_optional_param_type = "Side")] hand: Option<String>,
    ) -> Result<Vec<f32>, Failure> {
        let hand = hand.map(|name| name.parse()).transpose();
        let hand = hand.map_err(|error: inputanim::UnknownSide| Failure::of(&error))?;
        Ok(edit::gap_times(self.content(), hand))
    }

    /// Returns the times in seconds that divide the recording into a number of equal parts, without its start and its
    /// end.
    #[wasm_bindgen(js_name = equalTimes)]
    pub fn equal_times(&self, parts: u32) -> Result<Vec<f32>, Failure> {
        Ok(edit::equal_times(self.content(), parts)?)
    }

    /// Adds a marker at a time in seconds.
    #[wasm_bindgen(js_name = addMarker)]
    pub fn add_marker(&self, time: f32, name: String) -> Result<JsRecording, Failure> {
        self.changed(AddMarker::new(time, name))
    }

    /// Removes the marker at an index of `markers()`.
    #[wasm_bindgen(js_name = removeMarker)]
    pub fn remove_marker(&self, index: usize) -> Result<JsRecording, Failure> {
        self.changed(RemoveMarker::new(index))
    }

    /// Renames the marker at an index of `markers()`.
    #[wasm_bindgen(js_name = renameMarker)]
    pub fn rename_marker(&self, index: usize, name: String) -> Result<JsRecording, Failure> {
        self.changed(RenameMarker::new(index, name))
    }

    /// Renames the markers that are triggers: `nameTriggers({ 11: "start" })`. Triggers without a name keep their number.
    #[wasm_bindgen(js_name = nameTriggers, unchecked_return_type = "TriggersNamed")]
    pub fn name_triggers(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Record<string, string>")] names: JsValue,
    ) -> Result<Object, Failure> {
        let object = Object::new();
        set(&object, "names", names);
        self.reported(options::<NameTriggers>(object.into())?)
    }

    /// Moves the marker at an index of `markers()` to a time in seconds.
    #[wasm_bindgen(js_name = moveMarker)]
    pub fn move_marker(&self, index: usize, time: f32) -> Result<JsRecording, Failure> {
        self.changed(MoveMarker::new(index, time))
    }

    /// Returns the time in seconds up to which all streams have keys, if some streams end earlier than others, and else
    /// `undefined`:
    /// `trim(-Infinity, recording.sharedEnd())` removes the frozen end.
    #[wasm_bindgen(js_name = sharedEnd)]
    pub fn shared_end(&self) -> Option<f32> {
        inputanim::info::Info::of(self.content()).shared_end()
    }
}
