use crate::{book, has, open, plain, stream, words};
use pdf_tool::{Error, Pdf, Permissions, SaveOptions, compress, decrypt, encrypt, repair};

fn secret() -> Vec<u8> {
    book(&[&words("secret text")], "", "", &[])
}

#[test]
fn an_encrypted_file_opens_with_either_password_and_no_other() {
    let limits = Permissions { copy: false, ..Permissions::default() };
    let (bytes, _) = encrypt(&mut open(&secret()), "user", "owner", limits).unwrap();
    assert!(!has(&plain(&bytes), "secret text"));
    for password in [None, Some("wrong")] {
        assert!(
            matches!(Pdf::open(bytes.clone(), password), Err(Error::Unsupported(text)) if text.contains("password"))
        );
    }
    let mut pdf = Pdf::open(bytes.clone(), Some("user")).unwrap();
    assert!(pdf.notes()[0].contains("Denied: copy"), "{:?}", pdf.notes());
    assert!(matches!(decrypt(&mut pdf), Err(Error::Unsupported(text)) if text.contains("copy")));
    let mut pdf = Pdf::open(bytes, Some("owner")).unwrap();
    let (bytes, _) = decrypt(&mut pdf).unwrap();
    assert!(has(&plain(&bytes), "secret text"));
}

#[test]
fn permissions_need_a_password_of_the_owner() {
    let limits = Permissions { print: false, ..Permissions::default() };
    assert!(encrypt(&mut open(&secret()), "user", "", limits).is_err());
    assert!(encrypt(&mut open(&secret()), "", "", Permissions::default()).is_err());
    assert!(encrypt(&mut open(&secret()), "a", "a", Permissions::default()).is_err());
    assert!(encrypt(&mut open(&secret()), &"a".repeat(128), "", Permissions::default()).is_err());
}

#[test]
fn a_file_that_is_not_encrypted_is_not_decrypted() {
    assert!(matches!(decrypt(&mut open(&secret())), Err(Error::Invalid(_))));
}

#[test]
fn compressing_packs_objects_and_deflates_data() {
    let long = words(&"long text ".repeat(500));
    let bytes = book(&[&long], "", "", &[format!("<</Lost ({})>>", "x".repeat(5_000))]);
    let (small, _) = compress(&mut open(&bytes), None).unwrap();
    assert!(small.len() < 1_500, "{}", small.len());
    assert!(has(&plain(&small), "long text") && has(&small, "/ObjStm"));
    assert_eq!(open(&small).page_count(), 1);
}

#[test]
fn a_damaged_file_is_written_anew_with_what_was_rebuilt() {
    let mut bytes = secret();
    let at = bytes.windows(9).rposition(|it| it == b"startxref").unwrap();
    bytes.truncate(at - 60);
    let (fixed, said) = repair(&mut open(&bytes)).unwrap();
    assert!(said[0].contains("built anew"), "{said:?}");
    let pdf = open(&fixed);
    assert!(pdf.repairs.is_empty() && pdf.page_count() == 1);
}

#[test]
fn a_file_whose_pages_are_lost_gets_them_back() {
    let bytes = String::from_utf8(secret()).unwrap().replace("/Kids [4 0 R]", "/Kids [99 0 R]");
    let mut pdf = open(bytes.as_bytes());
    assert!(
        pdf.repairs.iter().any(|it| it.contains("pages found by a search: 1.")),
        "{:?}",
        pdf.repairs
    );
    let bytes = pdf.save(&SaveOptions::default()).unwrap();
    assert_eq!(open(&bytes).page_count(), 1);
}

#[test]
fn a_file_without_its_beginning_is_read() {
    let bytes = secret();
    let mut pdf = open(&bytes[9..]);
    assert!(!pdf.repairs.is_empty());
    let bytes = pdf.save(&SaveOptions::default()).unwrap();
    assert!(bytes.starts_with(b"%PDF-1."));
}

#[test]
fn pictures_with_more_pixels_than_are_seen_get_smaller() {
    // 64 × 64 pixels, the left half black, the right half white, with a little noise, shown on 16 × 16 points: 288 an inch.
    let row: String = (0..64).map(|it| if it < 32 { "00" } else { "FF" }).collect();
    let hex: String =
        (0..64).map(|at| if at == 0 { format!("10{}", &row[2..]) } else { row.clone() }).collect();
    let dict = "/Subtype /Image /Width 64 /Height 64 /BitsPerComponent 8";
    let picture = |space: &str| stream(&format!("{dict} {space} /Filter /ASCIIHexDecode"), &hex);
    let table = "/ColorSpace [/Indexed /DeviceGray 255 <00>]";
    for (space, is_known) in [
        ("/ColorSpace /DeviceGray", true),
        (table, false),
        ("/ColorSpace /DeviceGray /Mask [0 0]", false),
    ] {
        let more = ["<</XObject <</Im 7 0 R>>>>".to_owned(), picture(space)];
        let bytes = book(&["q 16 0 0 16 0 0 cm /Im Do Q"], "", "/Resources 6 0 R", &more);
        let (small, warnings) = compress(&mut open(&bytes), Some(72)).unwrap();
        assert_eq!(has(&small, "/Width 16"), is_known, "{space}");
        let word = if is_known { "fewer pixels than before: 1" } else { "that stay" };
        assert!(warnings.iter().any(|it| it.contains(word)), "{space}: {warnings:?}");
        if is_known {
            let mut line = vec![0; 8];
            line.extend([255; 8]);
            let content = plain(&small);
            assert!(content.windows(16).any(|it| it == line), "the halves stay");
        }
        // What is seen as sharp as it is stays.
        let (same, _) = compress(&mut open(&bytes), Some(288)).unwrap();
        assert!(has(&same, "/Width 64"));
    }
    assert!(compress(&mut open(&secret()), Some(5)).is_err());
}

#[test]
fn a_document_says_whether_its_objects_are_in_object_streams() {
    let mut plain = open(&book(&[&words("one")], "", "", &[]));
    assert!(!plain.is_packed());
    let packed = plain.save(&SaveOptions { is_packed: true, protection: None }).unwrap();
    assert!(open(&packed).is_packed());
}
