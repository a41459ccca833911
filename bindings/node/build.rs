//! The functions of Node-API are in the program that loads the library.

fn main() {
    // On macOS the linker must not look for them; on Linux it does not.
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("macos") {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-undefined,dynamic_lookup");
    }
}
