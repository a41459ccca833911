//! Writes the orders of texts that `Intl.Collator` has as Rust: the root, Chinese by pinyin and by strokes.
//!
//! The crate of ICU4X with this data has all languages, which would make the component a third larger.

use databake::{Bake, CrateEnv};
use icu_collator::provider::{
    Baked, CollationDiacriticsV1, CollationJamoV1, CollationMetadataV1, CollationReorderingV1,
    CollationRootV1, CollationSpecialPrimariesV1, CollationTailoringV1,
};
use icu_provider::prelude::*;
use std::fmt::Write as _;
use std::path::Path;

/// Languages whose standard order differs from the root, and the names of their orders.
const TAILORED: [(&str, &str); 2] = [("zh", "pinyin"), ("zh-Hant", "stroke")];

/// Byte strings of this size are arrays of `u32`, and are written in planes: first all lowest bytes, last all highest ones.
/// The component's compression makes half of that.
const LONG_BYTES: usize = 50_000;

/// Adds a function that returns the data of a language.
macro_rules! item {
    ($source:ident, $marker:ty, $type:expr, $name:expr, $language:expr) => {{
        let locale: DataLocale = $language.parse().expect("a language tag");
        let id = DataIdentifierBorrowed::for_locale(&locale);
        let response: DataResponse<$marker> =
            Baked.load(DataRequest { id, ..Default::default() }).expect("ICU4X has this data");
        let tokens = response.payload.get().bake(&CrateEnv::default()).to_string();
        let (name, type_, value) = ($name, $type, in_planes(&tokens));
        let type_ = format!("icu_collator::provider::{type_}");
        writeln!($source, "pub(super) fn {name}() -> {type_} {{ {value} }}").expect("memory");
    }};
}

/// Replaces the long byte strings of an expression.
fn in_planes(expression: &str) -> String {
    let mut result = String::new();
    let mut rest = expression;
    while let Some(start) = rest.find("b\"") {
        let (bytes, length) = byte_string(&rest[start + 2..]);
        result.push_str(&rest[..start]);
        if bytes.len() < LONG_BYTES {
            result.push_str(&rest[start..start + 2 + length]);
        } else {
            assert!(bytes.len().is_multiple_of(4), "an array of u32");
            let planes = (0..4).flat_map(|plane| bytes.iter().skip(plane).step_by(4));
            let planes: Vec<u8> = planes.copied().collect();
            write!(result, "super::whole(b\"{}\")", planes.escape_ascii()).expect("memory");
        }
        rest = &rest[start + 2 + length..];
    }
    result + rest
}

/// Reads a byte string up to its end. Returns the bytes, and the length of the source with the quote.
fn byte_string(source: &str) -> (Vec<u8>, usize) {
    let mut bytes = Vec::new();
    let mut rest = source.as_bytes();
    loop {
        let (byte, length) = match rest {
            [b'"', ..] => return (bytes, source.len() - rest.len() + 1),
            [b'\\', b'x', high, low, ..] => {
                let digits = [*high, *low];
                let digits = std::str::from_utf8(&digits).expect("two digits");
                (u8::from_str_radix(digits, 16).expect("two digits"), 4)
            }
            [b'\\', b'0', ..] => (0, 2),
            [b'\\', b'n', ..] => (b'\n', 2),
            [b'\\', b'r', ..] => (b'\r', 2),
            [b'\\', b't', ..] => (b'\t', 2),
            [b'\\', other, ..] => (*other, 2),
            [byte, ..] => (*byte, 1),
            [] => panic!("a byte string without an end"),
        };
        bytes.push(byte);
        rest = &rest[length..];
    }
}

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let mut source = String::new();
    item!(source, CollationRootV1, "CollationData<'static>", "root", "und");
    item!(source, CollationJamoV1, "CollationJamo<'static>", "jamo", "und");
    let primaries = "CollationSpecialPrimaries<'static>";
    item!(source, CollationSpecialPrimariesV1, primaries, "special_primaries", "und");
    item!(source, CollationDiacriticsV1, "CollationDiacritics<'static>", "diacritics", "und");
    item!(source, CollationMetadataV1, "CollationMetadata", "root_metadata", "und");
    for (language, name) in TAILORED {
        item!(source, CollationTailoringV1, "CollationData<'static>", name, language);
        let metadata = format!("{name}_metadata");
        item!(source, CollationMetadataV1, "CollationMetadata", metadata, language);
        let reordering = format!("{name}_reordering");
        item!(source, CollationReorderingV1, "CollationReordering<'static>", reordering, language);
    }
    let folder = std::env::var_os("OUT_DIR").expect("Cargo sets OUT_DIR");
    let file = Path::new(&folder).join("collation.rs");
    std::fs::write(file, source).expect("OUT_DIR is writable");
}
