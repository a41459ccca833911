//! Signs documents: a field, what it shows, and the signature as an increment, so that earlier ones stay intact.

mod appearance;
mod request;

use crate::draw::Typesetter;
use crate::error::{Error, Result, invalid, malformed, unsupported};
use crate::file::Pdf;
use crate::form::{Field, FieldKind};
use crate::object::{Dict, Object};
use crate::signed;
use crate::text::line;
use crate::verify::{Verified, signatures, verify_signatures};
use crate::write::SaveOptions;
use mitt_signature::{Signer, sign_increment, time_text};
use request::{common_name, has_place};

pub use request::{Appearance, Signing};

/// Longest reason, location, contact and name of a field, in characters.
const MAX_TEXT: usize = 500;
/// Stands for the contents until the file is written: a name of the same length.
const CONTENTS: &str = "MittSignatureContents";
/// Stands for the byte range: a name of the same length.
const RANGE: &str = "MittSignatureByteRangeMittSignatureByteRangeMittSignature";

/// A signed document.
#[derive(Clone, Debug)]
pub struct SignedFile {
    /// The file.
    pub bytes: Vec<u8>,
    /// Name of the field.
    pub field: String,
    /// Its page, from 1.
    pub page: usize,
    /// Number of signatures of the document, this one included.
    pub total: usize,
    /// What the user should know.
    pub warnings: Vec<String>,
}

