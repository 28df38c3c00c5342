//! Selected columns have the values of all columns, and the same rows.

use inputanim_convert::SampleError;
use inputanim_scan::{FileError, FileProblem, Sampling, ScanError, ScanOptions, Shape};
use inputanim_testkit::{random, samples};
use proptest::prelude::*;
use proptest::sample::subsequence;

use crate::table::{Table, bytes, scan_bytes};

fn names(options: &ScanOptions) -> Vec<String> {
    let fields = options.fields().unwrap();
    let names = fields.iter().map(|field| field.name.to_string());
    names.filter(|name| name != "file").collect()
}

fn check(file: &[u8], options: &ScanOptions, all: &Result<Table, ScanError>, names: Vec<String>) {
    let mut selected = options.clone();
    selected.columns = Some(names.clone());
    match (all, scan_bytes(file, selected)) {
        (Ok(all), Ok(some)) => assert_eq!(some, all.select(&names)),
        // A key without a time matters only in the curves of selected columns.
        (Err(ScanError::File(error)), _) if is_about_a_time(error) => {}
        (Err(all), Err(some)) => assert_eq!(some.to_string(), all.to_string()),
        (all, some) => panic!("{all:?}, selected {some:?}"),
    }
}

fn is_about_a_time(error: &FileError) -> bool {
    matches!(
        error.problem,
        FileProblem::Sample(SampleError::Unplayable(_))
    )
}

fn of_shape(shape: Shape, sampling: Sampling) -> ScanOptions {
    let mut options = ScanOptions::default();
    options.shape = shape;
    if matches!(shape, Shape::Wide | Shape::Tidy) {
        options.sampling = sampling;
    }
    options
}

#[test]
fn each_column_has_the_values_that_it_has_among_all() {
    let (_, file) = samples::recordings().remove(0);
    for &shape in Shape::ALL {
        let options = of_shape(shape, Sampling::Rate(5.0));
        let names = names(&options);
        let all = scan_bytes(&file, options.clone());
        // Some of hundreds of columns, so that each kind is tested.
        for name in names.iter().step_by(if names.len() > 50 { 23 } else { 1 }) {
            check(&file, &options, &all, vec![name.clone()]);
        }
        check(&file, &options, &all, names.into_iter().rev().collect());
        check(&file, &options, &all, Vec::new());
    }
}

#[test]
fn unknown_and_duplicate_columns_are_refused() {
    let error = |columns: [&str; 2]| {
        let mut options = ScanOptions::default();
        options.columns = Some(columns.map(str::to_owned).into());
        options.fields().unwrap_err()
    };
    assert_eq!(
        error(["file", "left.Plam.position.x"]).to_string(),
        "unknown column \"left.Plam.position.x\" of the shape wide; did you mean \
         \"left.Palm.position.x\"?"
    );
    let duplicate = error(["time_s", "time_s"]);
    assert!(
        matches!(duplicate, ScanError::DuplicateColumn { .. }),
        "{duplicate}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn selected_columns_have_the_values_that_they_have_among_all(
        recording in random::recording(),
        shape in prop::sample::select(&Shape::ALL[..3]),
        at_keys in any::<bool>(),
        wanted in subsequence((0..396).collect::<Vec<usize>>(), 0..12),
    ) {
        let sampling = if at_keys { Sampling::Keys } else { Sampling::Rate(11.0) };
        let mut options = of_shape(shape, sampling);
        // Times of random keys may be years apart.
        options.limits.max_sample_bytes = 16 << 20;
        let names = names(&options);
        let wanted = wanted.into_iter().filter_map(|index| names.get(index).cloned());
        let file = bytes(&recording);
        let all = scan_bytes(&file, options.clone());
        check(&file, &options, &all, wanted.collect());
    }
}
