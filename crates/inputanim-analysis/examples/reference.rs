//! Prints the input and the results of each step of an analysis as JSON, for comparison/analysis/check.py,
//! which computes the same with other software.

use std::collections::BTreeMap;

use inputanim::{Joint, Recording, Side};
use inputanim_analysis::{
    Analysis, AnalysisParameters, Fixation, IdtParameters, IvtParameters, gaze_velocity, idt,
    idt_planar, ivt,
};
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for path in std::env::args_os().skip(1) {
        let bytes = std::fs::read(&path)?;
        let recording = match Recording::parse(&bytes) {
            Ok(recording) => recording,
            Err(error) => {
                eprintln!("skipped {}: {error}", path.display());
                continue;
            }
        };
        let analysis = Analysis::of(&recording, &AnalysisParameters::default())?;
        let mut output = reference(&analysis);
        output["recording"] = json!(path.display().to_string());
        println!("{output}");
    }
    Ok(())
}

fn reference(analysis: &Analysis) -> Value {
    let channels = &analysis.channels;
    let mut joints = BTreeMap::new();
    for side in Side::BOTH {
        let hand = analysis.hand(side);
        for (joint, kinematics) in &hand.kinematics {
            let movements = hand
                .movements
                .iter()
                .filter(|movement| movement.joint == *joint);
            let movements: Vec<Value> = movements
                .map(|movement| {
                    json!({
                        "samples": [movement.samples.start, movement.samples.end],
                        "submovements": movement.submovements,
                        "sparc": movement.sparc.ok(),
                        "ldlj": movement.ldlj.ok(),
                    })
                })
                .collect();
            let value = json!({
                "positions": channels.hand(side).joint(*joint),
                "kinematics": kinematics,
                "movements": movements,
            });
            joints.insert(format!("{side}.{joint}"), value);
        }
    }
    let measures = analysis.measures(analysis.range).rows.into_iter();
    let measures: BTreeMap<String, Option<f64>> = measures
        .map(|measure| (measure.name, measure.value.ok()))
        .collect();
    json!({
        "rate": channels.rate,
        "joints": joints,
        "head": {
            "positions": channels.head_position,
            "rotations": channels.head_rotation,
            "angles": analysis.head_rotation,
        },
        "aperture": Side::BOTH.map(|side| {
            let hand = channels.hand(side);
            let tips = [Joint::ThumbTip, Joint::IndexTip].map(|tip| hand.joint(tip));
            json!({"tips": tips, "aperture": analysis.hand(side).aperture})
        }),
        "gaze": channels.gaze_direction.as_deref().map(|directions| gaze(analysis, directions)),
        "measures": measures,
    })
}

/// Returns fixations without the exclusion of frozen samples, which other software does not have.
fn gaze(analysis: &Analysis, directions: &[[f32; 3]]) -> Value {
    let rate = analysis.channels.rate;
    let planar: Vec<[f64; 2]> = directions
        .iter()
        .map(|direction| {
            let [x, y, z] = direction.map(f64::from);
            [x.atan2(z).to_degrees(), y.atan2(x.hypot(z)).to_degrees()]
        })
        .collect();
    let velocity = gaze_velocity(directions, rate);
    let samples = |fixations: &[Fixation]| -> Vec<[usize; 2]> {
        let samples = fixations.iter().map(|fixation| &fixation.samples);
        samples
            .map(|samples| [samples.start, samples.end])
            .collect()
    };
    let ends = |ranges: Vec<std::ops::Range<usize>>| -> Vec<[usize; 2]> {
        ranges
            .into_iter()
            .map(|range| [range.start, range.end])
            .collect()
    };
    json!({
        "planar": planar,
        "velocity": velocity,
        "idt": ends(idt(directions, rate, &IdtParameters::default())),
        "idtPlanar": ends(idt_planar(&planar, rate, &IdtParameters::default())),
        "ivt": ends(ivt(&velocity, rate, &IvtParameters::default())),
        "withoutFrozen": analysis.gaze.as_ref().map(|gaze| samples(&gaze.fixations)),
    })
}
