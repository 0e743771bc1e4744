//! Links the program to a fixed place.
//!
//! A hook lives for a few milliseconds, and a program that may be placed anywhere spends a
//! good part of them on writing addresses into its tables. `cargo install` reads no
//! configuration of ours, so it is said here; `.cargo/config.toml` says the same for the
//! static binary, and what it costs.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let about = |name: &str| std::env::var(format!("CARGO_CFG_TARGET_{name}"));
    let glibc = about("OS").as_deref() == Ok("linux") && about("ENV").as_deref() == Ok("gnu");
    if glibc {
        println!("cargo:rustc-link-arg-bins=-no-pie");
    }
}
