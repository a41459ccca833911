//! What becomes of each part of the tree.

use super::Eraser;
use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};
use oxc_span::{GetSpan, Span};

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
                "`export =` has a value at run time and cannot be removed".to_owned(),
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
                format!("the parameter `{name}` makes a field, and its modifiers cannot be removed"),
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
            format!("decorators are not supported: `{text}`"),
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
