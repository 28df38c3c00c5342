//! Measures do not depend on the place and the direction of a recording, on its layout or on redundant keys; they
//! mirror with the hands and scale with metres.

use inputanim::edit::{MirrorPlane, Transform, mirror, transform};
use inputanim::{CurveMut, Element, Joint, Keys, Layout, Recording, Side, SimpleKey, TimeRange};
use inputanim_analysis::{
    Analysis, AnalysisParameters, Group, Measure, Measures, PlotOptions, plot,
};
use inputanim_motion::{Motion, Scene};

/// Recordings of all scenes. Their seeds are fixed, because a threshold decides by the last bit, and a
/// rotation changes that bit: in some of many random recordings an event would be gained or lost.
fn recordings(layout: Layout) -> Vec<Recording<'static>> {
    Scene::ALL
        .iter()
        .zip(1..)
        .map(|(&scene, seed)| Motion::new(scene, seed, 12.0).record(60.0, layout))
        .collect()
}

fn measures(recording: &Recording<'_>, options: &AnalysisParameters) -> Measures {
    let analysis = Analysis::of(recording, options).unwrap();
    analysis.measures(analysis.range)
}

/// Compares all measures. `expected` changes a measure into the expected name and factor, or skips it.
fn compare(
    before: &Measures,
    after: &Measures,
    expected: impl Fn(&Measure) -> Option<(String, f64)>,
) {
    let mut compared = 0;
    for measure in &before.rows {
        let Some((name, factor)) = expected(measure) else {
            continue;
        };
        let found = after
            .get(&name)
            .unwrap_or_else(|| panic!("{name} is missing"));
        match (measure.value, found.value) {
            (Ok(before), Ok(after)) => {
                compared += 1;
                let before = before * factor;
                // Positions have 24 bits. Third derivatives at 60 Hz multiply their rounding by 10⁵, and
                // an angle between rotations has the square root of the rounding.
                let noise = match measure.quantity.unit {
                    "m/s³" => 0.1,
                    "m/s²" => 2e-3,
                    "°" | "°/s" | "°²" => 0.05,
                    _ => 2e-4,
                };
                let error = (before - after).abs();
                assert!(
                    error <= noise + 1e-3 * before.abs(),
                    "{name}: {after}, not {before}"
                );
            }
            (before, after) => assert_eq!(before, after, "{name}"),
        }
    }
    assert!(compared > 500, "only {compared} measures have values");
}

fn same(measure: &Measure) -> Option<(String, f64)> {
    Some((measure.name.clone(), 1.0))
}

#[test]
fn measures_do_not_depend_on_place_and_heading() {
    let options = AnalysisParameters::default();
    let moved = Transform::from_translation([3.0, 0.5, -2.0]).then(&Transform::from_yaw(0.7));
    for recording in recordings(Layout::Mrtk1_1) {
        let mut after = recording.clone();
        transform(&mut after, &moved).unwrap();
        compare(
            &measures(&recording, &options),
            &measures(&after, &options),
            |measure| {
                let is_axis = [".box_x", ".box_z"]
                    .iter()
                    .any(|end| measure.name.ends_with(end));
                (!is_axis).then(|| (measure.name.clone(), 1.0))
            },
        );
    }
}

#[test]
fn measures_without_a_vertical_do_not_depend_on_rotation() {
    let options = AnalysisParameters::default();
    let turned = Transform::from_rotation([0.3, -0.4, 0.5, 0.7]);
    for recording in recordings(Layout::Mrtk1_1) {
        let mut after = recording.clone();
        transform(&mut after, &turned).unwrap();
        compare(
            &measures(&recording, &options),
            &measures(&after, &options),
            |measure| {
                let vertical = [".box_", "head.yaw", "head.pitch", "head.roll"];
                let is_vertical = vertical.iter().any(|part| measure.name.contains(part));
                (!is_vertical).then(|| (measure.name.clone(), 1.0))
            },
        );
    }
}

#[test]
fn measures_mirror_with_the_hands() {
    let options = AnalysisParameters::default();
    for recording in recordings(Layout::Mrtk1_1) {
        let mut after = recording.clone();
        mirror(&mut after, &MirrorPlane::WORLD).unwrap();
        compare(
            &measures(&recording, &options),
            &measures(&after, &options),
            |measure| {
                let (side, rest) = measure.name.split_once('.').unwrap_or((&measure.name, ""));
                let name = match side {
                    "left" => format!("right.{rest}"),
                    "right" => format!("left.{rest}"),
                    _ => measure.name.clone(),
                };
                let factor = if name.ends_with("laterality") {
                    -1.0
                } else {
                    1.0
                };
                Some((name, factor))
            },
        );
    }
}

