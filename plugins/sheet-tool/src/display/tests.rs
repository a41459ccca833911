use super::formatted;
use crate::value::Scalar;

#[test]
fn numbers_and_dates_are_shown_as_in_a_cell() {
    for (number, code, expected) in [
        (1234567.891, "#,##0.00", "1,234,567.89"),
        (0.125, "0.0%", "12.5%"),
        (-5.0, "#,##0;(#,##0)", "(5)"),
        (-5.0, "0.00", "-5.00"),
        (0.0, "0;-0;\"nil\"", "nil"),
        (1234.5, "[$€-407] #,##0.00", "€ 1,234.50"),
        (7.0, "00000", "00007"),
        (12345.0, "0.00E+00", "1.23E+04"),
        (1500000.0, "0.0,,\" M\"", "1.5 M"),
        (45292.75, "yyyy-mm-dd hh:mm", "2024-01-01 18:00"),
        (45292.75, "d mmm yy h:mm AM/PM", "1 Jan 24 6:00 PM"),
        (1.5, "[h]:mm", "36:00"),
        (45292.0, "dddd", "Monday"),
        (0.5, "#.##", ".5"),
        (2.675, "0.00", "2.68"),
        (1e20, "#,##0", "100,000,000,000,000,000,000"),
        (-0.4, "0", "0"),
        (12.5, "\"about \"General", "about 12.5"),
    ] {
        assert_eq!(formatted(&Scalar::Number(number), code, false), expected, "{code}");
    }
    assert_eq!(formatted(&Scalar::text("x"), "@\"!\"", false), "x!");
}

#[test]
fn fractions_are_the_nearest_ones() {
    for (number, code, expected) in [
        (0.75, "# ?/?", " 3/4"),
        (2.75, "# ?/?", "2 3/4"),
        (-2.75, "# ?/?", "-2 3/4"),
        (5.0, "# ?/?", "5    "),
        (0.3, "# ?/?", " 2/7"),
        (std::f64::consts::PI, "# ??/???", "3 16/113"),
        (0.5, "# ??/??", "  1/2 "),
        (0.75, "0/4", "3/4"),
        (3.75, "#/#", "15/4"),
        (1.999, "# ?/?", "2    "),
        (0.0, "# 0/0", "0/1"),
        (2.5, "# ?/16", "2 8/16"),
    ] {
        assert_eq!(formatted(&Scalar::Number(number), code, false), expected, "{code}");
    }
}

#[test]
fn literals_stand_between_digits() {
    for (number, code, expected) in [
        (5_551_234.0, "[<=9999999]###-####;(###) ###-####", "555-1234"),
        (2_125_551_234.0, "[<=9999999]###-####;(###) ###-####", "(212) 555-1234"),
        (123.0, "0-00", "1-23"),
        (5.0, "???", "  5"),
        (1.1, "??.??", " 1.1 "),
        (1234567.0, "?,?????????", "    1,234,567"),
        (1234567.0, ",0", ",1234567"),
        (123_456_789.0, "000-00-0000", "123-45-6789"),
    ] {
        assert_eq!(formatted(&Scalar::Number(number), code, false), expected, "{code}");
    }
}

#[test]
fn conditions_choose_a_section() {
    for (number, code, expected) in [
        (5.0, "[<10]0\" low\"", "5 low"),
        (10.0, "[<10]0\" low\"", "10"),
        (-11.0, "[< -10]0\" low\"", "-11 low"),
        (7.0, "[<5]0;[>10]0", "########"),
        (-5.0, "[>100]0;0", "-5"),
        (-5.0, "[Red][<0]0.0;0", "-5.0"),
    ] {
        assert_eq!(formatted(&Scalar::Number(number), code, false), expected, "{code}");
    }
}

#[test]
fn exponents_are_multiples_of_the_digits_before_the_point() {
    for (number, code, expected) in [
        (123456.0, "##0.0E+0", "123.5E+3"),
        (12345.678, "##0.0E+0", "12.3E+3"),
        (999_960.0, "##0.0E+0", "1.0E+6"),
        (0.000123, "0.0e-00", "1.2e-04"),
        (0.0, "0.0E+00", "0.0E+00"),
    ] {
        assert_eq!(formatted(&Scalar::Number(number), code, false), expected, "{code}");
    }
}

#[test]
fn times_of_more_than_a_day() {
    for (number, code, expected) in [
        (3.015, "s:m\" @ hour \"[hh]", "36:21 @ hour 72"),
        (0.0, "[h]:m:s.000", "0:0:0.000"),
        (0.0, "[mm]:ss", "00:00"),
        (3.015, "[s].00", "260496.00"),
        (45678.6, "h:mm a/p", "2:24 p"),
        (45678.1, "h:mm A/P", "2:24 A"),
        (45_678.999_999, "hh:mm:ss", "00:00:00"),
    ] {
        assert_eq!(formatted(&Scalar::Number(number), code, false), expected, "{code}");
    }
}

#[test]
fn booleans_take_the_section_of_texts() {
    assert_eq!(formatted(&Scalar::Bool(true), ";;;\"is \"@", false), "is TRUE");
    assert_eq!(formatted(&Scalar::Bool(true), "0", false), "TRUE");
}
