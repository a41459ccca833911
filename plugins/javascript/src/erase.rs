//! Overwrites types with spaces.
//!
//! A removed statement leaves a semicolon, because the line before it may have none. Two brackets are moved where the lines of
//! a removed type would end a statement: `(a): {\n} => a` becomes `(a    \n) => a`.

mod visit;

use crate::edits::place_of;
use oxc_ast::ast::*;
use oxc_ast_visit::Visit;
use oxc_span::{GetSpan, Span};
use std::collections::{BTreeMap, HashSet};

/// Most expressions and statements around one. Long chains of operators are as deep as they are long.
const MAX_DEPTH: u32 = 2_000;

/// A place where types cannot be removed.
#[derive(Debug)]
pub(crate) struct Problem {
    /// Offset in bytes.
    pub(crate) at: usize,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
    /// `true` for TypeScript that has no form without types, `false` for what is no TypeScript.
    pub(crate) is_typed: bool,
}

impl Problem {
    pub(crate) fn new(at: usize, message: String) -> Self {
        Self { at, message, hint: None, is_typed: true }
    }

    /// Returns line and column of the place, which count from 1, the column in characters.
    pub(crate) fn place(&self, code: &str) -> (u32, u32) {
        place_of(code, self.at)
    }
}

/// Collects what must be overwritten.
pub(crate) struct Eraser<'s> {
    source: &'s str,
    /// Ranges of bytes.
    blanks: Vec<(usize, usize)>,
    /// The blank that ends last.
    last: (usize, usize),
    /// Letters that replace what is at their offsets.
    marks: BTreeMap<usize, char>,
    problem: Option<Problem>,
    depth: u32,
    /// Imported names that are no value anywhere so far.
    unused: HashSet<String>,
    /// Where a brace would begin a block.
    starts: HashSet<u32>,
}

impl<'s> Eraser<'s> {
    pub(crate) fn new(source: &'s str) -> Self {
        Self {
            source,
            blanks: Vec::new(),
            last: (0, 0),
            marks: BTreeMap::new(),
            problem: None,
            depth: 0,
            unused: HashSet::new(),
            starts: HashSet::new(),
        }
    }

    /// Returns the source without types; `None` if it has none.
    ///
    /// # Errors
    /// The first problem.
    pub(crate) fn erase(mut self, program: &Program<'_>) -> Result<Option<String>, Problem> {
        for import in imports(program) {
            for specifier in import.specifiers.iter().flatten() {
                self.unused.insert(specifier.local().name.to_string());
            }
        }
        self.visit_program(program);
        if let Some(problem) = self.problem {
            return Err(problem);
        }
        if self.blanks.is_empty() && !imports(program).any(has_type_specifier) {
            return Ok(None);
        }
        self.imports(program);
        Ok(Some(self.text()))
    }

    fn text(mut self) -> String {
        self.blanks.sort_unstable();
        let mut text = String::with_capacity(self.source.len());
        let mut blanks = self.blanks.iter().peekable();
        let mut blank_end = 0;
        for (at, c) in self.source.char_indices() {
            while let Some((_, end)) = blanks.next_if(|(start, _)| *start <= at) {
                blank_end = blank_end.max(*end);
            }
            text.push(match self.marks.get(&at) {
                Some(mark) => *mark,
                None if at < blank_end && !ends_line(c) => ' ',
                None => c,
            });
        }
        text
    }

    fn blank(&mut self, start: usize, end: usize) {
        if start < end {
            self.blanks.push((start, end));
            if end >= self.last.1 {
                self.last = (start, end);
            }
        }
    }

    fn blank_span(&mut self, span: Span) {
        self.blank(span.start as usize, span.end as usize);
    }

    /// Overwrites a statement or a member of a class with a semicolon.
    fn remove(&mut self, span: Span) {
        self.blank_span(span);
        self.marks.insert(span.start as usize, ';');
    }

    fn problem(&mut self, span: Span, message: String, hint: &str) {
        if self.problem.is_none() {
            let hint = (!hint.is_empty()).then(|| hint.to_owned());
            self.problem = Some(Problem { hint, ..Problem::new(span.start as usize, message) });
        }
    }

