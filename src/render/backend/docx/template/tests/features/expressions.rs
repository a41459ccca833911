//! Expressions and conditions.

use super::{filled_text, p, refusal, row, table};
use serde_json::json;

#[test]
fn values_are_calculated_exactly() {
    let json = || {
        json!({
            "price": 0.1, "quantity": 3, "none": null, "单价": 12.50, "unit-price": 4,
            "items": [{"total": 0.1, "n": 2}, {"total": 0.2, "n": null}, {"total": 0.7, "n": 3}],
        })
    };
    for (mark, expected) in [
        ("{{price * quantity}}", "0.3"),
        ("{{price*quantity|#,##0.00}}", "0.30"),
        ("{{ sum(items.total) }}", "1"),
        ("{{sum(items.total * items.n)|0.000}}", "2.300"),
        ("{{count(items)}} {{count(items.n)}}", "3 2"),
        ("{{average(items.n)}} {{min(items.total)}} {{max(price, 5)}}", "2.5 0.1 5"),
        ("{{单价 / 3}}", "4.166667"),
        ("{{单价 / 3|0.0000000000}}", "4.1666666667"),
        ("{{round(单价 / 3, 2)}}", "4.17"),
        ("{{none * 2}}.", "."),
        ("{{coalesce(none, 7) + [unit-price]}}", "11"),
        ("{{unit-price}} {{unit-price - 1}}", "4 3"),
        // Half is rounded once, from all digits.
        ("{{1 / 800|0.00}} {{4 / 800|0.00}}", "0.00 0.01"),
    ] {
        assert_eq!(filled_text(&p(mark), json()), expected, "{mark}");
    }
}

