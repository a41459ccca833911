//! `mitt pdf sign`: signs a file with a key of the user.

use std::path::Path;
use std::process::ExitCode;

use serde_json::json;
use zeroize::Zeroizing;

use super::super::delivery;
use super::super::new_file::{check_target, file_name};
use super::super::pdf_file::{check_source, open};
use super::super::pictures::{give, picture};
use super::super::work::Work;
use super::write;
use crate::args::Global;
use crate::args::pdf::sign::PdfSign;
use crate::output::Output;
use crate::{password, signing};
use mitt::{DocumentOptions, SigningKeys};
use mitt_base::{Error, ErrorKind, Result};

const SIGN: &str = "pdf_tool__sign_pdf";

/// Name of the key in the session.
const KEY: &str = "key";

/// Variable with the password of the key.
const PASSWORD: &str = "MITT_KEY_PASSWORD";

/// Signs a file.
pub(super) async fn sign(global: &Global, command: &PdfSign, output: &Output) -> Result<ExitCode> {
    let target = &command.target;
    check_source(&command.file)?;
    check_target(&target.output, "pdf", [command.file.as_path()])?;
    delivery(global, &target.force).check(&target.output)?;
    let password = match &command.key_password_file {
        Some(file) => Some(password::first_line(file)?),
        None => std::env::var(PASSWORD).ok().filter(|it| !it.is_empty()),
    };
    let password = password.map(Zeroizing::new);
    let password = password.as_ref().map(|it| it.as_str());
    let more: Vec<&Path> = command.certificates.iter().map(|it| it.as_path()).collect();
    let key = signing::load(KEY, &command.key, password, &more).map_err(|error| {
        match password {
            Some(_) => error,
            None => error.hint(format!(
                "`--key-password-file FILE` or the variable {PASSWORD} has the password of an encrypted key"
            )),
        }
    })?;
    let keys = SigningKeys::new(vec![key])?.without_approval();
    let work =
        Work::open_with(global, output, |options, _| options.signing_keys = Some(keys)).await?;
    let file = open(&work, &command.file, &DocumentOptions::default()).await?;
    let mut arguments = json!({
        "key": KEY,
        "field": command.field,
        "reason": command.reason,
        "location": command.location,
        "contact": command.contact,
        "filename": file_name(&target.output),
    });
    if command.visible.is_some() || command.text.is_some() || command.picture.is_some() {
        let mut visible = json!({ "text": command.text });
        if let Some(place) = &command.visible {
            visible["page"] = json!(place.page);
            visible["rect"] = json!(place.rect);
        }
        if let Some(path) = &command.picture {
            let Some(picture) = picture(path)? else {
                return Err(Error::new(
                    ErrorKind::Input,
                    format!("--picture: expected a PNG or JPEG, got {}", path.display()),
                ));
            };
            give(&work.session, path, &picture);
            visible["picture"] = json!(file_name(path));
        }
        arguments["visible"] = visible;
    }
    let order = (SIGN, format!("signing {}", file.name), file.arguments(arguments));
    write(global, &work, order, target, output).await
}
