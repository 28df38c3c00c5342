//! Evaluation of curves, compared with values of Unity and of an independent evaluator.

use std::fs;
use std::path::Path;

use inputanim::{
    BooleanCurve, Curve, CurvePath, FloatCurve, FullKey, Recording, WeightedMode, WrapMode,
};
use inputanim_testkit::corpus;
use serde_json::Value;

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// Reads a number. NaN and infinity are strings, because JSON has no numbers for them.
fn number(value: &Value) -> f32 {
    match value {
        Value::String(text) => text.parse().unwrap(),
        value => value.as_f64().unwrap() as f32,
    }
}

fn mode(value: &Value) -> WrapMode {
    WrapMode(value.as_i64().unwrap() as i32)
}

fn key(key: &Value) -> FullKey {
    let field = |name: &str| number(&key[name]);
    FullKey::weighted(
        field("time"),
        field("value"),
        [field("inTangent"), field("outTangent")],
        [field("inWeight"), field("outWeight")],
        WeightedMode(key["weightedMode"].as_i64().unwrap() as i32),
    )
}

#[test]
#[ignore = "needs INPUTANIM_CORPUS"]
fn all_reference_values_of_unity_are_reproduced() {
    let cases = json(&corpus::path("../vectors/unity-curve.json"));
    let cases = cases.as_array().unwrap();
    assert!(cases.len() > 700);
    for case in cases {
        let curve = FloatCurve {
            pre_wrap: mode(&case["pre"]),
            post_wrap: mode(&case["post"]),
            ..FloatCurve::full(case["keys"].as_array().unwrap().iter().map(key))
        };
        let value = curve.evaluator().unwrap().at(number(&case["time"]));
        let expected = number(&case["expected"]);
        let tolerance = number(&case["tolerance"]);
        let is_same = value.is_nan() && expected.is_nan()
            || value == expected
            || (value - expected).abs() <= tolerance;
        assert!(is_same, "{value} instead of {expected}: {case}");
    }
}

#[test]
#[ignore = "needs INPUTANIM_CORPUS"]
fn all_reference_values_of_the_documented_files_are_reproduced() {
    let mut values = 0;
    let mut largest_error = 0.0_f64;
    for entry in fs::read_dir(corpus::path("documented")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let expected = json(&path);
        let bytes = fs::read(path.with_file_name(expected["file"].as_str().unwrap())).unwrap();
        let recording = Recording::parse(&bytes).unwrap();
        let tolerance = expected["tolerance"].as_f64().unwrap();
        for expected in expected["values"].as_array().unwrap() {
            let name = expected["curve"].as_str().unwrap();
            let time = number(&expected["time"]);
            let value = match recording.curve(name.parse::<CurvePath>().unwrap()).unwrap() {
                Curve::Float(curve) => curve.evaluator().unwrap().at(time),
                Curve::Boolean(curve) => f32::from(curve.evaluator().unwrap().at(time)),
            };
            let error = (f64::from(value) - expected["value"].as_f64().unwrap()).abs();
            assert!(error <= tolerance, "{path:?}: {expected}, but got {value}");
            largest_error = largest_error.max(error);
            values += 1;
        }
    }
    println!("{values} values, largest error {largest_error:e}");
    assert!(values > 1000);
}

/// Checks some reference values of each rule, so that the rules are tested without the corpus too.
#[test]
fn reference_values_of_every_rule_are_reproduced() {
    let inf = f32::INFINITY;
    let at = |curve: &FloatCurve<'_>, time| curve.evaluator().unwrap().at(time);
    let pair = |left_out, right_in| {
        FloatCurve::full([
            FullKey::hermite(0.5, 1.5, 0.0, left_out),
            FullKey::hermite(1.25, 0.25, right_in, 0.0),
        ])
    };
    // Unity uses the Horner form. The Hermite basis would give another last digit.
    assert_eq!(at(&pair(0.0, 0.0), 1.0), 0.574_074_03);
    assert_eq!(at(&pair(inf, 0.0), 1.0), 1.5);
    assert_eq!(at(&pair(0.0, inf), 1.0), 1.5);

    let wrapped = |pre, post| FloatCurve {
        pre_wrap: WrapMode(pre),
        post_wrap: WrapMode(post),
        ..FloatCurve::full([
            FullKey::hermite(1.0, 0.0, 1.0, 1.0),
            FullKey::hermite(2.0, 1.0, 1.0, 1.0),
        ])
    };
    assert_eq!(at(&wrapped(2, 4), 3.0), 0.0);
    assert_eq!(at(&wrapped(2, 8), -0.125), 0.875);
    assert_eq!(at(&wrapped(2, 8), 2.0), 1.0);
    assert_eq!(at(&wrapped(8, 2), 2.0), 0.0);
    assert_eq!(at(&wrapped(8, 4), 2.0), 1.0);
    assert_eq!(at(&wrapped(4, 8), 0.75), 0.25);

    let instant = |pre, post| FloatCurve {
        pre_wrap: WrapMode(pre),
        post_wrap: WrapMode(post),
        ..FloatCurve::full([1.0, 4.0, 3.0, 2.0].map(|value| FullKey::hermite(1.0, value, 0.0, 0.0)))
    };
    assert_eq!(at(&instant(8, 2), 0.0), 1.0);
    assert_eq!(at(&instant(4, 2), 0.0), 2.0);
    assert_eq!(at(&instant(0, 2), 0.0), 2.0);
    assert!(at(&instant(2, 2), 0.0).is_nan());
    assert_eq!(at(&instant(8, 2), 1.0), 1.0);
    for post in [0, 1, 4, 8] {
        assert_eq!(at(&instant(8, post), 1.0), 2.0, "{post}");
    }
}

#[test]
fn a_boolean_curve_equals_the_float_curve_of_mrtk() {
    let keys = [(0.0, 1.0), (0.5, 0.0), (1.25, 1.0), (2.0, 0.0)];
    for pre in [0, 1, 2, 4, 8] {
        for post in [0, 1, 2, 4, 8] {
            let (pre, post) = (WrapMode(pre), WrapMode(post));
            let boolean = BooleanCurve {
                pre_wrap: pre,
                post_wrap: post,
                ..BooleanCurve::new(keys.map(|(time, value)| (time, value > 0.5)))
            };
            let full = FloatCurve {
                pre_wrap: pre,
                post_wrap: post,
                ..FloatCurve::full(keys.map(|(time, value)| {
                    FullKey::weighted(time, value, [0.0; 2], [0.0, 1e6], WeightedMode::BOTH)
                }))
            };
            let (boolean, full) = (boolean.evaluator().unwrap(), full.evaluator().unwrap());
            for step in -100..=100 {
                let time = step as f32 / 16.0;
                assert_eq!(boolean.at(time), full.at(time) > 0.5, "{pre} {post} {time}");
            }
        }
    }
}
