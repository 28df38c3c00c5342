//! Draws a figure of a recording as SVG.
//!
//! ```sh
//! cargo run -p inputanim-analysis --example figure -- samples/two-hands.bin > take.svg
//! ```

use inputanim::Recording;
use inputanim_analysis::{Analysis, AnalysisOptions, PlotOptions, plot};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args_os()
        .nth(1)
        .ok_or("missing argument: a recording")?;
    let bytes = std::fs::read(&path)?;
    let recording = Recording::parse(&bytes)?;
    let analysis = Analysis::of(&recording, &AnalysisOptions::default())?;
    print!("{}", plot(&analysis, &PlotOptions::default()));
    Ok(())
}
