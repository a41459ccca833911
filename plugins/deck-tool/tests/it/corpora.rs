//! Presentations of other projects, if they are beside this one: reading and saving keeps their bytes, and an edit
//! changes one shape.

#[path = "../../../reader-kit/tests/support/corpora.rs"]
mod others;

use deck_tool::{Deck, Edit, Error, ReadOptions, edit, read};
use others::{corpora, files};

#[test]
fn foreign_presentations_keep_their_bytes() {
    let Some(folder) = corpora() else { return };
    let mut paths = Vec::new();
    files(&folder, &mut paths);
    let (mut same, mut edited, mut refused) = (0, 0, 0);
    for path in paths {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if !name.ends_with(".pptx") && !name.ends_with(".potx") {
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        let options = ReadOptions { from: 1, limit: 5_000, has_layouts: true };
        let opened =
            Deck::open(bytes.clone()).and_then(|deck| Ok((read(&deck, &options)?, deck.save()?)));
        let (info, saved) = match opened {
            Ok(opened) => opened,
            Err(_) => {
                refused += 1;
                println!("refused: {name}");
                continue;
            }
        };
        assert!(saved == bytes, "{name}");
        same += 1;
        let texts = || info.slides.iter().flat_map(|it| &it.shapes).filter(|it| it.text.is_some());
        let Some(shape) = texts().find(|it| it.anchor.contains('-')) else { continue };
        let edits = [Edit::SetText {
            shape: shape.anchor.clone(),
            expected: None,
            text: "Changed".to_owned(),
        }];
        let no_files = |_: &str| Err(Error::NotFound(String::new()));
        let done = edit(bytes, &edits, &no_files).unwrap_or_else(|error| panic!("{name}: {error}"));
        let after = read(&Deck::open(done.bytes).unwrap(), &options).unwrap();
        let mut wanted = info.clone();
        for (slide, other) in wanted.slides.iter_mut().zip(&after.slides) {
            for (shape, other) in slide.shapes.iter_mut().zip(&other.shapes) {
                if edits[0]
                    == (Edit::SetText {
                        shape: shape.anchor.clone(),
                        expected: None,
                        text: "Changed".to_owned(),
                    })
                {
                    shape.text = Some("Changed".to_owned());
                    shape.anchor.clone_from(&other.anchor);
                    // A shape that grows with its text has another height.
                    shape.place.clone_from(&other.place);
                }
            }
        }
        assert!(wanted == after, "{name}");
        edited += 1;
    }
    println!("same {same}, edited {edited}, refused {refused}");
    assert!(same >= 89 && edited >= 70 && refused <= 4);
}
