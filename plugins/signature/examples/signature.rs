//! Signs and checks PDF files, to compare this crate with other programs.
//!
//! ```text
//! signature NOW verify FILE [TRUSTED]...
//! signature NOW sign KEYFILE PASSWORD ALGORITHM OUT [SIGNED]
//! ```
//!
//! `NOW` is the date in seconds since 1970, as `date +%s` prints it. The algorithm is `default`, `pss`, or
//! `sha512`. With `SIGNED`, a file that this example made before, a second signature is added.

use mitt_signature::{
    Digest, KeyFile, Signer, SigningAlgorithm, VerifyOptions, find_signatures, read_trusted,
    sign_increment, verify,
};

#[path = "../tests/it/pdf.rs"]
mod pdf;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (now, arguments) =
        arguments.split_first().ok_or("expected the date in seconds since 1970")?;
    let now: i64 = now.parse()?;
    match arguments {
        ["verify", file, trusted @ ..] => {
            let pdf = std::fs::read(file)?;
            let trusted = trusted.iter().map(std::fs::read).collect::<Result<Vec<_>, _>>()?;
            let trusted: Vec<&[u8]> = trusted.iter().map(Vec::as_slice).collect();
            let trusted = read_trusted(&trusted)?;
            for signature in find_signatures(&pdf) {
                let report = verify(&pdf, &signature, &VerifyOptions { trusted: &trusted, now });
                println!("{report:#?}\nSUMMARY {}", report.summary());
            }
        }
        ["sign", key, password, algorithm, out, signed @ ..] => {
            let password = (!password.is_empty()).then_some(*password);
            let key = KeyFile::load(&std::fs::read(key)?, password, &[])?;
            let algorithm = match *algorithm {
                "pss" => Some(SigningAlgorithm::RsaPss(Digest::Sha256)),
                "sha512" => Some(SigningAlgorithm::RsaPkcs1(Digest::Sha512)),
                _ => None,
            };
            let sign = |algorithm, message: &[u8]| key.sign(algorithm, message);
            let signer = Signer::new(key.certificates().to_vec(), algorithm, now, &sign)?;
            let room = signer.contents_bytes() + 10;
            let place = match signed.first() {
                Some(first) => {
                    pdf::second_placeholder(&std::fs::read(first)?, "ETSI.CAdES.detached", room)
                }
                None => pdf::placeholder("ETSI.CAdES.detached", room),
            };
            std::fs::write(out, sign_increment(place.pdf, place.byte_range, &signer)?)?;
        }
        _ => return Err(
            "expected `verify FILE [TRUSTED]...` or `sign KEYFILE PASSWORD ALGORITHM OUT [SIGNED]`"
                .into(),
        ),
    }
    Ok(())
}
