//! Writes recordings into a folder, and prints the time of each function of the npm package in native code on them.
//!
//! `cargo xtask web --bench` runs it with one thread, and compares the times with the times of WebAssembly.

use std::error::Error;
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use inputanim::diff::DiffOptions;
use inputanim::doctor::{self, ExplainedFinding};
use inputanim::edit::{self, Edit};
use inputanim::info::Info;
use inputanim::row::LENGTH;
use inputanim::{
    CurveMut, FloatCurve, Frame, Layout, Limits, Player, Recorder, Recording, Sampler,
    SamplerCursor, TimeRange,
};
use inputanim_analysis::{Analysis, AnalysisParameters, PlotOptions, Theme, plot, thumbnail};
use inputanim_convert::{Format, ReadOptions, WriteOptions, read_in_layout, write};
use inputanim_motion::{Motion, Scene};

type Failure = Box<dyn Error>;

/// The length in seconds of all recordings except the large one.
const SECONDS: f32 = 20.0;

/// The length of the large recording in seconds: 77 MB.
const LARGE_SECONDS: f32 = 600.0;

/// The rate of the recordings in Hz.
const RATE: f32 = 60.0;

/// Functions that take less time are called several times, and the shortest time counts.
const MIN_TIME: Duration = Duration::from_millis(200);

fn main() -> Result<(), Failure> {
    let folder = std::env::args().nth(1).ok_or("expected a folder")?;
    for (name, recording) in recordings()? {
        let bytes = recording.to_bytes()?;
        std::fs::write(Path::new(&folder).join(format!("{name}.bin")), &bytes)?;
        measure(&name, &bytes)?;
    }
    Ok(())
}

fn recordings() -> Result<Vec<(String, Recording<'static>)>, Failure> {
    let motion = Motion::new(Scene::TwoHands, 1, SECONDS);
    let noisy = motion.record(RATE, Layout::Mrtk1_1);
    let pose = motion.frame_at(1.0);
    let mut still = Recorder::new(Layout::Mrtk1_1);
    for frame in motion.frames(RATE) {
        still.push(&Frame {
            time: frame.time,
            ..pose.clone()
        })?;
    }
    let mut damaged = noisy.clone();
    for (path, curve) in damaged.curves_mut() {
        if path.to_string().ends_with("rotation.w")
            && let CurveMut::Float(w) = curve
            && let Some(first) = w.keys.point(0)
        {
            *w = FloatCurve::linear([first]);
        }
    }
    Ok(vec![
        ("still".to_owned(), still.snapshot()),
        ("mutated".to_owned(), mutated(&noisy, false)),
        ("wild".to_owned(), mutated(&noisy, true)),
        ("damaged".to_owned(), damaged),
        ("noisy".to_owned(), noisy),
        (
            "large".to_owned(),
            Motion::new(Scene::TwoHands, 1, LARGE_SECONDS).record(RATE, Layout::Mrtk1_1),
        ),
    ])
}

/// Replaces 1 % of the times and values by other times and values of the same curve, so that keys are not in order. If
/// `is_wild`, also writes any numbers, and times after the end.
fn mutated(recording: &Recording<'static>, is_wild: bool) -> Recording<'static> {
    let mut state = 1_u64;
    let mut random = |end: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) as usize) % end
    };
    let mut mutated = recording.clone();
    for (_, curve) in mutated.curves_mut() {
        let CurveMut::Float(curve) = curve else {
            continue;
        };
        let mut points: Vec<(f32, f32)> = curve.keys.points().collect();
        for _ in 0..points.len() / 100 {
            let [to, from, other] = [(); 3].map(|()| random(points.len()));
            points[to].0 = points[from].0;
            points[other].1 = points[from].1;
            if is_wild && random(4) == 0 {
                points[to].1 = f32::from_bits(random(1 << 31) as u32);
            }
        }
        if is_wild && random(100) == 0 && !points.is_empty() {
            let to = random(points.len());
            points[to].0 = random(120) as f32;
        }
        *curve = FloatCurve::linear(points);
    }
    mutated
}

/// Prints the time of a function.
fn time<T>(recording: &str, function: &str, run: impl Fn() -> Result<T, Failure>) {
    let start = Instant::now();
    let mut shortest = Duration::MAX;
    let mut outcome = "";
    loop {
        let begin = Instant::now();
        match black_box(run()) {
            Ok(result) => drop(result),
            Err(_) => outcome = ",\"failed\":true",
        }
        shortest = shortest.min(begin.elapsed());
        if start.elapsed() > MIN_TIME {
            break;
        }
    }
    let milliseconds = shortest.as_secs_f64() * 1e3;
    println!(
        "{{\"recording\":\"{recording}\",\"function\":\"{function}\",\"native\":{milliseconds}{outcome}}}"
    );
}

