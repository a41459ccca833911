//! OCR engine that uses the installed program `tesseract`.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OnceCell, Semaphore};

use super::layout;
use super::process::Run;
use super::{Ocr, Picture, Recognised};
use mitt_base::{Error, ErrorKind, Result};

/// File name of the program.
const PROGRAM: &str = if cfg!(windows) { "tesseract.exe" } else { "tesseract" };

/// Languages to use, in order of preference.
const WANTED: [&str; 2] = ["chi_sim", "eng"];

/// Layout modes: a page with columns, pictures and headings, and a single block of lines.
const LAYOUT_OF_PAGE: &str = "3";
const LAYOUT_OF_BLOCK: &str = "6";

/// Data for detecting the orientation of a page (package `tesseract-ocr-osd`), and the layout mode that does only that.
const ORIENTATION: &str = "osd";
const LAYOUT_OF_ORIENTATION: &str = "0";

/// Least confidence in the orientation; 15 is certain, and below 1 it is a guess.
const ORIENTED: f64 = 1.0;

/// A page with at least this confidence, in percent, is read only once.
const SURE: f64 = 85.0;

/// Longest time for each of two attempts at a page.
const PAGE_TIME: Duration = Duration::from_secs(120);

/// Longest time for a query about the program itself.
const ASK_TIME: Duration = Duration::from_secs(20);

/// Most processes at once.
const MAX_AT_ONCE: usize = 8;

/// Recognises text in pictures by the program `tesseract`: a process for each page, which is killed after 2 min or when the
/// caller stops waiting. On Linux it has 2 GiB of memory and cannot write files. At most as many processes run at once as there
/// are processors, and at most 8.
#[derive(Debug)]
pub struct Tesseract {
    program: PathBuf,
    places: Arc<Semaphore>,
    facts: OnceCell<Facts>,
}

/// Facts that the program reports about itself.
#[derive(Clone, Debug)]
struct Facts {
    version: String,
    /// Wanted languages that are installed.
    languages: Vec<String>,
    /// `true` if it can detect the orientation of a page.
    has_orientation: bool,
}

impl Tesseract {
    /// Uses the program at this path.
    pub fn at(program: impl Into<PathBuf>) -> Tesseract {
        let processors = mitt_base::processors::count();
        Tesseract {
            program: program.into(),
            places: Arc::new(Semaphore::new(processors.min(MAX_AT_ONCE))),
            facts: OnceCell::new(),
        }
    }

    /// Finds the program in the folders of `PATH`. Relative folders are ignored, so that a program in the working folder is never
    /// started.
    pub fn find() -> Option<Tesseract> {
        let path = std::env::var_os("PATH")?;
        let found = std::env::split_paths(&path)
            .filter(|folder| folder.is_absolute())
            .map(|folder| folder.join(PROGRAM))
            .find(|file| is_program(file));
        found.map(Tesseract::at)
    }

    async fn facts(&self) -> Result<&Facts> {
        self.facts.get_or_try_init(|| self.ask()).await
    }

    async fn ask(&self) -> Result<Facts> {
        let version = self.asked("--version").await?;
        let version = version.lines().next().unwrap_or_default().trim();
        let version = version.strip_prefix("tesseract ").unwrap_or(version);
        let there = self.asked("--list-langs").await?;
        // One language per line, after a headline.
        let there: Vec<&str> = there.lines().skip(1).map(str::trim).collect();
        let wanted = WANTED.iter().filter(|language| there.contains(language));
        let mut languages: Vec<String> = wanted.map(|language| (*language).to_owned()).collect();
        if languages.is_empty() {
            let any = there.iter().find(|it| !it.is_empty() && !matches!(**it, "osd" | "equ"));
            languages.extend(any.map(|it| (*it).to_owned()));
        }
        if languages.is_empty() {
            return Err(Error::new(ErrorKind::Host, "tesseract has no language to read")
                .hint("install the packages `tesseract-ocr-eng` and `tesseract-ocr-chi-sim`"));
        }
        let has_orientation = there.contains(&ORIENTATION);
        Ok(Facts { version: mitt_base::text::shortened(version, 40), languages, has_orientation })
    }

    async fn asked(&self, question: &str) -> Result<String> {
        let answer = self.run(vec![question.to_owned()], Arc::default(), ASK_TIME).await?;
        Ok(String::from_utf8_lossy(&answer).into_owned())
    }

    /// Recognises a picture with this layout mode.
    async fn read(&self, picture: &Picture, layout: &str) -> Result<Recognised> {
        let languages = self.facts().await?.languages.join("+");
        let arguments =
            ["stdin", "stdout", "-l", &languages, "--psm", layout, "--dpi", "300", "tsv"];
        let arguments = arguments.map(str::to_owned).to_vec();
        let answer = self.run(arguments, picture.png.clone(), PAGE_TIME).await?;
        Ok(layout::read(&String::from_utf8_lossy(&answer)))
    }

    async fn run(
        &self,
        arguments: Vec<String>,
        input: Arc<[u8]>,
        time: Duration,
    ) -> Result<Vec<u8>> {
        let place = self.places.clone().acquire_owned().await;
        Run { program: &self.program, arguments, input, time }.answer(place).await
    }
}

