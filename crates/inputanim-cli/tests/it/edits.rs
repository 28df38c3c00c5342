//! Edits and comparisons whose command line is easily wrong.

use std::fs;
use std::path::Path;
use std::process::Output;

use inputanim::{Joint, Marker, Pose, Recording, Side};
use inputanim_testkit::samples;

use inputanim_testkit::documents::write_damaged_files;

use super::commands::root;
use crate::support::program;

/// Runs the program in a folder that holds `wave.bin` and damaged files.
fn run(folder: &Path, line: &str) -> (Option<i32>, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = program()
        .args(line.split(' '))
        .current_dir(folder)
        .output()
        .unwrap();
    let texts = [stdout, stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    (status.code(), texts.concat())
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    write_damaged_files(&root(), &folder.path().join("damaged"));
    fs::copy(
        root().join("samples/wave.bin"),
        folder.path().join("wave.bin"),
    )
    .unwrap();
    folder
}

#[test]
fn a_trim_never_makes_a_recording_longer() {
    let folder = folder();
    let duration = |file: &str| {
        let bytes = fs::read(folder.path().join(file)).unwrap();
        inputanim::Recording::parse(&bytes).unwrap().duration()
    };
    let full = duration("wave.bin");
    for (range, expected) in [("-90..", full), ("-90..1", 1.0), ("@-3..1", 1.0)] {
        let line = format!("trim wave.bin --time {range} -o part.bin -f");
        let (code, text) = run(folder.path(), &line);
        assert_eq!(code, Some(0), "{text}");
        assert!(text.contains("; used 0.000 s to "), "{text}");
        assert_eq!(duration("part.bin"), expected, "{range}");
    }
    let (_, text) = run(folder.path(), "trim wave.bin --time 1..1 -o instant.bin");
    assert!(text.contains("0 s long"), "{text}");
}

#[test]
fn a_selected_joint_that_only_one_recording_tracks_is_a_difference() {
    let folder = folder();
    let bytes = samples::read("wave.bin");
    let mut recording = Recording::parse(&bytes).unwrap();
    let tracked = &mut recording.hands_mut().right.tracked;
    *tracked = Default::default();
    tracked.push(0.0, false);
    let path = folder.path().join("untracked.bin");
    std::fs::write(&path, recording.to_bytes().unwrap()).unwrap();
    let exclude = "--exclude right.tracked,left";
    for (names, state) in [
        ("--no-markers", true),
        (exclude, false),
        ("--timing inf", true),
    ] {
        let line = format!("diff wave.bin untracked.bin --joints IndexTip {names}");
        let (code, text) = run(folder.path(), &line);
        assert_eq!(code, Some(1), "{line}: {text}");
        let expected = "right.IndexTip    tracked only in A (0.000–4.000 s)";
        assert!(text.contains(expected), "{text}");
        assert_eq!(text.contains("right.tracked     differs"), state, "{text}");
    }
    // With other keys, so that both are evaluated.
    let other = recording.hands_mut();
    other.right.joints[Joint::IndexTip].push(5.0, &Pose::IDENTITY);
    let path = folder.path().join("other.bin");
    std::fs::write(&path, recording.to_bytes().unwrap()).unwrap();
    let line = "diff untracked.bin other.bin --joints right.IndexTip --duration inf";
    let (code, text) = run(folder.path(), line);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("neither recording tracks the hand"), "{text}");
}

#[test]
fn another_layout_must_not_hide_damage() {
    let folder = folder();
    let original = fs::read(folder.path().join("damaged/lost-w.bin")).unwrap();
    for (output, layout) in [
        ("out.bin", "mrtk-1.0"),
        ("out.json", "mrtk-1.0"),
        ("out.bin", "mrtk-1.0 --allow-loss"),
    ] {
        let line = format!("convert damaged/lost-w.bin {output} --layout {layout}");
        let (code, text) = run(folder.path(), &line);
        assert_eq!(code, Some(1), "{line}: {text}");
        assert!(text.contains("was not saved"), "{text}");
        let hint = "run `inputanim repair damaged/lost-w.bin -o lost-w-repaired.bin` first";
        assert!(text.replace("\n        ", " ").contains(hint), "{text}");
        assert!(!folder.path().join(output).exists());
    }
    // In the same layout, the damage is copied exactly.
    for layout in ["", " --layout mrtk-1.1"] {
        let line = format!("convert damaged/lost-w.bin copy.bin -f{layout}");
        assert_eq!(run(folder.path(), &line).0, Some(0));
        assert_eq!(fs::read(folder.path().join("copy.bin")).unwrap(), original);
        let line = format!("convert damaged/lost-w.bin copy.json -f{layout}");
        assert_eq!(run(folder.path(), &line).0, Some(0));
    }
}

