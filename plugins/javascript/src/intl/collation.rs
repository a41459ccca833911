//! Orders of texts: the root, Chinese by pinyin and by strokes.

use icu_collator::options::{AlternateHandling, CaseLevel, CollatorOptions, MaxVariable, Strength};
use icu_collator::preferences::{CollationCaseFirst, CollationNumericOrdering};
use icu_collator::provider::{
    CollationDiacriticsV1, CollationJamoV1, CollationMetadata, CollationMetadataV1,
    CollationReordering, CollationReorderingV1, CollationRootV1, CollationSpecialPrimariesV1,
    CollationTailoringV1, CollationData,
};
use icu_collator::{Collator, CollatorPreferences};
use icu_normalizer::provider::{Baked, NormalizerNfdDataV1, NormalizerNfdTablesV1};
use icu_provider::{DataError, DataErrorKind, DataPayload, DataProvider, DataRequest, DataResponse};
use std::cmp::Ordering;

#[expect(clippy::all, clippy::pedantic, clippy::undocumented_unsafe_blocks, reason = "made by `build.rs`")]
mod data {
    include!(concat!(env!("OUT_DIR"), "/collation.rs"));
}
