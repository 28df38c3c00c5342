//! `inputanim generate` makes the samples, and refuses recordings above the limits.

use std::fs;
use std::path::Path;
use std::process::Output;

use crate::support::program;

fn generate(arguments: &str, folder: &Path) -> Output {
    let mut program = program();
    let program = program.arg("generate").args(arguments.split(' '));
    program.current_dir(folder).output().unwrap()
}

#[test]
fn the_samples_can_be_generated_again() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples");
    let folder = tempfile::tempdir().unwrap();
    for arguments in [
        "two-hands --seed 7 --seconds 9",
        "wave --seconds 4",
        "pinch-drag --seed 2 --seconds 5",
        "reach --seed 3 --seconds 5",
    ] {
        let made = generate(
            &format!("{arguments} --rate 30 -o take.bin -f"),
            folder.path(),
        );
        assert!(made.status.success(), "{made:?}");
        let scene = arguments.split(' ').next().unwrap();
        let sample = fs::read(samples.join(scene).with_extension("bin")).unwrap();
        let recording = fs::read(folder.path().join("take.bin")).unwrap();
        assert!(recording == sample, "{arguments}");
    }
}

#[test]
fn another_seed_gives_another_recording_and_every_layout_is_written_without_warnings() {
    let folder = tempfile::tempdir().unwrap();
    let generated = |arguments: &str| {
        let made = generate(
            &format!("wave --seconds 1 {arguments} --quiet -o -"),
            folder.path(),
        );
        assert!(made.status.success() && made.stderr.is_empty(), "{made:?}");
        made.stdout
    };
    assert_ne!(generated("--seed 1"), generated("--seed 2"));
    for &layout in inputanim::Layout::ALL {
        let bytes = generated(&format!("--layout {layout}"));
        assert_eq!(inputanim::Recording::parse(&bytes).unwrap().layout, layout);
    }
}

#[test]
fn a_recording_above_the_limits_is_refused_before_it_is_generated() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in [
        "wave --seconds 86400 --rate 60 -o long.bin",
        "wave --seconds 60 --rate 1000000 -o fine.bin",
        "wave --seconds 10800 --layout mrtk-1.0 -o full.bin",
    ] {
        let refused = generate(arguments, folder.path());
        assert_eq!(refused.status.code(), Some(1), "{arguments}");
        let text = String::from_utf8(refused.stderr).unwrap();
        assert!(
            text.contains("GB") && text.contains("--no-limits"),
            "{text}"
        );
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}
