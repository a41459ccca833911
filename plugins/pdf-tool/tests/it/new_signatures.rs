//! Documents that are signed here.

use crate::verifying::{NOW, certificate, key, root, sign as make, verified};
use crate::{book, has, open, words};
use mitt_signature::{Signer, SigningAlgorithm};
use pdf_tool::{
    Appearance, Edit, Error, NoTypesetter, Pdf, Permissions, Protection, SaveOptions, SignedFile,
    Signing, edit, sign,
};

fn signed(bytes: &[u8], signing: &Signing) -> Result<SignedFile, Error> {
    let own = key(2);
    let by_key = |_: SigningAlgorithm, message: &[u8]| Ok(make(&own, message));
    let chain = vec![certificate("Zhang Wei", &own, false)];
    let signer = Signer::new(chain, None, NOW, &by_key).unwrap();
    let pdf = Pdf::open(bytes.to_vec(), None)?;
    sign(pdf, signing, (&signer, "CN=Zhang Wei,O=Example"), NOW, &NoTypesetter)
}

fn refused(bytes: &[u8], signing: &Signing) -> String {
    signed(bytes, signing).unwrap_err().to_string()
}

fn plain() -> Vec<u8> {
    book(&[&words("agreed"), &words("more")], "", "", &[])
}

fn field(name: &str) -> Signing {
    Signing { field: Some(name.to_owned()), ..Signing::default() }
}

fn visible(page: usize, rect: [f64; 4]) -> Appearance {
    Appearance { page: Some(page), rect: Some(rect), ..Appearance::default() }
}

/// Makes a form with an empty field for a signature, `entries`, and what an earlier signature says.
fn form(entries: &str, earlier: &str) -> Vec<u8> {
    let more = [
        "<</Fields [9 0 R 10 0 R 11 0 R] /DA (/Helv 10 Tf 0 g)>>".to_owned(),
        format!("<</T (chief) /FT /Sig /Subtype /Widget /Rect [10 10 90 40] /P 4 0 R {entries}>>"),
        format!("<</T (first) /FT /Sig {earlier}>>"),
        "<</T (name) /FT /Tx /Subtype /Widget /Rect [10 60 90 80] /P 4 0 R>>".to_owned(),
    ];
    book(&[&words("x"), &words("y")], "/AcroForm 8 0 R", "/Annots [9 0 R]", &more)
}

#[test]
fn a_plain_document_gets_an_invisible_signature_that_verifies() {
    let bytes = plain();
    let signing = Signing {
        reason: Some("批准".to_owned()),
        location: Some("Bern".to_owned()),
        contact: Some("zw@example.com".to_owned()),
        ..Signing::default()
    };
    let made = signed(&bytes, &signing).unwrap();
    assert!(made.bytes.starts_with(&bytes) && made.warnings.is_empty(), "{:?}", made.warnings);
    assert_eq!((made.field.as_str(), made.page, made.total), ("Signature1", 1, 1));
    let all = verified(&made.bytes, &[root()], None).unwrap();
    let it = &all.signatures[0];
    assert_eq!((it.digest.as_str(), it.signature.as_str()), ("passed", "passed"));
    assert!(it.chain.starts_with("trusted") && it.coverage.starts_with("whole file"), "{it:?}");
    assert_eq!(it.subfilter.as_deref(), Some("ETSI.CAdES.detached"));
    assert_eq!(it.claimed_time.as_deref(), Some("2026-06-01 12:00:00 UTC"));
    assert_eq!((it.reason.as_deref(), it.name.as_deref()), (Some("批准"), Some("Zhang Wei")));
    // The root of the tests has the number of the signer, so it is left out here.
    let alone = verified(&made.bytes, &[], None).unwrap();
    assert!(alone.signatures[0].findings.is_empty(), "{:?}", alone.signatures[0].findings);
    let increment = &made.bytes[bytes.len()..];
    assert!(
        has(increment, "/SigFlags 3")
            && has(increment, "/ContactInfo")
            && !has(increment, "MittSig")
    );
}

