//! `Intl`: its parts in JavaScript, their data, and what they need of Rust.
//!
//! The parts are compiled with the prelude, but run when a script uses them first, so that other scripts do not pay for
//! them: neither with time nor with objects that the interpreter has to visit.

mod collation;
mod compiled;
mod zones;

use compiled::Compiled;
use rquickjs::{Ctx, Function, Object, Result, String as Text};
use std::cell::RefCell;
use std::sync::{Mutex, PoisonError};
use unicode_segmentation::UnicodeSegmentation;

/// The parts, in the order in which they run: the name of each, and its source, a function of the natives and of an object
/// that all parts share. The sources are mutable, because a component needs them only until it is initialised.
macro_rules! parts {
    ($($name:ident)*) => {
        const PARTS: [&str; [$(stringify!($name)),*].len()] = [$(stringify!($name)),*];
        static SOURCES: Mutex<[&mut [u8]; PARTS.len()]> = Mutex::new([$({
            static mut SOURCE: [u8; include_bytes!(concat!(stringify!($name), ".js")).len()] =
                *include_bytes!(concat!(stringify!($name), ".js"));
            // SAFETY: nothing else has a reference to this source.
            unsafe { &mut *(&raw mut SOURCE) }
        }),*]);
    };
}
parts! { locale decimal number pattern date collator words }

/// The data of CLDR, which `intl/generate.mjs` writes.
const DATA: [(&str, &str); 11] = [
    ("currencies", include_str!("data/currencies.json")),
    ("currency-digits", include_str!("data/currency-digits.json")),
    ("dates", include_str!("data/dates.json")),
    ("day-periods", include_str!("data/day-periods.json")),
    ("lists", include_str!("data/lists.json")),
    ("metazones", include_str!("data/metazones.json")),
    ("numbers", include_str!("data/numbers.json")),
    ("parents", include_str!("data/parents.json")),
    ("relative", include_str!("data/relative.json")),
    ("units", include_str!("data/units.json")),
    ("zone-names", include_str!("data/zone-names.json")),
];

thread_local! {
    static COMPILED: RefCell<Vec<Compiled>> = const { RefCell::new(Vec::new()) };
}

/// Compiles the parts, and adds their functions to the natives.
pub(crate) fn add<'js>(ctx: &Ctx<'js>, natives: &Object<'js>) -> Result<()> {
    let mut sources = SOURCES.lock().unwrap_or_else(PoisonError::into_inner);
    let parts = PARTS.iter().zip(sources.iter());
    let parts = parts.map(|(name, source)| Compiled::new(ctx, name, source));
    COMPILED.set(parts.collect::<Result<_>>()?);
    // Every instance begins with this memory, where zeros take no space.
    if cfg!(target_family = "wasm") {
        sources.iter_mut().for_each(|source| source.fill(0));
    }
    natives.set("intl_part", Function::new(ctx.clone(), part)?)?;
    natives.set("intl_data", Function::new(ctx.clone(), data)?)?;
    natives.set("graphemes", Function::new(ctx.clone(), graphemes)?)?;
    natives.set("collator", Function::new(ctx.clone(), collation::collator)?)?;
    natives.set("compare", Function::new(ctx.clone(), collation::compare)?)?;
    natives.set("zone", Function::new(ctx.clone(), zones::name)?)?;
    natives.set("zones", Function::new(ctx.clone(), zones::names)?)?;
    natives.set("zone_offset", Function::new(ctx.clone(), zones::offset)?)
}

/// Returns a part as a function; `None` behind the last one.
fn part(ctx: Ctx<'_>, index: usize) -> Result<Option<Function<'_>>> {
    COMPILED.with_borrow(|parts| parts.get(index).map(|part| part.function(&ctx)).transpose())
}

/// Returns a section of the data as JSON.
fn data(name: String) -> Option<&'static str> {
    DATA.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// Returns the lengths of the grapheme clusters of a text in UTF-16 code units.
fn graphemes(text: Text<'_>) -> Result<Vec<u32>> {
    let text = text.to_string()?;
    let lengths = text.graphemes(true).map(|cluster| cluster.encode_utf16().count() as u32);
    Ok(lengths.collect())
}