#[test]
fn samples_of_a_damaged_recording_have_exit_code_3() {
    let folder = folder();
    for (names, expected) in [("", 3), (" --joints left.tracked", 0)] {
        let line = format!("sample damaged/lost-w.bin --at 1{names}");
        let (code, text) = run(folder.path(), &line);
        assert_eq!(code, Some(expected), "{line}: {text}");
    }
}

#[test]
fn readers_repair_and_recover_as_the_files_of_repair_and_recover() {
    let folder = folder();
    let made = |line: &str| run(folder.path(), line);
    for (damaged, verb, code) in [("lost-w.bin", "repair", 0), ("cut.bin", "recover", 3)] {
        // The names of the recordings are parts of the outputs.
        fs::create_dir(folder.path().join(verb)).unwrap();
        let line = format!("{verb} damaged/{damaged} -o {verb}/{damaged}");
        assert_eq!(made(&line).0, Some(code), "{line}");
        for line in [
            "convert {} out.csv -f",
            "convert {} out.ndjson -f --shape tidy --rate 10",
            "stats {} -o out.csv -f --measures head,hands",
            "events {} -o out.csv -f",
            "plot {} -o out.svg -f",
            "sample {} --at 1 --format csv",
        ] {
            let output = line.split(' ').find(|word| word.starts_with("out."));
            let content = || output.map(|name| fs::read(folder.path().join(name)).unwrap());
            let (_, expected) = made(&line.replace("{}", &format!("{verb}/{damaged}")));
            let expected = (expected, content());
            let line = line.replace("{}", &format!("damaged/{damaged}")) + " --" + verb;
            let (found, text) = made(&line);
            assert_eq!(found, Some(code), "{line}: {text}");
            assert_eq!(
                text.contains("recovered, parts are missing"),
                code == 3,
                "{text}"
            );
            assert_eq!(content(), expected.1, "{line}");
            if code == 0 && output.is_none() {
                assert_eq!(text, expected.0, "{line}");
            }
        }
    }
}

#[test]
fn the_error_of_a_gaze_without_a_bound_is_a_warning() {
    let folder = folder();
    let line = "reduce wave.bin -o small.bin -f --rotation inf --point 1mm";
    let (code, text) = run(folder.path(), line);
    assert_eq!(code, Some(0), "{text}");
    let warning = "the gaze direction has no bound: its error is up to ";
    assert!(text.contains(warning), "{text}");
    let (_, text) = run(folder.path(), &format!("{line} --gaze-direction 1deg"));
    assert!(!text.contains(warning), "{text}");
}

#[test]
fn the_summary_of_mirror_names_the_hands() {
    let folder = folder();
    let (_, text) = run(folder.path(), "mirror wave.bin -o mirrored.bin");
    assert!(text.contains("left hand and right hand swapped"), "{text}");
    run(
        folder.path(),
        "select wave.bin --joints left,head -o left.bin",
    );
    let (_, text) = run(folder.path(), "mirror left.bin -o right.bin");
    assert!(text.contains("left hand became right hand"), "{text}");
}

#[test]
fn a_comparison_of_nothing_is_an_error() {
    let folder = folder();
    for line in [
        "diff wave.bin damaged/lost-w.bin --joints right --exclude right",
        "diff left.bin left2.bin --joints right",
    ] {
        for (name, speed) in [("left.bin", "1"), ("left2.bin", "1.0001")] {
            let joints = "--joints left.Palm -o kept.bin -f";
            run(folder.path(), &format!("select wave.bin {joints}"));
            let retime = format!("retime kept.bin --speed {speed} -o {name} -f");
            assert_eq!(run(folder.path(), &retime).0, Some(0));
        }
        let (code, text) = run(folder.path(), line);
        assert!(code == Some(2), "{line}: {code:?} {text}");
        assert!(text.contains("nothing to compare"), "{text}");
    }
    let (code, text) = run(folder.path(), "diff wave.bin wave.bin --tolerance 2");
    assert!(code == Some(2) && text.contains("--rotation"), "{text}");
}

