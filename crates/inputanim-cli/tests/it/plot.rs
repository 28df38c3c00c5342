//! `inputanim plot`: figures and contact sheets.

use std::fs;
use std::path::Path;
use std::process::Output;

use snapbox::{Data, assert_data_eq, file};

use crate::support::program;

fn plot(folder: &Path, args: &[&str]) -> Output {
    let mut program = program();
    program.arg("plot").args(args).current_dir(folder);
    program.output().unwrap()
}

fn errors(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// A folder with an intact, a damaged, a truncated and an empty recording.
fn study() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let wave = inputanim_testkit::samples::read("wave.bin");
    let put = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
    put("a_wave.bin", &wave);
    put("b_truncated.bin", &wave[..wave.len() / 2]);
    let mut damaged = inputanim::Recording::parse(&wave).unwrap();
    inputanim_testkit::documents::lose_w(&mut damaged);
    put("c_damaged.bin", &damaged.to_bytes().unwrap());
    let empty = inputanim::Recording::new(inputanim::Layout::Mrtk1_1);
    put("d_empty.bin", &empty.to_bytes().unwrap());
    folder
}

#[test]
fn the_figure_of_the_documentation_is_current() {
    let folder = tempfile::tempdir().unwrap();
    let sample = inputanim_testkit::samples::path("two-hands.bin");
    let sample = sample.to_str().unwrap();
    let args = [sample, "-o", "out.svg", "--panels", "timeline,speed,paths"];
    let output = plot(folder.path(), &args);
    assert!(output.status.success(), "{}", errors(&output));
    let figure = fs::read_to_string(folder.path().join("out.svg")).unwrap();
    assert_data_eq!(
        Data::text(figure),
        file!["../../../../docs/two-hands.svg"].raw()
    );
}

#[test]
fn a_sheet_shows_damage_and_errors() {
    let folder = study();
    let args = [
        "-r",
        ".",
        "-o",
        "sheet.svg",
        "--path-pattern",
        "{id}_{task}.bin",
    ];
    let output = plot(folder.path(), &args);
    assert_eq!(output.status.code(), Some(1), "{}", errors(&output));
    assert!(
        errors(&output).contains("3 files drawn, 1 failed: "),
        "{}",
        errors(&output)
    );
    let sheet = fs::read_to_string(folder.path().join("sheet.svg")).unwrap();
    for text in ["a · wave", "damage: D1", "expected", "no positions"] {
        assert!(sheet.contains(text), "{text}");
    }
    assert_data_eq!(Data::text(sheet), file!["../pictures/sheet.svg"].raw());
}

#[test]
fn a_folder_gets_a_figure_of_each_recording() {
    let folder = study();
    fs::remove_file(folder.path().join("b_truncated.bin")).unwrap();
    let args = ["-r", ".", "-o", "out", "--theme", "dark", "--time", "0..1"];
    let output = plot(folder.path(), &args);
    assert_eq!(output.status.code(), Some(3), "{}", errors(&output));
    let args = [
        "a_wave.bin",
        "c_damaged.bin",
        "-o",
        "out",
        "--theme",
        "dark",
    ];
    let output = plot(folder.path(), &args);
    assert_eq!(output.status.code(), Some(3), "{}", errors(&output));
    let figure = fs::read_to_string(folder.path().join("out/c_damaged.svg")).unwrap();
    assert!(figure.contains("damage D1") && figure.contains("#1b1b1b"));
    let output = plot(folder.path(), &args);
    assert!(
        errors(&output).contains("2 up to date"),
        "{}",
        errors(&output)
    );
}

#[test]
fn a_figure_has_the_events_of_the_same_parameters() {
    let folder = study();
    let targets = "name,shape,x,y,z,radius\neverywhere,sphere,0,1.5,0,50\n";
    fs::write(folder.path().join("targets.csv"), targets).unwrap();
    let draw = |parameters: &[&str]| {
        let args = ["a_wave.bin", "-f", "-q", "-o", "out.svg"];
        let output = plot(folder.path(), &[&args[..], parameters].concat());
        assert!(output.status.success(), "{}", errors(&output));
        fs::read_to_string(folder.path().join("out.svg")).unwrap()
    };
    let default = draw(&[]);
    assert!(default.contains(">fixation<") && !default.contains(">looks<"));
    let longer = draw(&["--parameter", "idt.duration=100"]);
    assert!(!longer.contains(">fixation<"));
    let looks = draw(&["--targets", "targets.csv"]);
    assert!(looks.contains(">looks<") && looks.contains(">everywhere<"));
    assert_ne!(draw(&["--rate", "30"]), default);
    // Other parameters draw a figure again.
    let args = ["a_wave.bin", "c_damaged.bin", "-o", "figures"];
    for (parameters, expected) in [
        (&[][..], "2 files drawn"),
        (&[], "2 up to date"),
        (&["--parameter", "idt.dispersion=2"], "2 files drawn"),
        (&["--targets", "targets.csv"], "2 files drawn"),
    ] {
        let output = plot(folder.path(), &[&args[..], parameters].concat());
        assert!(errors(&output).contains(expected), "{}", errors(&output));
    }
    let output = plot(
        folder.path(),
        &["a_wave.bin", "-o", "x.svg", "--parameter", "window=0"],
    );
    assert_eq!(output.status.code(), Some(2), "{}", errors(&output));
    let message =
        "channels.window: expected a number of seconds above 0 and at most 2, found \"0\"";
    assert!(errors(&output).contains(message), "{}", errors(&output));
}

