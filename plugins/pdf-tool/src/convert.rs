//! The document as a whole: protection, compression, repair.

use crate::crypt::Permissions;
use crate::error::{Result, invalid};
use crate::file::Pdf;
use crate::load;
use crate::object::{Object, Stream};
use crate::shrink::{Shrunk, shrink};
use crate::write::{Protection, SaveOptions, reachable};

/// Encrypts a document. Returns the file and warnings.
///
/// # Errors
///
/// `invalid-argument` - passwords are missing or the same. `unsupported` - the document is signed.
pub fn encrypt(
    pdf: &mut Pdf,
    user: &str,
    owner: &str,
    permissions: Permissions,
) -> Result<(Vec<u8>, Vec<String>)> {
    if user.is_empty() && owner.is_empty() {
        return invalid(
            "expected `user_password`, which opens the file, or `owner_password`, which allows all, or both",
        );
    }
    if user == owner {
        return invalid("expected two different passwords; the owner's allows all");
    }
    let limits = [
        permissions.print,
        permissions.modify,
        permissions.copy,
        permissions.annotate,
        permissions.fill,
        permissions.assemble,
    ];
    let mut warnings = pdf.repairs.clone();
    if owner.is_empty() && limits.contains(&false) {
        return invalid(
            "permissions need an `owner_password`; with the user's alone everything is allowed",
        );
    }
    if limits.contains(&false) {
        warnings
            .push("Permissions are a request to viewers; a program can ignore them.".to_owned());
    }
    if user.is_empty() {
        warnings.push(
            "The file opens without a password; only its permissions are protected.".to_owned(),
        );
    }
    pdf.open_signatures(false)?;
    if !pdf.denied().is_empty() {
        return crate::edit::forbidden(&pdf.denied());
    }
    let owner = if owner.is_empty() { user } else { owner };
    let protection = Protection { user: user.to_owned(), owner: owner.to_owned(), permissions };
    Ok((pdf.save(&SaveOptions { is_packed: true, protection: Some(protection) })?, warnings))
}

/// Removes the protection of a document.
///
/// # Errors
///
/// `invalid-argument` - it has none. `unsupported` - the password is not the owner's and the document limits its user.
pub fn decrypt(pdf: &mut Pdf) -> Result<(Vec<u8>, Vec<String>)> {
    if pdf.security.is_none() {
        return invalid("the document is not encrypted");
    }
    if !pdf.denied().is_empty() {
        return crate::edit::forbidden(&pdf.denied());
    }
    pdf.open_signatures(false)?;
    let warnings = pdf.repairs.clone();
    Ok((pdf.save(&SaveOptions { is_packed: true, protection: None })?, warnings))
}

/// Writes a document smaller: small objects packed, data deflated, objects that nothing refers to left out; pictures that
/// have more than so many pixels an inch are made smaller. Returns the file and warnings.
///
/// # Errors
///
/// `unsupported` - the document is signed. `invalid-argument` - the number of pixels is out of range.
pub fn compress(pdf: &mut Pdf, per_inch: Option<u32>) -> Result<(Vec<u8>, Vec<String>)> {
    pdf.open_signatures(false)?;
    let mut warnings = pdf.repairs.clone();
    let shrunk = per_inch.map(|it| shrink(pdf, it)).transpose()?;
    let numbers = reachable(pdf).sorted();
    let mut pictures = 0;
    for number in numbers {
        let Some(Object::Stream(stream)) = pdf.objects.get(&number) else { continue };
        let filters = pdf.filters(&stream.dict);
        let names: Vec<&[u8]> = filters.iter().map(|it| it.0.as_slice()).collect();
        let is_picture = names.iter().any(|it| {
            matches!(
                *it,
                b"DCTDecode"
                    | b"DCT"
                    | b"JPXDecode"
                    | b"CCITTFaxDecode"
                    | b"CCF"
                    | b"JBIG2Decode"
                    | b"Crypt"
            )
        });
        if is_picture {
            pictures += usize::from(!names.contains(&b"Crypt".as_slice()));
            continue;
        }
        // A predictor makes pictures small; without it they grow.
        let has_predictor =
            filters.iter().any(|it| it.1.get("Predictor").as_int().is_some_and(|it| it > 1));
        let raw = load::raw(stream);
        let Ok(decoded) = pdf.decode(stream) else { continue };
        if decoded.is_damaged || has_predictor {
            continue;
        }
        let packed = miniz_oxide::deflate::compress_to_vec_zlib(&decoded.bytes, 9);
        if packed.len() + 30 >= raw.len() {
            continue;
        }
        let mut new = Stream::new(stream.dict.clone(), packed);
        new.dict.set("Filter", Object::name("FlateDecode"));
        pdf.objects.insert(number, new.into());
    }
    match shrunk {
        Some(Shrunk { count, kept }) => {
            if count > 0 {
                warnings.push(format!("Pictures with fewer pixels than before: {count}."));
            }
            if kept > 0 {
                warnings.push(format!(
                    "Pictures with more pixels than wanted that stay, because of their kind or because they would not get \
                        smaller: {kept}."
                ));
            }
        }
        None if pictures > 0 => {
            warnings.push(format!(
                "Pictures are not made smaller: {pictures}; `compress-pictures` does that."
            ));
        }
        None => {}
    }
    Ok((
        pdf.save(&SaveOptions { is_packed: true, protection: None })?,
        keep_security(pdf, warnings),
    ))
}

fn keep_security(pdf: &Pdf, mut warnings: Vec<String>) -> Vec<String> {
    if pdf.security.is_some() {
        warnings.push(
            "The new file is not encrypted; encrypt it again with `encrypt` of `rewrite_pdf`."
                .to_owned(),
        );
    }
    warnings
}

/// Writes a damaged document anew. Returns the file and what was rebuilt.
///
/// # Errors
///
/// `unsupported` - the document is signed.
pub fn repair(pdf: &mut Pdf) -> Result<(Vec<u8>, Vec<String>)> {
    pdf.open_signatures(false)?;
    let mut warnings = pdf.repairs.clone();
    let mut lost = 0;
    for page in pdf.pages.clone() {
        match pdf.content(page) {
            Ok(_) => {}
            Err(_) => lost += 1,
        }
    }
    let streams = reachable(pdf).sorted();
    let mut cut = 0;
    for number in streams {
        let Some(Object::Stream(stream)) = pdf.objects.get(&number) else { continue };
        let Ok(decoded) = pdf.decode(stream) else { continue };
        if decoded.is_damaged && decoded.picture.is_none() {
            cut += 1;
            let new = Stream::deflated(stream.dict.clone(), &decoded.bytes);
            pdf.objects.insert(number, new.into());
        }
    }
    if cut > 0 {
        warnings
            .push(format!("Streams with damaged data: {cut}; what could be read of them is kept."));
    }
    if lost > 0 {
        warnings.push(format!("Pages whose content cannot be read: {lost}."));
    }
    if warnings.is_empty() {
        warnings.push("Nothing was damaged; the file is written anew.".to_owned());
    }
    Ok((pdf.save(&SaveOptions::default())?, keep_security(pdf, warnings)))
}
