//! An application of OpenXR without graphics: prints what it gets for each frame, as JSON.
//!
//! `cargo xtask openxr` runs it with the loader of OpenXR. With the argument `wrong`, it makes a call that the
//! specification forbids, so that a layer for validation has a finding. With `label`, it inserts a debug label. With `time`,
//! it prints the time for each frame, with all calls of the application, the time for the end of the session, and the memory; a
//! number after `time` ends the session after this number of frames.

#![allow(unsafe_code, reason = "the loader of OpenXR is a C library")]

#[allow(dead_code, reason = "functions of the tests")]
#[path = "../tests/it/client.rs"]
mod client;

use std::error::Error;
use std::time::Instant;

use openxr as xr;

fn main() -> Result<(), Box<dyn Error>> {
    // SAFETY: the library is the loader of OpenXR.
    let entry = unsafe { xr::Entry::load(&())? };
    let argument = std::env::args().nth(1).unwrap_or_default();
    if argument == "time" {
        let (start, mut frames) = (Instant::now(), 0);
        let max_frames = std::env::args().nth(2).map(|number| number.parse());
        let max_frames = max_frames.transpose()?.unwrap_or(usize::MAX);
        let end = client::play_each(&entry, max_frames, true, false, |_| frames += 1)?;
        let microseconds = start.elapsed().as_secs_f64() * 1e6 / f64::from(frames);
        let end = end.as_secs_f64() * 1e3;
        println!("{frames} frames, {microseconds:.1} µs for each frame");
        println!("{end:.1} ms for the end of the session");
        // Linux only.
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        if let Some(peak) = peak {
            println!("{} of memory at most", peak.trim());
        }
        return Ok(());
    }
    if argument == "wrong" {
        let application = xr::ApplicationInfo {
            application_name: "wrong",
            ..xr::ApplicationInfo::default()
        };
        let instance =
            entry.create_instance(&application, &xr::ExtensionSet::default(), &[], &())?;
        let mut path = xr::Path::NULL;
        // SAFETY: a text that is null is forbidden, and both the layer and the runtime check it.
        let result = unsafe {
            (instance.fp().string_to_path)(instance.as_raw(), std::ptr::null(), &raw mut path)
        };
        println!("{result:?}");
        return Ok(());
    }
    for seen in client::play_with(&entry, usize::MAX, argument == "label")? {
        println!("{}", serde_json::to_string(&seen)?);
    }
    Ok(())
}