#[test]
fn an_input_is_not_suggested_to_be_replaced() {
    let folder = folder();
    for (line, other) in [
        (
            "repair wave.bin -o wave.bin",
            "for example wave-repaired.bin",
        ),
        (
            "trim ./wave.bin --time 1.. -o wave.bin",
            "example wave-trimmed.bin",
        ),
        ("concat wave.bin wave.bin -o wave.bin", "wave-joined.bin"),
    ] {
        let (code, text) = run(folder.path(), line);
        assert_eq!(code, Some(2), "{text}");
        assert!(
            text.contains(other) && !text.contains("--force"),
            "{line}: {text}"
        );
    }
    let (code, text) = run(folder.path(), "trim wave.bin --time 1.. -o wave.bin -f");
    assert_eq!(code, Some(0), "{text}");
}

#[test]
fn edits_that_keep_damage_warn_of_it() {
    let folder = folder();
    for edit in ["retime --speed 2", "shift --by 1", "select --exclude gaze"] {
        let line = format!("{edit} damaged/lost-w.bin -o out.bin -f");
        let (code, text) = run(folder.path(), &line);
        assert!(code == Some(0) && text.contains("D1"), "{line}: {text}");
    }
    let line = "select damaged/lost-w.bin --joints gaze -o out.bin -f";
    let (_, text) = run(folder.path(), line);
    assert!(!text.contains("D1"), "{text}");
    let line = "select wave.bin --joints tracked -o out.bin -f";
    let (_, text) = run(folder.path(), line);
    assert!(text.contains("no poses remain"), "{text}");
}

#[test]
fn degrees_are_no_quaternion() {
    let folder = folder();
    let line = "transform wave.bin --rotate 0,90,0,1 -o out.bin";
    let (code, text) = run(folder.path(), line);
    assert!(code == Some(2) && text.contains("--yaw"), "{text}");
    let line = "transform wave.bin --rotate 0,0.707,0,0.707 -o out.bin";
    assert_eq!(run(folder.path(), line).0, Some(0));
}

#[test]
fn a_blend_longer_than_a_recording_is_warned_of() {
    let folder = folder();
    let line = "concat wave.bin wave.bin --blend 200 -o out.bin";
    let (_, text) = run(folder.path(), line);
    assert!(text.contains("--blend 200ms?"), "{text}");
    let line = "concat wave.bin wave.bin --blend 200ms -o out2.bin";
    let (_, text) = run(folder.path(), line);
    assert!(!text.contains("warning"), "{text}");
}

#[test]
fn errors_of_the_command_line_have_tips_that_work() {
    let folder = folder();
    for (line, tip) in [
        (
            "repair wave.bin out.bin",
            "write the output as `-o out.bin`",
        ),
        (
            "convert wave.bin out.bin --layout mrtk-2.4",
            "MRTK 2.0 to 2.5 load mrtk-1.0",
        ),
        ("rotate wave.bin", "inputanim transform"),
        (
            "smooth wave.bin --beta x -o out.bin",
            "expected a number such as 0.5",
        ),
        ("trim wave.bin --time 1.. -o out.glb", "`inputanim convert`"),
        ("convert wave.bin out.fbx", "for Blender use .glb"),
    ] {
        let (code, text) = run(folder.path(), line);
        assert_eq!(code, Some(2), "{line}: {text}");
        assert!(text.contains(tip), "{line}: {text}");
    }
    let (_, text) = run(folder.path(), "trim wave.bin --hand left -o out.bin");
    assert!(!text.contains("as a value"), "{text}");
}

#[test]
fn a_missing_file_is_no_bad_recording() {
    let folder = folder();
    let (code, text) = run(folder.path(), "doctor wawe.bin");
    assert!(code == Some(1) && !text.contains("bad"), "{text}");
    assert!(text.contains("did you mean wave.bin?"), "{text}");
    let (_, text) = run(folder.path(), "doctor wave.bin wawe.bin ./wave.bin");
    assert!(text.contains("1 of 1 file healthy"), "{text}");
    run(folder.path(), "convert wave.bin wave.anim");
    let (code, text) = run(folder.path(), "info wave.anim");
    assert!(
        code == Some(1) && text.contains("this is an animation clip of Unity"),
        "{text}"
    );
}

