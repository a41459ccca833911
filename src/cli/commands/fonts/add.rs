//! `mitt fonts add`: fonts for the writing systems that are missing, copied with their licences into the user's folder of fonts.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use serde_json::json;

use super::remove::no_folder;
use super::{
    MAX_FILE_BYTES, MAX_FILES, archive, files_of, is_font, is_named_as_font, unreadable,
    user_fonts, whole,
};
use crate::args::FontsAdd;
use crate::output::{Output, note};
use mitt::render::{FontChoice, WRITING_SYSTEMS, font_licence};
use mitt_base::limits::MIB;
use mitt_base::output_folder::{OutputFolder, Readable};
use mitt_base::{Error, ErrorKind, Result, plain_file, text};

/// Largest licence, in bytes, and most licences that are remembered of an archive.
const MAX_LICENCE_BYTES: u64 = MIB;
const MAX_LICENCES: usize = 100;

/// How names of licences begin, in small letters.
const LICENCES: [&str; 6] = ["ofl", "license", "licence", "copying", "copyright", "ufl"];

/// A font that may be added.
struct Candidate {
    /// The file, or the archive that has it.
    file: PathBuf,
    /// Its name in the archive.
    entry: Option<String>,
    /// The folder that was named.
    root: PathBuf,
}

/// A font that is added.
struct Added {
    name: String,
    bytes: Vec<u8>,
    licence: Vec<u8>,
}

