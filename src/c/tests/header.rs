//! The committed header is the one that cbindgen makes of the sources.

use std::fs;
use std::path::{Path, PathBuf};

/// The files with public items, in the order of the header.
const SOURCES: [&str; 11] = [
    "code.rs",
    "handles.rs",
    "bytes.rs",
    "callback.rs",
    "api/basics.rs",
    "api/hosts.rs",
    "api/documents.rs",
    "api/calls.rs",
    "api/artifacts.rs",
    "api/agent.rs",
    "api/files.rs",
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

fn header() -> String {
    let config = cbindgen::Config::from_file(folder().join("cbindgen.toml")).unwrap();
    let builder = cbindgen::Builder::new().with_config(config);
    let builder = SOURCES.iter().fold(builder, |builder, it| builder.with_src(folder().join(it)));
    let mut written = Vec::new();
    builder.generate().unwrap().write(&mut written);
    // Headings of Rust's documentation are sentences in C, and no line ends in a space.
    let header = String::from_utf8(written).unwrap();
    let header = header.replace(" * # Safety\n *\n * ", " * The caller promises: ");
    header.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

#[test]
fn the_header_is_the_one_of_the_sources() {
    let (made, path) = (header(), folder().join("mitt.h"));
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, &made).unwrap();
    }
    let committed = fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    assert!(made == committed, "mitt.h is not the one of the sources: run this test with BLESS=1");
}

/// A function that is missing here is not in the header either.
#[test]
fn every_function_of_the_library_is_in_the_header() {
    let header = header();
    let mut count = 0;
    for entry in fs::read_dir(folder().join("api")).unwrap().chain(fs::read_dir(folder()).unwrap())
    {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        for name in text.split("extern \"C\" fn mitt_").skip(1) {
            let name = name.split('(').next().unwrap();
            assert!(header.contains(&format!("mitt_{name}(")), "mitt_{name} is missing");
            count += 1;
        }
    }
    assert!(count >= 20, "{count} functions");
}
