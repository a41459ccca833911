//! Pictures that a call delivered, as content of its result: a client shows them in the conversation, where a link would only be
//! a name. Of bounded size, as some clients put all of it before a model.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmcp::model::ContentBlock;

use mitt::Artifact;
use mitt_base::Result;

/// What is shown. Other kinds of pictures are refused by models, or can run scripts.
const MEDIA_TYPE: &str = "image/png";

/// Pictures of one result.
const MAX_PICTURES: usize = 4;

/// Bytes of one picture, and of all of a result. A chart has 50 to 150 kB.
const MAX_BYTES: u64 = 1024 * 1024;
const MAX_ALL_BYTES: u64 = 2 * MAX_BYTES;

/// The names of those that are shown of the files of a call; the others are files like any other.
pub(super) fn of(artifacts: &[Artifact]) -> Vec<String> {
    let mut left = MAX_ALL_BYTES;
    let fits = |artifact: &&Artifact| {
        let is_shown = artifact.media_type == MEDIA_TYPE && artifact.size <= MAX_BYTES.min(left);
        if is_shown {
            left -= artifact.size;
        }
        is_shown
    };
    artifacts.iter().filter(fits).take(MAX_PICTURES).map(|artifact| artifact.name.clone()).collect()
}

/// Their content. One that was replaced or taken away meanwhile is not shown: its link says so.
pub(super) fn shown(
    names: &[String],
    read: impl Fn(&str) -> Result<Vec<u8>>,
) -> impl Iterator<Item = ContentBlock> {
    let content = move |name: &String| {
        let bytes = read(name).ok().filter(|bytes| bytes.len() as u64 <= MAX_BYTES)?;
        Some(ContentBlock::image(STANDARD.encode(bytes), MEDIA_TYPE))
    };
    names.iter().filter_map(content).collect::<Vec<_>>().into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;
    use mitt_base::Error;

    fn artifact(name: &str, media_type: &str, size: u64) -> Artifact {
        Artifact { name: name.into(), media_type: media_type.into(), size, ..Artifact::default() }
    }

    #[test]
    fn pictures_are_shown_within_bounds() {
        let png = |name: &str, size: u64| artifact(name, MEDIA_TYPE, size);
        let all = [
            png("large.png", MAX_BYTES + 1),
            artifact("a.svg", "image/svg+xml", 10),
            artifact("a.pdf", "application/pdf", 10),
            png("a.png", MAX_BYTES),
            png("b.png", MAX_BYTES - 10),
            png("c.png", 11),
            png("d.png", 5),
            png("e.png", 5),
            png("f.png", 0),
        ];
        assert_eq!(of(&all), ["a.png", "b.png", "d.png", "e.png"]);
    }

    #[test]
    fn what_is_gone_is_not_shown() {
        let read = |name: &str| match name {
            "a.png" => Ok(vec![1, 2, 3]),
            "grown.png" => Ok(vec![0; 1024 * 1024 + 1]),
            _ => Err(Error::input("gone")),
        };
        let names = ["a.png", "b.png", "grown.png"].map(str::to_owned);
        let shown: Vec<_> = shown(&names, read).collect();
        assert_eq!(shown.len(), 1);
        let image = shown[0].as_image().unwrap();
        assert_eq!((&*image.data, &*image.mime_type), ("AQID", MEDIA_TYPE));
    }
}
