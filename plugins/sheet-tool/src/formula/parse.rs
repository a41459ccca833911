//! Parses a formula to a tree. Names of sheets and tables are resolved, names of cells are not.

use super::lex::{ReferenceToken, SheetPrefix, Spanned, Token, tokens};
use super::tree::{Cells, Expr, Operator, Sheets};
use crate::refs::Area;
use crate::value::{Array, ErrorCode, Scalar};
use std::rc::Rc;

/// Most nested brackets and functions. Excel allows 64 functions.
const MAX_DEPTH: u32 = 96;
/// Most tokens; Excel allows 8 192 characters.
const MAX_TOKENS: usize = 20_000;
/// Most operators, so that a tree is never too deep to be dropped. Formulas of people have below 500.
const MAX_LINKS: u32 = 2_000;

/// A table, as formulas see it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TableArea {
    pub(crate) sheet: usize,
    pub(crate) area: Area,
    pub(crate) has_header: bool,
    pub(crate) has_totals: bool,
    pub(crate) columns: Vec<String>,
}

/// Sheets and tables of a workbook.
pub(crate) trait Names {
    fn sheet(&self, name: &str) -> Option<usize>;
    fn table(&self, name: &str) -> Option<&TableArea>;
}

/// Returns the tree of a formula without its `=`.
///
/// # Errors
/// One sentence: what cannot be read.
pub(crate) fn parse(formula: &str, names: &dyn Names) -> Result<Expr, String> {
    let tokens = tokens(formula);
    if tokens.len() > MAX_TOKENS {
        return Err("the formula is too long".to_owned());
    }
    let mut parser = Parser { tokens: &tokens, at: 0, depth: 0, links: 0, names };
    let tree = parser.comparison()?;
    parser.blanks();
    match parser.tokens.get(parser.at) {
        None => Ok(tree),
        Some(token) => Err(unexpected(formula, token)),
    }
}

fn unexpected(formula: &str, token: &Spanned) -> String {
    format!(
        "unexpected `{}` at character {} of the formula",
        &formula[token.start..token.end],
        token.start + 1
    )
}

struct Parser<'a> {
    tokens: &'a [Spanned],
    at: usize,
    depth: u32,
    /// Operators so far, each of which makes the tree deeper.
    links: u32,
    names: &'a dyn Names,
}

type Parsed = Result<Expr, String>;

