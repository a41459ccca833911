//! Orders of texts: the root, Chinese by pinyin and by strokes.

use icu_collator::options::{AlternateHandling, CaseLevel, CollatorOptions, Strength};
use icu_collator::preferences::{CollationCaseFirst, CollationNumericOrdering};
use icu_collator::provider::{
    CollationData, CollationDiacritics, CollationDiacriticsV1, CollationJamo, CollationJamoV1,
    CollationMetadata, CollationMetadataV1, CollationReordering, CollationReorderingV1,
    CollationRootV1, CollationSpecialPrimaries, CollationSpecialPrimariesV1, CollationTailoringV1,
};
use icu_collator::{Collator, CollatorPreferences};
use icu_normalizer::provider::{Baked, NormalizerNfdDataV1, NormalizerNfdTablesV1};
use icu_provider::prelude::*;
use rquickjs::{Ctx, Exception, Result, String as Text};
use std::cell::RefCell;
use std::sync::LazyLock;

mod data {
    #![allow(clippy::all, clippy::pedantic, clippy::restriction, reason = "made by `build.rs`")]
    include!(concat!(env!("OUT_DIR"), "/collation.rs"));
}

thread_local! {
    /// The collators that were made, each once.
    static COLLATORS: RefCell<Vec<(Kind, Collator)>> = const { RefCell::new(Vec::new()) };
}

/// Puts the bytes of an array of `u32` together, which `build.rs` wrote in planes. Each order is made once in a process.
fn whole(planes: &[u8]) -> &'static [u8] {
    let length = planes.len() / 4;
    let bytes = (0..planes.len()).map(|at| planes[at % 4 * length + at / 4]);
    Box::leak(bytes.collect::<Box<[u8]>>())
}

static ROOT_DATA: LazyLock<CollationData<'static>> = LazyLock::new(data::root);
static JAMO: LazyLock<CollationJamo<'static>> = LazyLock::new(data::jamo);
static PRIMARIES: LazyLock<CollationSpecialPrimaries<'static>> =
    LazyLock::new(data::special_primaries);
static DIACRITICS: LazyLock<CollationDiacritics<'static>> = LazyLock::new(data::diacritics);
static ROOT: LazyLock<Order> =
    LazyLock::new(|| Order { metadata: data::root_metadata(), tailoring: None, reordering: None });
static PINYIN: LazyLock<Order> = LazyLock::new(|| Order {
    metadata: data::pinyin_metadata(),
    tailoring: Some(data::pinyin()),
    reordering: Some(data::pinyin_reordering()),
});
static STROKE: LazyLock<Order> = LazyLock::new(|| Order {
    metadata: data::stroke_metadata(),
    tailoring: Some(data::stroke()),
    reordering: Some(data::stroke_reordering()),
});

/// What an order changes of the root.
struct Order {
    metadata: CollationMetadata,
    tailoring: Option<CollationData<'static>>,
    reordering: Option<CollationReordering<'static>>,
}

/// Implements a marker of ICU4X by data that is an option of the order.
macro_rules! provide {
    ($($marker:ty: |$order:ident| $data:expr;)*) => { $(
        impl DataProvider<$marker> for &'static Order {
            fn load(&self, request: DataRequest<'_>) -> std::result::Result<DataResponse<$marker>, DataError> {
                let $order = *self;
                let data = $data.ok_or_else(|| {
                    DataErrorKind::IdentifierNotFound.with_req(<$marker as DataMarker>::INFO, request)
                })?;
                Ok(DataResponse { metadata: DataResponseMetadata::default(), payload: DataPayload::from_static_ref(data) })
            }
        }
    )* };
}

provide! {
    CollationRootV1: |_order| Some(&*ROOT_DATA);
    CollationJamoV1: |_order| Some(&*JAMO);
    CollationSpecialPrimariesV1: |_order| Some(&*PRIMARIES);
    CollationDiacriticsV1: |_order| Some(&*DIACRITICS);
    CollationMetadataV1: |order| Some(&order.metadata);
    CollationTailoringV1: |order| order.tailoring.as_ref();
    CollationReorderingV1: |order| order.reordering.as_ref();
}

impl DataProvider<NormalizerNfdDataV1> for &'static Order {
    fn load(
        &self,
        request: DataRequest<'_>,
    ) -> std::result::Result<DataResponse<NormalizerNfdDataV1>, DataError> {
        Baked.load(request)
    }
}

impl DataProvider<NormalizerNfdTablesV1> for &'static Order {
    fn load(
        &self,
        request: DataRequest<'_>,
    ) -> std::result::Result<DataResponse<NormalizerNfdTablesV1>, DataError> {
        Baked.load(request)
    }
}

/// What a collator is made of. There are 144 kinds.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Kind {
    order: Name,
    /// Base, accent, case, variant.
    sensitivity: u32,
    is_numeric: bool,
    /// Upper, lower, neither.
    case_first: u32,
    ignores_punctuation: bool,
}

/// The name of an order.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Name {
    Root,
    Pinyin,
    Stroke,
}

impl Kind {
    fn collator(self) -> std::result::Result<Collator, DataError> {
        let order: &'static Order = match self.order {
            Name::Root => &ROOT,
            Name::Pinyin => &PINYIN,
            Name::Stroke => &STROKE,
        };
        let mut options = CollatorOptions::default();
        options.strength = Some(match self.sensitivity {
            0 | 2 => Strength::Primary,
            1 => Strength::Secondary,
            _ => Strength::Tertiary,
        });
        let has_case = self.sensitivity == 2;
        options.case_level = Some(if has_case { CaseLevel::On } else { CaseLevel::Off });
        if self.ignores_punctuation {
            options.alternate_handling = Some(AlternateHandling::Shifted);
        }
        let mut preferences = CollatorPreferences::default();
        preferences.numeric_ordering = self.is_numeric.then_some(CollationNumericOrdering::True);
        preferences.case_first = match self.case_first {
            0 => Some(CollationCaseFirst::Upper),
            1 => Some(CollationCaseFirst::Lower),
            _ => None,
        };
        Collator::try_new_unstable(&order, preferences, options)
    }
}

/// Returns the number of a collator, which is made if there is none. `sensitivity` counts base, accent, case, variant;
/// `case_first` upper, lower, neither.
pub(super) fn collator(
    ctx: Ctx<'_>,
    order: String,
    sensitivity: u32,
    is_numeric: bool,
    case_first: u32,
    ignores_punctuation: bool,
) -> Result<usize> {
    let order = match order.as_str() {
        "pinyin" => Name::Pinyin,
        "stroke" => Name::Stroke,
        _ => Name::Root,
    };
    let kind = Kind { order, sensitivity, is_numeric, case_first, ignores_punctuation };
    COLLATORS.with_borrow_mut(|collators| {
        if let Some(number) = collators.iter().position(|(known, _)| *known == kind) {
            return Ok(number);
        }
        let made = kind.collator();
        let made = made.map_err(|error| Exception::throw_message(&ctx, &error.to_string()))?;
        collators.push((kind, made));
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
        let (_, collator) = &collators[number];
        Ok(collator.as_borrowed().compare_utf8(one_bytes, other_bytes) as i32)
    })
}