#[test]
fn a_second_signature_keeps_the_first_intact() {
    let first = signed(&plain(), &Signing::default()).unwrap();
    let second = signed(
        &first.bytes,
        &Signing { appearance: Some(visible(2, [10.0, 10.0, 90.0, 40.0])), ..Signing::default() },
    )
    .unwrap();
    assert!(second.bytes.starts_with(&first.bytes));
    assert_eq!((second.field.as_str(), second.page, second.total), ("Signature2", 2, 2));
    let all = verified(&second.bytes, &[], None).unwrap();
    assert!(all.signatures.iter().all(|it| it.digest == "passed" && it.signature == "passed"));
    // A changed byte under both breaks both.
    let mut changed = second.bytes.clone();
    changed[20] ^= 1;
    if let Ok(all) = verified(&changed, &[], None) {
        assert!(all.signatures.iter().all(|it| it.digest != "passed"));
    }
}

#[test]
fn the_empty_field_of_a_form_is_signed_where_it_is() {
    let made = signed(&form("", ""), &field("chief")).unwrap();
    assert_eq!((made.field.as_str(), made.page), ("chief", 1));
    let pdf = open(&made.bytes);
    assert_eq!(pdf.fields().iter().filter(|it| it.name == "chief").count(), 1);
    assert!(has(&made.bytes, "/AP"), "an empty rectangle looks unsigned");
    let again = refused(&made.bytes, &field("chief"));
    assert!(again.contains("`chief` is signed already"), "{again}");
    assert!(refused(&form("", ""), &Signing::default()).contains("several empty signature fields"));
    assert!(refused(&form("/Ff 1", ""), &field("chief")).contains("read-only"));
    let moved = Signing { appearance: Some(visible(1, [0.0, 0.0, 50.0, 50.0])), ..field("chief") };
    assert!(refused(&form("", ""), &moved).contains("has its place"));
    let unseen = Signing { appearance: Some(Appearance::default()), ..field("first") };
    assert!(refused(&form("", ""), &unseen).contains("has no place"));
    let seeds = signed(&form("/SV <</Ff 1>>", ""), &field("chief")).unwrap();
    assert!(seeds.warnings[0].contains("seed values"), "{:?}", seeds.warnings);
    let lock = "/Lock <</Type /SigFieldLock /Action /Include /Fields [(name)]>>";
    let locked = signed(&form(lock, ""), &field("chief")).unwrap();
    assert!(has(&locked.bytes, "/TransformMethod /FieldMDP"));
}

#[test]
fn what_an_earlier_signature_forbids_is_refused() {
    let value = "/V <</Type /Sig /Filter /F /Contents <00> /ByteRange [0 1 2 3]";
    let level = |level: u8| {
        format!(
            "{value} /Reference [<</TransformMethod /DocMDP /TransformParams <</P {level}>>>>]>>"
        )
    };
    let bytes = form("", &level(1));
    assert!(refused(&bytes, &field("chief")).contains("no change is allowed"));
    let seen = Signing { appearance: Some(visible(1, [0.0, 0.0, 50.0, 50.0])), ..field("new") };
    for allowed in [2, 3] {
        let bytes = form("", &level(allowed));
        assert!(refused(&bytes, &seen).contains("must not change"));
        assert!(signed(&bytes, &field("chief")).is_ok() && signed(&bytes, &field("new")).is_ok());
    }
    let lock = "/Reference [<</TransformMethod /FieldMDP /TransformParams <</Action /Include /Fields [(chief)]>>>>]>>";
    let bytes = form("", &format!("{value} {lock}"));
    assert!(refused(&bytes, &field("chief")).contains("locked by the signature `first`"));
    assert!(signed(&bytes, &seen).is_ok());
}

