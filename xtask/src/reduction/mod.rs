//! `cargo xtask reduction`: recordings are reduced in every way and compared with what they were,
//! and the toolkit's own files with what its recorder was fed. docs/reduction.md shows and explains
//! it.

mod row;
mod takes;

use anyhow::Result;
use inputanim::Layout;

#[path = "../../../crates/inputanim-motion/tests/reduced/mod.rs"]
mod reduced;

use crate::truth;
use row::Row;
use takes::Take;

const READING: &str = "\
Pose keys: of positions and of rotations, head and joints, the components of one counted together.
Bytes: of the file. mm, degrees: the largest error of a joint at any sample, and what 99 % do not
exceed; of two hands the worse. Of the bound: the largest error of any stream, in percent of what it
may be. Time: that of one-pass is 1, the median of five in one run.";

pub(crate) fn run() -> Result<()> {
    println!("{READING}");
    if let Some(corpus) = truth::corpus() {
        let (truth, files) = takes::of_corpus(&corpus)?;
        heading("The toolkit's recorder, and ours on what it was fed");
        Row::whole(&truth.record(Layout::Mrtk1_1)?).print();
        for (name, file) in &files {
            Row::of_file(name, &truth, file)?.print();
        }
        reduced_in_every_way(&truth)?;
        let device = takes::device(&corpus)?;
        heading(&device.name);
        Row::whole(&device.record(Layout::Mrtk1_0)?).print();
        reduced_in_every_way(&device)?;
    } else {
        println!("\nINPUTANIM_CORPUS names no corpus: recordings of devices are left out.");
    }
    for take in takes::generated() {
        heading(&take.name);
        Row::whole(&take.record(Layout::Mrtk1_1)?).print();
        reduced_in_every_way(&take)?;
    }
    Ok(())
}

fn heading(name: &str) {
    println!("\n{name}:\n");
    println!("{}", row::HEADING);
}

fn reduced_in_every_way(take: &Take) -> Result<()> {
    for row in row::every_way(take)? {
        row.print();
    }
    Ok(())
}
