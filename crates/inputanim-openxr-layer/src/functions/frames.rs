//! `xrWaitFrame`, `xrBeginFrame` and `xrEndFrame`.

use std::mem;

use inputanim::Side;
use openxr_sys as xr;

use crate::recording::Message;
use crate::state::{Session, find_session};
use inputanim_openxr_ffi::{Read, Reply, Write, check};

pub(crate) fn wait(
    handle: xr::Session,
    info: Read<xr::FrameWaitInfo>,
    state: Write<xr::FrameState>,
) -> Reply {
    let session = find_session(handle)?;
    // Another thread may poll events while this one waits. The runtime has then begun the frame without the input.
    let is_focused = session.is_focused();
    if is_focused {
        session.protect(|| session.prepare_actions());
    }
    let result = session.next().wait_frame(handle, info, state);
    if let (Ok(()), Some(state)) = (check(result), state.read()) {
        session.protect(|| session.waited(state.predicted_display_time, is_focused));
    }
    Ok(result)
}

pub(crate) fn begin(handle: xr::Session, info: Read<xr::FrameBeginInfo>) -> Reply {
    let session = find_session(handle)?;
    let result = session.next().begin_frame(handle, info);
    if check(result).is_ok() {
        session.lock().frames.begin();
    }
    Ok(result)
}

pub(crate) fn end(handle: xr::Session, info: Read<xr::FrameEndInfo>) -> Reply {
    let session = find_session(handle)?;
    // Afterwards the session may have lost the input.
    let message = session.protect(|| session.sample()).flatten();
    let result = session.next().end_frame(handle, info);
    if check(result).is_ok() {
        session.protect(|| session.ended(message));
    }
    Ok(result)
}

impl Session {
    /// Attaches the action set of the layer if the settings allow it, and the application has created no action sets. Tries it only
    /// once for a session. Without the setting, an application can still attach its own.
    fn prepare_actions(&self) {
        if !self.instance.settings.own_actions {
            return;
        }
        let has_sets = !self.instance.actions().application.sets.is_empty();
        let mut state = self.lock();
        let is_alone = !has_sets && state.attached.is_none() && !state.has_tried_alone;
        state.has_tried_alone |= is_alone;
        drop(state);
        if is_alone {
            self.attach_alone();
        }
    }

    fn waited(&self, display: xr::Time, is_focused: bool) {
        let mut state = self.lock();
        let begins = is_focused && !state.frames.has_begun();
        state.frames.wait(display.as_nanos(), begins);
        if begins {
            self.begin(&mut state);
        }
    }

    /// Returns the head, hands, gaze and headset at the display time of the frame that the application ends, as a message for
    /// the recording. `None` without a frame, and before the recording begins.
    fn sample(&self) -> Option<Message> {
        let state = self.lock();
        let frame = state.frames.drawn()?;
        let (time, display) = (frame.time?, frame.display);
        let (attached, is_synchronised) = (state.attached.clone(), state.is_synchronised);
        let views = state.views;
        drop(state);
        if let (Some(own), false) = (&attached, is_synchronised) {
            let result = self.sync_alone(own);
            if result == xr::Result::SUCCESS {
                let inputs = self.inputs(Some(own));
                self.lock().frames.sync(inputs);
            }
        }
        let planned = self.lock().planned.clone();
        let display = xr::Time::from_nanos(display);
        let mut sample = self.locate(attached.as_ref(), planned.as_ref(), display, time);
        if views == Some(xr::ViewConfigurationType::PRIMARY_STEREO) {
            self.locate_eyes(&mut sample.headset, display);
        }
        Some(Message::Frame(Box::new(sample)))
    }

    /// Ends a frame that the runtime has accepted, adds the inputs to `message`, and sends it to the recording.
    fn ended(&self, message: Option<Message>) {
        let mut state = self.lock();
        let has_own = state.attached.is_some();
        let inputs = state.frames.end(self.is_focused());
        let Some(Message::Frame(mut sample)) = message else {
            return;
        };
        for (side, pinch) in Side::BOTH.into_iter().zip(inputs.pinches) {
            let hand = sample.frame.hand_mut(side);
            if hand.unknown {
                continue;
            }
            hand.pinching = pinch.unwrap_or(false);
            hand.pinch_unknown = pinch.is_none() && !has_own;
        }
        // The poses and their velocities are those of the display time, and the other inputs those of the synchronisation.
        let poses = mem::take(&mut sample.frame.devices);
        for device in &inputs.devices {
            let mut device = device.clone();
            let located = poses.iter().find(|other| other.name == device.name);
            if let Some(located) = located.filter(|_| device.active) {
                device.poses.clone_from(&located.poses);
                device.inputs.extend_from_slice(&located.inputs);
                device.inputs.sort_by_key(|(name, _)| *name);
            }
            sample.frame.devices.push(device);
        }
        state.headset.update(&sample.headset);
        if !state.headset.is_unknown() {
            sample.frame.devices.push(state.headset.device_frame());
        }
        state.send(Message::Frame(sample));
    }
}
