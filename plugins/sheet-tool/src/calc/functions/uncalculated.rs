//! Functions that need something besides the workbook. A formula with one of them keeps its value.

use crate::calc::grid::Stop;

/// Functions of Excel that are never calculated, and what they do.
const REASONS: [(&str, &str); 18] = [
    ("CALL", "runs code of a library"),
    ("CUBEKPIMEMBER", "asks a database for analysis"),
    ("CUBEMEMBER", "asks a database for analysis"),
    ("CUBEMEMBERPROPERTY", "asks a database for analysis"),
    ("CUBERANKEDMEMBER", "asks a database for analysis"),
    ("CUBESET", "asks a database for analysis"),
    ("CUBESETCOUNT", "asks a database for analysis"),
    ("CUBEVALUE", "asks a database for analysis"),
    ("FIELDVALUE", "reads data of an online service"),
    ("IMAGE", "loads a picture from the web"),
    ("PQSOURCE", "belongs to Power Query"),
    ("PY", "runs Python at Microsoft"),
    ("QUERYSTRING", "belongs to Power Query"),
    ("REGISTER.ID", "loads a library"),
    ("RTD", "asks another program"),
    ("SQL.REQUEST", "asks a database"),
    ("STOCKHISTORY", "asks an online service"),
    ("WEBSERVICE", "asks a web service"),
];

/// Returns why a formula with a function is not calculated.
pub(crate) fn unsupported(name: &str) -> Stop {
    Stop::Unsupported(match REASONS.iter().find(|it| it.0 == name) {
        Some((_, reason)) => format!("the function {name}, which {reason}"),
        None => format!("the function {name}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::{Edit, EditOptions, Input, SetCell, apply};
    use crate::formula::{NEWER, OLDER};
    use crate::read::{CellValue, read_cells};
    use crate::sample::workbook;
    use crate::world::World;

    #[test]
    fn each_function_that_is_not_calculated_keeps_its_value_and_a_warning_says_why() {
        let missing = NEWER.iter().chain(&OLDER).filter(|it| !super::super::is_known(it));
        let mut missing: Vec<&str> = missing.copied().collect();
        missing.sort_unstable();
        assert_eq!(missing, REASONS.map(|it| it.0));
        for (name, reason) in REASONS {
            let prefix = if NEWER.binary_search(&name).is_ok() { "_xlfn." } else { "" };
            let formula = format!("<f>{prefix}{name}(A1)</f><v>old {name}</v>");
            let cells = format!("<c r=\"A1\"><v>1</v></c><c r=\"B1\" t=\"str\">{formula}</c>");
            let bytes = workbook(&[("S", &format!("<row r=\"1\">{cells}</row>"))], "");
            let edit = SetCell { at: "S!A1".into(), value: Input::Number("2".into()) };
            let done =
                apply(bytes, &[], &[Edit::SetCells(vec![edit])], &EditOptions::default()).unwrap();
            let expected = format!(
                "S!B1 keeps its old value until Excel opens the file: it uses the function {name}, which {reason}"
            );
            assert_eq!(done.warnings, [expected]);
            let page = read_cells(done.bytes, "S!B1", 9, World::default()).unwrap();
            assert_eq!(page.cells[0].value, CellValue::Text(format!("old {name}")));
        }
    }
}
