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

/// Languages whose standard order differs from the root, and the names of their constants.
const TAILORED: [(&str, &str); 2] = [("zh", "PINYIN"), ("zh-Hant", "STROKE")];

/// Adds a constant with the data of a language.
macro_rules! item {
    ($source:ident, $marker:ty, $type:literal, $name:expr, $language:expr) => {{
        let locale: DataLocale = $language.parse().expect("a language tag");
        let id = DataIdentifierBorrowed::for_locale(&locale);
        let response: DataResponse<$marker> =
            Baked.load(DataRequest { id, ..Default::default() }).expect("ICU4X has this data");
        let tokens = response.payload.get().bake(&CrateEnv::default());
        let (name, type_) = ($name, $type);
        writeln!($source, "pub(super) static {name}: icu_collator::provider::{type_} = {tokens};")
            .expect("there is memory");
    }};
}

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let mut source = String::new();
    item!(source, CollationRootV1, "CollationData<'static>", "ROOT", "und");
    item!(source, CollationJamoV1, "CollationJamo<'static>", "JAMO", "und");
    item!(
        source,
        CollationSpecialPrimariesV1,
        "CollationSpecialPrimaries<'static>",
        "SPECIAL_PRIMARIES",
        "und"
    );
    item!(source, CollationDiacriticsV1, "CollationDiacritics<'static>", "DIACRITICS", "und");
    item!(source, CollationMetadataV1, "CollationMetadata", "ROOT_METADATA", "und");
    for (language, name) in TAILORED {
        item!(source, CollationTailoringV1, "CollationData<'static>", name, language);
        let metadata = format!("{name}_METADATA");
        item!(source, CollationMetadataV1, "CollationMetadata", metadata, language);
        let reordering = format!("{name}_REORDERING");
        item!(source, CollationReorderingV1, "CollationReordering<'static>", reordering, language);
    }
    let folder = std::env::var_os("OUT_DIR").expect("Cargo sets OUT_DIR");
    let file = Path::new(&folder).join("collation.rs");
    std::fs::write(file, source).expect("OUT_DIR is writable");
}
