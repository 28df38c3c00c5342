//! The class `Player`: a moving position, and events.

use inputanim::row::{LENGTH, Row};
use inputanim::{EndAction, PlaybackState};
use js_sys::Float32Array;
use wasm_bindgen::prelude::*;

use crate::devices::DeviceColumns;
use crate::failure::Failure;
use crate::recording::{JsRecording, copy_devices, copy_row};
use crate::value::to_js;

/// Plays a recording with the caller's clock, and reports events.
#[wasm_bindgen(js_name = Player)]
pub struct JsPlayer {
    player: inputanim::Player,
    row: Box<Row>,
    devices: DeviceColumns,
}

#[wasm_bindgen(js_class = Player)]
impl JsPlayer {
    /// Returns a stopped player at the start of a recording.
    #[wasm_bindgen(constructor)]
    pub fn new(recording: &JsRecording) -> Result<JsPlayer, Failure> {
        Ok(JsPlayer {
            player: inputanim::Player::new(recording.sampler()?),
            row: Box::new([f32::NAN; LENGTH]),
            devices: DeviceColumns::of(recording.content()),
        })
    }

    /// Starts or continues playback.
    pub fn play(&mut self) {
        self.player.play();
    }

    /// Pauses playback at the current position.
    pub fn pause(&mut self) {
        self.player.pause();
    }

    /// Stops playback, and moves to the start.
    pub fn stop(&mut self) {
        self.player.stop();
    }

    /// Moves to a time in seconds, limited to the recording. NaN changes nothing.
    pub fn seek(&mut self, time: f32) {
        self.player.seek(time);
    }

    /// Advances by seconds of the caller's clock. Returns the transitions in this time: hands found and lost, pinches,
    /// markers, and changes of devices.
    #[wasm_bindgen(unchecked_return_type = "Transition[]")]
    pub fn advance(&mut self, seconds: f32) -> Result<JsValue, Failure> {
        let transitions = self.player.advance(seconds);
        let limit = inputanim::Player::MAX_TRANSITIONS;
        to_js(&transitions.take(limit).collect::<Vec<_>>())
    }

    /// Writes the frame at the current position into `out`, like `Recording.sample`.
    pub fn sample(&mut self, out: &Float32Array) -> Result<(), Failure> {
        let frame = self.player.frame();
        frame.write_row(&mut self.row);
        copy_row(&self.row, out)?;
        copy_devices(&mut self.devices, frame, out);
        Ok(())
    }

    /// The position of the player in seconds.
    #[wasm_bindgen(getter)]
    pub fn time(&self) -> f32 {
        self.player.time()
    }

    /// True while the player plays.
    #[wasm_bindgen(getter, js_name = isPlaying)]
    pub fn is_playing(&self) -> bool {
        self.player.playback() == PlaybackState::Playing
    }

    /// The speed as a factor: 1 is the recorded speed, and a negative speed plays backwards.
    #[wasm_bindgen(getter)]
    pub fn rate(&self) -> f64 {
        self.player.rate()
    }

    #[wasm_bindgen(setter)]
    pub fn set_rate(&mut self, rate: f64) {
        self.player.set_rate(rate);
    }

    /// Sets the action at the end of the recording, or at its start when playing backwards. Ends the way back of a
    /// ping-pong.
    #[wasm_bindgen(js_name = setEnding)]
    pub fn set_ending(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "EndAction")] ending: &str,
    ) -> Result<(), Failure> {
        self.player.set_ending(match ending {
            "hold" => EndAction::Hold,
            "rewind" => EndAction::Rewind,
            "loop" => EndAction::Loop,
            "pingPong" => EndAction::PingPong,
            other => {
                return Err(Failure::new(format!(
                    "unknown action \"{other}\"; expected hold, rewind, loop or pingPong"
                )));
            }
        });
        Ok(())
    }
}