    fn slice(&self, span: Span) -> &'s str {
        &self.source[span.start as usize..span.end as usize]
    }

    /// Returns the offset of the next token.
    fn token(&self, mut at: usize) -> usize {
        loop {
            let rest = &self.source[at..];
            let trimmed = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
            at += rest.len() - trimmed.len();
            let length = if trimmed.starts_with("//") {
                trimmed.find(ends_line)
            } else if trimmed.starts_with("/*") {
                trimmed.find("*/").map(|end| end + 2)
            } else {
                return at;
            };
            at += length.unwrap_or(trimmed.len());
        }
    }

    fn word(&self, at: usize) -> &'s str {
        let rest = &self.source[at..];
        &rest[..rest
            .find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '$'))
            .unwrap_or(rest.len())]
    }

    /// Overwrites a mark that follows a name or a key, as in `a?: T`.
    fn blank_mark(&mut self, after: u32, mark: u8) {
        let mut at = self.token(after as usize);
        // A computed key.
        if self.source.as_bytes().get(at) == Some(&b']') {
            at = self.token(at + 1);
        }
        if self.source.as_bytes().get(at) == Some(&mark) {
            self.blank(at, at + 1);
        }
    }

    /// Overwrites a specifier or a parameter with the comma that follows it.
    fn blank_item(&mut self, span: Span) {
        let after = self.token(span.end as usize);
        let has_comma = self.source.as_bytes().get(after) == Some(&b',');
        self.blank(span.start as usize, if has_comma { after + 1 } else { span.end as usize });
    }

    /// Overwrites the modifiers of a member, which stand between its start and its key.
    fn modifiers(&mut self, start: u32, key: u32) {
        let mut at = self.token(start as usize);
        while at < key as usize {
            let word = self.word(at);
            match word {
                "public" | "private" | "protected" | "readonly" | "override" | "abstract"
                | "declare" => {
                    self.blank(at, at + word.len());
                    // The member before may have no semicolon.
                    if at == start as usize {
                        self.marks.insert(at, ';');
                    }
                }
                "static" | "async" | "accessor" | "get" | "set" => {}
                _ => break,
            }
            at = self.token(at + word.len());
        }
    }

    /// Puts a semicolon where a statement or a field ends with a type, and the next line would go on with it.
    fn end(&mut self, span: Span) {
        let end = span.end as usize;
        if self.last.1 == end
            && self.last.0 > span.start as usize
            && !self.source[..end].ends_with(';')
        {
            self.marks.insert(self.last.0, ';');
        }
    }

    fn has_line(&self, start: u32, end: u32) -> bool {
        self.source[start as usize..end as usize].contains(ends_line)
    }

    /// Enters an expression or a statement.
    fn enter(&mut self, span: Span) -> bool {
        if self.problem.is_some() {
            return false;
        }
        if self.depth >= MAX_DEPTH {
            self.problem(span, format!("nested deeper than {MAX_DEPTH} levels"), "");
            return false;
        }
        self.depth += 1;
        true
    }

    /// Removes imports of names that are only types.
    fn imports(&mut self, program: &Program<'_>) {
        let types: HashSet<&str> = self
            .blanks
            .iter()
            .flat_map(|&(start, end)| {
                self.source[start..end]
                    .split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '$'))
            })
            .collect();
        let removed: Vec<(Span, Vec<Span>, usize)> = imports(program)
            .map(|import| {
                let specifiers = import.specifiers.iter().flatten();
                let types = specifiers.filter(|specifier| {
                    let name = specifier.local().name.as_str();
                    is_type_specifier(specifier)
                        || self.unused.contains(name) && types.contains(name)
                });
                let types: Vec<Span> = types.map(GetSpan::span).collect();
                (import.span, types, import.specifiers.as_ref().map_or(0, |list| list.len()))
            })
            .collect();
        for (import, types, all) in removed {
            if types.is_empty() {
                continue;
            }
            if types.len() == all {
                self.remove(import);
            } else {
                types.into_iter().for_each(|span| self.blank_item(span));
            }
        }
    }

    /// Returns `true` if a statement exists for the checker of types only.
    fn is_type(&self, statement: &Statement<'_>) -> bool {
        match statement {
            Statement::ImportDeclaration(import) => import.import_kind.is_type(),
            Statement::ExportAllDeclaration(export) => export.export_kind.is_type(),
            Statement::ExportNamedDeclaration(export) => export.export_kind.is_type(),
            Statement::ExportFromDeclaration(export) => export.export_kind.is_type(),
            Statement::ExportDeclaration(export) => self.is_type_declaration(&export.declaration),
            Statement::ExportDefaultDeclaration(export) => match &export.declaration {
                ExportDefaultDeclarationKind::TSInterfaceDeclaration(_) => true,
                ExportDefaultDeclarationKind::FunctionDeclaration(function) => {
                    function.body.is_none()
                }
                _ => false,
            },
            Statement::TSNamespaceExportDeclaration(_) => true,
            statement => statement
                .as_declaration()
                .is_some_and(|declaration| self.is_type_declaration(declaration)),
        }
    }

    fn is_type_declaration(&self, declaration: &Declaration<'_>) -> bool {
        match declaration {
            Declaration::TSTypeAliasDeclaration(_)
            | Declaration::TSInterfaceDeclaration(_)
            | Declaration::TSExternalModuleDeclaration(_)
            | Declaration::TSGlobalDeclaration(_) => true,
            Declaration::VariableDeclaration(variable) => variable.declare,
            Declaration::FunctionDeclaration(function) => {
                function.declare || function.body.is_none()
            }
            Declaration::ClassDeclaration(class) => class.declare,
            Declaration::TSEnumDeclaration(declaration) => declaration.declare,
            Declaration::TSNamespaceDeclaration(namespace) => {
                namespace.declare || self.has_only_types(namespace)
            }
            Declaration::TSImportEqualsDeclaration(import) => import.import_kind.is_type(),
        }
    }

    fn has_only_types(&self, namespace: &TSNamespaceDeclaration<'_>) -> bool {
        match &namespace.body {
            TSNamespaceDeclarationBody::TSNamespaceDeclaration(inner) => self.has_only_types(inner),
            TSNamespaceDeclarationBody::TSModuleBlock(block) => {
                block.body.iter().all(|statement| self.is_type(statement))
            }
        }
    }

    /// Returns an object that does what an enum does.
    fn object(&self, declaration: &TSEnumDeclaration<'_>) -> Option<String> {
        const MAX_MEMBERS: usize = 12;
        let mut next = Some(0_i64);
        let mut members = Vec::new();
        for member in &declaration.body.members {
            let value = match &member.initializer {
                Some(
                    value @ (Expression::NumericLiteral(_)
                    | Expression::StringLiteral(_)
                    | Expression::UnaryExpression(_)),
                ) => self.slice(value.span()).to_owned(),
                // It may name other members.
                Some(_) => return None,
                None => next?.to_string(),
            };
            next = value.parse().ok().and_then(|number: i64| number.checked_add(1));
            members.push(format!("{}: {value}", self.slice(member.id.span())));
        }
        let name = declaration.id.name.as_str();
        (members.len() <= MAX_MEMBERS && !self.slice(declaration.span).contains("//"))
            .then(|| format!("write `const {name} = {{ {} }} as const`", members.join(", ")))
    }

    /// Notes what has no form without types.
    fn check(&mut self, declaration: &Declaration<'_>) {
        match declaration {
            Declaration::TSEnumDeclaration(it) => {
                let hint = self.object(it).unwrap_or_else(|| {
                    format!("write `const {} = {{ NAME: 0 }} as const`", it.id.name)
                });
                self.problem(
                    it.span,
                    format!("`enum {}` has values at run time and cannot be removed", it.id.name),
                    &hint,
                );
            }
            Declaration::TSNamespaceDeclaration(it) => {
                let message = format!("`namespace {}` has code and cannot be removed", it.id.name);
                let hint = format!(
                    "write its members at the top, or in an object: `const {} = {{ … }}`",
                    it.id.name
                );
                self.problem(it.span, message, &hint);
            }
            Declaration::TSImportEqualsDeclaration(it) => {
                let name = it.id.name.as_str();
                let hint = match &it.module_reference {
                    TSModuleReference::ExternalModuleReference(module) => {
                        format!(
                            "write `import * as {name} from {}`",
                            self.slice(module.expression.span)
                        )
                    }
                    other => format!("write `const {name} = {}`", self.slice(other.span())),
                };
                self.problem(
                    it.span,
                    "`import … =` has a value at run time and cannot be removed".to_owned(),
                    &hint,
                );
            }
            _ => {}
        }
    }
}

/// Returns `true` for the letters that end a line in JavaScript.
fn ends_line(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}')
}

/// Returns the imports of values.
fn imports<'p, 'a>(program: &'p Program<'a>) -> impl Iterator<Item = &'p ImportDeclaration<'a>> {
    program.body.iter().filter_map(|statement| match statement {
        Statement::ImportDeclaration(import) if !import.import_kind.is_type() => Some(&**import),
        _ => None,
    })
}

fn has_type_specifier(import: &ImportDeclaration<'_>) -> bool {
    import.specifiers.iter().flatten().any(is_type_specifier)
}

fn is_type_specifier(specifier: &ImportDeclarationSpecifier<'_>) -> bool {
    matches!(specifier, ImportDeclarationSpecifier::ImportSpecifier(one) if one.import_kind.is_type())
}
