//! Rows of tables that a script changes.

mod fake;

use fake::{Fake, error, request, run, value};
use mitt_guest::tables::Source;
use python_lite::Engine;
use python_lite::contract::exports::mitt::host::script::Value;

const SMALL: &str = "t = documents['2024.xlsx'].tables[0]\n";
const BIG: &str = "t = documents['2024.xlsx'].tables[1]\n";
const OWN: &str = "t = Table.from_dicts([{'Month': 'Jan', 'DAU': 10}, {'Month': 'Feb', 'DAU': 12.5}, {'Month': 'Mar', 'DAU': 11}])\n";
const RESULT: &str = "import a_tool\nt = a_tool.made(3).outcome.data\nt.columns[0] = 'Month'\nt.columns[1] = 'DAU'\n";

/// Checks values of a table of the host, and of one that the script made.
fn check(cases: &[(&str, &str)]) {
    for (code, expected) in cases {
        for table in [SMALL, OWN] {
            assert_eq!(value(&format!("{table}{code}")), *expected, "{table}{code}");
        }
    }
}

#[test]
fn a_row_is_the_same_dict_each_time() {
    check(&[
        ("first, rows = t[0], list(t)\nrows[0] is first, t[-3] is first", "[true,true]"),
        ("rows = list(t)\n[a is b for a, b in zip(rows, t)]", "[true,true,true]"),
        ("rows = list(t)\n[a is b for a, b in zip(rows[1:], t[1:])]", "[true,true]"),
        ("t[1:][1:][0] is list(t)[2]", "true"),
        ("max(t, key=lambda row: row.DAU) is t[1]", "true"),
        ("t.to_dicts()[0] is t[0], dict(t[0]) is t[0], t[0].copy() == t[0]", "[false,false,true]"),
    ]);
    let code = format!(
        "{BIG}held = [row for row in t if row['sum'] in (1, 4000.5)]\nheld[0] is t[2], held[1] is t[8001]"
    );
    assert_eq!(value(&code), "[true,true]");
}

#[test]
fn changes_of_rows_are_in_the_table() {
    for change in [
        "for row in t:\n    row['twice'] = row['DAU'] * 2\n",
        "for row in list(t):\n    row['twice'] = row['DAU'] * 2\n",
        "for row in t[:]:\n    row['twice'] = row['DAU'] * 2\n",
        "for i in range(len(t)):\n    t[i]['twice'] = t[i]['DAU'] * 2\n",
        "for part in [t[:1], t[1:]]:\n    for row in part:\n        row['twice'] = row['DAU'] * 2\n",
        "for row in sorted(t, key=lambda row: row['DAU']):\n    row.update({'twice': row['DAU'] * 2})\n",
        "for row in t:\n    row.setdefault('twice', row['DAU'] * 2)\n",
        "for row in t:\n    row |= {'twice': row['DAU'] * 2}\n",
    ] {
        for (code, expected) in [
            (
                "t",
                r#"{"columns":["Month","DAU","twice"],"rows":[["Jan",10,20],["Feb",12.5,25.0],["Mar",11,22]]}"#,
            ),
            (
                "t.columns, t['twice'], t.column('twice')",
                r#"[["Month","DAU","twice"],[20,25.0,22],[20,25.0,22]]"#,
            ),
            (
                "t.rows, t.to_dicts()[2]['twice'], t.records()[0]['twice']",
                r#"[[["Jan",10,20],["Feb",12.5,25.0],["Mar",11,22]],22,20]"#,
            ),
            ("t[1].twice, sum(row['twice'] for row in t), len(t)", "[25.0,67.0,3]"),
            (
                "t[1:].rows, t[['twice']].rows, t[::2]['twice']",
                r#"[[["Feb",12.5,25.0],["Mar",11,22]],[[20],[25.0],[22]],[20,22]]"#,
            ),
            ("'twice' in t, '| Feb | 12.5 | 25.0 |' in t.markdown(), t == t", "[true,true,true]"),
            (
                "list(t)[0], [row['twice'] for row in t[1:]]",
                r#"[{"Month":"Jan","DAU":10,"twice":20},[25.0,22]]"#,
            ),
        ] {
            for table in [SMALL, OWN] {
                let code = format!("{table}{change}{code}");
                assert_eq!(value(&code), expected, "{code}");
            }
        }
    }
    let code =
        format!("{RESULT}for row in t:\n    row['DAU'] = 1\nt['DAU'], [row['DAU'] for row in t]");
    assert_eq!(value(&code), "[[1,1,1],[1,1,1]]");
}

