//! Files of other programs with some bytes changed: lengths and counts that lie, parts that stand twice or not at all.

use super::ooxml::read;
use super::shape::Shape;

/// A file to begin with: its name, which says its format, and its bytes.
type Seed = (&'static str, &'static [u8]);

macro_rules! seeds {
    ($($path:literal),* $(,)?) => { [$(($path, include_bytes!(concat!("../../../", $path)).as_slice())),*] };
}

/// One file at least for each reader, with the features of its format that lie deepest.
static SEEDS: [Seed; 40] = seeds![
    "plugins/reader-archive/tests/fixtures/aes.zip",
    "plugins/reader-archive/tests/fixtures/files.7z",
    "plugins/reader-archive/tests/fixtures/files.tar",
    "plugins/reader-archive/tests/fixtures/nested.zip",
    "plugins/reader-archive/tests/fixtures/secret.7z",
    "plugins/reader-archive/tests/fixtures/table.csv.gz",
    "plugins/reader-encrypted/tests/fixtures/locked.doc",
    "plugins/reader-encrypted/tests/fixtures/locked.xls",
    "plugins/reader-encrypted/tests/fixtures/nobody.xlsx",
    "plugins/reader-images/tests/fixtures/fax.tiff",
    "plugins/reader-images/tests/fixtures/mixed.pdf",
    "plugins/reader-images/tests/fixtures/page.webp",
    "plugins/reader-images/tests/fixtures/turned.jpg",
    "plugins/reader-mail/tests/files/box.mbox",
    "plugins/reader-mail/tests/files/clear.eml",
    "plugins/reader-mail/tests/files/flowed.eml",
    "plugins/reader-mail/tests/files/jp.eml",
    "plugins/reader-mail/tests/files/opaque.eml",
    "plugins/reader-mail/tests/files/sales.eml",
    "plugins/reader-office/tests/files/report.odt",
    "plugins/reader-office/tests/files/report.rtf",
    "plugins/reader-pdf/tests/files/aes-256.pdf",
    "plugins/reader-pdf/tests/files/lab-columns.pdf",
    "plugins/reader-pdf/tests/files/letters.pdf",
    "plugins/reader-pdf/tests/files/rc4-128.pdf",
    "plugins/reader-pdf/tests/files/scan.pdf",
    "plugins/reader-pdf/tests/files/weasy-styles.pdf",
    "plugins/reader-sheet/tests/files/sheetjs5.xls",
    "plugins/reader-sheet/tests/files/sheetjs8.xls",
    "plugins/reader-table/tests/files/codec-brotli.parquet",
    "plugins/reader-table/tests/files/pages-2.parquet",
    "plugins/reader-table/tests/files/types.parquet",
    "plugins/reader-web/tests/files/epub3.epub",
    "plugins/reader-web/tests/files/four.ipynb",
    "plugins/reader-web/tests/files/pandas.html",
    "tests/it/chinese/gbk.csv",
    "tests/it/chinese/libreoffice.doc",
    "tests/it/chinese/libreoffice.ods",
    "tests/it/chinese/python-pptx.pptx",
    "tests/it/fill/invoice.xlsx",
];

/// A damaged file is read into a document or refused; the host lives, and what is kept of it is bounded.
pub fn document(data: &[u8]) {
    let mut shape = Shape::new(data);
    let (path, seed) = SEEDS[shape.below(SEEDS.len())];
    let mut file = seed.to_vec();
    for _ in 0..=shape.below(6) {
        damage(&mut file, &mut shape);
    }
    read(path.rsplit('/').next().unwrap_or(path), file);
}

/// Changes a few bytes, a number of two, four or eight bytes, a number in digits, or a range of the file.
fn damage(file: &mut Vec<u8>, shape: &mut Shape<'_>) {
    const NUMBERS: [u64; 8] =
        [0, 1, 0x7F, 0xFF, 0x7FFF_FFFF, 0xFFFF_FFFF, 0x7FFF_FFFF_FFFF_FFFF, u64::MAX];
    const DIGITS: [&str; 8] =
        ["0", "-1", "1e9", "65536", "4294967295", "99999999999999999999", "", "("];
    let length = file.len();
    // Most formats have their tables at one of their ends.
    let place = |shape: &mut Shape<'_>| {
        let near = shape.below(2) << 8 | shape.below(256);
        match shape.below(4) {
            0 => near,
            1 => length.saturating_sub(1 + near),
            _ => (shape.below(256) << 16 | shape.below(256) << 8 | near) % length.max(1),
        }
    };
    let at = place(shape).min(length);
    match shape.below(6) {
        0 => {
            for byte in file.iter_mut().skip(at).take(1 + shape.below(4)) {
                *byte ^= 1 << shape.below(8);
            }
        }
        1 | 2 => {
            let number = NUMBERS[shape.below(NUMBERS.len())];
            let bytes = if shape.flip() { number.to_le_bytes() } else { number.to_be_bytes() };
            let width = [1, 2, 4, 8][shape.below(4)];
            for (place, byte) in file.iter_mut().skip(at).zip(bytes.into_iter().take(width)) {
                *place = byte;
            }
        }
        3 => {
            let Some(start) = file.iter().skip(at).position(u8::is_ascii_digit).map(|it| at + it)
            else {
                return;
            };
            let end = file.iter().skip(start).position(|byte| !byte.is_ascii_digit());
            let end = end.map_or(length, |it| start + it);
            file.splice(start..end, DIGITS[shape.below(DIGITS.len())].bytes());
        }
        4 => {
            let end = (at + (shape.below(4) << 8 | shape.below(256))).min(length);
            let part = file[at..end].to_vec();
            if shape.flip() {
                drop(file.drain(at..end));
            } else {
                let other = place(shape).min(file.len());
                file.splice(other..other, part);
            }
        }
        _ => {
            if shape.below(4) == 0 {
                file.truncate(at);
            }
        }
    }
}
