//! Joins JavaScript modules, so that a browser loads one file in place of sixty, and an MCP App is one file.
//!
//! It reads no JavaScript: it relies on how the modules are written. Statements of `import` and `export` begin a line, imports
//! name what they import and come from a file beside the module or in a folder beside it, no module changes what it exports,
//! and there are no default exports. Comments that begin a line are left out.

/// Name of the script with the modules that are loaded when they are first needed.
pub const LATER: &str = "later.js";

/// Modules that were joined.
#[derive(Debug, Default, Eq, PartialEq)]
pub struct Joined {
    /// The script with everything that the entry needs to start.
    pub first: String,
    /// The script with the modules that the entry imports by `import(/* later */ "./x.js")`, and all that only they need; empty if there are
    /// none. It imports what it shares from `first`, so it must be served as [`LATER`] beside it.
    pub later: String,
}

/// Joins the module `entry` and all modules that it needs, each evaluated once, after those that it imports. `first_name` is the
/// name of the first script, from which the other one imports.
pub fn joined(files: &[(&str, &str)], entry: &str, first_name: &str) -> Joined {
    let mut joining = Joining { files, done: Vec::new(), later: Vec::new(), script: String::new() };
    joining.add(entry);
    let mut first = std::mem::take(&mut joining.script);
    if joining.later.is_empty() {
        return Joined { first, later: String::new() };
    }
    let shared: Vec<String> = joining.done.iter().map(|it| variable(it)).collect();
    let shared = shared.join(", ");
    first.push_str(&format!("export {{ {shared} }};\n"));
    let roots = joining.later.clone();
    for root in &roots {
        joining.add(root);
    }
    let roots: Vec<String> = roots.iter().map(|it| variable(it)).collect();
    let later = format!(
        "import {{ {shared} }} from \"./{first_name}\";\n{}export {{ {} }};\n",
        joining.script,
        roots.join(", ")
    );
    Joined { first, later }
}

/// Returns the text without comments that begin a line, and without indentation. Notices of licences, which begin with `/*!`, stay.
pub fn stripped(text: &str) -> String {
    let mut stripped = String::with_capacity(text.len());
    let mut in_comment = false;
    for line in text.lines().map(str::trim) {
        let begins = line.starts_with("/*")
            && !line.starts_with("/*!")
            && (line.ends_with("*/") || !line.contains("*/"));
        if in_comment || begins {
            in_comment = !line.ends_with("*/");
        } else if !line.is_empty() && !line.starts_with("//") {
            stripped.push_str(line);
            stripped.push('\n');
        }
    }
    stripped
}

struct Joining<'a> {
    files: &'a [(&'a str, &'a str)],
    done: Vec<String>,
    /// Modules that are loaded when they are first needed.
    later: Vec<String>,
    script: String,
}

impl Joining<'_> {
    fn add(&mut self, name: &str) {
        if self.done.iter().any(|it| it == name) {
            return;
        }
        self.done.push(name.to_owned());
        let Some((_, source)) = self.files.iter().find(|it| it.0 == name) else { return };
        let source = stripped(source);
        let module = Module::of(name, &source);
        // A module that is imported comes first.
        self.done.pop();
        for (_, imported) in &module.imports {
            self.add(imported);
        }
        self.done.push(name.to_owned());
        for file in module.later {
            if !self.later.contains(&file) {
                self.later.push(file);
            }
        }
        let script = &mut self.script;
        script.push_str(&format!("const {} = (() => {{\n", variable(name)));
        for (names, imported) in &module.imports {
            let names: Vec<String> =
                names
                    .iter()
                    .map(|(theirs, ours)| {
                        if theirs == ours {
                            (*ours).to_owned()
                        } else {
                            format!("{theirs}: {ours}")
                        }
                    })
                    .collect();
            script.push_str(&format!(
                "const {{ {} }} = {};\n",
                names.join(", "),
                variable(imported)
            ));
        }
        script.push_str(module.body.trim());
        script.push_str(&format!("\nreturn {{ {} }};\n}})();\n", module.exports.join(", ")));
    }
}

/// A module without its statements of `import` and `export`.
#[derive(Default)]
struct Module<'a> {
    /// The imported names, there and here, and the file that they come from.
    imports: Vec<(Vec<(&'a str, &'a str)>, String)>,
    /// Files that it imports when it first needs them.
    later: Vec<String>,
    /// Properties of the object with the exports.
    exports: Vec<String>,
    body: String,
}

