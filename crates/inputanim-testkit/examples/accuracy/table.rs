//! Tables in Markdown.

use inputanim_testkit::damage::score::{Key, Score};

/// An error that is visible at a glance, in degrees.
const LARGE_ERROR: f64 = 20.0;

/// Prints a table with a row for each named score. `of` selects the keys of a score; a score without such keys has no
/// row.
pub(super) fn print(rows: &[(String, Score)], of: fn(&Score) -> &[Key]) {
    println!(
        "| case | keys | right | median | 99 % | wrong keys | uncertain | uncertain, over 20° | wrong and not uncertain | over 20° |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    for (name, score) in rows {
        let keys = of(score);
        if keys.is_empty() {
            continue;
        }
        let count = |is: &dyn Fn(&Key) -> bool| keys.iter().filter(|key| is(key)).count();
        let right = count(&|key| !key.is_wrong());
        let uncertain = count(&|key| key.is_uncertain);
        let unclear = count(&|key| key.is_uncertain && key.choice > LARGE_ERROR);
        let missed = count(&|key| key.is_wrong() && !key.is_uncertain);
        let far = count(&|key| key.error > LARGE_ERROR && !key.is_uncertain);
        let [median, most] = quantiles(keys.iter().map(|key| key.error).collect());
        let wrong = keys.iter().filter(|key| key.is_wrong());
        let wrong: Vec<f64> = wrong.map(|key| key.error).collect();
        let wrong = if wrong.is_empty() {
            "–".to_owned()
        } else {
            format!("{:.1}", quantiles(wrong)[0])
        };
        println!(
            "| {name} | {} | {} % | {median:.3} | {most:.3} | {wrong} | {} % | {} % | {} % | {} % |",
            keys.len(),
            at_least(right, keys.len()),
            at_most(uncertain, keys.len(), 2),
            at_most(unclear, keys.len(), 2),
            at_most(missed, keys.len(), 3),
            at_most(far, keys.len(), 3),
        );
    }
}

/// Returns the median and the 99th percentile; NaN without numbers.
pub(super) fn quantiles(mut numbers: Vec<f64>) -> [f64; 2] {
    numbers.sort_by(f64::total_cmp);
    [0.5, 0.99].map(|part| {
        let index = (numbers.len() as f64 * part) as usize;
        numbers.get(index).copied().unwrap_or(f64::NAN)
    })
}

/// Returns the share of `part` in `all` in percent with two decimal places, rounded down, so that 100.00 means all.
pub(super) fn at_least(part: usize, all: usize) -> String {
    let hundredths = part * 10_000 / all;
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

/// Returns the share of `part` in `all` in percent with `digits` decimal places, rounded up, so that 0.00 means none.
fn at_most(part: usize, all: usize, digits: usize) -> String {
    let unit = 10_usize.pow(digits as u32);
    let parts = (part * 100 * unit).div_ceil(all);
    format!("{}.{:0digits$}", parts / unit, parts % unit)
}