#[async_trait::async_trait]
impl Ocr for Tesseract {
    async fn recognise(&self, picture: Picture) -> Result<Recognised> {
        let page = self.read(&picture, LAYOUT_OF_PAGE).await?;
        if page.confidence.is_some_and(|it| it >= SURE) {
            return Ok(page);
        }
        // On a page without columns, such as one with few lines, this mode may miss lines or their beginnings.
        let block = self.read(&picture, LAYOUT_OF_BLOCK).await?;
        let letters = |it: &Recognised| it.text.chars().filter(|c| c.is_alphanumeric()).count();
        let score = |it: &Recognised| letters(it) as f64 * it.confidence.unwrap_or(0.0);
        Ok(if score(&block) > score(&page) { block } else { page })
    }

    async fn turned(&self, picture: Picture) -> Option<u32> {
        if !self.facts().await.ok()?.has_orientation {
            return None;
        }
        let arguments =
            ["stdin", "stdout", "-l", ORIENTATION, "--psm", LAYOUT_OF_ORIENTATION, "--dpi", "300"];
        // It fails if there is too little text.
        let answer = self.run(arguments.map(str::to_owned).to_vec(), picture.png, PAGE_TIME).await;
        orientation(&String::from_utf8_lossy(&answer.ok()?))
    }

    async fn name(&self) -> String {
        match self.facts().await {
            Ok(Facts { version, languages, .. }) => {
                format!("tesseract {version}, {}", languages.join("+"))
            }
            Err(_) => "tesseract".to_owned(),
        }
    }

    async fn warnings(&self) -> Vec<String> {
        let Ok(facts) = self.facts().await else { return Vec::new() };
        let missing =
            WANTED.iter().filter(|wanted| !facts.languages.iter().any(|it| it == *wanted));
        let missing = missing.map(|language| {
            let package = language.replace('_', "-");
            format!("text in the language `{language}` is not recognised: install the package `tesseract-ocr-{package}`")
        });
        missing.collect()
    }
}

/// Parses the orientation of a page from the output, which has one fact per line.
fn orientation(answer: &str) -> Option<u32> {
    let fact = |name: &str| {
        let value =
            |line: &str| Some(line.strip_prefix(name)?.strip_prefix(':')?.trim().to_owned());
        answer.lines().find_map(|line| value(line.trim()))
    };
    let certain: f64 = fact("Orientation confidence")?.parse().ok()?;
    let turn: u32 = fact("Rotate")?.parse().ok()?;
    (certain >= ORIENTED && matches!(turn, 0 | 90 | 180 | 270)).then_some(turn)
}

#[cfg(unix)]
fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;

    file.metadata().is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(file: &Path) -> bool {
    file.is_file()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn how_a_page_is_turned_is_said_in_lines() {
        let said = |turn: &str, certain: &str| {
            orientation(&format!(
                "Page number: 0\nOrientation in degrees: 90\nRotate: {turn}\nOrientation confidence: {certain}\nScript: Latin\n"
            ))
        };
        assert_eq!(said("270", "23.15"), Some(270));
        assert_eq!(said("0", "22.22"), Some(0));
        for (turn, certain) in [("270", "0.3"), ("45", "20"), ("", "20"), ("90", "NaN"), ("90", "")]
        {
            assert_eq!(said(turn, certain), None, "{turn} {certain}");
        }
        assert_eq!(orientation("Too few characters. Skipping this page"), None);
    }

    /// Returns a fake program with these languages.
    fn player(folder: &Path, languages: &str) -> Tesseract {
        use std::os::unix::fs::PermissionsExt as _;

        let file = folder.join("tesseract");
        let script = format!(
            "#!/bin/sh\ncase $1 in\n--version) echo 'tesseract 5.9.9';;\n--list-langs) printf 'List of languages:\\n{languages}';;\n\
             *) printf 'level\\n5\\t1\\t1\\t1\\t1\\t1\\t0\\t0\\t90\\t20\\t95\\t%s\\n' $4;;\nesac\n"
        );
        std::fs::write(&file, script).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
        Tesseract::at(file)
    }

    #[tokio::test]
    async fn languages_are_those_that_are_there() {
        let folder = tempfile::tempdir().unwrap();
        for (there, used, missing) in [
            ("chi_sim\\neng\\nosd\\n", "chi_sim+eng", 0),
            ("eng\\nosd\\n", "eng", 1),
            ("deu\\nosd\\n", "deu", 2),
        ] {
            let tesseract = player(folder.path(), there);
            assert_eq!(tesseract.name().await, format!("tesseract 5.9.9, {used}"));
            let read = tesseract.recognise(Picture::new(Vec::new())).await.unwrap();
            assert_eq!(read.text, used);
            let warnings = tesseract.warnings().await;
            assert_eq!(warnings.len(), missing, "{warnings:?}");
        }
        let warnings = player(folder.path(), "eng\\n").warnings().await;
        assert!(
            warnings[0].ends_with("install the package `tesseract-ocr-chi-sim`"),
            "{warnings:?}"
        );
        let none = player(folder.path(), "osd\\n").recognise(Picture::new(Vec::new())).await;
        assert!(none.unwrap_err().to_string().contains("no language"));
    }
}