impl<'a> Module<'a> {
    fn of(name: &str, source: &'a str) -> Module<'a> {
        let mut module = Module::default();
        let mut rest = source;
        while !rest.is_empty() {
            if let Some((names, file, after)) = import(rest) {
                module.imports.push((pairs(names).collect(), beside(name, file)));
                rest = after;
                continue;
            }
            if let Some((names, after)) = export_list(rest) {
                let names = pairs(names).map(|(ours, theirs)| format!("{theirs}: {ours}"));
                module.exports.extend(names);
                rest = after;
                continue;
            }
            if let Some((name, after)) = export(rest) {
                module.exports.push(name.to_owned());
                rest = after;
            }
            let end = rest.find('\n').map_or(rest.len(), |at| at + 1);
            module.body.push_str(&rest[..end]);
            rest = &rest[end..];
        }
        module.take_later(name);
        module
    }

    /// Replaces imports at the time of use by imports of the later script.
    fn take_later(&mut self, name: &str) {
        const START: &str = "import(/* later */ \"";
        while let Some((before, rest)) = self.body.split_once(START) {
            let Some((file, after)) = rest.split_once("\")") else { return };
            let file = beside(name, file);
            let replaced = format!("import('./{LATER}').then((it) => it.{})", variable(&file));
            self.body = format!("{before}{replaced}{after}");
            self.later.push(file);
        }
    }
}

/// Returns the path of a file that a module names relative to its own folder.
fn beside(module: &str, file: &str) -> String {
    let mut folders: Vec<&str> = module.split('/').collect();
    folders.pop();
    for part in file.split('/') {
        match part {
            "." => {}
            ".." => {
                folders.pop();
            }
            part => folders.push(part),
        }
    }
    folders.join("/")
}

/// Returns the list of names, the file, and what follows, of a text that begins with an import.
fn import(text: &str) -> Option<(&str, &str, &str)> {
    let list = text.strip_prefix("import")?.trim_start().strip_prefix('{')?;
    let (names, rest) = list.split_once('}')?;
    let rest = rest.trim_start().strip_prefix("from")?.trim_start().strip_prefix('"')?;
    let (file, rest) = rest.split_once('"')?;
    Some((names, file, rest.strip_prefix(';').unwrap_or(rest)))
}

/// Returns the list of names, and what follows, of a text that begins with a list of exports.
fn export_list(text: &str) -> Option<(&str, &str)> {
    let list = text.strip_prefix("export")?.trim_start().strip_prefix('{')?;
    let (names, rest) = list.split_once('}')?;
    Some((names, rest.strip_prefix(';').unwrap_or(rest)))
}

/// Returns the exported name, and the declaration without `export`, of a text that begins with an exported declaration.
fn export(text: &str) -> Option<(&str, &str)> {
    const KINDS: [&str; 6] =
        ["async function* ", "async function ", "function* ", "function ", "class ", "const "];
    let declaration = text.strip_prefix("export ")?;
    let start = KINDS.into_iter().find_map(|it| declaration.strip_prefix(it))?;
    let is_part = |it: char| it.is_alphanumeric() || it == '_' || it == '$';
    let end = start.find(|it| !is_part(it)).unwrap_or(start.len());
    Some((&start[..end], declaration))
}

/// Returns the pairs of a list such as `a, b as c`: the name before and after `as`.
fn pairs(list: &str) -> impl Iterator<Item = (&str, &str)> {
    let names = list.split(',').map(str::trim).filter(|it| !it.is_empty());
    names.map(|it| match it.split_once(" as ") {
        Some((before, after)) => (before.trim(), after.trim()),
        None => (it, it),
    })
}

/// Returns the variable that holds the exports of a module.
fn variable(name: &str) -> String {
    let stem = name.strip_suffix(".js").unwrap_or(name);
    format!("${}", stem.replace(['-', '/', '.'], "_"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_come_after_those_that_they_import() {
        let files = [
            (
                "app.js",
                "import { one as uno, Two } from \"./a.js\";\nimport{x}from\"./lib/b-c.js\";\nrun(uno, Two, x);\n",
            ),
            (
                "a.js",
                "import { x } from \"./lib/b-c.js\";\n/** One. */\nexport function one() { return x; }\nexport class Two {}\n",
            ),
            ("lib/b-c.js", "import { z } from \"../z.js\";\nvar y=z;\nexport{y as x};"),
            ("z.js", "export const z = 1;\n"),
        ];
        let joined = joined(&files, "app.js", "app.js");
        assert_eq!(
            joined.first,
            "const $z = (() => {\nconst z = 1;\nreturn { z };\n})();\n\
             const $lib_b_c = (() => {\nconst { z } = $z;\nvar y=z;\nreturn { x: y };\n})();\n\
             const $a = (() => {\nconst { x } = $lib_b_c;\nfunction one() { return x; }\nclass Two {}\nreturn { one, Two };\n})();\n\
             const $app = (() => {\nconst { one: uno, Two } = $a;\nconst { x } = $lib_b_c;\nrun(uno, Two, x);\nreturn {  };\n})();\n"
        );
        assert_eq!(joined.later, "");
    }

    #[test]
    fn what_is_needed_later_is_another_script() {
        let files = [
            (
                "main.js",
                "import { a } from \"./a.js\";\nconst load = () => import(/* later */ \"./b.js\");\n",
            ),
            ("a.js", "export const a = 1;"),
            (
                "b.js",
                "import { a } from \"./a.js\";\nimport { c } from \"./c.js\";\nexport const b = a + c;",
            ),
            ("c.js", "export const c = 1;"),
        ];
        let joined = joined(&files, "main.js", "main.js");
        let import = "const load = () => import('./later.js').then((it) => it.$b);";
        assert!(joined.first.contains(import), "{}", joined.first);
        assert!(joined.first.ends_with("export { $a, $main };\n"), "{}", joined.first);
        assert!(joined.later.starts_with("import { $a, $main } from \"./main.js\";\nconst $c = "));
        assert!(joined.later.ends_with("export { $b };\n"), "{}", joined.later);
    }

    #[test]
    fn comments_that_begin_a_line_are_left_out() {
        let text =
            "// One.\n/** Two.\n * Three.\n */\n  a(); // four\n/* five */\n/* six */ b();\n";
        assert_eq!(stripped(text), "a(); // four\n/* six */ b();\n");
        assert_eq!(stripped("  /*! MIT */\n"), "/*! MIT */\n");
    }

    #[test]
    fn several_lines_and_constants() {
        let files = [
            ("app.js", "import {\n  a,\n  b,\n} from \"./m.js\";"),
            ("m.js", "export const a = 1;\nexport async function b() {}\n"),
        ];
        let script = joined(&files, "app.js", "app.js").first;
        assert!(
            script.contains("const a = 1;\nasync function b() {}\nreturn { a, b };"),
            "{script}"
        );
        assert!(script.contains("const { a, b } = $m;"), "{script}");
    }
}