#[test]
fn documents_that_are_not_signed_say_why() {
    let protection = Protection {
        user: String::new(),
        owner: "owner".to_owned(),
        permissions: Permissions::default(),
    };
    let options = SaveOptions { is_packed: false, protection: Some(protection) };
    let encrypted = open(&plain()).save(&options).unwrap();
    assert!(refused(&encrypted, &Signing::default()).contains("decrypt it with `rewrite_pdf`"));
    let mut damaged = plain();
    let at = damaged.windows(9).rposition(|it| it == b"startxref").unwrap();
    damaged.truncate(at);
    assert!(refused(&damaged, &Signing::default()).contains("repair it with `rewrite_pdf`"));
    let xfa = book(&[&words("x")], "/AcroForm <</Fields [] /XFA (x)>>", "", &[]);
    assert!(refused(&xfa, &Signing::default()).contains("XFA"));
    assert!(refused(&form("", ""), &field("name")).contains("`name` is no field for a signature"));
    assert!(refused(&plain(), &field("a.b")).contains("without `.`"));
    let long = Signing { reason: Some("x".repeat(501)), ..Signing::default() };
    assert!(refused(&plain(), &long).contains("`reason` of at most 500"));
    for (place, word) in [
        (visible(3, [0.0, 0.0, 50.0, 50.0]), "no page 3"),
        (visible(0, [0.0, 0.0, 50.0, 50.0]), "no page 0"),
        (visible(1, [0.0, 0.0, 2.0, 50.0]), "at least 5 points"),
        (visible(1, [0.0, 0.0, 500.0, 50.0]), "200 x 100 points"),
        (visible(1, [f64::NAN, 0.0, 50.0, 50.0]), "expected a `rect`"),
        (Appearance::default(), "expected a `rect`"),
        (
            Appearance { text: Some("x".repeat(1_001)), ..visible(1, [0.0, 0.0, 50.0, 50.0]) },
            "at most 1000 characters",
        ),
        (
            Appearance {
                picture: Some(("a.gif".to_owned(), b"GIF89a".to_vec())),
                ..visible(1, [0.0, 0.0, 50.0, 50.0])
            },
            "neither PNG nor JPEG",
        ),
    ] {
        let signing = Signing { appearance: Some(place), ..Signing::default() };
        let problem = refused(&plain(), &signing);
        assert!(problem.contains(word), "{word}: {problem}");
    }
    // A text of the document that stands for a signature here is not taken for one.
    let trap = format!("/MittSignatureByteRangeMittSignatureByteRangeMittSignature {}", 1);
    let page = book(&[&words("x")], "", &trap, &[]);
    assert!(refused(&page, &Signing::default()).contains("stand for a signature"));
}

#[test]
fn a_table_stream_and_an_increment_are_signed_too() {
    let packed = open(&plain()).save(&SaveOptions { is_packed: true, protection: None }).unwrap();
    let made = signed(&packed, &Signing::default()).unwrap();
    assert_eq!(verified(&made.bytes, &[], None).unwrap().total, 1);
    // A field of a signed form is filled, and it is signed again.
    let made = signed(&form("", ""), &field("chief")).unwrap();
    let mut pdf = open(&made.bytes);
    let files = |_: &str| Ok(Vec::new());
    let fill = Edit::RemoveAnnotations { pages: "all".to_owned() };
    edit(&mut pdf, &[fill], false, &files, &NoTypesetter).unwrap();
    let bytes = pdf.save(&SaveOptions::default()).unwrap();
    let again = signed(&bytes, &field("second")).unwrap();
    let all = verified(&again.bytes, &[], None).unwrap();
    assert!(all.total == 2 && all.signatures.iter().all(|it| it.digest == "passed"));
}

#[test]
fn the_text_is_filled_in_once_and_fits() {
    let text = "{name} {reason} {date} {x}";
    let place = Appearance { text: Some(text.to_owned()), ..visible(1, [0.0, 0.0, 200.0, 90.0]) };
    let signing = Signing {
        reason: Some("{date}".to_owned()),
        appearance: Some(place),
        ..Signing::default()
    };
    let made = signed(&plain(), &signing).unwrap();
    assert!(made.warnings.is_empty(), "{:?}", made.warnings);
    let small =
        Appearance { text: Some("word ".repeat(150)), ..visible(1, [0.0, 0.0, 20.0, 10.0]) };
    let made =
        signed(&plain(), &Signing { appearance: Some(small), ..Signing::default() }).unwrap();
    assert!(made.warnings[0].contains("too small"), "{:?}", made.warnings);
}