#[test]
fn options_without_effect_are_refused() {
    let folder = study();
    for args in [
        &["a_wave.bin", "-o", "out.gif"][..],
        &["-r", ".", "-o", "sheet.svg", "--time", "0..1"],
        &["a_wave.bin", "-o", "out.svg", "--format", "png"],
        &["a_wave.bin", "-o", "out.svg", "--path-pattern", "{a}_{b}"],
        &[".", "-o", "out.svg"],
    ] {
        let output = plot(folder.path(), args);
        let is_missing_format = errors(&output).contains("this build does not include PNG");
        assert!(
            output.status.code() == Some(2) || is_missing_format,
            "{args:?}: {}",
            errors(&output)
        );
        assert!(
            errors(&output).contains("hint:"),
            "{args:?}: {}",
            errors(&output)
        );
    }
}

#[cfg(feature = "png")]
#[test]
fn a_png_has_text() {
    let folder = study();
    // The only dark pixels of a figure without data are those of text and axes.
    let dark = |name: &str, title: &str| {
        let args = [
            "d_empty.bin",
            "-o",
            name,
            "--title",
            title,
            "--panels",
            "timeline",
        ];
        let output = plot(folder.path(), &args);
        assert!(output.status.success(), "{}", errors(&output));
        fs::read(folder.path().join(name)).unwrap().len()
    };
    assert!(dark("text.png", "WWWWWWWWWWWWWWWWWWWW") > dark("none.png", ".") + 100);
}

#[cfg(feature = "png")]
#[test]
fn a_png_without_a_font_for_a_character_has_a_note() {
    let folder = study();
    let args = |title| ["d_empty.bin", "-f", "-o", "out.png", "--title", title];
    let output = plot(folder.path(), &args("Übung, съёмка, œuvre"));
    assert_eq!(errors(&output).matches("note:").count(), 0);
    // No font has a character that does not exist. SVG leaves the choice to the program that shows it.
    let title = "not a character: \u{f0000}";
    let output = plot(folder.path(), &args(title));
    assert!(output.status.success(), "{}", errors(&output));
    let note = "note: no font has these characters, which are drawn as boxes: U+F0000";
    assert!(errors(&output).contains(note), "{}", errors(&output));
    let output = plot(
        folder.path(),
        &["d_empty.bin", "-o", "out.svg", "--title", title],
    );
    assert!(!errors(&output).contains("note:"), "{}", errors(&output));
}

#[cfg(not(feature = "png"))]
#[test]
fn a_build_without_png_says_how_to_get_it() {
    let folder = study();
    let output = plot(folder.path(), &["a_wave.bin", "-o", "out.png"]);
    assert_eq!(output.status.code(), Some(1), "{}", errors(&output));
    assert!(
        errors(&output).contains("--features full"),
        "{}",
        errors(&output)
    );
}

#[test]
fn a_headset_is_drawn_only_on_request() {
    use inputanim::headset::Headset;
    use inputanim::{Frame, Layout, Pose, Recorder};
    let mut recorder = Recorder::new(Layout::Mrtk1_1);
    for step in 0..=20 {
        let mut headset = Headset::default();
        headset.eye_distance = Some(0.0625);
        let time = step as f32 / 10.0;
        let frame = Frame {
            time,
            head: Some(Pose::at([0.0, 1.6, time / 10.0])),
            devices: vec![headset.device_frame()],
            ..Frame::default()
        };
        recorder.push(&frame).unwrap();
    }
    let format = inputanim_convert::Format::Json;
    let written = inputanim_convert::write_bytes(format, &recorder.finish(), &Default::default());
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("take.json"), written.unwrap().0).unwrap();
    let draw = |options: &[&str]| {
        let args = ["take.json", "-f", "-q", "-o", "out.svg"];
        let output = plot(folder.path(), &[&args[..], options].concat());
        assert!(output.status.success(), "{}", errors(&output));
        fs::read_to_string(folder.path().join("out.svg")).unwrap()
    };
    assert!(!draw(&[]).contains("headset"));
    let figure = draw(&["--devices", "device.headset.eyes.distance"]);
    assert!(figure.contains("headset"), "{figure}");
    // The headset has no profile, and `info` does not say that it is unknown.
    let mut info = program();
    info.args(["info", "take.json"]).current_dir(folder.path());
    let output = info.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let part = "\n  device.headset\n    values    eyes.distance\n";
    assert!(text.contains(part), "{text}");
}