#[test]
fn the_doctor_says_what_each_command_does() {
    let folder = folder();
    let (_, text) = run(folder.path(), "doctor damaged/lost-tail.bin");
    assert!(text.contains("lost-tail-repaired-trimmed.bin"), "{text}");
    assert!(text.contains("cuts off the last "), "{text}");
    let (_, text) = run(folder.path(), "doctor damaged/lost-w.bin");
    assert!(text.contains("repairs D1"), "{text}");
}

#[test]
fn a_layout_without_flags_loses_nothing_of_a_recording_without_a_head() {
    let folder = folder();
    let line = "select wave.bin --exclude head,gaze --no-markers -o hands.bin";
    assert_eq!(run(folder.path(), line).0, Some(0));
    let line = "convert hands.bin old.bin --layout mrtk-1.0";
    let (code, text) = run(folder.path(), line);
    assert!(
        code == Some(0) && text.contains("has no head; mrtk-1.0 stores empty curves"),
        "{text}"
    );
    let line = "convert wave.bin lossy.bin --layout mrtk-1.0";
    let (code, text) = run(folder.path(), line);
    assert!(code == Some(1) && text.contains("gaze"), "{text}");
}

#[test]
fn errors_of_the_command_line_have_hints_that_help() {
    let folder = folder();
    for (line, hint) in [
        ("shift wave.bin --by 0,5 -o x.bin", "write `0.5`"),
        ("trim wave.bin --time 0,5..1,5 -o x.bin", "write `0.5..1.5`"),
        (
            "select wave.bin --joints left right -o x.bin",
            "--joints left,right",
        ),
        ("sample wave.bin --joints left head", "--joints left,head"),
        ("info wave.bin -o x.csv", "`> FILE`"),
        ("info wave.bin --json", "`--format json`"),
        ("info wave.bin --brief --format csv", "remove one of them"),
    ] {
        let (code, text) = run(folder.path(), line);
        assert_eq!(code, Some(2), "{line}: {text}");
        let mut hints = text
            .lines()
            .filter(|line| line.trim_start().starts_with("hint:"));
        assert!(hints.any(|text| text.contains(hint)), "{line}: {text}");
    }
    // A list of three numbers is not a number with a decimal comma.
    let (_, text) = run(folder.path(), "transform wave.bin --move 0,5 -o x.bin");
    assert!(!text.contains("hint:"), "{text}");
}

#[test]
fn an_import_of_markers_counts_those_that_exist_and_those_after_the_end() {
    let folder = folder();
    fs::write(
        folder.path().join("m.csv"),
        "time_s,name\n-1,early\n1,grab\n99,late\n",
    )
    .unwrap();
    let (code, text) = run(folder.path(), "markers import wave.bin m.csv -o once.bin");
    assert_eq!(code, Some(0), "{text}");
    let facts = "3 markers imported, 1 before t = 0, 1 after the end, ";
    assert!(text.contains(facts), "{text}");
    let (code, text) = run(folder.path(), "markers import once.bin m.csv -o twice.bin");
    assert_eq!(code, Some(0), "{text}");
    assert!(
        text.contains("0 markers imported, 3 already exist, "),
        "{text}"
    );
    let bytes = |name: &str| fs::read(folder.path().join(name)).unwrap();
    assert_eq!(bytes("once.bin"), bytes("twice.bin"));
}

#[test]
fn an_import_of_markers_warns_of_times_that_are_rounded() {
    let folder = folder();
    for (name, table) in [
        ("m.csv", "time_s,name\n1714557600.25,a\nInfinity,b\n"),
        ("m.tsv", "onset\ttrial_type\n1714557600.25\ta\n"),
    ] {
        fs::write(folder.path().join(name), table).unwrap();
        let line = format!("markers import wave.bin {name} -o {name}.bin");
        let (code, text) = run(folder.path(), &line);
        assert_eq!(code, Some(0), "{text}");
        let expected =
            format!("warning: {name}: times rounded to single precision, by up to 32.250 s");
        assert!(text.contains(&expected), "{text}");
    }
    fs::write(
        folder.path().join("small.csv"),
        "time_s,name\n1.2345678,a\n",
    )
    .unwrap();
    let (_, text) = run(
        folder.path(),
        "markers import wave.bin small.csv -o small.bin",
    );
    assert!(!text.contains("rounded"), "{text}");
}

