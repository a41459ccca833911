//! The skill `conformance`, which the suites of `tests/mcp` call too; its sources are there as text.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::Resolve;

use crate::support::root;

/// The part of WASI that is needed to sleep.
const WASI: [(&str, &str); 2] = [
    ("io.wit", "package wasi:io@0.2.0; interface poll { resource pollable { block: func(); } }"),
    (
        "clocks.wit",
        "package wasi:clocks@0.2.0; interface monotonic-clock { use wasi:io/poll@0.2.0.{pollable}; \
         subscribe-duration: func(when: u64) -> pollable; }",
    ),
];

fn sources() -> PathBuf {
    root().join("tests/mcp/fixture")
}

fn component() -> Vec<u8> {
    let source =
        |name: &str| std::fs::read_to_string(root().join("tests/mcp/fixture").join(name)).unwrap();
    let wit = source("conformance.wit");
    let mut resolve = Resolve::default();
    resolve.push_dir(Path::new(root()).join("wit")).unwrap();
    for (name, wit) in WASI {
        resolve.push_str(name, wit).unwrap();
    }
    let package = resolve.push_str("conformance.wit", &wit).unwrap();
    let world = resolve.select_world(&[package], Some("plugin")).unwrap();
    let mut module = wat::parse_str(source("conformance.wat")).unwrap();
    custom_section(&mut module, "mitt-wit", wit.as_bytes());
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).unwrap();
    ComponentEncoder::default().validate(true).module(&module).unwrap().encode().unwrap()
}

/// Adds the comments of the interface, which the host reads from here.
fn custom_section(module: &mut Vec<u8>, name: &str, content: &[u8]) {
    let mut body = leb(name.len());
    body.extend(name.as_bytes());
    body.extend(content);
    module.push(0);
    module.extend(leb(body.len()));
    module.extend(body);
}

fn leb(mut number: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let byte = (number & 0x7f) as u8;
        number >>= 7;
        if number == 0 {
            bytes.push(byte);
            return bytes;
        }
        bytes.push(byte | 0x80);
    }
}

/// Returns a folder of skills with this one, made once for all tests; `tests/mcp/run` serves it too.
pub(crate) fn folder() -> PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    let make = || {
        let folder = root().join("target/mcp/skills");
        for name in
            ["conformance/skill.yaml", "conformance/SKILL.md", "prompt-with-arguments/SKILL.md"]
        {
            write(&folder.join(name), &std::fs::read(sources().join(name)).unwrap());
        }
        write(&folder.join("conformance/conformance.wasm"), &component());
        write(&folder.join("conformance/pixel.png"), &pixel());
        folder
    };
    FOLDER.get_or_init(make).clone()
}

/// Returns a picture of one red pixel.
fn pixel() -> Vec<u8> {
    let mut png = std::io::Cursor::new(Vec::new());
    image::RgbImage::from_pixel(1, 1, image::Rgb([255, 0, 0]))
        .write_to(&mut png, image::ImageFormat::Png)
        .unwrap();
    png.into_inner()
}

#[tokio::test]
async fn the_fixture_of_the_suites_is_whole() {
    let host =
        mitt::Host::builder().no_cache().bundled_skills(false).skills(folder()).build().unwrap();
    let tools = host.registry().tools().await;
    let described = |name: &str| {
        let tool = tools.iter().find(|tool| tool.name.as_str() == name).unwrap();
        tool.function.docs.clone()
    };
    assert_eq!(tools.len(), 12);
    assert_eq!(described("conformance__empty"), "Do nothing.");
}

/// Writes a file so that a concurrent reader sees it complete.
fn write(path: &Path, content: &[u8]) {
    if std::fs::read(path).is_ok_and(|old| old == content) {
        return;
    }
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut file = tempfile::NamedTempFile::new_in(path.parent().unwrap()).unwrap();
    std::io::Write::write_all(&mut file, content).unwrap();
    file.persist(path).unwrap();
}