/// Measures the functions in the order of web/bench/functions.mjs.
fn measure(name: &str, bytes: &[u8]) -> Result<(), Failure> {
    let recording = Recording::parse(bytes)?;
    let recording = &recording;
    let other = {
        let mut other = recording.clone();
        edit::shift(&mut other, 0.1)?;
        other
    };
    let call = |function: &str, run: &dyn Fn() -> Result<(), Failure>| time(name, function, run);
    // JavaScript gets plain objects. In native code, JSON takes their place.
    fn json(value: &impl serde::Serialize) -> Result<(), Failure> {
        black_box(serde_json::to_vec(value)?);
        Ok(())
    }
    call("open", &|| {
        let bytes = bytes.to_vec();
        black_box(Recording::parse(&bytes)?);
        Ok(())
    });
    call("recover", &|| {
        let recovery = Recording::recover(&bytes[..bytes.len() / 10 * 9])?;
        let findings = doctor::findings_of_recovery(&recovery, &Info::of(&recovery.recording));
        black_box(recovery.recording.into_owned());
        json(&explained(findings))
    });
    call("info", &|| json(&Info::of(recording)));
    call("findings", &|| {
        json(&explained(doctor::findings(recording)))
    });
    call("markers", &|| json(&recording.markers));
    call("toBytes", &|| {
        black_box(recording.to_bytes()?);
        Ok(())
    });
    call("clone", &|| {
        black_box(recording.clone().into_owned());
        Ok(())
    });
    call("first sample", &|| {
        black_box(Sampler::new(recording)?.frame_at(0.5));
        Ok(())
    });
    let sampler = Sampler::new(recording)?;
    call("keyTimes", &|| {
        black_box(sampler.key_times());
        Ok(())
    });
    call("transitions", &|| {
        json(&Player::transitions(sampler.clone()))
    });
    call("sample 1000 times", &|| {
        let (mut cursor, mut frame) = (SamplerCursor::default(), Frame::default());
        let mut row = Box::new([f32::NAN; LENGTH]);
        for index in 0..1000 {
            sampler.read(index as f32 / 60.0, &mut cursor, &mut frame);
            frame.write_row(&mut row);
        }
        black_box(row);
        Ok(())
    });
    call("sampleRange", &|| {
        let range = TimeRange {
            start: 0.0,
            end: 20.0,
        };
        black_box(sampler.columns(range.times_at(60.0)));
        Ok(())
    });
    call("Player", &|| {
        let mut player = Player::new(sampler.clone());
        player.play();
        let mut row = Box::new([f32::NAN; LENGTH]);
        for _ in 0..1000 {
            black_box(player.advance(1.0 / 60.0).count());
            player.frame().write_row(&mut row);
        }
        Ok(())
    });
    call("Recorder", &|| {
        let mut recorder = Recorder::new(Layout::Mrtk1_1);
        let mut row = Box::new([f32::NAN; LENGTH]);
        for index in 0..1000 {
            let time = index as f32 / 60.0;
            sampler.frame_at(time).write_row(&mut row);
            recorder.push(&Frame::from_row(time, &row))?;
        }
        black_box(recorder.snapshot());
        Ok(())
    });
    let edits = r#"[
        {"edit":"repair"},
        {"edit":"trim","start":1,"end":15},
        {"edit":"shift","seconds":1},
        {"edit":"retime","speed":2},
        {"edit":"mirror","across":"world"},
        {"edit":"smooth"},
        {"edit":"transform","yaw":28.65,"move":[1,2,3]},
        {"edit":"select","joints":["left"]},
        {"edit":"resample","rate":60},
        {"edit":"fill"},
        {"edit":"reduce"},
        {"edit":"reduce","method":"optimal"},
        {"edit":"addMarker","time":1,"name":"here"}
    ]"#;
    let edits: Vec<serde_json::Value> = serde_json::from_str(edits)?;
    for edit in edits {
        let parts = [&edit["edit"], &edit["method"]];
        let function: Vec<&str> = parts.iter().filter_map(|part| part.as_str()).collect();
        let function = function.join(" ");
        if function == "reduce optimal" && name == "large" {
            continue;
        }
        let edit: Edit = serde_json::from_value(edit)?;
        call(&function, &|| {
            let mut copy = recording.clone();
            let report = edit.apply(&mut copy, &Limits::default())?;
            black_box(copy.into_owned());
            json(&report)
        });
    }
    call("diff", &|| {
        let difference = recording.diff(&other, &DiffOptions::default())?;
        json(&difference)
    });
    let analysis = || Analysis::of(recording, &AnalysisParameters::default());
    call("Analysis", &|| {
        black_box(analysis()?);
        Ok(())
    });
    // The analysis refuses recordings that are too long, as mutated ones may be.
    if let Ok(analysed) = analysis() {
        call("Analysis.measures", &|| {
            json(&analysed.measures(analysed.range))
        });
        call("Analysis.events", &|| json(&analysed.events()));
        call("Analysis.thumbnail", &|| {
            black_box(thumbnail(&analysed, "", "", Theme::Light).to_svg());
            Ok(())
        });
        call("Analysis.plot", &|| {
            black_box(plot(&analysed, &PlotOptions::default()));
            Ok(())
        });
    }
    if name == "large" {
        return Ok(());
    }
    for &format in Format::ALL
        .iter()
        .filter(|format| format.is_in_build() && !format.is_dataset())
    {
        let converted = || -> Result<Vec<u8>, Failure> {
            let recording = Recording::parse(bytes)?;
            let mut output = Vec::new();
            write(format, &recording, &WriteOptions::default(), &mut output)?;
            Ok(output)
        };
        if format.can_write() {
            call(&format!("export {format}"), &|| converted().map(drop));
        }
        if let (true, true, Ok(bytes)) = (format.can_read(), format.can_write(), converted()) {
            call(&format!("import {format}"), &|| {
                let options = ReadOptions::default();
                let (recording, _) = read_in_layout(format, &bytes, &options)?;
                black_box(recording.to_bytes()?);
                Ok(())
            });
        }
    }
    Ok(())
}

fn explained(findings: Vec<doctor::Finding>) -> Vec<ExplainedFinding> {
    findings.into_iter().map(ExplainedFinding::from).collect()
}
