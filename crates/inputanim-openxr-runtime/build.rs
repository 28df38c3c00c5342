//! Options of the linker.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // The loader of OpenXR unloads the library with each instance. Tables that are made once would then be lost in memory each
    // time, and tools such as Valgrind would not know the functions any more.
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "linux") {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    }
}
