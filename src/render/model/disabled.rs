//! What this build can do: the only place that says what a build without a feature refuses, and how.
//!
//! Each function of the interface is written once, in every build, and passes its arguments on with `built!`.

use mitt_base::{Error, ErrorKind};

/// Calls a function that only builds with a feature have. The first word names a row of this table: the feature, then what a
/// build without it cannot do. Where a build without the feature has an answer, the caller gives the condition and the answer.
macro_rules! built {
    (chart_png: $($call:tt)+) => { built!(@refusing "png", "cannot draw pictures of charts", $($call)+) };
    (compact: $($call:tt)+) => { built!(@refusing "pdf-compact", "cannot write PDF files without Typst", $($call)+) };
    (docx: $($call:tt)+) => { built!(@refusing "docx", "cannot write Word files", $($call)+) };
    (fill: $($call:tt)+) => { built!(@refusing "fill", "cannot fill workbooks", $($call)+) };
    (pptx: $($call:tt)+) => { built!(@refusing "pptx", "cannot write slides", $($call)+) };
    (preview: $($call:tt)+) => { built!(@refusing "preview", "cannot draw a preview of pages", $($call)+) };
    (texts: $($call:tt)+) => { built!(@refusing "pdf", "cannot set text for PDF files", $($call)+) };
    (themes: $($call:tt)+) => { built!(@refusing "theme-files", "cannot read files of themes", $($call)+) };
    (typst: $($call:tt)+) => { built!(@refusing "pdf", "cannot write PDF files with Typst", $($call)+) };
    (xlsx: $($call:tt)+) => { built!(@refusing "xlsx", "cannot write Excel files", $($call)+) };
    // Both typesetters have the fonts.
    (fonts: $($call:tt)+) => {
        built!(
            if any(feature = "pdf", feature = "pdf-compact"),
            else Err($crate::model::disabled::refusal("pdf", "has no fonts")),
            $($call)+
        )
    };
    (@refusing $feature:tt, $cannot:literal, $($call:tt)+) => {
        built!(
            if feature = $feature,
            else Err($crate::model::disabled::refusal($feature, $cannot)),
            $($call)+
        )
    };
    (if $when:meta, else $answer:expr, $($name:ident)::+($($argument:expr),* $(,)?)) => {{
        #[cfg($when)]
        let made = Some($($name)::+($($argument),*));
        #[cfg(not($when))]
        let made = {
            let _ = ($($argument,)*);
            None
        };
        made.unwrap_or_else(|| $answer)
    }};
}

pub(crate) use built;

/// Returns the error of a build that lacks a feature; `cannot` follows "this build of mitt".
#[cold]
pub(crate) fn refusal(feature: &'static str, cannot: &str) -> Error {
    let message = format!("this build of mitt {cannot} (feature `{feature}`)");
    Error::new(ErrorKind::Disabled(feature), message)
}
