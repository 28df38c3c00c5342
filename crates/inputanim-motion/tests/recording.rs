//! Recordings of the generated motion, as a recorder of a device would make them.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use inputanim::doctor::{self, Severity};
use inputanim::record::Settings;
use inputanim::{Layout, Recorder};
use inputanim_motion::{Motion, Scene};

#[test]
fn the_doctor_finds_nothing_wrong_with_what_was_recorded() {
    let motion = Motion::new(Scene::TwoHands, 3, 20.0);
    for layout in Layout::ALL {
        let settings = Settings {
            layout,
            rate: Some(50.0),
            keep: Some(7.0),
            from_zero: true,
        };
        let mut recorder = Recorder::with(settings).unwrap();
        for mut frame in motion.frames(60.0) {
            frame.gaze = frame.gaze.filter(|_| layout.has_flags());
            // Frames lost on the way, and signs as they come.
            if let Some(camera) = &mut frame.camera {
                camera.rotation = camera
                    .rotation
                    .map(|part| part * -frame.time.sin().signum());
            }
            recorder.push(&frame).unwrap();
        }
        let recording = recorder.finish();
        let findings = doctor::examine(&recording);
        let wrong = findings
            .iter()
            .filter(|finding| finding.severity() > Severity::Note);
        assert_eq!(
            wrong.map(ToString::to_string).collect::<Vec<_>>(),
            [""; 0],
            "{layout}"
        );
        assert!((7.0..7.1).contains(&recording.duration()));
    }
}