#[test]
fn sums_follow_the_lists_around_them() {
    let json = json!({"groups": [
        {"name": "A", "rows": [{"v": 1}, {"v": 2}]},
        {"name": "B", "rows": [{"v": 3}]},
    ]});
    let template = [
        p("{{#groups}}"),
        p("{{name}}: {{sum(rows.v)}} of {{sum(groups.rows.v)}} {{#rows}}{{v / sum(rows.v)|0%}} {{/rows}}"),
        p("{{/groups}}"),
        p("{{sum(groups.rows.v)}} {{count(groups.rows)}} {{count(groups)}}"),
    ]
    .concat();
    insta::assert_snapshot!(filled_text(&template, json), @"
    A: 3 of 3 33% 67% 
    B: 3 of 3 100% 
    6 3 2
    ");
}

#[test]
fn rows_are_repeated_for_lists_in_expressions() {
    let rows = [
        row(&["{{items.name}}", "{{items.price * items.count|0.00}}"]),
        row(&["sum", "{{sum(items.price * items.count)}}"]),
        row(&["{{#if items}}{{count(items)}}", "rows{{/if}}"]),
        row(&["{{#if not items}}none", "{{/if}}"]),
        row(&["{{#if items.price > 1}}dear", "{{items.name}}{{/if}}"]),
    ];
    let json = json!({"items": [{"name": "a", "price": 1.5, "count": 2}, {"name": "b", "price": 0.25, "count": 4}]});
    insta::assert_snapshot!(filled_text(&table(&rows), json), @"
    a
    3.00
    b
    1.00
    sum
    4
    2
    rows
    dear
    a
    end
    ");
}

#[test]
fn names_of_columns_may_look_like_expressions() {
    let rows = [
        row(&["{{items.price (EUR)}}", "{{items.a/b|0.0}}"]),
        row(&["{{#if items.a/b > 2}}{{@number}}{{#else}}-{{/if}}"]),
        row(&["{{#if count(items) = 2}}two{{/if}}"]),
    ];
    let json =
        json!({"items": [{"price (EUR)": 1, "a/b": 2}, {"price (EUR)": 3, "a/b": 4}], "2024": "x"});
    let error = refusal(&table(&rows), json.clone());
    assert!(error.contains("no value for `b`"), "{error}");
    let rows = [
        rows[0].clone(),
        row(&["{{#if [items.a/b] > 2}}{{@number}}{{#else}}-{{/if}}"]),
        rows[2].clone(),
    ];
    let text = filled_text(&table(&rows), json.clone()).replace('\n', " ");
    assert_eq!(text, "1 2.0 3 4.0 - 2 two end");
    assert_eq!(filled_text(&p("{{2024}}"), json.clone()), "x");
    assert!(refusal(&p("{{2025}}"), json).contains("no value for `2025`"));
}

#[test]
fn parts_depend_on_conditions() {
    let inline = p("{{#if total > 1000}}large{{#else if total >= 100}}medium{{#else}}small{{/if}}");
    for (total, expected) in [("1000.01", "large"), ("1000", "medium"), ("99.99", "small")] {
        let json: serde_json::Value =
            serde_json::from_str(&format!("{{\"total\": {total}}}")).unwrap();
        assert_eq!(filled_text(&inline, json.clone()), expected);
        let blocks = [
            p("{{#if total > 1000}}"),
            p("large"),
            p("{{#else if total >= 100}}"),
            p("medium"),
            p("{{#else}}"),
            p("{{#if total &lt; 0}}"),
            p("negative"),
            p("{{#else}}"),
            p("small"),
            p("{{/if}}"),
            p("{{/if}}"),
        ];
        assert_eq!(filled_text(&blocks.concat(), json), expected);
    }
    let json = || json!({"status": "paid", "due": "2026-01-31", "none": null, "yes": true, "no": false, "n": "7", "items": [1]});
    for (condition, expected) in [
        ("status = \"paid\"", true),
        ("status == “paid” and yes", true),
        ("status != 'paid' or no", false),
        ("not (no or none)", true),
        ("none > 1", false),
        ("none = \"\"", true),
        ("none != 1", true),
        ("n >= 7", true),
        ("items", true),
        ("items > 1", false),
        ("count(items) = 1", true),
        ("yes = true", true),
        ("status = 5", false),
    ] {
        let template = p(&format!("{{{{#if {condition}}}}}yes{{{{#else}}}}no{{{{/if}}}}"))
            .replace('"', "&quot;");
        let expected = if expected { "yes" } else { "no" };
        let used = p("{{#if status}}{{/if}}{{#if due}}{{/if}}");
        assert_eq!(filled_text(&(template + &used), json()).trim(), expected, "{condition}");
    }
}

#[test]
fn mistakes_are_named_with_their_place_and_the_nearest_name() {
    let json = json!({"price": 1, "text": "abc", "zero": 0, "items": [{"total": "x"}], "long": 1});
    let template = [
        p("{{pric * 2}}"),
        p("{{items.totl}}"),
        p("{{price * text}}"),
        p("{{price / zero}}"),
        p("{{sum(items)}}"),
        p("{{sum(items.total)}}"),
        p("{{price *}}"),
        p("{{sqrt(price)}}"),
        p("{{#if text > \"a\"}}x{{/if}}").replace('"', "&quot;"),
        p("{{#if price >}}x{{/if}}"),
        p("{{#if price}}x"),
        p("x{{#else}}"),
        p("{{price-zero}}"),
        p("{{max(items.total, 5)}}"),
    ]
    .concat();
    insta::assert_snapshot!(refusal(&template, json), @r#"
    template: no value for `items.totl` (text; did you mean `items.total`?), `pric` (text; did you mean `price`?), `price-zero` (text; a minus has spaces around it)
    `price * text` (text): expected a number, `text` is the text `abc`
    `price / zero` (text): divides by zero; write the place only if it can be calculated, from `{{#if quantity != 0}}` to `{{/if}}`
    `sum(items)` (text): expected a number, `items` is a record
    `sum(items.total)` (text): expected a number, `items.total` is the text `x`
    `price *` (text): expected a number, a name, a function or `(`, got the end
    `sqrt(price)` (text): expected `sum`, `count`, `average`, `min`, `max`, `abs`, `round` or `coalesce`, got `sqrt` at character 0
    `{{#if text > "a"}}` (text): a text and a text have no order; they can be compared by `=` and `!=`
    `{{#if price >}}` (text): expected a number, a name, a function or `(`, got the end
    `{{#if price}}` (text) has no end: put `{{/if}}` into the same paragraph, or both marks into paragraphs of their own
    `{{#else}}` (text) stands outside of `{{#if …}}` and `{{/if}}` in its paragraph
    `max(items.total, 5)` (text): `items` is a list: write `sum(items.total)`, or repeat a part of the template for its items, from `{{#items}}` to `{{/items}}`
    hint: give every name of the template a value; an empty text leaves its place empty
    "#);
}

#[test]
fn sums_are_bounded() {
    let items: Vec<_> = (0..1_500).map(|n| json!({"n": n})).collect();
    // A sum of one list is calculated once.
    let template = p("{{#items}}{{n / sum(items.n)|0}}{{/items}}");
    assert_eq!(filled_text(&template, json!({"items": items})).len(), 1_500);
    let template = p("{{#items}}{{n / sum(items.n * rate)}}{{/items}}");
    let error = refusal(&template, json!({"items": items, "rate": 1}));
    assert!(error.contains("at most 2000000 items in all sums together"), "{error}");
    let items: Vec<_> = (1..3_000).map(|n| json!({"n": 2 * n + 1})).collect();
    let error = refusal(&p("{{sum(1 / items.n)}}"), json!({"items": items}));
    assert!(error.contains("the sum has too many digits"), "{error}");
    let nested = "{{#if a}}".repeat(11) + &"{{/if}}".repeat(11);
    let error = refusal(&p(&nested), json!({"a": 1}));
    assert!(error.contains("at most 10 parts in each other"), "{error}");
}
