//! Pictures in Word files and slides: the logo of the theme, and their types.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::shared::picture::Format;
use crate::{Pictures, Theme};

/// Address of a theme's logo among the pictures. It begins with a control character, so no text can refer to it.
pub(crate) const LOGO: &str = "\u{1}logo";

/// Returns the pictures of a document together with the logo of its theme.
pub(crate) fn with_logo<'a>(pictures: &'a Pictures, theme: &Theme) -> Cow<'a, Pictures> {
    match &theme.logo {
        None => Cow::Borrowed(pictures),
        Some(logo) => {
            let mut all = pictures.clone();
            all.insert(LOGO, logo.bytes.clone());
            Cow::Owned(all)
        }
    }
}

/// Returns the media types of pictures, for the list of content types.
pub(crate) fn picture_kinds(formats: impl Iterator<Item = Format>) -> String {
    let formats: BTreeSet<_> = formats.collect();
    let kind = |format: Format| {
        let (extension, kind) = (format.extension(), format.media_type());
        format!("<Default Extension=\"{extension}\" ContentType=\"{kind}\"/>")
    };
    formats.into_iter().map(kind).collect()
}
