//! Tables in Markdown.

use super::damage::score::{Key, Score};

/// Prints a row for every score that has keys of a kind.
pub(super) fn print(rows: &[(String, Score)], of: fn(&Score) -> &[Key]) {
    println!(
        "| case | keys | right | median | 99 % | wrong ones | doubtful | wrong and not doubtful |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|");
    for (name, score) in rows {
        let keys = of(score);
        if keys.is_empty() {
            continue;
        }
        let count = |is: &dyn Fn(&Key) -> bool| keys.iter().filter(|key| is(key)).count();
        let right = count(&|key| !key.is_wrong());
        let doubtful = count(&|key| key.is_doubtful);
        let missed = count(&|key| key.is_wrong() && !key.is_doubtful);
        let [median, most] = quantiles(keys.iter().map(|key| key.error).collect());
        let wrong = keys.iter().filter(|key| key.is_wrong());
        let wrong: Vec<f64> = wrong.map(|key| key.error).collect();
        let wrong = match wrong.is_empty() {
            true => "–".to_owned(),
            false => format!("{:.1}", quantiles(wrong)[0]),
        };
        println!(
            "| {name} | {} | {} % | {median:.3} | {most:.3} | {wrong} | {} % | {} % |",
            keys.len(),
            at_least(right, keys.len()),
            at_most(doubtful, keys.len(), 2),
            at_most(missed, keys.len(), 3),
        );
    }
}

/// The median and the one that 99 % do not exceed.
pub(super) fn quantiles(mut numbers: Vec<f64>) -> [f64; 2] {
    numbers.sort_by(f64::total_cmp);
    [0.5, 0.99].map(|part| {
        let index = (numbers.len() as f64 * part) as usize;
        numbers.get(index).copied().unwrap_or(f64::NAN)
    })
}

/// Of `all` in percent, rounded down: 100.00 only where it is all.
pub(super) fn at_least(part: usize, all: usize) -> String {
    let hundredths = part * 10_000 / all;
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

/// Of `all` in percent, rounded up: 0.00 only where it is none.
fn at_most(part: usize, all: usize, digits: usize) -> String {
    let unit = 10_usize.pow(digits as u32);
    let parts = (part * 100 * unit).div_ceil(all);
    format!("{}.{:0digits$}", parts / unit, parts % unit)
}
