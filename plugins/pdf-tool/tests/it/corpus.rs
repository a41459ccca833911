//! Files of others, which are not part of the repository. Without them the test does nothing.

use pdf_tool::{Pdf, SaveOptions};
use std::path::Path;

#[test]
fn files_of_others_open_again_with_the_same_pages() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora/pdfjs");
    let Ok(files) = std::fs::read_dir(folder) else { return };
    let mut count = 0;
    for file in files.flatten().filter(|it| it.path().extension().is_some_and(|it| it == "pdf")) {
        let Ok(mut pdf) = Pdf::open(std::fs::read(file.path()).unwrap(), None) else { continue };
        let Ok(bytes) = pdf.save(&SaveOptions { is_packed: true, protection: None }) else {
            continue;
        };
        let again = Pdf::open(bytes, None)
            .unwrap_or_else(|error| panic!("{}: {error}", file.path().display()));
        assert_eq!(again.page_count(), pdf.page_count(), "{}", file.path().display());
        assert!(again.repairs.is_empty(), "{}: {:?}", file.path().display(), again.repairs);
        count += 1;
    }
    assert!(count > 700, "{count}");
}
