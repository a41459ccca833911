//! Makes the body of a function out of a file of a skill, which a script imports. Its lines stay where they are.
//!
//! The function gets `$import`, which returns what a module exports, `$load_`, which does so for `import()`, and `$export`, which
//! is called with an object of getters, so that an export is always the present value of its variable.

use crate::erase::Problem;
use crate::scan::Tokens;
use crate::typescript::parsed;
use oxc_ast::ast::*;
use oxc_span::{GetSpan, SourceType, Span};

/// Returns the body for a file in JavaScript: one whose types are removed.
///
/// # Errors
/// The first place that is no JavaScript.
pub(crate) fn body(code: &str) -> Result<String, Problem> {
    parsed(code, SourceType::mjs(), |program| {
        let mut writer = Writer { code, edits: Vec::new(), exports: Vec::new() };
        writer.loads();
        for statement in &program.body {
            writer.statement(statement);
        }
        writer.finish()
    })
}

struct Writer<'s> {
    code: &'s str,
    /// Ranges of bytes and their new texts.
    edits: Vec<(u32, u32, String)>,
    /// Exported names, and the expressions with their values.
    exports: Vec<(String, String)>,
}

impl Writer<'_> {
    fn replace(&mut self, span: Span, text: &str) {
        let lines = self.code[span.start as usize..span.end as usize].matches('\n').count();
        self.edits.push((span.start, span.end, format!("{text}{}", "\n".repeat(lines))));
    }

    fn text(&self, span: Span) -> &str {
        &self.code[span.start as usize..span.end as usize]
    }

    /// Makes `$load_(` out of `import(`.
    fn loads(&mut self) {
        let tokens = Tokens::new(self.code);
        let is_load = |at: &usize| tokens.word(*at) == "import" && tokens.text(at + 1) == "(";
        let offset = |at: usize| u32::try_from(tokens[at].start).unwrap_or(u32::MAX);
        let loads: Vec<u32> = (0..tokens.len()).filter(is_load).map(offset).collect();
        let edits = loads.into_iter().map(|start| (start, start + 6, "$load_".to_owned()));
        self.edits.extend(edits);
    }

    fn statement(&mut self, statement: &Statement<'_>) {
        match statement {
            Statement::ImportDeclaration(import) => self.import(import),
            Statement::ExportDeclaration(export) => self.declaration(export),
            Statement::ExportNamedDeclaration(export) => self.named(export),
            Statement::ExportFromDeclaration(export) => self.from(export),
            Statement::ExportDefaultDeclaration(export) => self.default(export),
            Statement::ExportAllDeclaration(export) => {
                let module = format!("$import({})", self.text(export.source.span));
                let text = match &export.exported {
                    Some(name) => {
                        let variable = self.variable();
                        self.exports.push((quoted(&name.name()), variable.clone()));
                        format!("const {variable}={module};")
                    }
                    None => format!("$export({module},true);"),
                };
                self.replace(export.span, &text);
            }
            _ => {}
        }
    }

    /// Returns the name of a variable that no file has.
    fn variable(&self) -> String {
        format!("$module{}", self.edits.len())
    }

    fn import(&mut self, import: &ImportDeclaration<'_>) {
        let module = format!("$import({})", self.text(import.source.span));
        let mut parts = Vec::new();
        let mut names = Vec::new();
        for specifier in import.specifiers.iter().flatten() {
            match specifier {
                ImportDeclarationSpecifier::ImportSpecifier(it) => {
                    names.push(format!("{}:{}", quoted(&it.imported.name()), it.local.name));
                }
                ImportDeclarationSpecifier::ImportDefaultSpecifier(it) => {
                    names.push(format!("default:{}", it.local.name));
                }
                ImportDeclarationSpecifier::ImportNamespaceSpecifier(it) => {
                    parts.push(format!("{}={module}", it.local.name));
                }
            }
        }
        if !names.is_empty() {
            parts.push(format!("{{{}}}={module}", names.join(",")));
        }
        let text = if parts.is_empty() {
            format!("{module};")
        } else {
            format!("const {};", parts.join(","))
        };
        self.replace(import.span, &text);
    }

    fn declaration(&mut self, export: &ExportDeclaration<'_>) {
        let declaration = &export.declaration;
        self.replace(Span::new(export.span.start, declaration.span().start), "");
        for name in declared(declaration) {
            self.exports.push((quoted(&name), name));
        }
    }

    fn named(&mut self, export: &ExportNamedDeclaration<'_>) {
        for specifier in &export.specifiers {
            let value = specifier.local.name().to_string();
            self.exports.push((quoted(&specifier.exported.name()), value));
        }
        self.replace(export.span, "");
    }

    fn from(&mut self, export: &ExportFromDeclaration<'_>) {
        let variable = self.variable();
        for specifier in &export.specifiers {
            let value = format!("{variable}[{}]", quoted(&specifier.local.name()));
            self.exports.push((quoted(&specifier.exported.name()), value));
        }
        let text = format!("const {variable}=$import({});", self.text(export.source.span));
        self.replace(export.span, &text);
    }

    fn default(&mut self, export: &ExportDefaultDeclaration<'_>) {
        let (name, start) = match &export.declaration {
            ExportDefaultDeclarationKind::FunctionDeclaration(it) => {
                (it.id.as_ref(), it.span.start)
            }
            ExportDefaultDeclarationKind::ClassDeclaration(it) => (it.id.as_ref(), it.span.start),
            other => (None, other.span().start),
        };
        let (text, value) = match name {
            Some(name) => ("", name.name.to_string()),
            None => ("const $default=", "$default".to_owned()),
        };
        self.replace(Span::new(export.span.start, start), text);
        if name.is_none() {
            // The next line may begin with a bracket.
            let end = export.span.end;
            self.edits.push((end, end, ";".to_owned()));
        }
        self.exports.push(("default".to_owned(), value));
    }

    fn finish(mut self) -> String {
        self.edits.sort_by_key(|(start, end, _)| (*start, *end));
        let mut out = String::with_capacity(self.code.len() + 256);
        let mut done = 0;
        for (start, end, text) in &self.edits {
            let (start, end) = (*start as usize, *end as usize);
            // An `import()` inside of a declaration that is replaced.
            if start < done {
                continue;
            }
            out.push_str(&self.code[done..start]);
            out.push_str(text);
            done = end;
        }
        out.push_str(&self.code[done..]);
        let getters: Vec<String> = self
            .exports
            .iter()
            .map(|(name, value)| format!("get {name}(){{return {value}}}"))
            .collect();
        // A comment may be the last line.
        out.push_str(&format!("\n;$export({{{}}});", getters.join(",")));
        out
    }
}

