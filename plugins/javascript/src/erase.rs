//! Overwrites types with spaces.
//!
//! A removed statement leaves a semicolon, because the line before it may have none. Two brackets are moved where the lines of
//! a removed type would end a statement: `(a): {\n} => a` becomes `(a    \n) => a`.

use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};
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
        let mut at = self.at.min(code.len());
        while !code.is_char_boundary(at) {
            at -= 1;
        }
        let before = &code[..at];
        let line = before.rfind('\n').map_or(0, |end| end + 1);
        let count = |number: usize| u32::try_from(number + 1).unwrap_or(u32::MAX);
        (count(before.matches('\n').count()), count(before[line..].chars().count()))
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
                Some(value) => self.slice(value.span()).to_owned(),
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
                    format!("the enum `{}` has values, which are more than types", it.id.name),
                    &hint,
                );
            }
            Declaration::TSNamespaceDeclaration(it) => {
                let message =
                    format!("the namespace `{}` has code, which is more than types", it.id.name);
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
                self.problem(it.span, "`import … =` is more than a type".to_owned(), &hint);
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

impl<'a> Visit<'a> for Eraser<'_> {
    fn visit_statement(&mut self, it: &Statement<'a>) {
        if self.is_type(it) {
            return self.remove(it.span());
        }
        if !self.enter(it.span()) {
            return;
        }
        let declaration = match it {
            Statement::ExportDeclaration(export) => Some(&export.declaration),
            statement => statement.as_declaration(),
        };
        if let Some(declaration) = declaration {
            self.check(declaration);
        }
        match it {
            Statement::ExpressionStatement(statement) => {
                self.starts.insert(statement.span.start);
            }
            Statement::ExportDefaultDeclaration(export) => {
                self.starts.insert(export.declaration.span().start);
            }
            Statement::TSExportAssignment(export) => self.problem(
                export.span,
                "`export =` is more than a type".to_owned(),
                "the value of the last expression is the result; nothing is exported",
            ),
            _ => {}
        }
        walk::walk_statement(self, it);
        self.end(it.span());
        self.depth -= 1;
    }

    fn visit_expression(&mut self, it: &Expression<'a>) {
        if self.enter(it.span()) {
            walk::walk_expression(self, it);
            self.depth -= 1;
        }
    }

    fn visit_identifier_reference(&mut self, it: &IdentifierReference<'a>) {
        self.unused.remove(it.name.as_str());
    }

    // Lists of exported names have no effect.
    fn visit_export_named_declaration(&mut self, _: &ExportNamedDeclaration<'a>) {}

    fn visit_ts_type_annotation(&mut self, it: &TSTypeAnnotation<'a>) {
        self.blank_span(it.span);
    }

    fn visit_ts_type_parameter_declaration(&mut self, it: &TSTypeParameterDeclaration<'a>) {
        self.blank_span(it.span);
    }

    fn visit_ts_type_parameter_instantiation(&mut self, it: &TSTypeParameterInstantiation<'a>) {
        self.blank_span(it.span);
    }

    fn visit_ts_this_parameter(&mut self, it: &TSThisParameter<'a>) {
        self.blank_item(it.span);
    }

    fn visit_ts_as_expression(&mut self, it: &TSAsExpression<'a>) {
        self.visit_expression(&it.expression);
        self.blank(it.expression.span().end as usize, it.span.end as usize);
    }

    fn visit_ts_satisfies_expression(&mut self, it: &TSSatisfiesExpression<'a>) {
        self.visit_expression(&it.expression);
        self.blank(it.expression.span().end as usize, it.span.end as usize);
    }

    fn visit_ts_non_null_expression(&mut self, it: &TSNonNullExpression<'a>) {
        self.visit_expression(&it.expression);
        self.blank(it.span.end as usize - 1, it.span.end as usize);
    }

    fn visit_ts_type_assertion(&mut self, it: &TSTypeAssertion<'a>) {
        let operand = it.expression.span();
        let begins = self.word(operand.start as usize);
        let is_block = self.slice(operand).starts_with('{')
            || matches!(begins, "function" | "class" | "async");
        if is_block && self.starts.contains(&it.span.start)
            || self.has_line(it.span.start, operand.start)
        {
            let kind = self
                .slice(it.type_annotation.span())
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ");
            let hint = format!("write `(value as {kind})`");
            return self.problem(
                it.span,
                "a type before its value cannot be removed here".to_owned(),
                &hint,
            );
        }
        self.blank(it.span.start as usize, operand.start as usize);
        if self.starts.contains(&it.span.start) {
            self.starts.insert(operand.start);
        }
        self.visit_expression(&it.expression);
    }

    fn visit_variable_declarator(&mut self, it: &VariableDeclarator<'a>) {
        if it.definite {
            self.blank_mark(it.id.span().end, b'!');
        }
        walk::walk_variable_declarator(self, it);
    }

    fn visit_formal_parameter(&mut self, it: &FormalParameter<'a>) {
        if it.accessibility.is_some() || it.readonly || it.r#override {
            let name = self.slice(it.pattern.span());
            self.problem(
                it.span,
                format!("the parameter `{name}` declares a field, which is more than a type"),
                &format!("declare the field in the class, and write `this.{name} = {name}` in the constructor"),
            );
        }
        if it.optional {
            self.blank_mark(it.pattern.span().end, b'?');
        }
        walk::walk_formal_parameter(self, it);
    }

    fn visit_binding_pattern(&mut self, it: &BindingPattern<'a>) {
        if self.enter(it.span()) {
            walk::walk_binding_pattern(self, it);
            self.depth -= 1;
        }
    }

    fn visit_assignment_target(&mut self, it: &AssignmentTarget<'a>) {
        if self.enter(it.span()) {
            walk::walk_assignment_target(self, it);
            self.depth -= 1;
        }
    }

    fn visit_arrow_function_expression(&mut self, it: &ArrowFunctionExpression<'a>) {
        let params = it.params.span;
        if let Some(types) = &it.type_parameters
            && self.has_line(types.span.start, params.start)
            && self.slice(params).starts_with('(')
        {
            self.blank(params.start as usize, params.start as usize + 1);
            self.marks.insert(types.span.start as usize, '(');
        }
        if let Some(types) = &it.return_type
            && self.has_line(params.end, types.span.end)
            && self.slice(params).ends_with(')')
        {
            self.blank(params.end as usize - 1, params.end as usize);
            let end = types.span.end as usize;
            let last = self.source[..end].char_indices().next_back().map_or(0, |(at, _)| at);
            self.marks.insert(last, ')');
        }
        if let Some(value) = it.body.as_expression() {
            self.starts.insert(value.span().start);
        }
        walk::walk_arrow_function_expression(self, it);
    }

    fn visit_class(&mut self, it: &Class<'a>) {
        if it.r#abstract {
            self.abstract_keyword(it);
        }
        if let (Some(first), Some(last)) = (it.implements.first(), it.implements.last()) {
            let heritage = it.heritage.as_ref().map(|heritage| {
                let end = heritage.expression.span().end;
                heritage.type_arguments.as_ref().map_or(end, |types| types.span.end)
            });
            let types = it.type_parameters.as_ref().map(|types| types.span.end);
            let before = heritage.or(types).or(it.id.as_ref().map(|id| id.span.end));
            let before = before.map_or_else(
                || self.source[..first.span.start as usize].rfind("implements").unwrap_or(0),
                |at| self.token(at as usize),
            );
            self.blank(before, last.span.end as usize);
        }
        walk::walk_class(self, it);
    }

    fn visit_ts_class_implements(&mut self, _: &TSClassImplements<'a>) {}

    fn visit_class_element(&mut self, it: &ClassElement<'a>) {
        let (is_type, key, optional, definite) = match it {
            ClassElement::StaticBlock(_) => return walk::walk_class_element(self, it),
            ClassElement::TSIndexSignature(_) => (true, Span::empty(0), false, false),
            ClassElement::MethodDefinition(method) => (
                method.value.body.is_none()
                    || method.r#type == MethodDefinitionType::TSAbstractMethodDefinition,
                method.key.span(),
                method.optional,
                false,
            ),
            ClassElement::PropertyDefinition(field) => (
                field.declare
                    || field.r#type == PropertyDefinitionType::TSAbstractPropertyDefinition,
                field.key.span(),
                field.optional,
                field.definite,
            ),
            ClassElement::AccessorProperty(field) => (
                field.r#type == AccessorPropertyType::TSAbstractAccessorProperty,
                field.key.span(),
                false,
                field.definite,
            ),
        };
        if is_type {
            return self.remove(it.span());
        }
        self.modifiers(it.span().start, key.start);
        if optional {
            self.blank_mark(key.end, b'?');
        }
        if definite {
            self.blank_mark(key.end, b'!');
        }
        walk::walk_class_element(self, it);
        self.end(it.span());
    }

    fn visit_decorator(&mut self, it: &Decorator<'a>) {
        let text = self.slice(it.span).lines().next().unwrap_or_default();
        self.problem(
            it.span,
            format!("the interpreter has no decorators: `{text}`"),
            "call the function instead, for example `const f = log(f0)`",
        );
    }
}

impl Eraser<'_> {
    /// Overwrites the word `abstract` before a class.
    fn abstract_keyword(&mut self, class: &Class<'_>) {
        let start = class.span.start as usize;
        let at = self.token(start);
        if self.word(at) == "abstract" {
            self.blank(at, at + "abstract".len());
        } else if let Some(at) = self.source[..start].rfind("abstract") {
            self.blank(at, at + "abstract".len());
        }
    }
}