#[test]
fn an_import_of_markers_suggests_what_it_can_do() {
    let folder = folder();
    for (table, message, hint) in [
        (
            "t,label\n1,grab\n",
            "missing columns time_s, name",
            "hint: rename the columns of the table",
        ),
        (
            "time_s;name\n1,5;grab\n",
            "expected commas between cells, found semicolons",
            "hint: replace semicolons with commas",
        ),
    ] {
        fs::write(folder.path().join("m.csv"), table).unwrap();
        let (code, text) = run(folder.path(), "markers import wave.bin m.csv -o out.bin");
        assert_eq!(code, Some(1), "{text}");
        assert!(text.contains(message) && text.contains(hint), "{text}");
        assert!(!text.contains("--map"), "{text}");
    }
}

#[test]
fn telemetry_does_not_hide_other_markers_and_is_selected_by_name() {
    let folder = folder();
    let bytes = samples::read("wave.bin");
    let mut recording = Recording::parse(&bytes).unwrap();
    let frames = (0..200).map(|frame| Marker::new(frame as f32 / 60.0, "FPS"));
    let names = ["trial 1", "trial 2", "debug: 2, 3"];
    let others = (1..)
        .zip(names)
        .map(|(time, name)| Marker::new(time as f32, name));
    recording.markers = frames.chain(others).collect();
    let path = folder.path().join("game.bin");
    fs::write(&path, recording.to_bytes().unwrap()).unwrap();
    let printed = |line: &str| {
        let (code, text) = run(folder.path(), line);
        assert_eq!(code, Some(0), "{line}: {text}");
        text
    };
    let text = printed("info game.bin");
    for expected in [
        "203 markers with 4 different names\n",
        "0.000 s  \"FPS\", 200 times, last at 3.317 s\n",
        "1.000 s  \"trial 1\"\n",
        "3.000 s  \"debug: 2, 3\"\n",
    ] {
        assert!(text.contains(expected), "{text}");
    }
    let drawn = text
        .lines()
        .find(|line| line.starts_with("  markers "))
        .unwrap();
    assert_eq!(drawn.matches('▲').count(), 3, "{text}");
    // Every verb that takes names of markers takes the same patterns.
    let list = |line: &str| {
        printed(line);
        let text = printed("markers list out.bin --format csv");
        let names = text
            .lines()
            .skip(1)
            .map(|line| line.splitn(3, ',').nth(2).unwrap());
        let names: Vec<String> = names
            .map(|name| name.trim_matches('"').to_owned())
            .collect();
        fs::remove_file(folder.path().join("out.bin")).unwrap();
        names
    };
    assert_eq!(list("select game.bin --drop-markers F?S -o out.bin"), names);
    assert_eq!(list("convert game.bin out.bin --drop-markers FPS"), names);
    assert_eq!(list("markers remove game.bin --name FPS -o out.bin"), names);
    assert_eq!(
        list("select game.bin --keep-markers trial* --drop-markers *2 -o out.bin"),
        names[..1]
    );
    assert!(list("select game.bin --no-markers -o out.bin").is_empty());
    let renamed = list("markers rename game.bin --name trial* --new-name trial -o out.bin");
    assert_eq!(renamed.iter().filter(|name| *name == "trial").count(), 2);
    for (line, rows) in [
        ("markers list game.bin --name trial* --format csv", 2),
        ("markers export game.bin --name trial*", 2),
        ("sample game.bin --at-markers=trial* --format csv", 2),
        (
            "stats game.bin --segments markers=trial* --measures head.path_length --format csv",
            2,
        ),
    ] {
        assert_eq!(printed(line).lines().count(), 1 + rows, "{line}");
    }
    // The comparison of other markers only.
    printed("select game.bin --drop-markers FPS -o quiet.bin");
    assert_eq!(run(folder.path(), "diff -q game.bin quiet.bin").0, Some(1));
    printed("diff -q game.bin quiet.bin --drop-markers FPS");
    printed("diff -q game.bin quiet.bin --keep-markers trial*");
    let (code, text) = run(
        folder.path(),
        "select game.bin --drop-markers FSP -o typo.bin",
    );
    assert_eq!(code, Some(0));
    assert!(
        text.contains("warning: game.bin: no marker matches \"FSP\""),
        "{text}"
    );
    for line in [
        "sample game.bin --at-markers trial",
        "split game.bin --at-markers trial -o x.bin",
    ] {
        let (code, text) = run(folder.path(), line);
        assert_eq!(code, Some(2), "{text}");
        assert!(text.contains("hint: write --at-markers=trial"), "{text}");
    }
    for line in [
        "sample game.bin --at-markers=tral",
        "split game.bin --at-markers=tral -o x.bin",
        "markers list game.bin --name tral",
        "markers export game.bin --name tral",
        "markers remove game.bin --name tral -o x.bin",
        "stats game.bin --segments markers=tral",
    ] {
        let (code, text) = run(folder.path(), line);
        assert_eq!(code, Some(1), "{line}: {text}");
        let hint = "the markers of the recording are \"FPS\", \"trial 1\", \"trial 2\"";
        assert!(text.contains(hint), "{line}: {text}");
    }
}

