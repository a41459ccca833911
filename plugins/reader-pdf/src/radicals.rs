//! Replaces radicals of Chinese characters in the text of a page.

use crate::misread::for_each_text;
use unpdf::Page;

/// Replaces each radical by the character that looks the same.
pub(crate) fn fold(page: &mut Page) {
    for_each_text(page, &mut |text| {
        if text.contains(mitt_radicals::is_radical) {
            *text = text.chars().map(mitt_radicals::fold).collect();
        }
    });
}
