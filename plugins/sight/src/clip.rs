//! Decides whether a clip or a transformation leaves nothing of an element.

use crate::values::number;

/// Returns whether a value of `clip-path` leaves no area.
pub(crate) fn leaves_nothing(path: &str) -> bool {
    let path = path.trim();
    let Some((name, rest)) = path.split_once('(') else { return false };
    let inside = rest.rsplit_once(')').map_or(rest, |(inside, _)| inside);
    // The place of a circle and the round corners of a box change no area of nothing.
    let before = |word: &str| inside.split(word).next().unwrap_or_default();
    match name.trim() {
        "inset" => inset(before("round")),
        "circle" | "ellipse" => {
            before("at").split_ascii_whitespace().any(|it| number(it).is_some_and(|it| it <= 0.0))
        }
        "polygon" => polygon(inside),
        "xywh" => before("round")
            .split_ascii_whitespace()
            .skip(2)
            .take(2)
            .any(|it| number(it) == Some(0.0)),
        "rect" => {
            let values: Vec<&str> = before("round").split_ascii_whitespace().collect();
            matches!(*values.as_slice(), [top, right, bottom, left]
                if is_empty_span(top, bottom) || is_empty_span(left, right))
        }
        _ => false,
    }
}

/// Returns whether a part ends where it begins, or before.
fn is_empty_span(from: &str, to: &str) -> bool {
    let unit = |it: &str| {
        it.trim_start_matches(['+', '-', '.', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9'])
            .to_owned()
    };
    let (Some(from_number), Some(to_number)) = (number(from), number(to)) else { return false };
    let is_zero = from_number == 0.0 && to_number == 0.0;
    is_zero || unit(from) == unit(to) && to_number <= from_number
}

/// Returns whether the insets of `inset(…)` meet: one to four values, from the top on, as those of a margin.
fn inset(values: &str) -> bool {
    // Only shares are known to be of the whole. The half of an em may be less than the element.
    let shares: Vec<f64> = values
        .split_ascii_whitespace()
        .map(|it| number(it).filter(|_| it.ends_with('%')).unwrap_or_default())
        .collect();
    let (top, right, bottom, left) = match *shares.as_slice() {
        [all] => (all, all, all, all),
        [top, right] => (top, right, top, right),
        [top, right, bottom] => (top, right, bottom, right),
        [top, right, bottom, left] => (top, right, bottom, left),
        _ => return false,
    };
    top + bottom >= 100.0 || left + right >= 100.0
}

/// Returns whether a polygon has no area. Points with lengths that cannot be compared are assumed to have one.
fn polygon(inside: &str) -> bool {
    let mut points = Vec::new();
    let mut units: [Option<String>; 2] = [None, None];
    for pair in inside.split(',') {
        let values: Vec<&str> = pair.split_ascii_whitespace().collect();
        if matches!(*values.as_slice(), ["nonzero" | "evenodd"]) {
            continue;
        }
        let [x, y] = *values.as_slice() else { return false };
        let mut point = [0.0; 2];
        for ((value, place), unit) in [x, y].into_iter().zip(&mut point).zip(&mut units) {
            let Some(number) = number(value) else { return false };
            let own: String = value.chars().filter(|it| it.is_alphabetic() || *it == '%').collect();
            // Zero needs no unit.
            if number != 0.0 && unit.get_or_insert_with(|| own.clone()) != &own {
                return false;
            }
            *place = number;
        }
        points.push(point);
    }
    let next = points.iter().skip(1).chain(points.first());
    let twice: f64 =
        points.iter().zip(next).map(|(one, next)| one[0] * next[1] - next[0] * one[1]).sum();
    twice.abs() < 1e-9
}

/// Returns whether a transformation leaves nothing of an element, or moves it off the screen.
pub(crate) fn is_away(transform: &str) -> bool {
    transform.split(')').any(|step| {
        let Some((name, values)) = step.split_once('(') else { return false };
        let mut values =
            values.split([',', ' ']).map(str::trim).filter(|it| !it.is_empty()).map(number);
        match name.trim() {
            "scale" | "scalex" | "scaley" => values.any(|it| it.is_some_and(|it| it.abs() <= 0.01)),
            "scale3d" => values.take(2).any(|it| it.is_some_and(|it| it.abs() <= 0.01)),
            "translate" | "translatex" | "translatey" | "translate3d" => {
                // Sliders move their pictures by some thousand pixels.
                values.any(|it| it.is_some_and(|it| it.abs() > 9_000.0))
            }
            _ => false,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clips_without_area_leave_nothing() {
        for path in [
            "inset(100%)",
            "inset(50%)",
            "inset(0 0 100% 0)",
            "inset(10% 60% 10% 40% round 3px)",
            "circle(0)",
            "circle(0px at 50% 50%)",
            "ellipse(0 10px at center)",
            "polygon(0 0, 0 0, 0 0)",
            "polygon(evenodd, 0 0, 10px 10px, 20px 20px)",
            "polygon(0% 0%, 100% 0%)",
            "rect(0 0 0 0)",
            "rect(1px 5px 1px 0)",
            "xywh(0 0 0 10px)",
        ] {
            assert!(leaves_nothing(path), "{path}");
        }
        for path in [
            "none",
            "inset(0)",
            "inset(10px 20px)",
            "inset(10% 20%)",
            "inset(100px)",
            "circle(40%)",
            "circle(farthest-side)",
            "ellipse(3px 4px)",
            "polygon(0 0, 100% 0, 100% 100%)",
            "polygon(0 0, 1px 1%, 1em 0)",
            "rect(0 10px 10px 0)",
            "url(#clip)",
            "circle(",
        ] {
            assert!(!leaves_nothing(path), "{path}");
        }
        assert!(!leaves_nothing("polygon(calc(1px) 0, 0 0)"));
    }

    #[test]
    fn what_is_scaled_to_nothing_or_moved_far_is_away() {
        for it in ["scale(0)", "scale(0, 1)", "rotate(3deg) scalex(0)", "translate(-9999px,0)"] {
            assert!(is_away(it), "{it}");
        }
        for it in ["none", "scale(1)", "translate(-50%, -50%)", "rotate(0)", "scale3d(1,1,0)"] {
            assert!(!is_away(it), "{it}");
        }
    }
}