#[test]
fn a_split_at_markers_accepts_wildcards_and_lists_the_names() {
    let folder = folder();
    for line in [
        "markers add wave.bin --at 1 reach-1 --at 2 reach-2 --at 3 rest -o marked.bin",
        "split marked.bin --at-markers=reach* -o part.bin",
    ] {
        let (code, text) = run(folder.path(), line);
        assert_eq!(code, Some(0), "{text}");
    }
    assert!(folder.path().join("part-3.bin").exists());
    assert!(!folder.path().join("part-4.bin").exists());
    let (code, text) = run(
        folder.path(),
        "split marked.bin --at-markers=reech -o other.bin",
    );
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("unknown marker \"reech\""), "{text}");
    assert!(
        text.contains("are \"reach-1\", \"wave\", \"reach-2\", \"rest\""),
        "{text}"
    );
    let (code, text) = run(
        folder.path(),
        "split marked.bin --at-markers reach-1 -o other.bin",
    );
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("hint: write --at-markers=reach-1"), "{text}");
}

#[test]
fn a_time_range_may_exceed_the_recording_by_the_rounding_of_printed_times() {
    let folder = folder();
    let (code, text) = run(folder.path(), "trim wave.bin --time 4.0005.. -o end.bin");
    assert!(
        code == Some(0) && text.contains("0.000 s (was 4.000 s)"),
        "{text}"
    );
    let (code, text) = run(folder.path(), "trim wave.bin --time 4.002.. -o end.bin -f");
    assert!(
        code == Some(1) && text.contains("is outside the recording"),
        "{text}"
    );
}

#[test]
fn a_small_tolerance_is_printed_as_it_is() {
    let folder = folder();
    let (_, text) = run(folder.path(), "shift wave.bin --by 1ms -o later.bin");
    assert!(text.contains("later.bin"), "{text}");
    let line = "diff wave.bin later.bin --position 0.0000003mm --joints head";
    let (_, text) = run(folder.path(), line);
    assert!(text.contains("0.0000003 mm"), "{text}");
}

#[test]
fn guessed_options_have_hints() {
    let folder = folder();
    fs::write(folder.path().join("t.csv"), "t_ms,left.tracked\n0,1\n9,1\n").unwrap();
    for (line, hint) in [
        ("convert t.csv x.bin", "--map \"time_s=t_ms\"` reads"),
        (
            "convert t.csv x.bin --map time_s=t_ms --map left.pinching=left.tracked/2",
            "hint: to divide, multiply: --map \"left.pinching=left.tracked*0.5\"",
        ),
        (
            "convert t.csv x.bin --map time_s=t_ms --map time=ms",
            "hint: remove one of them",
        ),
        ("trim wave.bin --from 1 -o x.bin", "--time A..B"),
        ("trim wave.bin --to 1 -o x.bin", "--time A..B"),
        ("trim wave.bin --start 1 -o x.bin", "--time A..B"),
        ("trim wave.bin --end 1 -o x.bin", "--time A..B"),
        ("convert wave.bin x.bin --mrtk 2.5", "--layout mrtk-1.0"),
        ("transform wave.bin --translate 0,1,0 -o x.bin", "--move"),
        ("reduce wave.bin --max-error 1 -o x.bin", "--position"),
        ("reduce wave.bin --tolerance 1 -o x.bin", "--position"),
        ("diff wave.bin wave.bin --tolerance 1", "--position LENGTH"),
        ("transform wave.bin --turn 30 -o x.bin", "--yaw"),
        ("select wave.bin --keep left -o x.bin", "--joints"),
        ("select wave.bin --drop gaze -o x.bin", "--exclude"),
        ("optimize wave.bin -o x.bin", "inputanim reduce"),
        ("place wave.bin -o x.bin", "inputanim transform"),
    ] {
        let (code, text) = run(folder.path(), line);
        assert_ne!(code, Some(0), "{text}");
        let found = text.lines().find(|line| line.contains("hint:"));
        assert!(
            found.is_some_and(|found| found.contains(hint)),
            "{line}: {text}"
        );
    }
}