impl Parser<'_> {
    fn blanks(&mut self) {
        while self.is(&Token::Blank) {
            self.at += 1;
        }
    }

    fn is(&self, token: &Token) -> bool {
        self.tokens.get(self.at).is_some_and(|it| it.token == *token)
    }

    fn take(&mut self, token: &Token) -> bool {
        let start = self.at;
        self.blanks();
        let is = self.is(token);
        self.at = if is { self.at + 1 } else { start };
        is
    }

    fn operator(&mut self, known: &[(&str, Operator)]) -> Option<Operator> {
        let start = self.at;
        self.blanks();
        let Some(Token::Operator(sign)) = self.tokens.get(self.at).map(|it| &it.token) else {
            self.at = start;
            return None;
        };
        let found = known.iter().find(|it| it.0 == *sign).map(|it| it.1);
        self.at = if found.is_some() { self.at + 1 } else { start };
        found
    }

    fn chain(&mut self, known: &[(&str, Operator)], next: fn(&mut Self) -> Parsed) -> Parsed {
        let mut left = next(self)?;
        while let Some(operator) = self.operator(known) {
            self.link()?;
            left = Expr::Binary(operator, Box::new(left), Box::new(next(self)?));
        }
        Ok(left)
    }

    /// Counts an operator.
    fn link(&mut self) -> Result<(), String> {
        self.links += 1;
        if self.links > MAX_LINKS {
            Err("the formula has too many operators".to_owned())
        } else {
            Ok(())
        }
    }

    fn comparison(&mut self) -> Parsed {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err("the formula is nested too deeply".to_owned());
        }
        let known = [
            ("<=", Operator::LessOrEqual),
            (">=", Operator::GreaterOrEqual),
            ("<>", Operator::NotEqual),
            ("=", Operator::Equal),
            ("<", Operator::Less),
            (">", Operator::Greater),
        ];
        let tree = self.chain(&known, Self::joined);
        self.depth -= 1;
        tree
    }

    fn joined(&mut self) -> Parsed {
        self.chain(&[("&", Operator::Join)], Self::sum)
    }

    fn sum(&mut self) -> Parsed {
        self.chain(&[("+", Operator::Add), ("-", Operator::Subtract)], Self::product)
    }

    fn product(&mut self) -> Parsed {
        self.chain(&[("*", Operator::Multiply), ("/", Operator::Divide)], Self::power)
    }

    fn power(&mut self) -> Parsed {
        self.chain(&[("^", Operator::Power)], Self::signed)
    }

    fn signed(&mut self) -> Parsed {
        let mut signs = Vec::new();
        while let Some(operator) = self.operator(&[("-", Operator::Subtract), ("+", Operator::Add)])
        {
            self.link()?;
            signs.push(operator);
            if signs.len() > 100 {
                return Err("the formula has too many signs".to_owned());
            }
        }
        let mut tree = self.percent()?;
        for sign in signs.iter().rev() {
            tree = match sign {
                Operator::Subtract => Expr::Minus(Box::new(tree)),
                _ => Expr::Plus(Box::new(tree)),
            };
        }
        Ok(tree)
    }

    fn percent(&mut self) -> Parsed {
        let mut tree = self.intersection()?;
        let mut signs = 0;
        while self.take(&Token::Operator("%")) && signs < 50 {
            signs += 1;
            self.link()?;
            tree = Expr::Percent(Box::new(tree));
        }
        Ok(tree)
    }

    fn intersection(&mut self) -> Parsed {
        let mut left = self.range()?;
        while self.is(&Token::Blank) && is_reference(&left) {
            let next = self.tokens.get(self.at + 1).map(|it| &it.token);
            let begins = matches!(
                next,
                Some(
                    Token::Reference(_)
                        | Token::Word(_)
                        | Token::Structured(..)
                        | Token::ScopedWord(..)
                )
            );
            if !begins {
                break;
            }
            self.at += 1;
            self.link()?;
            left = Expr::Intersection(Box::new(left), Box::new(self.range()?));
        }
        Ok(left)
    }

    fn range(&mut self) -> Parsed {
        let mut left = self.primary()?;
        while self.take(&Token::Operator(":")) {
            self.link()?;
            left = Expr::Range(Box::new(left), Box::new(self.primary()?));
        }
        while self.take(&Token::Operator("#")) {
            self.link()?;
            left = Expr::Call("ANCHORARRAY".into(), vec![left]);
        }
        while self.is(&Token::Open) && matches!(left, Expr::Call(..) | Expr::Apply(..)) {
            self.at += 1;
            self.link()?;
            left = Expr::Apply(Box::new(left), self.arguments()?);
        }
        Ok(left)
    }

    fn primary(&mut self) -> Parsed {
        self.blanks();
        let tokens = self.tokens;
        let Some(spanned) = tokens.get(self.at) else {
            return Err("the formula ends too early".to_owned());
        };
        self.at += 1;
        Ok(match &spanned.token {
            Token::Number(number) => Expr::Number(*number),
            Token::Text(text) => Expr::Text(Rc::from(text.as_str())),
            Token::Error(code) => Expr::Error(*code),
            Token::External => Expr::Unsupported("a reference to another workbook"),
            Token::Reference(reference) => self.cells(reference),
            Token::Structured(table, inner) => self.structured(table, inner),
            Token::Word(word) => match word.to_ascii_uppercase().as_str() {
                "TRUE" => Expr::Bool(true),
                "FALSE" => Expr::Bool(false),
                _ => Expr::Name(Rc::from(word.to_lowercase()), None),
            },
            Token::ScopedWord(sheet, word) => match self.names.sheet(sheet) {
                Some(sheet) => Expr::Name(Rc::from(word.to_lowercase()), Some(sheet)),
                None => Expr::Error(ErrorCode::Ref),
            },
            Token::Function(name) => {
                self.at += 1;
                let arguments = self.arguments()?;
                let upper = name.to_uppercase();
                let plain = upper.trim_start_matches("_XLFN.").trim_start_matches("_XLWS.");
                if plain.starts_with("_XLUDF.") {
                    Expr::Unsupported("a function of an add-in")
                } else {
                    Expr::Call(Rc::from(plain), arguments)
                }
            }
            Token::Open => {
                let mut all = vec![self.comparison()?];
                while self.take(&Token::Comma) {
                    all.push(self.comparison()?);
                }
                if !self.take(&Token::Close) {
                    return Err("a bracket of the formula is not closed".to_owned());
                }
                match all.len() {
                    1 => all.swap_remove(0),
                    _ => Expr::Union(all),
                }
            }
            Token::OpenBrace => self.array()?,
            Token::Operator("@") => Expr::Call("SINGLE".into(), vec![self.range()?]),
            _ => {
                return Err(format!(
                    "unexpected sign at character {} of the formula",
                    spanned.start + 1
                ));
            }
        })
    }

    fn arguments(&mut self) -> Result<Vec<Expr>, String> {
        let mut all = Vec::new();
        if self.take(&Token::Close) {
            return Ok(all);
        }
        loop {
            self.blanks();
            if self.is(&Token::Comma) || self.is(&Token::Close) {
                all.push(Expr::Missing);
            } else {
                all.push(self.comparison()?);
            }
            if self.take(&Token::Close) {
                return Ok(all);
            }
            if !self.take(&Token::Comma) {
                return Err("a bracket of the formula is not closed".to_owned());
            }
        }
    }

    fn array(&mut self) -> Parsed {
        let (mut cells, mut columns, mut rows, mut width) = (Vec::new(), 0, 1, 0);
        loop {
            self.blanks();
            let is_negative = self.take(&Token::Operator("-"));
            let _ = self.take(&Token::Operator("+"));
            let tokens = self.tokens;
            let cell = match tokens.get(self.at).map(|it| &it.token) {
                Some(Token::Number(number)) => {
                    Scalar::Number(if is_negative { -number } else { *number })
                }
                Some(Token::Text(text)) => Scalar::text(text),
                Some(Token::Error(code)) => Scalar::Error(*code),
                Some(Token::Word(word)) if word.eq_ignore_ascii_case("true") => Scalar::Bool(true),
                Some(Token::Word(word)) if word.eq_ignore_ascii_case("false") => {
                    Scalar::Bool(false)
                }
                _ => {
                    return Err("an array of the formula has something else than values".to_owned());
                }
            };
            self.at += 1;
            cells.push(cell);
            width += 1;
            if self.take(&Token::Comma) {
                continue;
            }
            if columns != 0 && columns != width {
                return Err("rows of an array of the formula differ in length".to_owned());
            }
            columns = width;
            if self.take(&Token::CloseBrace) {
                return Ok(Expr::Array(Rc::new(Array { rows, columns, cells })));
            }
            if !self.take(&Token::Semicolon) {
                return Err("an array of the formula is not closed".to_owned());
            }
            (rows, width) = (rows + 1, 0);
        }
    }

    fn cells(&self, reference: &ReferenceToken) -> Expr {
        let sheets = match &reference.sheet {
            SheetPrefix::None => Some(Sheets::Own),
            SheetPrefix::One(name) => self.names.sheet(name).map(Sheets::One),
            SheetPrefix::Span(first, last) => {
                match (self.names.sheet(first), self.names.sheet(last)) {
                    (Some(first), Some(last)) => {
                        Some(Sheets::Span(first.min(last), first.max(last)))
                    }
                    _ => None,
                }
            }
        };
        match sheets {
            Some(sheets) => Expr::Cells(Cells {
                sheets,
                first: reference.first,
                last: reference.last,
                shape: reference.shape,
            }),
            None => Expr::Error(ErrorCode::Ref),
        }
    }

    /// Resolves `Table[Column]`, `Table[[#This Row],[Column]]`, `Table[[#All],[A]:[B]]`.
    fn structured(&self, name: &str, inner: &str) -> Expr {
        let Some(table) = self.names.table(name) else {
            return Expr::Unsupported("a table that is not known");
        };
        let (mut parts, mut is_span) = (Vec::new(), false);
        if inner.contains('[') {
            let mut rest = inner;
            while let Some(start) = rest.find('[') {
                is_span |= rest[..start].contains(':');
                let Some(end) = closing(&rest[start + 1..]) else { break };
                parts.push(rest[start + 1..start + 1 + end].to_owned());
                rest = &rest[start + 2 + end..];
            }
        } else if !inner.trim().is_empty() {
            parts.push(inner.to_owned());
        }
        let (mut is_row, mut all, mut headers, mut data, mut totals) =
            (false, false, false, false, false);
        let mut columns = Vec::new();
        for part in &parts {
            match part.trim().to_lowercase().as_str() {
                "#this row" => is_row = true,
                "#all" => all = true,
                "#headers" => headers = true,
                "#data" => data = true,
                "#totals" => totals = true,
                _ => {
                    let (column, here) = match part.strip_prefix('@') {
                        Some(rest) => (rest, true),
                        None => (part.as_str(), false),
                    };
                    is_row |= here;
                    let plain = unescaped(column);
                    let find = |name: &str| {
                        table.columns.iter().position(|it| it.to_lowercase() == name.to_lowercase())
                    };
                    match find(&plain).or_else(|| find(plain.trim())) {
                        Some(column) => columns.push(column as u32),
                        None if plain.is_empty() => {}
                        None => return Expr::Error(ErrorCode::Ref),
                    }
                }
            }
        }
        let mut area = table.area;
        let left = area.first.column;
        if let (Some(first), Some(last)) = (columns.iter().min(), columns.iter().max()) {
            if columns.len() > 1 && !is_span {
                return Expr::Unsupported("several columns of a table");
            }
            (area.first.column, area.last.column) = (left + first, left + last);
        }
        let (top, bottom) = (table.area.first.row, table.area.last.row);
        let first_data = top + u32::from(table.has_header);
        let last_data = bottom - u32::from(table.has_totals).min(bottom - top);
        let (first, last) = match () {
            () if all => (top, bottom),
            () if headers && data => (top, last_data),
            () if data && totals => (first_data, bottom),
            () if headers => (top, top),
            () if totals && table.has_totals => (bottom, bottom),
            () if totals => return Expr::Error(ErrorCode::Ref),
            () => (first_data, last_data),
        };
        (area.first.row, area.last.row) = (first, last.max(first));
        if is_row { Expr::TableRow(table.sheet, area) } else { Expr::Table(table.sheet, area) }
    }
}

fn closing(text: &str) -> Option<usize> {
    let mut escaped = false;
    text.char_indices().find_map(|(at, c)| {
        let ends = c == ']' && !escaped;
        escaped = c == '\'' && !escaped;
        ends.then_some(at)
    })
}

fn unescaped(column: &str) -> String {
    let mut out = String::new();
    let mut chars = column.chars();
    while let Some(c) = chars.next() {
        out.push(if c == '\'' { chars.next().unwrap_or(c) } else { c });
    }
    out
}

fn is_reference(tree: &Expr) -> bool {
    match tree {
        Expr::Cells(_)
        | Expr::Table(..)
        | Expr::TableRow(..)
        | Expr::Name(..)
        | Expr::Range(..)
        | Expr::Intersection(..) => true,
        Expr::Call(name, _) => matches!(&**name, "INDEX" | "OFFSET" | "INDIRECT" | "CHOOSE" | "IF"),
        _ => false,
    }
}
