//! Addresses with wildcards, which say of which objects something is made, and addresses with names in braces, which say where it
//! goes.

use super::automaton::{Automaton, Piece};
use mitt_base::text;
use mitt_net::s3::S3Address;

/// Longest pattern, in bytes: as long as a key.
const MAX_BYTES: usize = 1024;

/// Objects of a bucket: `s3://bucket/folder/**/*.xlsx`.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    bucket: String,
    pieces: Vec<Piece>,
    keys: Automaton,
    /// Folders before the first wildcard, with a slash at the end; may be empty.
    fixed: String,
}

/// Where something goes: `s3://bucket/folder/{name}.csv`.
#[derive(Clone, Debug)]
pub(super) struct Target {
    bucket: String,
    parts: Vec<Part>,
    keys: Automaton,
}

/// What goes to a target.
#[derive(Clone, Debug)]
pub(super) struct Outputs<'t> {
    bucket: &'t str,
    keys: Automaton,
}

impl Outputs<'_> {
    /// Returns `true` if an output of both may have the same address.
    pub(super) fn meet(&self, other: &Outputs<'_>) -> bool {
        self.bucket == other.bucket && self.keys.meets(&other.keys)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    Name(PartName),
}

/// What a name in braces stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PartName {
    /// Folders of the object below the fixed ones of the pattern.
    Folder,
    /// Its name without the extension.
    Name,
    /// Its extension, without the dot.
    Extension,
    /// Number of a table in it.
    Table,
}

impl PartName {
    const ALL: [(&str, PartName); 4] = [
        ("folder", PartName::Folder),
        ("name", PartName::Name),
        ("ext", PartName::Extension),
        ("table", PartName::Table),
    ];
}

/// Returns the bucket of an address and what stands behind it.
fn divided(address: &str) -> Result<(String, &str), String> {
    let shown = || text::one_line(&text::shortened(address, 100));
    let rest = address.strip_prefix("s3://").unwrap_or_default();
    let (bucket, key) = rest.split_once('/').unwrap_or((rest, ""));
    if S3Address::parse(&format!("s3://{bucket}")).is_err() {
        return Err(format!("expected an address `s3://bucket/…`, got `{}`", shown()));
    }
    if key.is_empty() || key.len() > MAX_BYTES {
        return Err(format!(
            "expected 1 to {MAX_BYTES} bytes behind the bucket, got `{}`",
            shown()
        ));
    }
    let is_wrong = |part: &str| matches!(part, "" | "." | "..");
    if key.chars().any(char::is_control) || key.split('/').any(is_wrong) {
        return Err(format!(
            "expected no empty part, `.` or `..` between slashes, got `{}`",
            shown()
        ));
    }
    Ok((bucket.to_owned(), key))
}

impl Pattern {
    /// Reads a pattern. `*` stands for any characters but a slash, `?` for one of them, `**` for any characters, and `**/` for any
    /// folders, or none.
    ///
    /// # Errors
    ///
    /// It is no such address; the text says why.
    pub(super) fn parse(address: &str) -> Result<Pattern, String> {
        let (bucket, key) = divided(address)?;
        let mut pieces = Vec::new();
        let mut rest = key;
        while let Some(c) = rest.chars().next() {
            let is_part = matches!(pieces.last(), None | Some(Piece::Char('/') | Piece::Folders));
            let (piece, length) = match c {
                '*' if rest.starts_with("**/") && is_part => (Piece::Folders, 3),
                '*' if rest.starts_with("**") => (Piece::Across, 2),
                '*' => (Piece::InName, 1),
                '?' => (Piece::One, 1),
                c => (Piece::Char(c), c.len_utf8()),
            };
            pieces.push(piece);
            rest = &rest[length..];
        }
        let plain = pieces.iter().map_while(|piece| match piece {
            Piece::Char(c) => Some(*c),
            _ => None,
        });
        let mut fixed: String = plain.collect();
        fixed.truncate(fixed.rfind('/').map_or(0, |at| at + 1));
        let keys = Automaton::of(&pieces);
        Ok(Pattern { bucket, pieces, keys, fixed })
    }