/// Copy what is missing; print the names of the files.
pub(super) fn add(command: &FontsAdd, output: &Output) -> Result<ExitCode> {
    let folder = user_fonts::folder().ok_or_else(no_folder)?;
    let (added, systems, warnings) = add_fonts(&command.paths, &folder)?;
    let names: Vec<&str> = added.iter().map(String::as_str).collect();
    if output.is_json() {
        output.value(&json!({
            "added": names, "writing_systems": systems, "warnings": warnings,
            "folder": folder.display().to_string(),
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    if !output.is_quiet() {
        warnings.iter().for_each(|warning| note(&format!("warning: {warning}")));
        if systems.is_empty() {
            note("nothing was added: these fonts have no writing system that is missing")
        } else {
            note(&format!("added for {}", systems.join(", ")))
        }
    }
    names.iter().try_for_each(|name| output.line(name))?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the names of the added fonts, their writing systems, and warnings.
type AddedFonts = (Vec<String>, Vec<&'static str>, Vec<String>);

fn add_fonts(paths: &[PathBuf], folder: &Path) -> Result<AddedFonts> {
    let mut candidates = Vec::new();
    let mut choice = FontChoice::default();
    let mut licences = BTreeMap::new();
    for path in paths {
        gather(path, &mut candidates, &mut choice, &mut licences)?;
    }
    let fonts = (0..candidates.len()).filter(|at| choice.family(*at).is_some()).count();
    if fonts == 0 {
        let named: Vec<_> = paths.iter().map(|path| path.display().to_string()).collect();
        let message = format!("expected a font (TTF, OTF, TTC), got none in {}", named.join(", "));
        return Err(Error::new(ErrorKind::Input, message)
            .hint("name a folder, an archive (`.zip`, `.tar.gz`) or a file with fonts"));
    }
    let kept = user_fonts::files(Some(folder));
    let mut there = FontChoice::default();
    kept.iter().for_each(|file| {
        there.look_at(whole(file));
    });
    let (mut chosen, mut systems) = (Vec::new(), Vec::new());
    for system in WRITING_SYSTEMS {
        let letters = system.letters;
        if FontChoice::is_bundled(letters) || there.first_with(letters).is_some() {
            continue;
        }
        let best = choice.best_with(letters);
        if !best.is_empty() {
            systems.push(system.name);
        }
        for index in best {
            if !chosen.contains(&index) {
                chosen.push(index);
            }
        }
    }
    let mut warnings = Vec::new();
    let mut added: Vec<Added> = Vec::new();
    let chosen: Vec<&Candidate> = chosen.iter().filter_map(|at| candidates.get(*at)).collect();
    let mut unpacked = unpacked(&chosen)?;
    for candidate in chosen {
        let font = candidate.read(&mut unpacked)?;
        let name = candidate.plain_name();
        match candidate.licence(&font, &licences) {
            None => warnings.push(format!(
                "{name} is left out: no licence came with it, and it names none; `--font` uses it all the same"
            )),
            Some(licence) => added.push(Added { name, bytes: font, licence }),
        }
    }
    if added.is_empty() {
        systems.clear();
    }
    check(&added, &kept, folder)?;
    for font in &added {
        write(font, folder)?;
    }
    Ok((added.into_iter().map(|it| it.name).collect(), systems, warnings))
}

/// Look at the fonts of a folder, an archive, or at one.
fn gather(
    path: &Path,
    candidates: &mut Vec<Candidate>,
    choice: &mut FontChoice,
    licences: &mut BTreeMap<(PathBuf, String), Vec<u8>>,
) -> Result<()> {
    if path.is_dir() {
        for file in files_of(&[path.to_owned()], "")? {
            choice.look_at(whole(&file));
            candidates.push(Candidate { file, entry: None, root: path.to_owned() });
        }
        return Ok(());
    }
    if !archive::is_archive(path) {
        let font = plain_file::read(path, MAX_FILE_BYTES).map_err(|error| {
            let message = format!("cannot read {}", path.display());
            Error::new(ErrorKind::Input, message).caused_by(error)
        })?;
        if let Some(fault) = mitt::render::font_fault(&font).filter(|_| is_font(&font)) {
            let message = format!("{} is not added: {fault}", path.display());
            return Err(Error::new(ErrorKind::Input, message));
        }
        choice.look_at(whole(path));
        let root = path.parent().unwrap_or(Path::new("")).to_owned();
        candidates.push(Candidate { file: path.to_owned(), entry: None, root });
        return Ok(());
    }
    let is_wanted = |name: &str| is_licence(name) || is_named_as_font(Path::new(name));
    archive::each(path, &is_wanted, &mut |name, bytes| {
        if is_named_as_font(Path::new(name)) {
            if candidates.len() >= MAX_FILES {
                let message =
                    format!("expected at most {MAX_FILES} fonts, got more in {}", path.display());
                return Err(Error::new(ErrorKind::Input, message).hint("name a smaller archive"));
            }
            let font = if is_font(&bytes) { bytes } else { Vec::new() };
            choice.look_at(font.into());
            let (file, entry) = (path.to_owned(), Some(name.to_owned()));
            candidates.push(Candidate { file, entry, root: PathBuf::new() });
        } else if licences.len() < MAX_LICENCES && bytes.len() as u64 <= MAX_LICENCE_BYTES {
            licences.insert((path.to_owned(), name.to_owned()), bytes);
        }
        Ok(())
    })
}

fn is_licence(name: &str) -> bool {
    let name = Path::new(name).file_name().and_then(OsStr::to_str).unwrap_or_default();
    let name = name.to_ascii_lowercase();
    !is_named_as_font(Path::new(&name)) && LICENCES.iter().any(|begin| name.starts_with(begin))
}

/// Fonts of archives, by archive and name.
type Unpacked = BTreeMap<(PathBuf, String), Vec<u8>>;

/// Returns those of the fonts that are in archives. Each archive is read once, as a packed one is unpacked from its beginning.
fn unpacked(fonts: &[&Candidate]) -> Result<Unpacked> {
    let mut wanted: BTreeMap<&Path, BTreeSet<&str>> = BTreeMap::new();
    for font in fonts {
        if let Some(entry) = &font.entry {
            wanted.entry(&font.file).or_default().insert(entry);
        }
    }
    let mut found = Unpacked::new();
    for (file, entries) in wanted {
        archive::each(file, &|name| entries.contains(name), &mut |name, bytes| {
            found.insert((file.to_owned(), name.to_owned()), bytes);
            Ok(())
        })?;
    }
    Ok(found)
}

impl Candidate {
    /// Returns the font, out of `unpacked` if it is in an archive.
    fn read(&self, unpacked: &mut Unpacked) -> Result<Vec<u8>> {
        let Some(entry) = &self.entry else {
            return plain_file::read(&self.file, MAX_FILE_BYTES)
                .map_err(|error| unreadable("", &self.file, error));
        };
        unpacked.remove(&(self.file.clone(), entry.clone())).ok_or_else(|| {
            Error::new(
                ErrorKind::Input,
                format!("{}: it was changed meanwhile", self.file.display()),
            )
        })
    }

    /// Its name without folders, in letters that every system has.
    fn plain_name(&self) -> String {
        let path = self.entry.as_ref().map_or(self.file.as_path(), Path::new);
        let name = path.file_name().and_then(OsStr::to_str).unwrap_or("font.ttf");
        let plain = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '_' };
        let name: String = name.chars().map(plain).collect();
        name.trim_start_matches(['.', '-']).to_owned()
    }

    /// The nearest licence that came with it, else what the font says of itself.
    fn licence(
        &self,
        font: &[u8],
        of_archives: &BTreeMap<(PathBuf, String), Vec<u8>>,
    ) -> Option<Vec<u8>> {
        let near = match &self.entry {
            Some(entry) => {
                let of_this = of_archives.iter().filter(|((archive, name), _)| {
                    let folder = Path::new(name).parent().unwrap_or(Path::new(""));
                    *archive == self.file && Path::new(entry).starts_with(folder)
                });
                let nearest =
                    of_this.max_by_key(|((_, name), _)| Path::new(name).components().count());
                nearest.map(|(_, licence)| licence.clone())
            }
            None => self.near(),
        };
        near.or_else(|| font_licence(font).map(String::into_bytes))
    }

    /// A licence in its folder, or in one above up to that which was named.
    fn near(&self) -> Option<Vec<u8>> {
        let folders = self.file.ancestors().skip(1).take_while(|it| it.starts_with(&self.root));
        for folder in folders {
            let entries = std::fs::read_dir(folder).ok()?;
            let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
            let mut names: Vec<String> = names.filter(|name| is_licence(name)).collect();
            names.sort();
            for name in names {
                let text = plain_file::read(&folder.join(name), MAX_LICENCE_BYTES).ok();
                if let Some(text) = text.filter(|it| it.len() as u64 <= MAX_LICENCE_BYTES) {
                    return Some(text);
                }
            }
        }
        None
    }
}

/// Checks that all fonts may be put into the folder, before the first one is.
fn check(added: &[Added], kept: &[PathBuf], folder: &Path) -> Result<()> {
    for (at, font) in added.iter().enumerate() {
        let is_there = folder.join(&font.name).exists()
            || added.iter().take(at).any(|it| it.name == font.name);
        if is_there {
            let message = format!(
                "another font named {} is in {}, and is not replaced",
                text::one_line(&font.name),
                folder.display()
            );
            return Err(Error::new(ErrorKind::Input, message)
                .hint(format!("remove it first: `mitt fonts remove {}`", font.name)));
        }
    }
    let sizes = kept.iter().map(|file| file.metadata().map_or(0, |it| it.len()));
    let bytes = sizes.sum::<u64>() + added.iter().map(|it| it.bytes.len() as u64).sum::<u64>();
    let count = kept.len() + added.len();
    if bytes > user_fonts::MAX_KEPT_BYTES || count > user_fonts::MAX_KEPT {
        let message = format!(
            "expected at most {} fonts of {} bytes together in {}, they would be {count} of {bytes}",
            user_fonts::MAX_KEPT,
            user_fonts::MAX_KEPT_BYTES,
            folder.display()
        );
        return Err(Error::new(ErrorKind::Input, message)
            .hint("name single files, or remove fonts with `mitt fonts remove`"));
    }
    Ok(())
}

/// The licence first: a font is never there without it.
fn write(font: &Added, folder: &Path) -> Result<()> {
    let failed = |error: std::io::Error| {
        let message = format!("cannot write {} into {}", font.name, folder.display());
        Error::new(ErrorKind::Host, message).caused_by(error)
    };
    let folder = Arc::new(OutputFolder::create(folder).map_err(failed)?);
    // What is left of a font that was removed by hand.
    let licence = folder.write(&font.licence, Readable::Umask).map_err(failed)?;
    let _licence =
        licence.persist(OsStr::new(&user_fonts::licence_of(&font.name)), true).map_err(failed)?;
    let file = folder.write(&font.bytes, Readable::Umask).map_err(failed)?;
    let _font = file.persist(OsStr::new(&font.name), false).map_err(failed)?;
    Ok(())
}

#[cfg(test)]
#[cfg(feature = "pdf")]
pub(super) mod tests {
    use std::io::Write as _;

    use super::*;

    /// A font with these letters, and without a licence.
    pub(in crate::commands::fonts) fn font(family: &str, letters: &str) -> Vec<u8> {
        let mut points: Vec<u32> = letters.chars().map(u32::from).collect();
        points.sort_unstable();
        points.dedup();
        let mut cmap = [0_u16, 1, 3, 10].map(u16::to_be_bytes).concat();
        cmap.extend(12_u32.to_be_bytes());
        cmap.extend([0, 12, 0, 0]);
        cmap.extend((16 + 12 * points.len() as u32).to_be_bytes());
        cmap.extend(0_u32.to_be_bytes());
        cmap.extend((points.len() as u32).to_be_bytes());
        points
            .iter()
            .for_each(|point| cmap.extend([*point, *point, 1].map(u32::to_be_bytes).concat()));
        let mut head = vec![0; 54];
        head[..4].copy_from_slice(&0x1_0000_u32.to_be_bytes());
        head[12..16].copy_from_slice(&0x5F0F_3CF5_u32.to_be_bytes());
        head[18..20].copy_from_slice(&1_000_u16.to_be_bytes());
        let mut hhea = vec![0; 36];
        hhea[..4].copy_from_slice(&0x1_0000_u32.to_be_bytes());
        hhea[4..6].copy_from_slice(&800_i16.to_be_bytes());
        hhea[6..8].copy_from_slice(&(-200_i16).to_be_bytes());
        hhea[35] = 1;
        let mut maxp = 0x5000_u32.to_be_bytes().to_vec();
        maxp.extend(2_u16.to_be_bytes());
        let text: Vec<u8> = family.encode_utf16().flat_map(u16::to_be_bytes).collect();
        let mut name =
            [0_u16, 1, 18, 3, 1, 0x409, 1, text.len() as u16, 0].map(u16::to_be_bytes).concat();
        name.extend(text);
        let tables: [(&[u8; 4], Vec<u8>); 6] = [
            (b"cmap", cmap),
            (b"head", head),
            (b"hhea", hhea),
            (b"hmtx", vec![2, 88, 0, 0, 0, 0]),
            (b"maxp", maxp),
            (b"name", name),
        ];
        let mut font: Vec<u8> = vec![0, 1, 0, 0, 0, tables.len() as u8, 0, 0, 0, 0, 0, 0];
        let mut at = 12 + 16 * tables.len();
        for (tag, table) in &tables {
            font.extend(*tag);
            font.extend([0; 4]);
            font.extend((at as u32).to_be_bytes());
            font.extend((table.len() as u32).to_be_bytes());
            at += table.len();
        }
        tables.iter().for_each(|(_, table)| font.extend(table));
        font
    }

    fn letters(name: &str) -> &'static str {
        WRITING_SYSTEMS.iter().find(|it| it.name == name).unwrap().letters
    }

    #[test]
    fn fonts_of_a_folder_are_added_once_with_their_licences() {
        let from = tempfile::tempdir().unwrap();
        let to = tempfile::tempdir().unwrap();
        let target = to.path().join("deep/fonts");
        let at = |name: &str| from.path().join(name);
        std::fs::create_dir_all(at("thai")).unwrap();
        std::fs::write(at("thai/Some Thai.ttf"), font("Some Thai", letters("Thai"))).unwrap();
        std::fs::write(at("thai/Other Serif.ttf"), font("Other Serif", letters("Thai"))).unwrap();
        std::fs::write(at("Hebrew.ttf"), font("Hebrew", letters("Hebrew"))).unwrap();
        std::fs::write(at("Latin.ttf"), font("Latin", letters("Latin"))).unwrap();
        std::fs::write(at("OFL.txt"), b"free").unwrap();
        std::fs::write(at("thai/LICENSE"), b"freer").unwrap();
        let paths = [from.path().to_owned()];
        let (added, systems, warnings) = add_fonts(&paths, &target).unwrap();
        assert_eq!(added, ["Hebrew.ttf", "Some_Thai.ttf"]);
        assert_eq!((systems, warnings.len()), (vec!["Hebrew", "Thai"], 0));
        let read = |name: &str| std::fs::read(target.join(name)).unwrap();
        assert_eq!(read("Hebrew.ttf.LICENSE.txt"), b"free");
        assert_eq!(read("Some_Thai.ttf.LICENSE.txt"), b"freer");
        assert_eq!(read("Some_Thai.ttf"), font("Some Thai", letters("Thai")));
        // They are found from then on, and nothing is missing any more.
        assert_eq!(user_fonts::fonts(Some(&target)).len(), 2);
        assert!(add_fonts(&paths, &target).unwrap().0.is_empty());
        // Another font of the name is not replaced.
        std::fs::write(at("thai/Hebrew.ttf"), font("Lao", letters("Lao"))).unwrap();
        let error = add_fonts(&[at("thai")], &target).unwrap_err().to_string();
        assert!(error.starts_with("another font named Hebrew.ttf is in "), "{error}");
        assert_eq!(read("Hebrew.ttf"), font("Hebrew", letters("Hebrew")));
    }

    #[test]
    fn fonts_of_archives_are_added() {
        let from = tempfile::tempdir().unwrap();
        let khmer = font("Khmer", letters("Khmer"));
        let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
        for (name, content) in [
            ("a/OFL.txt", b"free".as_slice()),
            ("a/b/Khmer.ttf", &khmer),
            ("OFL.txt", b"other"),
            ("c.ttf", b"x"),
        ] {
            zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
            zip.write_all(content).unwrap();
        }
        let path = from.path().join("f.zip");
        std::fs::write(&path, zip.finish().unwrap().into_inner()).unwrap();
        let to = tempfile::tempdir().unwrap();
        let (added, ..) = add_fonts(&[path], to.path()).unwrap();
        assert_eq!(added, ["Khmer.ttf"]);
        assert_eq!(std::fs::read(to.path().join("Khmer.ttf.LICENSE.txt")).unwrap(), b"free");
        // As npm packs them; the licence is missing there, and the font is left out.
        let lao = font("Lao", letters("Lao"));
        let mut tar = tar::Builder::new(Vec::new());
        let mut header = tar::Header::new_ustar();
        header.set_size(lao.len() as u64);
        header.set_mode(0o644);
        tar.append_data(&mut header, "package/Lao.ttf", &*lao).unwrap();
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(&tar.into_inner().unwrap()).unwrap();
        let path = from.path().join("f.tgz");
        std::fs::write(&path, packed.finish().unwrap()).unwrap();
        let (added, systems, warnings) = add_fonts(&[path], to.path()).unwrap();
        assert!(added.is_empty() && systems.is_empty());
        assert!(warnings[0].starts_with("Lao.ttf is left out: no licence"), "{warnings:?}");
    }

    #[test]
    fn what_is_no_font_or_too_much_is_refused() {
        let from = tempfile::tempdir().unwrap();
        let at = |name: &str| from.path().join(name);
        std::fs::write(at("a.ttf"), b"\0\x01\0\0").unwrap();
        std::fs::write(at("a.zip"), b"PK").unwrap();
        std::fs::write(at("a.tgz"), b"x").unwrap();
        let to = tempfile::tempdir().unwrap();
        for (path, expected) in [
            (at("a.ttf"), "is not added: it is no TTF"),
            (at("a.zip"), "no ZIP archive"),
            (at("a.tgz"), "it is damaged"),
            (at("absent"), "cannot read"),
            (at(""), "expected a font (TTF, OTF, TTC), got none in"),
        ] {
            let error = add_fonts(&[path], to.path()).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
        let large = |bytes: usize| Added {
            name: "x.ttf".into(),
            bytes: vec![0; bytes],
            licence: Vec::new(),
        };
        let error = check(&[large(129 << 20)], &[], to.path()).unwrap_err().to_string();
        assert!(error.starts_with("expected at most 200 fonts of 134217728 bytes"), "{error}");
        let error = check(&[large(1)], &vec![at("a.ttf"); 200], to.path()).unwrap_err();
        assert!(error.to_string().contains("they would be 201 of"), "{error}");
    }
}