/// Signs a document as PAdES B-B, and verifies the result. `subject` is that of the signer's certificate, `now` the time in
/// seconds since 1970.
///
/// # Errors
///
/// `invalid` - a value is out of range. `not-found` - there is no such page. `unsupported` - the document is encrypted, damaged,
/// or XFA; an earlier signature forbids it; the field is signed already or no signature; the signer refuses. `malformed` -
/// the result does not verify, so that it is not to be delivered.
pub fn sign(
    mut pdf: Pdf,
    signing: &Signing,
    (signer, subject): (&Signer<'_>, &str),
    now: i64,
    typesetter: &dyn Typesetter,
) -> Result<SignedFile> {
    check(&pdf, signing)?;
    let old = source(&pdf).to_vec();
    let before = verify_signatures(&old, signatures(&pdf), &[], None)?;
    let mut warnings = pdf.repairs.clone();
    let existing = existing(&pdf, signing, &mut warnings)?;
    let name = match &existing {
        Some(field) => field.name.clone(),
        None => signing.field.clone().unwrap_or_else(|| free_name(&pdf)),
    };
    let is_seen = match &existing {
        Some(field) => has_place(field),
        None => signing.appearance.is_some(),
    };
    signed::check_signing(&pdf, &name, existing.is_none() && is_seen)?;
    let place = appearance::place(&pdf, signing, existing.as_ref())?;
    pdf.begin_increment()?;
    let widget = widget(&mut pdf, existing.as_ref(), &name, &place);
    if is_seen {
        let facts = appearance::Facts { signing, subject, now };
        warnings.extend(appearance::draw(&mut pdf, widget, &place, &facts, typesetter)?);
    }
    let number = existing.as_ref().map_or(widget, |it| it.number);
    let value = dictionary(&pdf, signing, subject, now, number, signer.contents_bytes());
    let value = pdf.add(value);
    if let Some(dict) = pdf.object_mut(number) {
        dict.set("V", Object::Ref(value));
    }
    let placeholder = pdf.save(&SaveOptions::default())?;
    drop(pdf);
    let bytes = signed_bytes(placeholder, old.len(), signer)?;
    let total = check_result(&bytes, &old, &name, &before)?;
    Ok(SignedFile { bytes, field: name, page: place.page + 1, total, warnings })
}

fn source(pdf: &Pdf) -> &[u8] {
    pdf.origin.source.as_ref().map_or(&[][..], |it| it.file.as_slice())
}

/// Refuses documents to which no signature is appended, and texts that are too long.
fn check(pdf: &Pdf, signing: &Signing) -> Result<()> {
    if pdf.is_encrypted() {
        return unsupported(
            "the document is encrypted, and signing is not done there; decrypt it with `rewrite_pdf`, then sign it",
        );
    }
    if pdf.origin.source.is_none() {
        return unsupported(
            "the table of the file is damaged, so that nothing can be appended to it; repair it with `rewrite_pdf`, then \
             sign it",
        );
    }
    if pdf.has_xfa() {
        return unsupported(
            "the form is of the kind XFA, which is not signed here; ask for a version without XFA",
        );
    }
    for (name, text) in [
        ("field", &signing.field),
        ("reason", &signing.reason),
        ("location", &signing.location),
        ("contact", &signing.contact),
    ] {
        let count = text.as_ref().map_or(0, |it| it.chars().count());
        if count > MAX_TEXT {
            return invalid(format!(
                "expected a `{name}` of at most {MAX_TEXT} characters, got {count}"
            ));
        }
    }
    Ok(())
}

fn is_signed(pdf: &Pdf, field: &Field) -> bool {
    !pdf.inherited(field.number, "V").is_null()
}

/// Returns the field of the document that is signed; `None` if a new one is made.
fn existing(pdf: &Pdf, signing: &Signing, warnings: &mut Vec<String>) -> Result<Option<Field>> {
    let fields = pdf.fields();
    let found = match &signing.field {
        Some(name) => fields.iter().find(|it| it.name == *name),
        // Where the user asks for a place, the place decides.
        None if signing.appearance.as_ref().is_some_and(|it| it.rect.is_some()) => None,
        None => {
            let mut empty =
                fields.iter().filter(|it| it.kind == FieldKind::Signature && !is_signed(pdf, it));
            let first = empty.next();
            if let (Some(one), Some(other)) = (first, empty.next()) {
                return invalid(format!(
                    "the document has several empty signature fields (`{}`, `{}` …); name one as `field`",
                    line(&one.name, 100),
                    line(&other.name, 100)
                ));
            }
            first
        }
    };
    let Some(field) = found else {
        let name = signing.field.as_deref().unwrap_or("Signature");
        // A dot stands between the names of a field and its parent; a field cannot be the parent of another one.
        if name.contains('.') || name.trim().is_empty() {
            return invalid(format!(
                "expected a name of a new field without `.`, got `{}`",
                line(name, 100)
            ));
        }
        return Ok(None);
    };
    let name = line(&field.name, 100);
    if field.kind != FieldKind::Signature {
        return unsupported(format!("the field `{name}` is no field for a signature"));
    }
    if is_signed(pdf, field) {
        return unsupported(format!(
            "the field `{name}` is signed already; name another one as `field`, or a new one"
        ));
    }
    if field.is_read_only {
        return unsupported(format!("the field `{name}` is read-only"));
    }
    if !pdf.inherited(field.number, "SV").is_null() {
        warnings.push(format!(
            "The field `{name}` asks for properties of its signature (seed values), which are not followed."
        ));
    }
    Ok(Some(field.clone()))
}

/// Returns a name that no field has.
fn free_name(pdf: &Pdf) -> String {
    let fields = pdf.fields();
    let is_free = |name: &String| fields.iter().all(|it| it.name != *name);
    (1..).map(|it| format!("Signature{it}")).find(is_free).unwrap_or_default()
}

/// Returns the widget of the field, which is the field itself if it is new.
fn widget(
    pdf: &mut Pdf,
    existing: Option<&Field>,
    name: &str,
    place: &appearance::PlaceOnPage,
) -> u32 {
    if let Some(field) = existing {
        set_flags(pdf, None);
        return field.widgets.first().copied().unwrap_or(field.number);
    }
    let page = pdf.pages[place.page];
    let field = Dict::new()
        .with("Type", Object::name("Annot"))
        .with("Subtype", Object::name("Widget"))
        .with("FT", Object::name("Sig"))
        .with("T", Object::text(name))
        .with("Rect", Object::numbers(&place.rect))
        // Printed, and not moved.
        .with("F", 132_i64)
        .with("P", Object::Ref(page));
    let number = pdf.add(field);
    let mut annotations = pdf.annotations(page);
    annotations.push(number);
    if let Some(dict) = pdf.object_mut(page) {
        dict.set("Annots", annotations.into_iter().map(Object::Ref).collect::<Vec<_>>());
    }
    set_flags(pdf, Some(number));
    number
}

/// Says in the form that the document is signed, and adds a field to it.
fn set_flags(pdf: &mut Pdf, new: Option<u32>) {
    let form = match pdf.form() {
        Some((number, _)) => number,
        None => {
            let number = pdf.add(Dict::new());
            pdf.catalog_mut().set("AcroForm", Object::Ref(number));
            number
        }
    };
    let fields = pdf.object(form).map(|it| pdf.array(it, "Fields").to_vec()).unwrap_or_default();
    if let Some(dict) = pdf.object_mut(form) {
        dict.set("SigFlags", 3_i64);
        if let Some(new) = new {
            let all: Vec<Object> = fields.into_iter().chain([Object::Ref(new)]).collect();
            dict.set("Fields", all);
        }
    }
}

/// Returns the signature dictionary with names in the place of what is not known yet.
fn dictionary(
    pdf: &Pdf,
    signing: &Signing,
    subject: &str,
    now: i64,
    field: u32,
    contents: usize,
) -> Dict {
    let digits: String = time_text(now).chars().filter(char::is_ascii_digit).collect();
    // The name has a slash, the string two brackets.
    let contents = format!("{CONTENTS:A<width$}", width = 2 * contents + 1);
    let mut dict = Dict::new()
        .with("Type", Object::name("Sig"))
        .with("Filter", Object::name("Adobe.PPKLite"))
        .with("SubFilter", Object::name("ETSI.CAdES.detached"))
        .with("M", Object::text(&format!("D:{digits}Z")))
        .with("Name", Object::text(&common_name(subject)));
    for (key, text) in [
        ("Reason", &signing.reason),
        ("Location", &signing.location),
        ("ContactInfo", &signing.contact),
    ] {
        if let Some(text) = text {
            dict.set(key, Object::text(text));
        }
    }
    // The signature has to repeat which fields it locks.
    if let Object::Dict(lock) = pdf.inherited(field, "Lock") {
        let mut parameters = Dict::new()
            .with("Type", Object::name("TransformParams"))
            .with("V", Object::name("1.2"))
            .with("Action", pdf.value(&lock, "Action").clone());
        if lock.has("Fields") {
            parameters.set("Fields", pdf.value(&lock, "Fields").clone());
        }
        let reference = Dict::new()
            .with("Type", Object::name("SigRef"))
            .with("TransformMethod", Object::name("FieldMDP"))
            .with("TransformParams", parameters);
        dict.set("Reference", vec![Object::Dict(reference)]);
    }
    dict.with("ByteRange", Object::name(RANGE)).with("Contents", Object::name(&contents))
}

/// Returns where `text` is in the part of a file that was appended; `None` unless it is there once.
fn only_place(file: &[u8], from: usize, text: &str) -> Option<usize> {
    let mut places =
        file.get(from..)?.windows(text.len()).enumerate().filter(|(_, it)| *it == text.as_bytes());
    let (first, _) = places.next()?;
    places.next().is_none().then_some(from + first)
}

/// Replaces the names, and signs.
fn signed_bytes(mut file: Vec<u8>, appended: usize, signer: &Signer<'_>) -> Result<Vec<u8>> {
    let unclear =
        || Error::Malformed("the document has texts that stand for a signature here".to_owned());
    let range = only_place(&file, appended, &format!("/{RANGE}")).ok_or_else(unclear)?;
    let start = only_place(&file, appended, &format!("/{CONTENTS}")).ok_or_else(unclear)?;
    let end = start + 2 * signer.contents_bytes() + 2;
    let byte_range = [0, start, end, file.len().saturating_sub(end)];
    let numbers = byte_range.map(|it| it.to_string()).join(" ");
    let width = RANGE.len() - 1;
    let text = format!("[{numbers:<width$}]");
    let (Some(place), true) =
        (file.get_mut(range..=range + RANGE.len()), text.len() == RANGE.len() + 1)
    else {
        return Err(unclear());
    };
    place.copy_from_slice(text.as_bytes());
    let Some(place) = file.get_mut(start..end) else { return Err(unclear()) };
    place.fill(b'0');
    place[0] = b'<';
    let last = place.len() - 1;
    place[last] = b'>';
    sign_increment(file, byte_range, signer).map_err(|error| Error::Unsupported(error.to_string()))
}

/// Verifies what was made: the new signature holds and covers the file, and those before it say what they said. Returns how
/// many there are.
fn check_result(bytes: &[u8], old: &[u8], field: &str, before: &Verified) -> Result<usize> {
    let wrong = |what: &str| malformed(format!("{what}, so that the signed file is not delivered"));
    if !bytes.starts_with(old) {
        return wrong("the bytes of the document changed");
    }
    let pdf = Pdf::open(bytes.to_vec(), None)?;
    let after = verify_signatures(bytes, signatures(&pdf), &[], None)?;
    // Beyond the most that are checked, the last ones are not among the results.
    let new = after.signatures.iter().find(|it| it.field == line(field, 300));
    let holds = new.is_some_and(|it| {
        it.digest == "passed" && it.signature == "passed" && it.coverage.starts_with("whole file")
    });
    if !holds && after.total <= after.signatures.len() {
        return wrong("the new signature does not hold");
    }
    for it in &before.signatures {
        let same = after.signatures.iter().any(|new| {
            new.field == it.field && new.digest == it.digest && new.signature == it.signature
        });
        if !same && after.total <= after.signatures.len() {
            return wrong(&format!(
                "the signature `{}` would not hold any more",
                line(&it.field, 100)
            ));
        }
    }
    Ok(after.total)
}
