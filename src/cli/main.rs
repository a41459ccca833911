//! The `mitt` program. Everything is in the library.

fn main() -> std::process::ExitCode {
    mitt_cli::main()
}
