//! Scans recordings and prints the number of rows and the time: `scan SHAPE THREADS PATH [COLUMN...]`.

use std::time::Instant;

use inputanim_scan::{Scan, ScanOptions};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let usage = "expected SHAPE THREADS PATH [COLUMN...]";
    let mut options = ScanOptions::default();
    options.shape = arguments.next().ok_or(usage)?.parse()?;
    options.threads = arguments.next().ok_or(usage)?.parse()?;
    let path = arguments.next().ok_or(usage)?;
    let columns: Vec<String> = arguments.collect();
    options.columns = Some(columns).filter(|columns| !columns.is_empty());
    let start = Instant::now();
    let scan = Scan::new([path], options)?;
    let (mut rows, mut batches) = (0, 0);
    for batch in scan.batches() {
        rows += batch?.rows;
        batches += 1;
    }
    let seconds = start.elapsed().as_secs_f64();
    let files = scan.files().len();
    println!("{files} files, {rows} rows, {batches} batches in {seconds:.3} s");
    Ok(())
}