    /// Returns `true` for an object of the pattern.
    pub(super) fn has(&self, bucket: &str, key: &str) -> bool {
        self.bucket == bucket && self.keys.has(key)
    }

    /// Returns `true` if objects below `prefix` may be ones of the pattern.
    pub(super) fn meets_prefix(&self, prefix: &S3Address) -> bool {
        let mut pieces: Vec<Piece> = prefix.key.chars().map(Piece::Char).collect();
        if !pieces.is_empty() {
            pieces.push(Piece::Char('/'));
        }
        pieces.push(Piece::Across);
        self.bucket == prefix.bucket && self.keys.meets(&Automaton::of(&pieces))
    }

    /// Returns the names in braces that a target lacks, without which two objects of the pattern may go to the same address.
    pub(super) fn lacking(&self, target: &Target) -> Vec<&'static str> {
        let (folders, file) = self.divided();
        let (_, extension) = name_and_extension(file);
        let needed = [
            (PartName::Folder, is_wild(folders) || file.contains(&Piece::Across)),
            (PartName::Name, is_wild(file)),
            (PartName::Extension, is_wild(extension)),
        ];
        let lacks = |part: PartName| !target.names(part);
        let named = PartName::ALL.into_iter().filter(|(_, part)| {
            needed.iter().any(|(needed, is_needed)| needed == part && *is_needed && lacks(*part))
        });
        named.map(|(name, _)| name).collect()
    }

    /// Returns the pieces of the folders, with the last slash, and those of the name of the file.
    fn divided(&self) -> (&[Piece], &[Piece]) {
        let ends_folder = |piece: &Piece| matches!(piece, Piece::Char('/') | Piece::Folders);
        let at = self.pieces.iter().rposition(ends_folder).map_or(0, |at| at + 1);
        self.pieces.split_at(at)
    }
}

fn is_wild(pieces: &[Piece]) -> bool {
    pieces.iter().any(|piece| !matches!(piece, Piece::Char(_)))
}

/// Divides the pieces of a file's name at the last dot. Without a dot both parts may be anything that the name may be.
fn name_and_extension(file: &[Piece]) -> (&[Piece], &[Piece]) {
    match file.iter().rposition(|piece| *piece == Piece::Char('.')) {
        // A dot at the beginning divides nothing.
        Some(0) | None => (file, file),
        Some(dot) => (&file[..dot], &file[dot + 1..]),
    }
}

impl Target {
    /// Reads a target. `{folder}`, `{name}`, `{ext}` and `{table}` stand for parts of the object's key.
    ///
    /// # Errors
    ///
    /// It is no such address; the text says why.
    pub(super) fn parse(address: &str) -> Result<Target, String> {
        let (bucket, mut rest) = divided(address)?;
        let (mut parts, mut pieces) = (Vec::new(), Vec::new());
        while !rest.is_empty() {
            let at = rest.find(['{', '}']).unwrap_or(rest.len());
            let (plain, behind) = rest.split_at(at);
            if !plain.is_empty() {
                pieces.extend(plain.chars().map(Piece::Char));
                parts.push(Part::Text(plain.to_owned()));
            }
            rest = behind;
            if rest.is_empty() {
                break;
            }
            let known = PartName::ALL.into_iter().find_map(|(name, part)| {
                let behind = rest.strip_prefix('{')?.strip_prefix(name)?.strip_prefix('}')?;
                Some((part, behind))
            });
            let Some((part, mut behind)) = known else {
                let expected = PartName::ALL.map(|(name, _)| format!("`{{{name}}}`")).join(", ");
                let shown = text::one_line(text::cut_bytes(rest, 40));
                return Err(format!("expected one of {expected}, got `{shown}`"));
            };
            // Without folders there is no slash behind them either.
            pieces.push(match (part, behind.strip_prefix('/')) {
                (PartName::Folder, Some(without)) => {
                    behind = without;
                    Piece::Folders
                }
                (PartName::Folder, None) => Piece::Across,
                _ => Piece::InName,
            });
            parts.push(Part::Name(part));
            if pieces.last() == Some(&Piece::Folders) {
                parts.push(Part::Text("/".to_owned()));
            }
            rest = behind;
        }
        let keys = Automaton::of(&pieces);
        Ok(Target { bucket, parts, keys })
    }