#[test]
fn a_comparison_prints_no_markers_that_moved_by_nothing() {
    let folder = folder();
    for line in [
        "markers add wave.bin --at 1 grab -o a.bin",
        "markers add wave.bin --at 1.0001 grab -o b.bin",
    ] {
        assert_eq!(run(folder.path(), line).0, Some(0));
    }
    let (code, text) = run(folder.path(), "diff a.bin b.bin");
    assert!(!text.contains("+0.000 s"), "{code:?} {text}");
}

#[test]
fn joined_recordings_state_where_pinches_are_unknown() {
    let folder = folder();
    let bytes = samples::read("wave.bin");
    let mut recording = Recording::parse(&bytes).unwrap();
    for hand in [Side::Left, Side::Right] {
        recording.hands_mut().hand_mut(hand).pinching = Default::default();
    }
    let path = folder.path().join("unknown.bin");
    fs::write(&path, recording.to_bytes().unwrap()).unwrap();
    let (code, text) = run(
        folder.path(),
        "concat wave.bin unknown.bin wave.bin -o joined.bin",
    );
    assert_eq!(code, Some(3), "{text}");
    let expected = "lost: the pinches of the right hand are unknown in 1 recording";
    assert!(text.contains(expected), "{text}");
    let (code, text) = run(folder.path(), "concat unknown.bin unknown.bin -o same.bin");
    assert_eq!(code, Some(0), "{text}");
    let (_, text) = run(folder.path(), "info same.bin");
    assert!(text.contains("not recorded"), "{text}");
    // A format that cannot state it says so.
    let (code, text) = run(folder.path(), "convert unknown.bin unknown.iwer.json");
    assert_eq!(code, Some(0), "{text}");
    let expected = "note: right hand: pinches are unknown, and written as not pinching";
    assert!(text.contains(expected), "{text}");
}

#[test]
fn entries_of_rename_without_an_effect_are_noted() {
    let folder = folder();
    fs::write(folder.path().join("eeg.csv"), "time_s,name\n5,11\n").unwrap();
    for (line, expected) in [
        (
            "markers rename wave.bin --rename wave=11 --rename 99=stop -o a.bin",
            "note: wave.bin: --rename: 1 trigger without a marker: \"99\"\n",
        ),
        (
            "align wave.bin --to-markers eeg.csv --rename 11=wave --rename 98=a --rename 99=b -o a.bin -f",
            "note: eeg.csv: --rename: 2 triggers without a marker: \"98\", \"99\"\n",
        ),
        (
            "markers export wave.bin --to tsv --rename 1=wave --rename 99=stop",
            "note: wave.bin: --rename: 1 name without a marker: \"stop\"\n",
        ),
    ] {
        let (code, text) = run(folder.path(), line);
        assert_eq!(code, Some(0), "{line}: {text}");
        assert!(text.contains(expected), "{line}: {text}");
        assert_eq!(text.matches("--rename").count(), 1, "{line}: {text}");
    }
    let (code, text) = run(
        folder.path(),
        "markers rename wave.bin --rename 11=start,12=stop -o a.bin -f",
    );
    assert_eq!(code, Some(2), "{text}");
    let expected = "expected one TRIGGER=NAME, found the list \"11=start,12=stop\"; give the option several times";
    assert!(text.contains(expected), "{text}");
}

#[test]
fn errors_of_an_alignment_have_hints_that_fit() {
    let folder = folder();
    fs::write(folder.path().join("empty.csv"), "time_s,name\n").unwrap();
    fs::write(folder.path().join("eeg.csv"), "time_s,name\n1,wave\n").unwrap();
    let (code, text) = run(
        folder.path(),
        "align wave.bin --to-markers empty.csv -o a.bin",
    );
    assert_eq!(code, Some(1));
    assert!(
        text.contains(
            "the other clock has no markers\n  hint: choose a file with markers for --to-markers"
        ),
        "{text}"
    );
    let (code, text) = run(
        folder.path(),
        "align wave.bin --to-markers eeg.csv --marker-column kind -o a.bin",
    );
    assert_eq!(code, Some(1));
    assert!(
        text.contains("missing columns kind; found \"time_s\", \"name\"\n  hint: --marker-column names one of the columns"),
        "{text}"
    );
}
