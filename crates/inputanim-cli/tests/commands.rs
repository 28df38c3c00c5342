//! Every command that README, docs and `tests/commands` show is run, and prints what they show.
//!
//! Each document is run in a folder of its own that holds `samples/` and `damaged/`.
//! `TRYCMD=overwrite` writes what is printed back into the documents.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

use inputanim::session::{Settings, Writer};
use inputanim::{CurveMut, FloatCurve, Keys, Recording, Sampler, SimpleKey};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn every_command_that_is_shown_prints_what_is_shown() {
    let root = fs::canonicalize(root()).unwrap();
    let mut documents = vec![root.join("README.md")];
    for folder in ["docs", "crates/inputanim-cli/tests/commands"] {
        let entries = fs::read_dir(root.join(folder)).unwrap();
        documents.extend(entries.map(|entry| entry.unwrap().path()));
    }
    documents.retain(|path| {
        let extension = path.extension().unwrap_or_default();
        let text = fs::read_to_string(path).unwrap_or_default();
        extension == "trycmd" || (extension == "md" && text.contains("```console"))
    });
    documents.sort();
    assert!(documents.len() >= 3, "{documents:?}");
    for document in documents {
        run(&root, &document);
    }
}

fn run(root: &Path, document: &Path) {
    let folder = tempfile::tempdir().unwrap();
    let samples = folder.path().join("samples");
    fs::create_dir(&samples).unwrap();
    for entry in fs::read_dir(root.join("samples")).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, samples.join(path.file_name().unwrap())).unwrap();
    }
    damage(root, &folder.path().join("damaged"));
    print_frames(&folder.path().join("frames"));
    let copy = folder.path().join(document.file_name().unwrap());
    fs::copy(document, &copy).unwrap();

    std::env::set_current_dir(folder.path()).unwrap();
    println!("{}", document.display());
    trycmd::TestCases::new().case(&copy).run();
    std::env::set_current_dir(root).unwrap();
    if std::env::var_os("TRYCMD").is_some_and(|mode| mode == "overwrite") {
        fs::copy(&copy, document).unwrap();
    }
}

/// Frames as other programs print them.
fn print_frames(folder: &Path) {
    fs::create_dir(folder).unwrap();
    let head = |time: f64| {
        let x = (time * 3.0).sin() / 4.0;
        format!(r#""camera":{{"position":[{x:.4},1.6,0],"rotation":[0,0,0,1]}}"#)
    };
    let mut objects = String::from("{\"time\":0.1,\"marker\":\"start\"}\n");
    for step in 0..=120 {
        let time = f64::from(step) / 60.0;
        objects += &format!("{{\"time\":{time:.4},{}}}\n", head(time));
    }
    fs::write(folder.join("head.ndjson"), &objects).unwrap();
    let torn = objects.len() - 20;
    fs::write(folder.join("torn.ndjson"), &objects[..torn]).unwrap();
    let table = "time_s,left.tracked,left.pinching,confidence\n0,1,0,0.9\n0.5,1,1,0.8\n0.4,1,1,0.8\n1,0,0,0\n";
    fs::write(folder.join("states.csv"), table).unwrap();
}

/// Files as they come from interrupted saves, other programs and worse.
fn damage(root: &Path, folder: &Path) {
    fs::create_dir(folder).unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(folder.join(name), bytes).unwrap();
    let wave = fs::read(root.join("samples/wave.bin")).unwrap();
    write("cut.bin", &wave[..100_000]);
    write("empty.bin", b"");
    write("photo.bin", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    write("tutorial.bin", b"7678548776933278406\n1\n1\n");
    let mut newer = wave.clone();
    newer[12] = 2;
    write("newer.bin", &newer);
    let mut no_time = wave.clone();
    // The second key of the first curve: 19 bytes of header and flags, 12 of the curve's.
    no_time[39..43].copy_from_slice(&f32::NAN.to_le_bytes());
    write("no-time.bin", &no_time);
    let mut zeros = wave.clone();
    zeros[120_000..].fill(0);
    write("zeros.bin", &zeros);
    let mut longer = wave.clone();
    longer.extend([0; 100]);
    write("longer.bin", &longer);
    write("killed.session", &killed_session(&wave));
    let changed = |change: fn(&mut Recording<'_>)| {
        let mut take = Recording::parse(&wave).unwrap();
        change(&mut take);
        take.to_bytes(take.layout).unwrap()
    };
    write("lost-w.bin", &changed(lose_w));
    write("lost-tail.bin", &changed(lose_tail));
    write("whirls.bin", &changed(whirl));
}

/// What is on disk of a session whose program died while it wrote.
fn killed_session(wave: &[u8]) -> Vec<u8> {
    let take = Recording::parse(wave).unwrap();
    let sampler = Sampler::new(&take).unwrap();
    let mut writer = Writer::new(Vec::new(), Settings::new(take.layout)).unwrap();
    for frame in sampler.frames(sampler.key_times()) {
        writer.push(&frame).unwrap();
    }
    writer.mark(1.0, "wave").unwrap();
    let mut bytes = writer.finish().unwrap();
    bytes.truncate(bytes.len() * 4 / 5);
    bytes
}

fn rotations<'r, 'a>(
    take: &'r mut Recording<'a>,
) -> impl Iterator<Item = &'r mut [FloatCurve<'a>; 4]> {
    let hands = take.hands.iter_mut();
    let joints = hands.flat_map(|hands| {
        hands
            .left
            .joints
            .iter_mut()
            .chain(hands.right.joints.iter_mut())
    });
    let poses = take.camera.iter_mut().chain(joints.map(|(_, pose)| pose));
    poses.map(|pose| &mut pose.rotation)
}

fn simple<'r, 'a>(curve: &'r mut FloatCurve<'a>) -> &'r mut Vec<SimpleKey> {
    match &mut curve.keys {
        Keys::Simple(keys) => keys.to_mut(),
        Keys::Full(_) => unreachable!("the layout has simple keys"),
    }
}

/// As MRTK 2.6.0 to 2.7.2 saves it: of w one key.
fn lose_w(take: &mut Recording<'_>) {
    for [.., w] in rotations(take) {
        simple(w).truncate(1);
    }
}

/// As MRTK 2.6 to 2.8 saves it: whole partitions of 32 samples behind the first one.
fn lose_tail(take: &mut Recording<'_>) {
    for (_, curve) in take.curves_mut() {
        if let CurveMut::Float(curve) = curve
            && let Some(behind) = curve.keys.len().checked_sub(1)
        {
            simple(curve).truncate(1 + behind / 32 * 32);
        }
    }
}

/// As devices deliver rotations: now with one sign and now with the other.
fn whirl(take: &mut Recording<'_>) {
    for curves in rotations(take) {
        for curve in curves {
            for key in simple(curve).iter_mut().skip(50).take(3) {
                *key = SimpleKey::new(key.time(), -key.value());
            }
        }
    }
}
