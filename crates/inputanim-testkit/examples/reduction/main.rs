//! `cargo xtask reduction`: reduces recordings with every method and measures the errors; measures the errors of MRTK's
//! own files compared with the frames that MRTK recorded. docs/reduction.md shows and
//! explains the tables.

mod row;
mod takes;

use anyhow::Result;
use inputanim::Layout;
use inputanim_testkit::corpus;
use row::Row;
use takes::Take;

/// The explanation of the columns.
const LEGEND: &str = "\
Pose keys: keys of positions and rotations of head and joints; their components count as one.
Bytes: size of the file. mm, degrees: largest error of a joint at any sample, and 99th percentile, for
the worse hand. Of the bound: largest error of any stream, in percent of its bound. Time: relative to
one-pass, median of five runs.";

fn main() -> Result<()> {
    println!("{LEGEND}");
    if let Some(corpus) = corpus::find() {
        let (truth, files) = takes::of_corpus(&corpus)?;
        heading("MRTK's recorder, and this library on the same frames");
        Row::original(&truth.record(Layout::Mrtk1_1)?).print();
        for (name, file) in &files {
            Row::of_file(name, &truth, file)?.print();
        }
        print_all_methods(&truth)?;
        let device = takes::device(&corpus)?;
        heading(&device.name);
        Row::original(&device.record(Layout::Mrtk1_0)?).print();
        print_all_methods(&device)?;
    } else {
        println!("\nINPUTANIM_CORPUS is not set: device recordings are skipped.");
    }
    for take in takes::generated() {
        heading(&take.name);
        Row::original(&take.record(Layout::Mrtk1_1)?).print();
        print_all_methods(&take)?;
    }
    Ok(())
}

fn heading(name: &str) {
    println!("\n{name}:\n");
    println!("{}", row::HEADING);
}

fn print_all_methods(take: &Take) -> Result<()> {
    for row in row::all_methods(take)? {
        row.print();
    }
    Ok(())
}
