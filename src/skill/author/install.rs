//! Installs a packed skill: unpacks it beside its final folder, checks it, and moves it there in one step.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::archive::digest;
use super::check::{Passed, check_with_progress};
use super::unpack::unpack;
use crate::{CompilingSink, Finding};
use mitt_base::file_name::check_file_name;
use mitt_base::scratch::{self, Scratch};
use mitt_base::{Error, ErrorKind, Remedy, Result, text};
use mitt_engine::Engine;

/// Environment variable that replaces the user's folder of skills.
const VARIABLE: &str = "MITT_SKILLS_DIR";

/// Name of the old version while the new one is moved into place, on systems that cannot exchange them.
const ASIDE: &str = ".old";

/// An installed skill.
#[derive(Clone, Debug)]
pub struct Installed {
    /// Name of the skill.
    pub name: String,
    /// Version in its `skill.yaml`, if it has one.
    pub version: Option<String>,
    /// Its folder.
    pub folder: PathBuf,
    /// SHA-256 of the archive, as `sha256:` and 64 hexadecimal digits.
    pub digest: String,
    /// `true` if another version was replaced.
    pub replaced: bool,
    /// Warnings of the check, which found no errors.
    pub warnings: Vec<Finding>,
}

/// Returns the user's folder of skills: `MITT_SKILLS_DIR`, or else `mitt/skills` in the system's folder for user data. It
/// need not exist. `None` if the system has no such folder.
pub fn user_folder() -> Option<PathBuf> {
    match std::env::var_os(VARIABLE) {
        Some(folder) if !folder.is_empty() => Some(folder.into()),
        _ => dirs::data_dir().map(|data| data.join("mitt").join("skills")),
    }
}

/// Unpacks the archive of a skill into the folder of skills `to`, which is created if necessary.
///
/// The skill appears in `to` only after all of it was unpacked and passed its check; a failed attempt leaves nothing. An
/// installed skill of the same name is replaced only with `replace`, and stays if anything goes wrong. May take seconds, as
/// [`check`](super::check) does.
///
/// # Errors
///
/// [`ErrorKind::Input`] - the archive has another digest than `expected` (`sha256:` and 64 hexadecimal digits) or is
/// damaged, or a skill of this name exists and `replace` is off. [`ErrorKind::Load`] - the skill does not pass its check;
/// the details say why. [`ErrorKind::Host`] - the folder cannot be written to.
pub fn install(
    engine: &Engine,
    archive: &[u8],
    to: &Path,
    expected: Option<&str>,
    replace: bool,
) -> Result<Installed> {
    install_with_progress(engine, archive, to, expected, replace, &|_| ())
}

/// Does what [`install`] does, and calls `on_compiling` if the component must be compiled, on a thread of its own. The engine's
/// cache then has the compiled component, so that the first call need not wait for it.
///
/// # Errors
///
/// Those of [`install`].
pub fn install_with_progress(
    engine: &Engine,
    archive: &[u8],
    to: &Path,
    expected: Option<&str>,
    replace: bool,
    on_compiling: CompilingSink<'_>,
) -> Result<Installed> {
    let digest = digest(archive);
    if let Some(expected) = expected {
        compare(expected, &digest)?;
    }
    fs::create_dir_all(to).map_err(|error| unwritable(to, error))?;
    // Hidden, so that no host takes it for a skill; removed whatever happens.
    tidy(to);
    let scratch = Scratch::new(to).map_err(|error| unwritable(to, error))?;
    let work = scratch.subfolder().map_err(|error| unwritable(to, error))?;
    let record = unpack(archive, work.path())?;
    let unpacked = work.path().join(&record.name);
    let Passed { name, version, warnings } =
        check_with_progress(engine, &unpacked, on_compiling)?.into_result()?;
    if name != record.name || version != record.version {
        return Err(Error::new(
            ErrorKind::Input,
            "the record of the archive names another skill or version",
        )
        .hint("pack the skill again"));
    }
    let folder = to.join(&record.name);
    let replaced = folder.symlink_metadata().is_ok();
    if replaced && !replace {
        let message = format!("a skill `{}` is installed in {}", record.name, to.display());
        return Err(Error::new(ErrorKind::Input, message).remedy(Remedy::ReplaceInstalled));
    }
    if replaced {
        let aside = work.path().join(ASIDE);
        scratch
            .announce(&json!({ "replaces": record.name }))
            .and_then(|()| exchange(&unpacked, &folder, &aside))
    } else {
        fs::rename(&unpacked, &folder)
    }
    .map_err(|error| unwritable(&folder, error))?;
    Ok(Installed { name: record.name, version, folder, digest, replaced, warnings })
}

