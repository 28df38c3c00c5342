//! Writes every finite 32-bit float as JSON and reads it back. Prints the number of floats that did not come back with
//! the same bits. It takes some minutes in release mode.
//!
//! `cargo run --release -p inputanim-convert --example every_float`

use inputanim_convert::json::Number;

fn main() {
    let half = |bits: std::ops::Range<u32>| bits.filter(|bits| !comes_back(*bits)).count();
    // Both signs have the same digits, so testing the positive half is enough.
    let end = f32::INFINITY.to_bits();
    let failed = std::thread::scope(|scope| {
        let low = scope.spawn(|| half(0..end / 2));
        let high = half(end / 2..end);
        low.join().map(|low| low + high)
    });
    match failed {
        Ok(failed) => println!("{failed} of {end} floats did not come back"),
        Err(_) => println!("a thread failed"),
    }
}

fn comes_back(bits: u32) -> bool {
    let text = serde_json::to_string(&Number(f32::from_bits(bits)));
    let back = text.and_then(|text| serde_json::from_str::<Number>(&text));
    let same = back.is_ok_and(|Number(back)| back.to_bits() == bits);
    if !same {
        println!("{bits:#010x} {:?}", f32::from_bits(bits));
    }
    same
}
