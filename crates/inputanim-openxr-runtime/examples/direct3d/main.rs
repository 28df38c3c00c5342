//! An application of OpenXR with Direct3D 11 or 12, for Windows: `direct3d 11` and `direct3d 12`.
//!
//! The images of the eyes have other colours in each frame. It prints the number and the two colours of each frame as JSON.
//! `cargo xtask windows` runs it under Wine, and compares the screenshots that the runtime saves with these colours. With the
//! second argument `wrong`, it makes calls that the specification forbids, and random calls, and checks what they return.

#![allow(unsafe_code, reason = "OpenXR and Direct3D are C libraries")]

#[cfg(windows)]
mod d3d11;
#[cfg(windows)]
mod d3d12;
#[cfg(windows)]
mod play;
#[cfg(windows)]
mod wrong;

#[cfg(windows)]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["11"] => play::run::<d3d11::Direct3d11>(),
        ["12"] => play::run::<d3d12::Direct3d12>(),
        ["11", "wrong"] => wrong::run::<d3d11::Direct3d11>(),
        ["12", "wrong"] => wrong::run::<d3d12::Direct3d12>(),
        _ => Err("usage: direct3d 11|12 [wrong]".into()),
    }
}

#[cfg(not(windows))]
fn main() -> Result<(), &'static str> {
    Err("Direct3D exists only on Windows")
}
