//! The file of rules: what is made of an object of S3 that was created.
//!
//! | file | contents |
//! |---|---|
//! | `automaton` | sets of keys, and whether two of them have a key in common |
//! | `pattern` | addresses with wildcards and with names in braces |
//!
//! Reads no object. A rule whose output a rule would be used for is refused, so that a function never starts itself.

mod automaton;
mod pattern;

use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;
use serde_saphyr::Spanned;

use super::fields::Fields;
use super::render_options::{RenderOptions, check_format};
use crate::args::LambdaS3;
use mitt_base::limits::MIB;
use mitt_base::{Error, ErrorKind, Result, plain_file, text};
use mitt_net::s3::S3Address;
use pattern::{PartName, Pattern, Target};

/// Largest file of rules, in bytes.
const MAX_BYTES: u64 = MIB;

/// Most rules of a file.
const MAX_RULES: usize = 1_000;

/// Largest template that lies beside the file of rules, in bytes; the limit of the renderer.
pub(super) const MAX_TEMPLATE_BYTES: u64 = 32 * MIB;

/// What is made of objects.
#[derive(Debug, Default)]
pub(super) struct Rules {
    rules: Vec<Rule>,
    /// What may be a mistake, for the log.
    pub(super) warnings: Vec<String>,
}

/// A rule.
#[derive(Debug)]
pub(super) struct Rule {
    /// Where it stands, such as `rules.yaml:7`.
    pub(super) place: String,
    from: Pattern,
    to: Target,
    pub(super) action: Action,
}

/// What is made of an object.
#[derive(Clone, Debug)]
pub(super) enum Action {
    /// Its text.
    Text,
    /// Its tables, each as a file.
    TablesCsv,
    /// Its tables, together in a file.
    TablesJson,
    /// A file made of its text, which is Markdown.
    Render(Box<RenderOptions>),
    /// A template filled with its values.
    Fill(Template),
}

/// A template to fill.
#[derive(Clone, Debug)]
pub(super) enum Template {
    /// A file that was read at the start.
    Content(Arc<[u8]>),
    /// An object that is read when it is needed.
    Object(S3Address),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    schema: u32,
    rules: Vec<Spanned<WireRule>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireRule {
    from: Spanned<String>,
    #[serde(rename = "do")]
    action: Spanned<String>,
    to: Spanned<String>,
    #[serde(default)]
    template: Option<Spanned<String>>,
    #[serde(default)]
    options: Option<serde_json::Value>,
}

impl Rules {
    /// Reads the file of the options; no rules without one.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`] - it cannot be read, or a rule is wrong; the place is named.
    pub(super) fn of(options: &LambdaS3) -> Result<Rules> {
        let Some(file) = &options.rules else { return Ok(Rules::default()) };
        let unreadable = || {
            Error::input(format!("cannot read the rules {}", file.display()))
                .hint(format!("name an existing text file of at most {MAX_BYTES} bytes"))
        };
        let yaml =
            plain_file::read(file, MAX_BYTES).map_err(|error| unreadable().caused_by(error))?;
        if yaml.len() as u64 > MAX_BYTES {
            return Err(unreadable());
        }
        let yaml = String::from_utf8(yaml).map_err(|error| unreadable().caused_by(error))?;
        let folder = file.parent().unwrap_or(Path::new(""));
        Rules::parse(&yaml, (&file.display().to_string(), folder), options.results.as_ref())
    }

