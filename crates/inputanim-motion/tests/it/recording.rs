//! Recordings of generated motion with the options of a device recorder.

use inputanim::RecorderOptions;
use inputanim::doctor::{self, Severity};
use inputanim::{Layout, Recorder};
use inputanim_motion::{Motion, Scene};

#[test]
fn a_recorded_motion_has_no_warnings() {
    let motion = Motion::new(Scene::TwoHands, 3, 20.0);
    for &layout in Layout::ALL {
        let mut settings = RecorderOptions::default();
        settings.layout = layout;
        settings.max_rate = Some(50.0);
        settings.keep_last = Some(7.0);
        settings.from_zero = true;
        let mut recorder = Recorder::with_options(settings).unwrap();
        for mut frame in motion.frames(60.0) {
            frame.gaze = frame.gaze.filter(|_| layout.has_flags());
            // Devices report rotations with either sign.
            if let Some(head) = &mut frame.head {
                head.rotation = head.rotation.map(|part| part * -frame.time.sin().signum());
            }
            recorder.push(&frame).unwrap();
        }
        let recording = recorder.finish();
        let findings = doctor::findings(&recording);
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
