//! Compares the times of XDF streams with the times of pyxdf: `xdf_times FOLDER`.
//!
//! `python readers/xdf/files.py FOLDER 400` makes the files of the folder, with clock offsets, jitter, gaps and resets.

use std::error::Error;
use std::fs;

use inputanim_convert::{ReadOptions, xdf};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os().nth(1).ok_or("expected a folder")?;
    let (mut files, mut worst) = (0, 0.0_f64);
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_none_or(|extension| extension != "xdf") {
            continue;
        }
        let name = path.display();
        let streams = xdf::streams(&fs::read(&path)?, &ReadOptions::default())?;
        let times = streams.into_iter().flat_map(|stream| stream.times);
        let times: Vec<f64> = times.collect();
        let expected = fs::read(path.with_extension("times"))?;
        let expected = expected.as_chunks().0.iter();
        let expected: Vec<f64> = expected.map(|bytes| f64::from_le_bytes(*bytes)).collect();
        let (offset, expected) = expected.split_first().ok_or("no times")?;
        if times.len() != expected.len() {
            return Err(format!(
                "{name}: {} times instead of {}",
                times.len(),
                expected.len()
            )
            .into());
        }
        for (time, expected) in times.iter().zip(expected) {
            let difference = (time - expected).abs();
            worst = worst.max(difference);
            // The fit of pyxdf has a rounding error in proportion to the clock offset.
            if difference > 1e-9 + 1e-12 * offset {
                return Err(format!("{name}: {time} instead of {expected}").into());
            }
        }
        files += 1;
    }
    println!("{files} files, largest difference {worst:e} s");
    Ok(())
}