    /// Parses rules. Templates lie in the folder. `results` is where answers go that do not fit.
    fn parse(
        yaml: &str,
        (file, folder): (&str, &Path),
        results: Option<&S3Address>,
    ) -> Result<Rules> {
        let at_line = |line: u64| format!("{file}:{}", line.max(1));
        let wire: Wire = serde_saphyr::from_str(yaml).map_err(|error| {
            let line = error.location().map_or(1, |location| location.line());
            Error::input(error.without_snippet().to_string())
                .at(at_line(line))
                .hint("docs/edge.md has an example of a file of rules")
        })?;
        if wire.schema != 1 {
            let message = format!("schema: expected 1, got {}", wire.schema);
            return Err(Error::input(message).at(file));
        }
        if wire.rules.is_empty() || wire.rules.len() > MAX_RULES {
            let message =
                format!("rules: expected 1 to {MAX_RULES} rules, got {}", wire.rules.len());
            return Err(Error::input(message).at(file));
        }
        let (mut rules, mut targets) = (Vec::new(), Vec::new());
        for (number, rule) in wire.rules.into_iter().enumerate() {
            let place = |line: u64, key: &str| format!("{}: rules[{number}].{key}", at_line(line));
            let own_place = at_line(rule.referenced.line());
            targets.push(place(rule.value.to.referenced.line(), "to"));
            rules.push(Rule::read(rule.value, own_place, folder, place)?);
        }
        let mut made = Rules { rules, warnings: Vec::new() };
        made.check_circles(&targets, results)?;
        made.note_collisions(&targets);
        Ok(made)
    }

    /// Refuses rules of which one would be used for what one makes, or for results of the function.
    fn check_circles(&self, targets: &[String], results: Option<&S3Address>) -> Result<()> {
        const HINT: &str =
            "write to another bucket, or to a prefix or an extension that no `from` has";
        for (rule, place) in self.rules.iter().zip(targets) {
            if let Some(other) = self.rules.iter().find(|other| rule.to.meets(&other.from)) {
                let message = format!(
                    "what goes there may be an object of the rule at {}: the function would start itself for ever",
                    other.place
                );
                return Err(Error::input(message).at(place).hint(HINT));
            }
        }
        let Some(results) = results else { return Ok(()) };
        let Some(rule) = self.rules.iter().find(|rule| rule.from.meets_prefix(results)) else {
            return Ok(());
        };
        let message = format!(
            "results of the function may be objects of the rule at {}: it would start itself for ever",
            rule.place
        );
        let error = Error::input(message).at(format!("--results {results}"));
        Err(error.hint("name another bucket, or a prefix that no `from` has"))
    }

    /// Notes targets at which the outputs of two objects, or of two rules, may replace each other.
    fn note_collisions(&mut self, targets: &[String]) {
        for (rule, place) in self.rules.iter().zip(targets) {
            let lacking: Vec<String> = rule
                .from
                .lacking(&rule.to)
                .into_iter()
                .map(|name| format!("`{{{name}}}`"))
                .collect();
            if !lacking.is_empty() {
                self.warnings.push(format!(
                    "{place}: without {} the outputs of several objects replace each other",
                    lacking.join(" and ")
                ));
            }
        }
        let outputs: Vec<_> = self.rules.iter().map(|rule| rule.to.outputs(&rule.from)).collect();
        for (at, place) in targets.iter().enumerate() {
            if let Some(other) = outputs[..at].iter().position(|other| other.meet(&outputs[at])) {
                self.warnings.push(format!(
                    "{place}: the outputs may replace those of the rule at {}",
                    self.rules[other].place
                ));
            }
        }
    }

    /// Returns `true` if there are no rules.
    pub(super) fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Returns `true` if a rule needs the texts of documents uncut.
    pub(super) fn need_whole_texts(&self) -> bool {
        self.rules.iter().any(|rule| matches!(rule.action, Action::Text))
    }

    /// Returns the rules for an object.
    pub(super) fn matching<'r, 'k>(
        &'r self,
        bucket: &'k str,
        key: &'k str,
    ) -> impl Iterator<Item = &'r Rule> + use<'r, 'k> {
        self.rules.iter().filter(move |rule| rule.from.has(bucket, key))
    }
}

