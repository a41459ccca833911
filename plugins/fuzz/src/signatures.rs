//! Damaged signatures: the structure of CMS and of certificates, and the byte ranges around it.

use crate::bounded;
use crate::damage::{Choices, damaged};
use mitt_signature::{
    Certificate, SignatureInput, VerifyOptions, find_signatures, read_trusted, verify,
};
use std::sync::LazyLock;

/// Signed by openssl, see `seeds/make.py`.
static SIGNED: &[u8] = include_bytes!("../seeds/signed.pdf");
static AUTHORITY: &[u8] = include_bytes!("../seeds/authority.pem");

/// Tags and lengths of DER that lie.
const DER: [&str; 8] = [
    "\u{0}",
    "0\u{1}",
    "0\u{7f}",
    "\u{6}\u{1}",
    "\u{2}\u{1}\u{0}",
    "1\u{0}",
    "\u{4}\u{0}",
    "\u{5}\u{0}",
];

/// A damaged signature is reported on and never valid; damaged certificates are read or refused.
pub fn signature(data: &[u8]) {
    static INPUTS: LazyLock<Vec<SignatureInput>> = LazyLock::new(|| find_signatures(SIGNED));
    static TRUSTED: LazyLock<Vec<Certificate>> =
        LazyLock::new(|| read_trusted(&[AUTHORITY]).unwrap_or_else(|it| panic!("{it}")));
    let mut choices = Choices(data);
    let options = VerifyOptions { trusted: &TRUSTED, now: 1_790_000_000 };
    match choices.below(4) {
        0 => {
            let bytes = damaged(
                SIGNED,
                &mut choices,
                &["/ByteRange [0 9 9 9]", "/Contents <30>", " obj\n"],
            );
            for input in find_signatures(&bytes) {
                drop(verify(&bytes, &input, &options));
            }
        }
        1 => {
            let file = damaged(AUTHORITY, &mut choices, &["-----BEGIN CERTIFICATE-----\n", "="]);
            if let Err(error) = read_trusted(&[&file]) {
                bounded(&error);
            }
        }
        _ => {
            let mut input = INPUTS[choices.below(INPUTS.len())].clone();
            input.contents = damaged(&input.contents, &mut choices, &DER);
            drop(verify(SIGNED, &input, &options));
        }
    }
}
