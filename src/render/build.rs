//! Copies the faces that PDF files use out of `typst-assets`, whose `fonts()` gives all of its faces or none. The others have
//! 5.7 MB, and the program would carry them without use.

#[cfg(feature = "pdf")]
use std::fs;
use std::path::Path;
use std::{env, io};

/// PostScript names of the faces, and the files that they become.
#[cfg(feature = "pdf")]
const FACES: [(&str, &str); 6] = [
    ("DejaVuSansMono", "mono.ttf"),
    ("DejaVuSansMono-Bold", "mono-bold.ttf"),
    ("DejaVuSansMono-BoldOblique", "mono-bold-oblique.ttf"),
    ("DejaVuSansMono-Oblique", "mono-oblique.ttf"),
    ("NewCMMath-Bold", "math-bold.otf"),
    ("NewCMMath-Regular", "math.otf"),
];

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    let folder = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("OUT_DIR is not set"))?;
    copy_faces(Path::new(&folder))
}

#[cfg(feature = "pdf")]
fn copy_faces(folder: &Path) -> io::Result<()> {
    for (name, file) in FACES {
        let data = typst_assets::fonts()
            .find(|data| postscript_name(data).as_deref() == Some(name))
            .ok_or_else(|| io::Error::other(format!("typst-assets has no face {name:?}")))?;
        fs::write(folder.join(file), data)?;
    }
    Ok(())
}

/// Returns the PostScript name of a font's first face.
#[cfg(feature = "pdf")]
fn postscript_name(data: &[u8]) -> Option<String> {
    let face = ttf_parser::Face::parse(data, 0).ok()?;
    let names = face.names().into_iter();
    let mut names = names.filter(|name| name.name_id == ttf_parser::name_id::POST_SCRIPT_NAME);
    names.find_map(|name| name.to_string())
}

#[cfg(not(feature = "pdf"))]
fn copy_faces(_: &Path) -> io::Result<()> {
    Ok(())
}
