//! The arguments of `mitt pdf sign`.

use std::path::PathBuf;

use super::PdfTarget;
use crate::settings::tenant_and_path;

#[derive(Debug, clap::Args)]
#[command(
    after_help = "The password of an encrypted key is read from --key-password-file or the variable MITT_KEY_PASSWORD.\n\nExamples:\n  mitt pdf sign contract.pdf --key office.p12 --key-password-file secret.txt --reason Approved -o signed.pdf\n  mitt pdf sign contract.pdf --key key.pem --cert chain.pem --visible '1:350,40,200,60' -o signed.pdf"
)]
pub(crate) struct PdfSign {
    /// The PDF
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// The private key: PKCS#12 (`.p12`, `.pfx`), or PEM
    #[arg(long, value_name = "KEY")]
    pub(crate) key: PathBuf,
    /// A file whose first line is the password of the key
    #[arg(long, value_name = "FILE")]
    pub(crate) key_password_file: Option<PathBuf>,
    /// Certificates that are not in the file of the key: its own and its issuers, PEM or DER. May be given several times
    #[arg(long = "cert", value_name = "FILE")]
    pub(crate) certificates: Vec<PathBuf>,
    /// Why it is signed
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,
    /// Where it is signed
    #[arg(long, value_name = "TEXT")]
    pub(crate) location: Option<String>,
    /// How the signer can be reached
    #[arg(long, value_name = "TEXT")]
    pub(crate) contact: Option<String>,
    /// The field: an empty one of the PDF, or the name of a new one [default: the only empty one, else a new one]
    #[arg(long, value_name = "NAME")]
    pub(crate) field: Option<String>,
    /// Show the signature in a new field: page, and left, bottom, width and height in points from the lower left corner
    #[arg(long, value_name = "PAGE:LEFT,BOTTOM,WIDTH,HEIGHT", value_parser = visible)]
    pub(crate) visible: Option<Visible>,
    /// The text that is shown; `{name}`, `{date}`, `{reason}` and `{location}` are filled in
    #[arg(long, value_name = "TEXT")]
    pub(crate) text: Option<String>,
    /// A picture that is shown, PNG or JPEG
    #[arg(long, value_name = "FILE")]
    pub(crate) picture: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) target: PdfTarget,
}

/// Where a signature is shown.
#[derive(Clone, Debug)]
pub(crate) struct Visible {
    pub(crate) page: u32,
    /// Left, bottom, right, top in points.
    pub(crate) rect: [f64; 4],
}

/// Checks the name and the file of a key.
pub(crate) fn signing_key(text: &str) -> Result<String, String> {
    match tenant_and_path(text) {
        Some(_) => Ok(text.to_owned()),
        None => Err("expected a name and a file such as `office=office.p12`".into()),
    }
}

/// Parses a page and a rectangle.
fn visible(text: &str) -> Result<Visible, String> {
    let parsed = text.split_once(':').and_then(|(page, rect)| {
        let page = page.trim().parse::<u32>().ok().filter(|page| *page > 0)?;
        let numbers: Option<Vec<f64>> = rect.split(',').map(|it| super::number(it).ok()).collect();
        let &[left, bottom, width, height] = numbers?.as_slice() else { return None };
        (width > 0.0 && height > 0.0)
            .then_some(Visible { page, rect: [left, bottom, left + width, bottom + height] })
    });
    parsed.ok_or_else(|| {
        "expected a page, and left, bottom, width and height in points, such as `1:350,40,200,60`"
            .to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_page_and_a_rectangle() {
        let place = visible("2:350,40,200,60.5").unwrap();
        assert_eq!((place.page, place.rect), (2, [350.0, 40.0, 550.0, 100.5]));
        for wrong in ["1", "0:1,2,3,4", "1:1,2,3", "1:1,2,0,4", "1:1,2,3,4,5", "1:a,2,3,4"] {
            assert!(visible(wrong).is_err(), "{wrong}");
        }
    }
}
