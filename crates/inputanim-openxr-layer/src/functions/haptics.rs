//! Vibrations that the application asks for.

use inputanim::{DeviceName, Haptic, OutputName};
use openxr_sys::{self as xr, Handle};

use crate::recording::Message;
use crate::state::{Session, find_session};
use inputanim_openxr_ffi::{Read, Reply};

/// The strength of a vibration.
struct Vibration {
    /// The duration in seconds; `None` for the shortest that the device supports.
    duration: Option<f32>,
    /// The frequency in Hz; `None` if the runtime chooses it.
    frequency: Option<f32>,
    amplitude: f32,
}

pub(crate) fn apply(
    handle: xr::Session,
    info: Read<xr::HapticActionInfo>,
    feedback: Read<xr::HapticBaseHeader>,
) -> Reply {
    let session = find_session(handle)?;
    let result = session.next().apply_haptic(handle, info, feedback);
    session.protect(|| {
        let vibration = feedback.haptic::<xr::HapticVibration>();
        let vibration = vibration.map(|vibration| Vibration {
            duration: (vibration.duration != xr::Duration::MIN_HAPTIC)
                .then(|| (vibration.duration.as_nanos() as f64 / 1e9) as f32),
            frequency: (vibration.frequency != xr::FREQUENCY_UNSPECIFIED)
                .then_some(vibration.frequency),
            amplitude: vibration.amplitude,
        });
        session.vibrate(result, info, vibration);
    });
    Ok(result)
}

pub(crate) fn stop(handle: xr::Session, info: Read<xr::HapticActionInfo>) -> Reply {
    let session = find_session(handle)?;
    let result = session.next().stop_haptic(handle, info);
    let stop = Vibration {
        duration: Some(0.0),
        frequency: None,
        amplitude: 0.0,
    };
    session.protect(|| session.vibrate(result, info, Some(stop)));
    Ok(result)
}

impl Session {
    /// Sends the vibration of an action to the recording, at the time of the newest frame, for each output to which the action is
    /// bound. Counts a vibration that belongs to no output or has an unknown form (`None`). Does nothing if the runtime has
    /// not accepted it: without the focus, nothing vibrates.
    fn vibrate(
        &self,
        result: xr::Result,
        info: Read<xr::HapticActionInfo>,
        vibration: Option<Vibration>,
    ) {
        let Some(info) = info.read().filter(|_| result == xr::Result::SUCCESS) else {
            return;
        };
        let mut state = self.lock();
        let Some(time) = state.frames.now() else {
            return;
        };
        let mut outputs: Vec<(DeviceName, OutputName)> = Vec::new();
        if let Some(planned) = &state.planned {
            for plan in &planned.plan.users {
                let path = info.subaction_path;
                if path != xr::Path::NULL && !plan.user.paths.contains(&path) {
                    continue;
                }
                let of_user = plan.outputs.iter();
                let of_action = of_user.filter(|(action, _)| *action == info.action.into_raw());
                outputs.extend(of_action.map(|(_, output)| (plan.user.device, *output)));
            }
        }
        match vibration {
            Some(vibration) if !outputs.is_empty() => {
                for (device, output) in outputs {
                    let haptic = Haptic {
                        time,
                        output,
                        duration: vibration.duration,
                        frequency: vibration.frequency,
                        amplitude: vibration.amplitude,
                    };
                    state.send(Message::Haptic { device, haptic });
                }
            }
            _ => state.lost_haptics += 1,
        }
    }
}
