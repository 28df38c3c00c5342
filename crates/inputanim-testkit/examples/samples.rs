//! `cargo xtask samples`: writes samples/ and fuzz/seeds/ again, with the same bytes.

use std::fs;

use anyhow::{Context, Result};
use inputanim_testkit::{generated, samples};

fn main() -> Result<()> {
    for (path, bytes) in generated::files() {
        let path = samples::root().join(path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        }
        fs::write(&path, &bytes).with_context(|| path.display().to_string())?;
        println!("{} ({} bytes)", path.display(), bytes.len());
    }
    Ok(())
}