    /// Returns `true` if it has this name in braces.
    pub(super) fn names(&self, part: PartName) -> bool {
        self.parts.contains(&Part::Name(part))
    }

    /// Returns the extension of all its keys in lower case; `None` if they have none, or not the same one.
    pub(super) fn extension(&self) -> Option<String> {
        let Some(Part::Text(end)) = self.parts.last() else { return None };
        let (_, extension) = end.rsplit_once('.')?;
        (!extension.contains('/')).then(|| extension.to_ascii_lowercase())
    }

    /// Returns `true` if something that goes there may be an object of the pattern.
    pub(super) fn meets(&self, pattern: &Pattern) -> bool {
        self.bucket == pattern.bucket && self.keys.meets(&pattern.keys)
    }

    /// Returns the keys of what goes there when it is made of objects of the pattern.
    pub(super) fn outputs(&self, pattern: &Pattern) -> Outputs<'_> {
        let (folders, file) = pattern.divided();
        let has_folders = is_wild(folders) || file.contains(&Piece::Across);
        let (name, extension) = name_and_extension(file);
        // An extension that is not plain may have a dot, and then the name ends behind another one.
        let is_plain = !is_wild(extension) && extension.len() < file.len();
        let mut pieces = Vec::new();
        let mut parts = self.parts.iter().peekable();
        while let Some(part) = parts.next() {
            let is_before_slash =
                matches!(parts.peek(), Some(Part::Text(text)) if text.starts_with('/'));
            match part {
                Part::Text(text) => pieces.extend(text.chars().map(Piece::Char)),
                Part::Name(PartName::Folder) if is_before_slash => {
                    pieces.extend(has_folders.then_some(Piece::Folders));
                    let rest = match parts.next() {
                        Some(Part::Text(text)) => text.get(1..).unwrap_or_default(),
                        _ => "",
                    };
                    pieces.extend(rest.chars().map(Piece::Char));
                }
                Part::Name(PartName::Folder) => {
                    pieces.extend(has_folders.then_some(Piece::Across));
                }
                Part::Name(PartName::Name) if is_plain && !name.contains(&Piece::Across) => {
                    pieces.extend(name);
                }
                Part::Name(PartName::Extension) if is_plain => pieces.extend(extension),
                Part::Name(_) => pieces.push(Piece::InName),
            }
        }
        Outputs { bucket: &self.bucket, keys: Automaton::of(&pieces) }
    }

    /// Returns where something goes that is made of the object `key` of the pattern.
    pub(super) fn address(&self, pattern: &Pattern, key: &str, table: usize) -> S3Address {
        let (folders, file) = key.rsplit_once('/').unwrap_or(("", key));
        let folder = format!("{folders}/");
        let folder = folder.strip_prefix(&pattern.fixed).unwrap_or(folders);
        let folder = folder.trim_matches('/');
        let (name, extension) =
            file.rsplit_once('.').filter(|(name, _)| !name.is_empty()).unwrap_or((file, ""));
        let number = table.to_string();
        let mut made = String::new();
        let mut skips_slash = false;
        for part in &self.parts {
            let text = match part {
                Part::Text(text) if skips_slash => text.strip_prefix('/').unwrap_or(text.as_str()),
                Part::Text(text) => text.as_str(),
                Part::Name(PartName::Folder) => folder,
                Part::Name(PartName::Name) => name,
                Part::Name(PartName::Extension) => extension,
                Part::Name(PartName::Table) => &number,
            };
            // As in the automaton. An empty part of another name stays, and such a key is refused.
            skips_slash = *part == Part::Name(PartName::Folder) && folder.is_empty();
            made.push_str(text);
        }
        S3Address { bucket: self.bucket.clone(), key: made }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(address: &str) -> Pattern {
        Pattern::parse(address).unwrap()
    }

    fn target(address: &str) -> Target {
        Target::parse(address).unwrap()
    }

    #[test]
    fn a_pattern_has_the_objects_of_its_bucket() {
        let reports = pattern("s3://in-box/reports/**/*.xlsx");
        for key in ["reports/a.xlsx", "reports/2025/q1/月报 1.xlsx"] {
            assert!(reports.has("in-box", key), "{key}");
        }
        for key in ["reports.xlsx", "reports/a.csv", "other/reports/a.xlsx", "reports/a.xlsx/b"] {
            assert!(!reports.has("in-box", key), "{key}");
        }
        assert!(!reports.has("out-box", "reports/a.xlsx"));
        assert!(pattern("s3://in-box/**").has("in-box", "a/b"));
        assert!(pattern("s3://in-box/a?.pdf").has("in-box", "a1.pdf"));
        assert!(!pattern("s3://in-box/*").has("in-box", "a/b"));
    }

    #[test]
    fn what_is_no_address_is_named() {
        for (address, expected) in [
            ("in-box/a", "expected an address `s3://bucket/…`"),
            ("s3://i/a", "expected an address"),
            ("s3://in-box", "behind the bucket"),
            ("s3://in-box/a/../b", "`..`"),
            ("s3://in-box/a//b", "no empty part"),
        ] {
            for error in [Pattern::parse(address).err(), Target::parse(address).err()] {
                let error = error.unwrap_or_else(|| panic!("{address}"));
                assert!(error.contains(expected), "{address}: {error}");
            }
        }
        for wrong in ["{nane}", "{name", "name}", "{}"] {
            let error = Target::parse(&format!("s3://out-box/{wrong}.md")).unwrap_err();
            assert!(error.contains("`{name}`") && error.contains("got"), "{wrong}: {error}");
        }
        assert!(Pattern::parse(&format!("s3://in-box/{}", "a".repeat(1025))).is_err());
    }

    #[test]
    fn a_target_has_the_parts_of_the_key() {
        let reports = pattern("s3://in-box/reports/**/*");
        let to = |address: &str, key: &str| target(address).address(&reports, key, 3).to_string();
        let all = "s3://out-box/t/{folder}/{name}-{table}.{ext}.csv";
        assert_eq!(to(all, "reports/2025/q1/a.b.xlsx"), "s3://out-box/t/2025/q1/a.b-3.xlsx.csv");
        assert_eq!(to(all, "reports/月报.xlsx"), "s3://out-box/t/月报-3.xlsx.csv");
        assert_eq!(
            to("s3://out-box/{folder}/{name}.md", "reports/x/.env"),
            "s3://out-box/x/.env.md"
        );
        assert_eq!(to("s3://out-box/{name}{ext}.md", "reports/plain"), "s3://out-box/plain.md");
        assert_eq!(to("s3://out-box/{name}{ext}/t.md", "reports/plain"), "s3://out-box/plain/t.md");
        assert_eq!(to("s3://out-box/{ext}/{name}.md", "reports/plain"), "s3://out-box//plain.md");
        assert_eq!(target(all).extension().as_deref(), Some("csv"));
        assert_eq!(target("s3://out-box/{name}.{ext}").extension(), None);
        assert_eq!(target("s3://out-box/a.b/{name}").extension(), None);
    }

    #[test]
    fn an_address_is_among_the_keys_of_its_target() {
        let from = pattern("s3://in-box/reports/**");
        for to in [
            "{folder}/{name}.{ext}.md",
            "{folder}{name}.md",
            "a/{folder}",
            "{ext}/{folder}/{name}",
            "{name}{ext}/t.md",
            "{folder}{ext}/t",
            "{folder}/{folder}/{table}",
        ] {
            let to = target(&format!("s3://out-box/{to}"));
            for key in ["plain", "a.csv", ".env", "x/plain", "x/y/a.b.csv", "a."] {
                let made = to.address(&from, &format!("reports/{key}"), 7).key;
                assert!(to.keys.has(&made), "{to:?} {key}: {made}");
                assert!(to.outputs(&from).keys.has(&made), "{to:?} {key}: {made}");
            }
        }
    }

    #[test]
    fn a_target_that_may_be_an_object_of_the_pattern_is_found() {
        for (from, to, meets) in [
            ("s3://in-box/**", "s3://in-box/out/{name}.csv", true),
            ("s3://in-box/in/**", "s3://in-box/out/{name}.csv", false),
            ("s3://in-box/in/**", "s3://out-box/in/{name}.csv", false),
            ("s3://in-box/**/*.xlsx", "s3://in-box/{folder}/{name}.csv", false),
            ("s3://in-box/**/*.xlsx", "s3://in-box/{folder}/{name}.xlsx", true),
            ("s3://in-box/in/*.md", "s3://in-box/{folder}/{name}.md", true),
            ("s3://in-box/*.md", "s3://in-box/out/{name}.md", false),
            ("s3://in-box/*", "s3://in-box/{folder}/a", true),
        ] {
            assert_eq!(target(to).meets(&pattern(from)), meets, "{from} {to}");
        }
        let prefix = |text: &str| S3Address::parse(text).unwrap();
        assert!(pattern("s3://in-box/**").meets_prefix(&prefix("s3://in-box/results")));
        assert!(pattern("s3://in-box/a/*").meets_prefix(&prefix("s3://in-box")));
        assert!(!pattern("s3://in-box/in/**").meets_prefix(&prefix("s3://in-box/results")));
    }

    #[test]
    fn targets_that_would_replace_each_other_are_named() {
        let lacking = |from: &str, to: &str| pattern(from).lacking(&target(to));
        let empty: [&str; 0] = [];
        assert_eq!(lacking("s3://in-box/**/*.xlsx", "s3://out-box/{folder}/{name}.md"), empty);
        assert_eq!(lacking("s3://in-box/*.xlsx", "s3://out-box/{name}.md"), empty);
        assert_eq!(lacking("s3://in-box/**", "s3://out-box/{name}.md"), ["folder", "ext"]);
        assert_eq!(lacking("s3://in-box/*.xlsx", "s3://out-box/a.md"), ["name"]);
        assert_eq!(lacking("s3://in-box/a.xlsx", "s3://out-box/b.md"), empty);
        // The folder is wild, and the file is not.
        for from in ["s3://in-box/*/report.csv", "s3://in-box/q?/report.csv"] {
            assert_eq!(lacking(from, "s3://out-box/{name}.md"), ["folder"], "{from}");
            assert_eq!(lacking(from, "s3://out-box/{folder}.md"), empty, "{from}");
        }
        assert_eq!(lacking("s3://in-box/a/**/report.csv", "s3://out-box/{folder}/r.md"), empty);
        assert_eq!(lacking("s3://in-box/a.*/b", "s3://out-box/{folder}/b.md"), empty);
    }

    #[test]
    fn outputs_of_two_rules_that_may_have_the_same_address_are_found() {
        for (from, to, other_from, other_to, meet) in [
            ("*.csv", "{name}.md", "*.xlsx", "{name}.md", true),
            ("*.csv", "{name}.{ext}.md", "*.xlsx", "{name}.{ext}.md", false),
            ("*.csv", "{name}.{ext}.md", "**", "{name}.{ext}.md", true),
            ("a-*.csv", "{name}.md", "b-*.csv", "{name}.md", false),
            ("a-*.csv", "{name}.md", "a*.xlsx", "{name}.md", true),
            ("a/**/*.csv", "{folder}/{name}.md", "b/**/*.csv", "{folder}/{name}.md", true),
            ("a/*.csv", "{folder}/{name}.md", "b/**/*.csv", "x/{folder}/{name}.md", false),
            ("*.csv", "{name}-{table}.csv", "*.txt", "{name}.csv", true),
            ("*.csv", "{name}-{table}.csv", "*.txt", "{name}.md", false),
            ("a.csv", "{name}", "b.csv", "{name}", false),
            (".env", "{name}", "*", "{name}", true),
        ] {
            let address = |key: &str| format!("s3://in-box/{key}");
            let (to, other_to) = (target(&address(to)), target(&address(other_to)));
            let outputs = to.outputs(&pattern(&address(from)));
            let others = other_to.outputs(&pattern(&address(other_from)));
            assert_eq!(outputs.meet(&others), meet, "{from} {to:?} {other_from} {other_to:?}");
        }
        let (one, other) = (target("s3://one-box/a"), target("s3://other-box/a"));
        let from = pattern("s3://in-box/*");
        assert!(!one.outputs(&from).meet(&other.outputs(&from)));
    }
}
