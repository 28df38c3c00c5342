//! The recordings of devices, of the toolkit and as documented, where they are at hand.

use std::path::{Path, PathBuf};

/// Hands each file to a test; without `INPUTANIM_CORPUS` it says so and passes.
pub(crate) fn each(mut test: impl FnMut(&Path, &[u8])) {
    let Some(corpus) = std::env::var_os("INPUTANIM_CORPUS").map(PathBuf::from) else {
        println!("skipped: INPUTANIM_CORPUS names no corpus");
        return;
    };
    let mut files = 0;
    for folder in ["device", "documented", "mrtk"] {
        for entry in std::fs::read_dir(corpus.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "bin") {
                test(&path, &std::fs::read(&path).unwrap());
                files += 1;
            }
        }
    }
    assert!(files >= 20);
}