impl Rule {
    fn read(
        wire: WireRule,
        own_place: String,
        folder: &Path,
        place: impl Fn(u64, &str) -> String,
    ) -> Result<Rule> {
        let wrong = |text: &Spanned<String>, key: &str, problem: String| {
            Error::input(problem).at(place(text.referenced.line(), key))
        };
        let from = Pattern::parse(&wire.from.value);
        let from = from.map_err(|problem| wrong(&wire.from, "from", problem))?;
        let to = Target::parse(&wire.to.value);
        let to = to.map_err(|problem| wrong(&wire.to, "to", problem))?;
        let action = match wire.action.value.as_str() {
            "text" => Action::Text,
            "tables" => match to.extension().as_deref() {
                Some("csv") => Action::TablesCsv,
                Some("json") => Action::TablesJson,
                _ => {
                    let problem = "expected a key that ends in `.csv` or `.json`".to_owned();
                    return Err(wrong(&wire.to, "to", problem));
                }
            },
            "render" => {
                check_format(to_name(&wire.to.value))
                    .map_err(|problem| wrong(&wire.to, "to", problem))?;
                let options = wire.options.clone().unwrap_or_else(|| serde_json::json!({}));
                let at = place(wire.action.referenced.line(), "options");
                let options = Fields::of(at, options.into()).and_then(|mut fields| {
                    let options = RenderOptions::read(&mut fields)?;
                    fields.finish().map(|()| options)
                });
                Action::Render(Box::new(options.map_err(as_input)?))
            }
            "fill" => {
                let Some(template) = &wire.template else {
                    let problem = "expected `template` beside `do: fill`".to_owned();
                    return Err(wrong(&wire.action, "do", problem));
                };
                check_template(&to, &template.value)
                    .map_err(|problem| wrong(template, "template", problem))?;
                let read = read_template(folder, &template.value);
                let at = || place(template.referenced.line(), "template");
                Action::Fill(read.map_err(|error| error.at(at()))?)
            }
            other => {
                let other = text::one_line(text::cut_bytes(other, 40));
                let problem =
                    format!("expected `text`, `tables`, `render` or `fill`, got `{other}`");
                return Err(wrong(&wire.action, "do", problem));
            }
        };
        let rule = Rule { place: own_place, from, to, action };
        rule.check(&wire).map_err(|(text, key, problem)| wrong(text, key, problem))?;
        Ok(rule)
    }

    /// Checks that the keys of a rule go together. The error has the text that is wrong, its key and the problem.
    fn check<'w>(
        &self,
        wire: &'w WireRule,
    ) -> Result<(), (&'w Spanned<String>, &'static str, String)> {
        let names_table = self.to.names(PartName::Table);
        match (&self.action, names_table) {
            (Action::TablesCsv, false) => {
                let problem =
                    "expected `{table}` in it, because a document may have several tables";
                return Err((&wire.to, "to", problem.to_owned()));
            }
            (Action::TablesCsv, true) => {}
            (_, true) => {
                let problem = "expected no `{table}`: only tables as `.csv` are files of their own";
                return Err((&wire.to, "to", problem.to_owned()));
            }
            (_, false) => {}
        }
        if let (Some(template), false) = (&wire.template, matches!(self.action, Action::Fill(_))) {
            return Err((template, "template", "only `do: fill` has a template".to_owned()));
        }
        if wire.options.is_some() && !matches!(self.action, Action::Render(_)) {
            return Err((&wire.action, "options", "only `do: render` has options".to_owned()));
        }
        Ok(())
    }

    /// Returns where something goes that the rule makes of an object. `table` is the number of the table.
    pub(super) fn address(&self, key: &str, table: usize) -> S3Address {
        self.to.address(&self.from, key, table)
    }
}

/// Returns the name of the file at the end of a target.
fn to_name(target: &str) -> &str {
    target.rsplit('/').next().unwrap_or(target)
}

/// Returns an error of a field as one of the file of rules.
fn as_input(error: Error) -> Error {
    let message = error.message().to_owned();
    error.hints().iter().fold(Error::new(ErrorKind::Input, message), |error, hint| error.hint(hint))
}

/// Checks that a filled template has the name of its kind.
fn check_template(to: &Target, template: &str) -> Result<(), String> {
    let (_, from) = template.rsplit_once('.').unwrap_or_default();
    let made = match from.to_ascii_lowercase().as_str() {
        "xlsx" | "xltx" => "xlsx",
        "xlsm" => "xlsm",
        "docx" | "dotx" => "docx",
        _ => {
            let template = text::one_line(&text::shortened(template, 100));
            let kinds = "`.xlsx`, `.xltx`, `.xlsm`, `.docx` or `.dotx`";
            return Err(format!("expected a template {kinds}, got `{template}`"));
        }
    };
    match to.extension() {
        Some(extension) if extension == made => Ok(()),
        _ => Err(format!("filled it is a `.{made}`: expected such an end of `to`")),
    }
}