/// Returns a name as the name of a property.
fn quoted(name: &str) -> String {
    serde_json::Value::from(name).to_string()
}

/// Returns the names that a declaration makes.
fn declared(declaration: &Declaration<'_>) -> Vec<String> {
    match declaration {
        Declaration::VariableDeclaration(it) => {
            let names = it.declarations.iter().flat_map(|it| it.id.get_binding_identifiers());
            names.map(|name| name.name.to_string()).collect()
        }
        Declaration::FunctionDeclaration(it) => {
            it.id.iter().map(|id| id.name.to_string()).collect()
        }
        Declaration::ClassDeclaration(it) => it.id.iter().map(|id| id.name.to_string()).collect(),
        // Types are removed before.
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::body;

    #[test]
    fn exports_become_getters_and_imports_calls() {
        for (code, expected) in [
            (
                "export const a = 1, { b: [c] } = x",
                "const a = 1, { b: [c] } = x\n;$export({get \"a\"(){return a},get \"c\"(){return c}});",
            ),
            (
                "export async function f() {}",
                "async function f() {}\n;$export({get \"f\"(){return f}});",
            ),
            ("export default class A {}", "class A {}\n;$export({get default(){return A}});"),
            (
                "export default () => 1\nf()",
                "const $default=() => 1;\nf()\n;$export({get default(){return $default}});",
            ),
            (
                "const a = 1;\nexport {\n  a as b\n};",
                "const a = 1;\n\n\n\n;$export({get \"b\"(){return a}});",
            ),
            (
                "export { a } from './x'",
                "const $module0=$import('./x');\n;$export({get \"a\"(){return $module0[\"a\"]}});",
            ),
            ("export * from './x'", "$export($import('./x'),true);\n;$export({});"),
            (
                "import d, { a as b } from 'x'; import * as n from 'y'",
                "const {default:d,\"a\":b}=$import('x'); const n=$import('y');\n;$export({});",
            ),
            (
                "import 'x'; const f = () => import('y')",
                "$import('x'); const f = () => $load_('y')\n;$export({});",
            ),
        ] {
            assert_eq!(body(code).ok().as_deref(), Some(expected), "{code}");
        }
        assert!(body("export const = 1").is_err());
    }
}