#[test]
fn measures_scale_with_metres() {
    let options = AnalysisParameters::default();
    let mut scaled = options.clone();
    scaled.movements.start_speed *= 2.0;
    scaled.movements.end_speed *= 2.0;
    scaled.pinches.close *= 2.0;
    scaled.pinches.open *= 2.0;
    for recording in recordings(Layout::Mrtk1_1) {
        let mut after = recording.clone();
        transform(&mut after, &Transform::from_scale(2.0)).unwrap();
        compare(
            &measures(&recording, &options),
            &measures(&after, &scaled),
            |measure| {
                let factor = match measure.quantity.unit {
                    unit if unit.starts_with("m³") => 8.0,
                    "m" | "m/s" | "m/s²" | "m/s³" => 2.0,
                    _ => 1.0,
                };
                Some((measure.name.clone(), factor))
            },
        );
    }
}

#[test]
fn measures_do_not_depend_on_the_layout() {
    let options = AnalysisParameters::default();
    let simple = recordings(Layout::Mrtk1_1);
    let full = recordings(Layout::FullWithMarkers1_1);
    for (simple, full) in simple.iter().zip(&full) {
        assert_eq!(measures(simple, &options), measures(full, &options));
    }
}

#[test]
fn measures_do_not_depend_on_redundant_keys() {
    let mut options = AnalysisParameters::default();
    // More keys are more samples, so the rates differ.
    options.groups.retain(|group| *group != Group::Quality);
    for recording in recordings(Layout::Mrtk1_1) {
        let mut after = recording.clone();
        for (_, curve) in after.curves_mut() {
            if let CurveMut::Float(curve) = curve
                && let Keys::Simple(keys) = &curve.keys
            {
                let middles = keys.windows(2).map(|pair| {
                    let middle = |a: f32, b: f32| a + (b - a) / 2.0;
                    let time = middle(pair[0].time(), pair[1].time());
                    SimpleKey::new(time, middle(pair[0].value(), pair[1].value()))
                });
                let mut more: Vec<SimpleKey> = keys.iter().copied().chain(middles).collect();
                more.sort_by(|a, b| a.time().total_cmp(&b.time()));
                curve.keys = Keys::Simple(more.into());
            }
        }
        compare(
            &measures(&recording, &options),
            &measures(&after, &options),
            same,
        );
    }
}

#[test]
fn values_in_gaps_change_no_measure_event_or_figure() {
    for recording in recordings(Layout::Mrtk1_1) {
        let mut recording = recording;
        for (element, start, end) in [
            (Element::Head, 1.01, 3.99),
            (Element::Gaze, 2.51, 5.49),
            (Element::Joint(Side::Left, Joint::IndexTip), 4.01, 6.99),
            (Element::Tracked(Side::Right), 7.51, f32::INFINITY),
        ] {
            recording.known.add_gap(element, TimeRange { start, end });
        }
        let mut changed = recording.clone();
        for (path, curve) in changed.curves_mut() {
            let CurveMut::Float(curve) = curve else {
                continue;
            };
            let element = Element::from(path);
            let hand = element.side().map(Element::Tracked);
            let of = |element| recording.known.gaps(element).iter();
            let gaps: Vec<&TimeRange> = of(element).chain(hand.into_iter().flat_map(of)).collect();
            let times: Vec<f32> = curve.keys.points().map(|(time, _)| time).collect();
            for (key, time) in times.into_iter().enumerate() {
                if gaps.iter().any(|gap| gap.start < time && time < gap.end) {
                    let Keys::Simple(keys) = &mut curve.keys else {
                        panic!("{path} has simple keys");
                    };
                    let key = &mut keys.to_mut()[key];
                    *key = SimpleKey::new(key.time(), 1.01 * key.value());
                }
            }
        }
        assert_ne!(changed, recording);
        let parameters = AnalysisParameters::default();
        let [expected, found] = [&recording, &changed].map(|recording| {
            let analysis = Analysis::of(recording, &parameters).unwrap();
            let measures = analysis.measures(analysis.range);
            let figure = plot(&analysis, &PlotOptions::default());
            (
                format!("{:?}", measures.rows),
                format!("{:?}", analysis.events()),
                figure,
            )
        });
        assert_eq!(expected.0, found.0);
        assert_eq!(expected.1, found.1);
        assert!(expected.2 == found.2, "the figures differ");
    }
}