/// Reads a template from the folder of the rules, or returns the address of the object that it is.
fn read_template(folder: &Path, template: &str) -> Result<Template> {
    if template.starts_with("s3://") {
        return S3Address::parse(template).map(Template::Object);
    }
    let path = folder.join(template);
    let unreadable = || {
        Error::input(format!("cannot read {}", path.display())).hint(format!(
            "name a file of at most {MAX_TEMPLATE_BYTES} bytes beside the rules, or an object `s3://bucket/key`"
        ))
    };
    let content = plain_file::read(&path, MAX_TEMPLATE_BYTES)
        .map_err(|error| unreadable().caused_by(error))?;
    if content.len() as u64 > MAX_TEMPLATE_BYTES {
        return Err(unreadable());
    }
    Ok(Template::Content(content.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(yaml: &str, results: Option<&str>) -> Result<Rules> {
        let results = results.map(|results| S3Address::parse(results).unwrap());
        Rules::parse(yaml, ("rules.yaml", Path::new("")), results.as_ref())
    }

    /// Returns a file with these rules, which begin on the third line.
    fn file(rules: &str) -> String {
        format!("schema: 1\nrules:\n{rules}\n")
    }

    const TEXT: &str = "  - from: s3://in-box/a/**/*.pdf\n    do: text\n    to: s3://in-box/text/{folder}/{name}.md";

    #[test]
    fn rules_match_objects_and_name_outputs() {
        let tables = "  - from: s3://in-box/a/*.*\n    do: tables\n    to: s3://out-box/{name}-{ext}-{table}.csv";
        let render = "  - from: s3://in-box/n/*.md\n    do: render\n    options: { theme: report, paper: a4 }\n    \
                      to: s3://out-box/{name}.pdf";
        let rules = parse(&file(&[TEXT, tables, render].join("\n")), None).unwrap();
        assert_eq!(rules.warnings, Vec::<String>::new());
        let of = |key: &str| -> Vec<String> {
            let matching = rules.matching("in-box", key);
            matching.map(|rule| format!("{} {}", rule.place, rule.address(key, 2))).collect()
        };
        assert_eq!(
            of("a/月报.pdf"),
            ["rules.yaml:3 s3://in-box/text/月报.md", "rules.yaml:6 s3://out-box/月报-pdf-2.csv"]
        );
        assert_eq!(of("a/b/c.pdf"), ["rules.yaml:3 s3://in-box/text/b/c.md"]);
        assert_eq!(of("n/x.md"), ["rules.yaml:9 s3://out-box/x.pdf"]);
        assert!(of("x.pdf").is_empty() && rules.matching("out-box", "a/x.pdf").next().is_none());
        assert!(rules.need_whole_texts() && !rules.is_empty());
    }

    #[test]
    fn a_function_never_starts_itself() {
        let own = "  - from: s3://in-box/**\n    do: text\n    to: s3://in-box/text/{name}.md";
        let error = parse(&file(own), None).err().unwrap().render();
        assert!(error.starts_with("rules.yaml:5: rules[0].to: "), "{error}");
        assert!(error.contains("the rule at rules.yaml:3") && error.contains("hint: "), "{error}");
        // By way of another rule.
        let first = "  - from: s3://in-box/*.pdf\n    do: text\n    to: s3://mid-box/{name}.md";
        let second = "  - from: s3://mid-box/*.md\n    do: render\n    to: s3://out-box/{name}.pdf";
        let error = parse(&file(&format!("{first}\n{second}")), None).err().unwrap().render();
        assert!(error.starts_with("rules.yaml:5: rules[0].to: "), "{error}");
        assert!(error.contains("the rule at rules.yaml:6"), "{error}");
        // By way of its results.
        let error = parse(&file(TEXT), Some("s3://in-box")).err().unwrap().render();
        assert!(error.starts_with("--results s3://in-box: "), "{error}");
        assert!(parse(&file(TEXT), Some("s3://in-box/results")).is_ok());
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        let rule = |from: &str, action: &str, to: &str| {
            file(&format!("  - from: {from}\n    do: {action}\n    to: {to}"))
        };
        let (from, to) = ("s3://in-box/*.pdf", "s3://out-box/{name}.md");
        for (yaml, expected) in [
            ("schema: 2\nrules: []".to_owned(), "rules.yaml: schema: expected 1, got 2"),
            ("schema: 1\nrules: []".to_owned(), "expected 1 to 1000 rules, got 0"),
            ("schema: 1\nrules: [".to_owned(), "rules.yaml:"),
            (rule(from, "tekst", to), "rules.yaml:4: rules[0].do: expected `text`"),
            (rule("in-box/*.pdf", "text", to), "rules.yaml:3: rules[0].from: expected an address"),
            (
                rule(from, "text", "s3://out-box/{nam}.md"),
                "rules.yaml:5: rules[0].to: expected one of",
            ),
            (rule(from, "tables", to), "rules[0].to: expected a key that ends in `.csv`"),
            (rule(from, "tables", "s3://out-box/{name}.csv"), "expected `{table}` in it"),
            (rule(from, "text", "s3://out-box/{name}{table}.md"), "expected no `{table}`"),
            (rule(from, "render", to), "rules[0].to: expected a name that ends in one of"),
            (rule(from, "fill", to), "rules[0].do: expected `template`"),
            (rule(from, "text\n    template: a.docx", to), "only `do: fill` has a template"),
            (rule(from, "text\n    options: {}", to), "only `do: render` has options"),
            (
                rule(from, "render\n    options: { theme: pink }", "s3://out-box/{name}.pdf"),
                "options.theme: expected one of",
            ),
            (
                rule(from, "render\n    options: { standards: [x] }", "s3://out-box/{name}.pdf"),
                "rules.yaml:4: rules[0].options.standards: there is no standard `x`\nhint: known are",
            ),
            (
                rule(from, "fill\n    template: none.docx", "s3://out-box/{name}.docx"),
                "rules.yaml:5: rules[0].template: cannot read none.docx",
            ),
            (rule(from, "fill\n    template: a.docx", "s3://out-box/{name}.xlsx"), "is a `.docx`"),
            (
                rule(from, "fill\n    template: a.pdf", "s3://out-box/{name}.pdf"),
                "expected a template",
            ),
            (rule(from, "text\n    too: 1", to), "too"),
        ] {
            let error = parse(&yaml, None).err().unwrap_or_else(|| panic!("{yaml}")).render();
            assert!(error.contains(expected), "{yaml}: {error}");
        }
    }

    #[test]
    fn outputs_that_replace_each_other_are_noted() {
        let yaml = "  - from: s3://in-box/**\n    do: text\n    to: s3://out-box/{name}.md";
        let rules = parse(&file(yaml), None).unwrap();
        let [warning] = &rules.warnings[..] else { panic!("{:?}", rules.warnings) };
        assert!(
            warning.starts_with("rules.yaml:5: rules[0].to: without `{folder}` and `{ext}`"),
            "{warning}"
        );
        let rule = |from: &str, to: &str| format!("  - {{ from: '{from}', do: text, to: '{to}' }}");
        let warnings = |rules: &[String]| parse(&file(&rules.join("\n")), None).unwrap().warnings;
        let csv = rule("s3://in-box/*.csv", "s3://out-box/{name}.md");
        let xlsx = rule("s3://in-box/*.xlsx", "s3://out-box/{name}.md");
        let expected =
            "rules.yaml:4: rules[1].to: the outputs may replace those of the rule at rules.yaml:3";
        assert_eq!(warnings(&[csv.clone(), xlsx]), [expected]);
        let xlsx = rule("s3://in-box/*.xlsx", "s3://out-box/xlsx/{name}.md");
        assert_eq!(warnings(&[csv, xlsx]), Vec::<String>::new());
        let folders = rule("s3://in-box/*/report.csv", "s3://out-box/{name}.md");
        let [warning] = &warnings(&[folders])[..] else { panic!() };
        assert!(warning.contains("without `{folder}` the outputs"), "{warning}");
    }
}
