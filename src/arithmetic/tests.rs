//! Tests of expressions over named values; `table-tool` tests those over columns.

use crate::{Comparison, Fraction, Number, Operands, Overall, condition, named, parse};
use std::cmp::Ordering;

struct Values(Vec<Option<Fraction>>);

impl Operands for Values {
    fn column(&mut self, index: usize) -> Option<Fraction> {
        self.0.get(index)?.clone()
    }

    fn over(&mut self, overall: Overall, inner: &crate::Node) -> Option<Fraction> {
        assert_eq!(overall, Overall::Sum);
        inner.value(self).map(|value| value + number("1"))
    }

    fn divides_by_zero(&mut self) {}
}

fn number(lexeme: &str) -> Fraction {
    Fraction::from(Number::from_json(lexeme).unwrap().exact().unwrap())
}

fn value(text: &str) -> String {
    let parsed = named(text).unwrap();
    let values = parsed.columns.iter().map(|name| match name.as_str() {
        "none" => None,
        name => Some(number(&name.chars().count().to_string())),
    });
    match parsed.root.value(&mut Values(values.collect())) {
        Some(value) => value.digits(10).lexeme,
        None => "null".to_owned(),
    }
}

#[test]
fn names_stand_without_brackets() {
    // Each name is as much as it has letters.
    for (text, expected) in [
        ("abc * ab", "6"),
        ("单价 * 数量 + 0.1", "4.1"),
        ("a.bc - a", "3"),
        ("a-bc", "4"),
        ("[a b] / 4", "0.75"),
        ("sum(abc)", "4"),
        ("@number", "7"),
        ("min(abc, ab)", "2"),
        ("none + 1", "null"),
        ("1 / 3", "0.33333333331"),
        ("-1 / 8", "-0.125"),
        ("0.05 - 0.05", "0"),
    ] {
        assert_eq!(value(text), expected, "{text}");
    }
    assert_eq!(named("items.price * items.count").unwrap().columns, ["items.price", "items.count"]);
    for (text, expected) in [
        ("a +", "a number, a name, a function or `(`, got the end"),
        ("foo(a)", "expected `sum`, `count`, `average`"),
        ("a b", "expected an operator or the end, got `b`"),
        ("sum(a, b)", "expected one argument for `sum`, got 2"),
        ("{a}", "got `{` at character 0"),
        (&"(".repeat(40), "at most 32 deep"),
        (&"a+".repeat(200), "at most 100 operations"),
        (&"a".repeat(2_001), "at most 2000 characters"),
    ] {
        let error = named(text).unwrap_err();
        assert!(error.contains(expected), "{text}: {error}");
    }
    // Columns keep their brackets, and have no sums.
    assert!(parse("a + 1").unwrap_err().contains("columns are written in brackets"));
    assert!(parse("sum([a])").is_err());
}

#[test]
fn conditions_are_parsed() {
    for text in [
        "total > 1000",
        "a = \"x\" and not b",
        "status == “paid”",
        "(a + b) * 2 >= 3 or (a < 1 and (b))",
        "((a)) <> 'x'",
        "paid = true",
        "and-more > 1",
    ] {
        assert!(condition(text).is_ok(), "{text}: {:?}", condition(text));
    }
    for (text, expected) in [
        ("", "got the end"),
        ("a >", "a number, a name, a function or `(`, got the end"),
        ("a > 1 b", "expected a comparison, `and`, `or` or the end, got `b`"),
        ("a = \"x", "expected a quotation mark for the one at character 4"),
        ("(a > 1", "expected `)`, got the end"),
        (&format!("{}a{}", "(".repeat(40), ")".repeat(40)), "at most 32 deep"),
        (&format!("{}a", "not ".repeat(40)), "at most 32 deep"),
    ] {
        let error = condition(text).unwrap_err();
        assert!(error.contains(expected), "{text}: {error}");
    }
}

#[test]
fn comparisons_hold_by_the_order_of_both_sides() {
    use Comparison::{AtLeast, AtMost, Equal, Greater, Less, NotEqual};
    let held = |how: Comparison| {
        [Ordering::Less, Ordering::Equal, Ordering::Greater].map(|order| how.holds(order))
    };
    assert_eq!(held(Equal), [false, true, false]);
    assert_eq!(held(NotEqual), [true, false, true]);
    assert_eq!(held(Less), [true, false, false]);
    assert_eq!(held(AtMost), [true, true, false]);
    assert_eq!(held(Greater), [false, false, true]);
    assert_eq!(held(AtLeast), [false, true, true]);
}

#[test]
fn digits_round_as_the_fraction_does() {
    let digits = |one: &str, two: &str, decimals| (number(one) / number(two)).digits(decimals);
    assert_eq!(digits("1", "4", 2).lexeme, "0.25");
    assert!(digits("1", "4", 2).is_exact);
    // The missing digits are behind the last one, so half is not rounded twice.
    assert_eq!(digits("1", "8", 2).lexeme, "0.121");
    assert!(!digits("1", "8", 2).is_exact);
    assert_eq!(digits("-10", "3", 0).lexeme, "-3.1");
    assert_eq!((number("2") / number("6")).reduced().denom, number("3").numer);
}