#[test]
fn rows_of_a_slice_with_a_step_are_those_of_the_table() {
    for before in ["", "t[1]['DAU'] = 5\n", "t.rows\n", "t[0].DAU\n"] {
        let middle = if before.contains('5') { "5" } else { "12.5" };
        for (code, expected) in [
            (
                "part = t[::2]\npart[0]['DAU'] = 7\nt['DAU'], part['DAU']".to_owned(),
                format!("[[7,{middle},11],[7,11]]"),
            ),
            (
                "part = t[::2]\nt[2]['DAU'] = 8\npart['DAU'], part[1] is t[2]".to_owned(),
                "[[10,8],true]".to_owned(),
            ),
            (
                "for row in t[::-1]:\n    row['x'] = row['DAU']\nt['x'], t.columns".to_owned(),
                format!(r#"[[10,{middle},11],["Month","DAU","x"]]"#),
            ),
            (
                "part = t[1:][::-1]\npart[0]['DAU'] = 9\nt['DAU'], t[1:]['DAU']".to_owned(),
                format!("[[10,{middle},9],[{middle},9]]"),
            ),
            ("t[::2].rows, t[5::2].rows".to_owned(), r#"[[["Jan",10],["Mar",11]],[]]"#.to_owned()),
        ] {
            check(&[(&format!("{before}{code}"), &expected)]);
        }
    }
}

#[test]
fn columns_follow_the_rows() {
    check(&[
        (
            "t[1]['x'] = 1\nt.columns, t['x'], t[0]['x']",
            r#"[["Month","DAU","x"],[null,1,null],null]"#,
        ),
        (
            "t[0].pop('DAU')\nt.columns, t['DAU'], 'DAU' in t[0]",
            r#"[["Month","DAU"],[null,12.5,11],false]"#,
        ),
        (
            "for row in t:\n    row.pop('DAU')\nt.columns, t.rows, list(t)[2]",
            r#"[["Month"],[["Jan"],["Feb"],["Mar"]],{"Month":"Mar"}]"#,
        ),
        (
            "for row in t:\n    row.pop('DAU')\n    n = len(t.columns)\nt[0]['DAU'] = 1\nn, t.columns, t['DAU']",
            r#"[1,["Month","DAU"],[1,null,null]]"#,
        ),
        (
            "row = t[2]\nrow.clear()\nrow['Month'] = 'X'\nlist(t.rows[2]), row.popitem()[0], t['Month']",
            r#"[["X",null],"Month",["Jan","Feb",null]]"#,
        ),
    ]);
}

#[test]
fn old_and_new_ways_to_change_a_table_agree() {
    check(&[
        ("first = t[0]\nt.rows[0][1] = 7\nt[0].DAU, first.DAU", "[7,7]"),
        (
            "first = t[0]\nt.rows[0][1] = 7\nfirst['x'] = 1\nt.rows[0], t[0] is first, first['DAU']",
            r#"[["Jan",7,1],true,7]"#,
        ),
        (
            "t[0]['x'] = 1\nt.rows.append(['Apr', 9, 2])\nt.rows.sort(key=lambda row: row[1])\nt[0]['x'] = 5\nt['Month'], t['x']",
            r#"[["Apr","Jan","Mar","Feb"],[5,1,null,null]]"#,
        ),
        (
            "rows = list(t)\nt.columns[1] = 'users'\nrows[1]['users'] = 0\nt['users'], t[1], rows[0]",
            r#"[[10,0,11],{"Month":"Feb","users":0},{"Month":"Jan","users":10}]"#,
        ),
        (
            "t.columns.append('x')\nfor row in t.rows:\n    row.append(3)\nt[0]['x'] = 4\nt['x'], t[2]",
            r#"[[4,3,3],{"Month":"Mar","DAU":11,"x":3}]"#,
        ),
        ("t.rows = [tuple(row) for row in t.rows]\nt[1]['DAU'] = 0\nt['DAU']", "[10,0,11]"),
        (
            "t.columns = ('a', 'b')\nt[0]['c'] = 1\nt['c'], t.columns",
            r#"[[1,null,null],["a","b","c"]]"#,
        ),
        (
            "part = t[1:]\npart.columns[0] = 'm'\npart[0]['m'] = 'x'\nt.columns, t['Month'], part['m']",
            r#"[["Month","DAU"],["Jan","Feb","Mar"],["x","Mar"]]"#,
        ),
        (
            "a, b = t.rows[0], t.rows[1]\nt.rows = [a, a, b]\nt[2]['DAU'] = 5\nt[0]['DAU'] = 6\nt['DAU'], t[1] is t[0]",
            "[[6,6,5],true]",
        ),
        (
            "part = t[1:]\npart.rows = [['a', 1]]\npart[0]['DAU'] = 2\nlen(part), part['DAU'], t['DAU']",
            "[1,[2],[10,12.5,11]]",
        ),
    ]);
}

#[test]
fn parts_are_rows_of_the_table() {
    for (code, expected) in [
        (
            "p = t[100:200]\nt[150]['sum'] = -1\np[0]['sum'] = -2\np[1]['x'] = 3\n\
             p['sum'][50], t['sum'][100], t['x'][101], p['x'][0], len(p)",
            "[-1,-2,3,null,100]",
        ),
        ("rows = list(t[5000:5010])\nlen(rows), rows[0]['n']", "[10,5000]"),
        ("p = t[4000:4200][100:]\np[0]['n'] = -5\nt['n'][4100], t[4100]['n']", "[-5,-5]"),
        // Once its lists were read, a part is a table of its own.
        ("p = t[1:3]\np.rows[0][0] = 9\np[0]['n'], t[1]['n']", "[9,1]"),
        ("p = t[1:3]\nt.rows.reverse()\np['n'], t['n'][:2]", "[[1,2],[null,9998]]"),
    ] {
        assert_eq!(value(&format!("{BIG}{code}")), expected, "{code}");
    }
}

#[test]
fn tools_get_the_changed_table() {
    let passed = |code: &str| {
        let (done, host) = run(&format!("import a_tool\n{code}"));
        done.unwrap_or_else(|error| panic!("{code}\n{}", error.traceback));
        let call = host.0.borrow().calls.last().unwrap().clone();
        (
            call.strip_prefix("a_tool__echo {\"value\":")
                .unwrap()
                .strip_suffix('}')
                .unwrap()
                .to_owned(),
            host,
        )
    };
    for (code, expected) in [
        ("a_tool.echo(t)", r#"{"$ref":"2024.xlsx#Users"}"#),
        // Rows that were only read leave the table in the host.
        ("rows = list(t)\na_tool.echo(t)", r#"{"$ref":"2024.xlsx#Users"}"#),
        (
            "t[0]['DAU'] = 1\na_tool.echo([t, t[:1]])",
            r#"[{"columns":["Month","DAU"],"rows":[["Jan",1],["Feb",12.5],["Mar",11]]},{"columns":["Month","DAU"],"rows":[["Jan",1]]}]"#,
        ),
        (
            "row = t[2]\na_tool.echo(t)\nrow['x'] = None\na_tool.echo({'deep': t[2:]})",
            r#"{"deep":{"columns":["Month","DAU","x"],"rows":[["Mar",11,null]]}}"#,
        ),
    ] {
        assert_eq!(passed(&format!("{SMALL}{code}")).0, expected, "{code}");
    }
    let (reference, host) = passed(&format!("{BIG}t[9999]['x'] = 'a'\na_tool.echo(t)"));
    assert_eq!(reference, r#"{"$ref":"t:1"}"#);
    let kept = host.0.borrow().kept[0].clone();
    assert_eq!((kept.columns()[4].name.as_str(), kept.rows()), ("x", 10_000));
    assert_eq!(kept.slice(4, 9_998, 2).unwrap().cell(1), fake::text("a"));
}

#[test]
fn tables_may_change_during_an_iteration() {
    for (code, expected) in [
        (
            "total = 0\nfor row in t:\n    total += row['sum']\n    row['total'] = total\n\
             t['total'][-1], t[9999].total, len(t['total']), t.columns[-1]",
            r#"[24997500.0,24997500.0,10000,"total"]"#,
        ),
        (
            "for a, b in zip(t, t):\n    a['x'] = 1\n    b['y'] = 2\nsum(t['x']), sum(t['y'])",
            "[10000,20000]",
        ),
        (
            "held = t[1]\nrows = iter(t)\nfirst = next(rows)\nfor row in t:\n    if row['n'] == 7000:\n        row['n'] = -7\n        break\n\
             held['n'] = -1\nfirst['n'] = -2\nfor row in rows:\n    row['z'] = 0\n\
             t['n'][:2], t['n'][7000], t['z'].count(0)",
            "[[-2,-1],-7,9999]",
        ),
        (
            "n = 0\nfor a in t[:9]:\n    for b in t:\n        if b['sum'] == a['sum']:\n            n += a is b\n            break\nn",
            "9",
        ),
    ] {
        assert_eq!(value(&format!("{BIG}{code}")), expected, "{code}");
    }
}

#[test]
fn nothing_is_held_of_rows_that_were_only_read() {
    for (code, expected) in [
        (
            "s = sum(row['sum'] for row in t)\ns, len(t._known) < 5000, t._rows",
            "[24997500.0,true,null]",
        ),
        (
            "rows = list(t)\nn = len(t._known)\nrows = None\nm = sum(1 for row in t)\nn, len(t._known) < 5000",
            "[10000,true]",
        ),
        (
            "some = [row for row in t if row['n'] == 5000 or row['n'] == 4]\nlen(some), len(t._known) < 5000",
            "[2,true]",
        ),
        (
            "n = 0\nfor i in range(0, 10000, 7):\n    n += t[i]['sum'] > 0\nn, len(t._known) < 5000, t._rows",
            "[1428,true,null]",
        ),
        (
            "rows = t.rows\ns = sum(row['sum'] for row in t)\ns, len(t._known) < 5000",
            "[24997500.0,true]",
        ),
    ] {
        assert_eq!(value(&format!("{BIG}{code}")), expected, "{code}");
    }
}

#[test]
fn what_cannot_be_kept_is_an_error() {
    let code = format!("{BIG}_mitt_most['cells'] = 10000\nfor row in t:\n    row['x'] = 1");
    let refused = error(&code);
    assert!(
        refused.message.contains("a table of 40000 cells is too large to change its rows; at most 10000 cells can be changed"),
        "{refused:?}"
    );
    assert!(refused.message.contains("rows = table[:10000].to_dicts()"), "{refused:?}");
    assert_eq!(refused.line, Some(3));
    // Also where the table leaves the script.
    for end in ["import a_tool\na_tool.echo(t)", "t", "[t]"] {
        let code = format!("{BIG}_mitt_most['cells'] = 10000\nt[0]['x'] = 1\n{end}");
        assert!(error(&code).message.contains("too large to change its rows"), "{code}");
    }
    let refused = error(&format!("{SMALL}t[0][5] = 1\nlen(t)"));
    assert!(refused.message.contains("row[5] = ...: expected the name of a column"), "{refused:?}");
}

#[test]
fn changes_survive_a_dump() {
    let host = Fake::default();
    let mut engine = Engine::new();
    let code = format!("{BIG}held = t[3]\nheld['x'] = 1\nother = t[5:7]");
    engine.run(Box::new(host.clone()), &request(&code)).unwrap();
    let mut second = Engine::new();
    second.load(&engine.dump().unwrap()).unwrap();
    let code =
        "a = t['x'][3]\nheld['x'] = 2\n[a, t['x'][3], t[3] is held, other['n'], len(t.columns)]";
    let done = second.run(Box::new(host), &request(code)).unwrap();
    assert_eq!(
        format!("{done:?}"),
        format!("{:?}", Value::Json("[1,2,true,[5,null],5]".to_owned()))
    );
}

#[test]
fn a_fence_around_a_script_is_left_out() {
    for (code, expected) in [
        ("```python\nx = 2\nx * 21\n```\n", "42"),
        ("\n```py\r\n'`'\r\n```", "\"`\""),
        ("```\n4", "4"),
    ] {
        assert_eq!(value(code), expected, "{code}");
    }
    let failed = error("```python\n1\n  missing\n```");
    assert_eq!(failed.line, Some(3), "{failed:?}");
    let failed = error("```python\n1\n```\nIt is 1.");
    assert_eq!(
        (failed.class.as_str(), failed.line, failed.column),
        ("SyntaxError", Some(4), Some(1))
    );
    assert!(failed.message.contains("unexpected text behind the fence"), "{failed:?}");
}
