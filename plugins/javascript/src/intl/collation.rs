//! Orders of texts: the root, Chinese by pinyin and by strokes.

use icu_collator::options::{AlternateHandling, CaseLevel, CollatorOptions, Strength};
use icu_collator::preferences::{CollationCaseFirst, CollationNumericOrdering};
use icu_collator::provider::{
    CollationData, CollationDiacriticsV1, CollationJamoV1, CollationMetadata, CollationMetadataV1,
    CollationReordering, CollationReorderingV1, CollationRootV1, CollationSpecialPrimariesV1,
    CollationTailoringV1,
};
use icu_collator::{Collator, CollatorPreferences};
use icu_normalizer::provider::{Baked, NormalizerNfdDataV1, NormalizerNfdTablesV1};
use icu_provider::prelude::*;
use rquickjs::{Ctx, Exception, Result, String as Text};
use std::cell::RefCell;

mod data {
    #![allow(clippy::all, clippy::pedantic, clippy::restriction, reason = "made by `build.rs`")]
    include!(concat!(env!("OUT_DIR"), "/collation.rs"));
}

/// Most collators of a script.
const MAX_COLLATORS: usize = 1_000;

thread_local! {
    static COLLATORS: RefCell<Vec<Collator>> = const { RefCell::new(Vec::new()) };
}

/// What an order changes of the root.
struct Order {
    metadata: &'static CollationMetadata,
    tailoring: Option<&'static CollationData<'static>>,
    reordering: Option<&'static CollationReordering<'static>>,
}

static ROOT: Order = Order { metadata: &data::ROOT_METADATA, tailoring: None, reordering: None };
static PINYIN: Order = Order {
    metadata: &data::PINYIN_METADATA,
    tailoring: Some(&data::PINYIN),
    reordering: Some(&data::PINYIN_REORDERING),
};
static STROKE: Order = Order {
    metadata: &data::STROKE_METADATA,
    tailoring: Some(&data::STROKE),
    reordering: Some(&data::STROKE_REORDERING),
};

/// Implements a marker of ICU4X by data that is an option of the order.
macro_rules! provide {
    ($($marker:ty: |$order:ident| $data:expr;)*) => { $(
        impl DataProvider<$marker> for Order {
            fn load(&self, request: DataRequest<'_>) -> std::result::Result<DataResponse<$marker>, DataError> {
                let $order = self;
                let data = $data.ok_or_else(|| {
                    DataErrorKind::IdentifierNotFound.with_req(<$marker as DataMarker>::INFO, request)
                })?;
                Ok(DataResponse { metadata: DataResponseMetadata::default(), payload: DataPayload::from_static_ref(data) })
            }
        }
    )* };
}

provide! {
    CollationRootV1: |_order| Some(&data::ROOT);
    CollationJamoV1: |_order| Some(&data::JAMO);
    CollationSpecialPrimariesV1: |_order| Some(&data::SPECIAL_PRIMARIES);
    CollationDiacriticsV1: |_order| Some(&data::DIACRITICS);
    CollationMetadataV1: |order| Some(order.metadata);
    CollationTailoringV1: |order| order.tailoring;
    CollationReorderingV1: |order| order.reordering;
}

impl DataProvider<NormalizerNfdDataV1> for Order {
    fn load(
        &self,
        request: DataRequest<'_>,
    ) -> std::result::Result<DataResponse<NormalizerNfdDataV1>, DataError> {
        Baked.load(request)
    }
}

impl DataProvider<NormalizerNfdTablesV1> for Order {
    fn load(
        &self,
        request: DataRequest<'_>,
    ) -> std::result::Result<DataResponse<NormalizerNfdTablesV1>, DataError> {
        Baked.load(request)
    }
}

/// Makes a collator, and returns its number. `sensitivity` counts base, accent, case, variant; `case_first` upper, lower,
/// neither.
pub(super) fn collator(
    ctx: Ctx<'_>,
    order: String,
    sensitivity: u32,
    is_numeric: bool,
    case_first: u32,
    ignores_punctuation: bool,
) -> Result<usize> {
    let order = match order.as_str() {
        "pinyin" => &PINYIN,
        "stroke" => &STROKE,
        _ => &ROOT,
    };
    let mut options = CollatorOptions::default();
    options.strength = Some(match sensitivity {
        0 | 2 => Strength::Primary,
        1 => Strength::Secondary,
        _ => Strength::Tertiary,
    });
    options.case_level = Some(if sensitivity == 2 { CaseLevel::On } else { CaseLevel::Off });
    if ignores_punctuation {
        options.alternate_handling = Some(AlternateHandling::Shifted);
    }
    let mut preferences = CollatorPreferences::default();
    preferences.numeric_ordering = is_numeric.then_some(CollationNumericOrdering::True);
    preferences.case_first = match case_first {
        0 => Some(CollationCaseFirst::Upper),
        1 => Some(CollationCaseFirst::Lower),
        _ => None,
    };
    let collator = Collator::try_new_unstable(order, preferences, options)
        .map_err(|error| Exception::throw_message(&ctx, &error.to_string()))?;
    COLLATORS.with_borrow_mut(|collators| {
        if collators.len() == MAX_COLLATORS {
            let advice = "make a collator once, and use its `compare`";
            return Err(Exception::throw_range(
                &ctx,
                &format!("more than {MAX_COLLATORS} collators; {advice}"),
            ));
        }
        collators.push(collator);
        Ok(collators.len() - 1)
    })
}

/// Compares two texts: -1, 0 or 1.
pub(super) fn compare(number: usize, one: Text<'_>, other: Text<'_>) -> Result<i32> {
    let (one, other) = (one.to_cstring()?, other.to_cstring()?);
    // SAFETY: both point to so many bytes while they live. They need not be UTF-8: half a surrogate pair is not.
    let (one_bytes, other_bytes) = unsafe {
        (
            std::slice::from_raw_parts(one.as_ptr().cast::<u8>(), one.len()),
            std::slice::from_raw_parts(other.as_ptr().cast::<u8>(), other.len()),
        )
    };
    COLLATORS.with_borrow(|collators| {
        let collator = &collators[number];
        Ok(collator.as_borrowed().compare_utf8(one_bytes, other_bytes) as i32)
    })
}