fn compare(expected: &str, digest: &str) -> Result<()> {
    let wanted = expected.trim().to_ascii_lowercase();
    let digits = wanted.strip_prefix("sha256:").unwrap_or(&wanted);
    if digits.len() != 64 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        let shown = text::one_line(text::cut_bytes(expected, 100));
        let message =
            format!("digest: expected `sha256:` and 64 hexadecimal digits, got `{shown}`");
        return Err(Error::new(ErrorKind::Input, message).remedy(Remedy::SkillDigest));
    }
    if digest.strip_prefix("sha256:") == Some(digits) {
        return Ok(());
    }
    let message = format!("the archive's digest: expected `sha256:{digits}`, got `{digest}`");
    Err(Error::new(ErrorKind::Input, message)
        .hint("do not install it: this is another archive than the one meant"))
}

/// Replaces `old`, which is a folder or a link, with `new`. `aside` is unused and on the same file system.
fn exchange(new: &Path, old: &Path, aside: &Path) -> std::io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};

        // One step: no host ever sees the folder without a skill. The old one is removed with the work folder.
        if renameat_with(CWD, new, CWD, old, RenameFlags::EXCHANGE).is_ok() {
            return Ok(());
        }
    }
    exchange_in_two_steps(new, old, aside)
}

/// Exchanges two folders on systems that cannot do so in one step. If the second step fails, the old one comes back.
fn exchange_in_two_steps(new: &Path, old: &Path, aside: &Path) -> std::io::Result<()> {
    fs::rename(old, aside)?;
    fs::rename(new, old).inspect_err(|_| {
        let _ = fs::rename(aside, old);
    })
}

/// Cleans up after installations into the folder of skills `to` that were killed: removes their files, and restores a skill
/// that was about to be replaced.
pub fn tidy(to: &Path) {
    scratch::recover(to, |step, files| {
        let name = step["replaces"].as_str().filter(|name| check_file_name(name).is_ok());
        let Some(folder) = name.map(|name| to.join(name)) else { return };
        let aside = files.iter().map(|work| work.join(ASIDE)).find(|aside| aside.is_dir());
        if let (Some(aside), Err(_)) = (aside, folder.symlink_metadata()) {
            // If this fails, the skill must be installed again.
            let _ = fs::rename(aside, folder);
        }
    });
}

fn unwritable(path: &Path, error: std::io::Error) -> Error {
    Error::new(ErrorKind::Host, format!("cannot write {}", path.display()))
        .remedy(Remedy::SkillFolder)
        .caused_by(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_of_replacing_keep_the_old_one_on_failure() {
        for replace in [exchange, exchange_in_two_steps] {
            let place = tempfile::tempdir().unwrap();
            let [new, old, aside] = ["new", "old", "aside"].map(|name| place.path().join(name));
            for folder in [&new, &old] {
                fs::create_dir(folder).unwrap();
                fs::write(folder.join("f"), folder.file_name().unwrap().as_encoded_bytes())
                    .unwrap();
            }
            let missing = place.path().join("missing");
            assert!(replace(&missing, &old, &aside).is_err());
            assert_eq!(fs::read_to_string(old.join("f")).unwrap(), "old");
            replace(&new, &old, &aside).unwrap();
            assert_eq!(fs::read_to_string(old.join("f")).unwrap(), "new");
        }
    }

    #[test]
    fn a_skill_that_was_about_to_be_replaced_is_put_back() {
        let place = tempfile::tempdir().unwrap();
        let to = place.path();
        // The state after the process was killed between both steps of `exchange_in_two_steps`.
        for (work, skill) in [("aaaaaaaaaaaaaaaa", "gone"), ("bbbbbbbbbbbbbbbb", "there")] {
            let aside = to.join(format!(".mitt-{work}-12345678")).join(ASIDE);
            fs::create_dir_all(&aside).unwrap();
            fs::write(aside.join("f"), "old").unwrap();
            let step = json!({ "replaces": skill });
            fs::write(to.join(format!(".mitt-{work}.lock")), format!("{step}\n")).unwrap();
        }
        fs::create_dir(to.join("there")).unwrap();
        tidy(to);
        assert_eq!(fs::read_to_string(to.join("gone/f")).unwrap(), "old");
        assert_eq!(fs::read_dir(to).unwrap().count(), 2);
        assert_eq!(fs::read_dir(to.join("there")).unwrap().count(), 0);
    }

    #[test]
    fn digests_are_compared_whatever_their_case() {
        let digest = digest(b"x");
        let digits = digest.trim_start_matches("sha256:");
        for good in
            [digest.clone(), digits.to_owned(), digest.to_uppercase(), format!(" {digest}\n")]
        {
            assert!(compare(&good, &digest).is_ok(), "{good}");
        }
        for wrong in ["", "sha256:", &digits[1..], "sha512:00", &"g".repeat(64), &"0".repeat(64)] {
            assert!(compare(wrong, &digest).is_err(), "{wrong}");
        }
    }
}
