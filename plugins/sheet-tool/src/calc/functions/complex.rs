//! Complex numbers, which are texts in cells.

use super::arguments::{real, reals};
use super::{Single, Whole, each, want};
use crate::calc::coerce::{finite, number, text};
use crate::calc::evaluate::{Evaluator, Outcome, Value};
use crate::value::{ErrorCode, Scalar, general};

type Done = Result<Scalar, ErrorCode>;

#[derive(Clone, Copy, Debug, PartialEq)]
struct Complex {
    re: f64,
    im: f64,
    /// The letter of the imaginary unit, if it has one.
    unit: Option<char>,
}

pub(super) fn find(name: &str) -> Option<Single> {
    Some(match name {
        "COMPLEX" => (2, 3, |_, a| {
            let [re, im] = reals(a)?;
            let unit = match a.get(2) {
                None | Some(Scalar::Empty) => 'i',
                Some(unit) => match &*text(unit)? {
                    "i" | "" => 'i',
                    "j" => 'j',
                    _ => return Err(ErrorCode::Value),
                },
            };
            Complex { re, im, unit: Some(unit) }.written()
        }),
        "IMABS" => (1, 1, |_, a| finite(Complex::read(&a[0])?.size())),
        "IMAGINARY" => (1, 1, |_, a| finite(Complex::read(&a[0])?.im)),
        "IMREAL" => (1, 1, |_, a| finite(Complex::read(&a[0])?.re)),
        "IMARGUMENT" => (1, 1, |_, a| {
            let z = Complex::read(&a[0])?;
            if z.size() == 0.0 { Err(ErrorCode::Div0) } else { finite(z.angle()) }
        }),
        "IMCONJUGATE" => (1, 1, |_, a| of(a, |z| z.with(z.re, -z.im))),
        "IMDIV" => (2, 2, |_, a| {
            let (x, y) = (Complex::read(&a[0])?, Complex::read(&a[1])?);
            let unit = together(x.unit, y.unit)?;
            x.over(y)?.with_unit(unit).written()
        }),
        "IMSUB" => (2, 2, |_, a| {
            let (x, y) = (Complex::read(&a[0])?, Complex::read(&a[1])?);
            let unit = together(x.unit, y.unit)?;
            Complex { re: x.re - y.re, im: x.im - y.im, unit }.written()
        }),
        "IMPOWER" => (2, 2, |_, a| {
            let (z, power) = (Complex::read(&a[0])?, real(a, 1, 0.0)?);
            if z.size() == 0.0 {
                return if power > 0.0 { z.written() } else { Err(ErrorCode::Num) };
            }
            z.power(power).written()
        }),
        "IMSQRT" => (1, 1, |_, a| of(a, Complex::root)),
        "IMEXP" => {
            (1, 1, |_, a| of(a, |z| z.with(z.re.exp() * z.im.cos(), z.re.exp() * z.im.sin())))
        }
        "IMLN" => (1, 1, |_, a| logarithm(a, 1.0)),
        "IMLOG10" => (1, 1, |_, a| logarithm(a, std::f64::consts::LN_10)),
        "IMLOG2" => (1, 1, |_, a| logarithm(a, std::f64::consts::LN_2)),
        "IMSIN" => (1, 1, |_, a| of(a, Complex::sine)),
        "IMCOS" => (1, 1, |_, a| of(a, Complex::cosine)),
        "IMTAN" => (1, 1, |_, a| try_of(a, |z| z.sine().over(z.cosine()))),
        "IMCOT" => (1, 1, |_, a| try_of(a, |z| z.cosine().over(z.sine()))),
        "IMSEC" => (1, 1, |_, a| try_of(a, |z| z.with(1.0, 0.0).over(z.cosine()))),
        "IMCSC" => (1, 1, |_, a| try_of(a, |z| z.with(1.0, 0.0).over(z.sine()))),
        "IMSINH" => (1, 1, |_, a| of(a, Complex::sine_of_area)),
        "IMCOSH" => (1, 1, |_, a| of(a, Complex::cosine_of_area)),
        "IMSECH" => (1, 1, |_, a| try_of(a, |z| z.with(1.0, 0.0).over(z.cosine_of_area()))),
        "IMCSCH" => (1, 1, |_, a| try_of(a, |z| z.with(1.0, 0.0).over(z.sine_of_area()))),
        _ => return None,
    })
}

/// Finds functions that take ranges.
pub(super) fn find_whole(name: &str) -> Option<(usize, usize, Whole)> {
    Some(match name {
        "IMSUM" => (1, 255, |e, v| {
            folded(e, v, 0.0, |x, y| Complex { re: x.re + y.re, im: x.im + y.im, ..x })
        }),
        "IMPRODUCT" => (1, 255, |e, v| folded(e, v, 1.0, Complex::times)),
        _ => return None,
    })
}

fn of(a: &[Scalar], f: fn(Complex) -> Complex) -> Done {
    f(Complex::read(&a[0])?).written()
}

fn try_of(a: &[Scalar], f: fn(Complex) -> Result<Complex, ErrorCode>) -> Done {
    f(Complex::read(&a[0])?)?.written()
}

fn logarithm(a: &[Scalar], base: f64) -> Done {
    let z = Complex::read(&a[0])?;
    if z.size() == 0.0 {
        return Err(ErrorCode::Num);
    }
    z.with(z.size().ln() / base, z.angle() / base).written()
}

/// Returns the unit of two numbers, which must not have different ones.
fn together(a: Option<char>, b: Option<char>) -> Result<Option<char>, ErrorCode> {
    match (a, b) {
        (Some(a), Some(b)) if a != b => Err(ErrorCode::Value),
        _ => Ok(a.or(b)),
    }
}

fn folded(
    e: &mut Evaluator<'_>,
    v: &[Value],
    start: f64,
    f: fn(Complex, Complex) -> Complex,
) -> Outcome {
    let (mut all, mut error) = (Vec::new(), None);
    for value in v {
        each(e, value, &mut |value, is_cell| match Complex::read(&value) {
            _ if is_cell && value == Scalar::Empty => {}
            Ok(z) => all.push(z),
            Err(code) => drop(error.get_or_insert(code)),
        })?;
    }
    if let Some(code) = error {
        return Ok(Value::error(code));
    }
    let mut result = Complex { re: start, im: 0.0, unit: None };
    for z in all {
        let unit = want!(together(result.unit, z.unit));
        result = f(result, z).with_unit(unit);
    }
    Ok(result.written().into())
}

impl Complex {
    /// Reads `3+4i`, `-i`, `2.5` or `1e-3j`.
    fn read(value: &Scalar) -> Result<Self, ErrorCode> {
        let Scalar::Text(all) = value else {
            return match value {
                Scalar::Bool(_) => Err(ErrorCode::Value),
                value => Ok(Self { re: number(value)?, im: 0.0, unit: None }),
            };
        };
        let plain = |text: &str| -> Result<f64, ErrorCode> {
            let is_plain =
                |it: char| it.is_ascii_digit() || matches!(it, '.' | 'e' | 'E' | '+' | '-');
            if text.chars().all(is_plain) {
                text.parse().map_err(|_| ErrorCode::Num)
            } else {
                Err(ErrorCode::Num)
            }
        };
        let Some(rest) = all.strip_suffix(['i', 'j']) else {
            return Ok(Self { re: plain(all)?, im: 0.0, unit: None });
        };
        // The last sign that does not belong to an exponent divides the parts.
        let bytes = rest.as_bytes();
        let at = (0..bytes.len()).rev().find(|&at| {
            matches!(bytes[at], b'+' | b'-') && !(at > 0 && matches!(bytes[at - 1], b'e' | b'E'))
        });
        let (re, im) = rest.split_at(at.unwrap_or(0));
        let im = match im {
            "" | "+" => 1.0,
            "-" => -1.0,
            im => plain(im)?,
        };
        let re = if re.is_empty() { 0.0 } else { plain(re)? };
        Ok(Self { re, im, unit: all.chars().last() })
    }

    fn written(self) -> Done {
        let (re, im, unit) = (self.re, self.im, self.unit.unwrap_or('i'));
        if !re.is_finite() || !im.is_finite() {
            return Err(ErrorCode::Num);
        }
        let imaginary = match im {
            1.0 => unit.to_string(),
            -1.0 => format!("-{unit}"),
            im => format!("{}{unit}", general(im)),
        };
        Ok(Scalar::text(match (re == 0.0, im == 0.0) {
            (_, true) => general(re),
            (true, false) => imaginary,
            (false, false) if im > 0.0 => format!("{}+{imaginary}", general(re)),
            (false, false) => general(re) + &imaginary,
        }))
    }

    fn with(self, re: f64, im: f64) -> Self {
        Self { re, im, ..self }
    }

    fn with_unit(self, unit: Option<char>) -> Self {
        Self { unit, ..self }
    }

    fn size(self) -> f64 {
        self.re.hypot(self.im)
    }

    fn angle(self) -> f64 {
        self.im.atan2(self.re)
    }

    fn times(self, other: Self) -> Self {
        self.with(self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re)
    }

    fn over(self, other: Self) -> Result<Self, ErrorCode> {
        let square = other.re * other.re + other.im * other.im;
        if square == 0.0 {
            return Err(ErrorCode::Num);
        }
        Ok(self.with(
            (self.re * other.re + self.im * other.im) / square,
            (self.im * other.re - self.re * other.im) / square,
        ))
    }

    /// Returns a power; whole ones are products, so that they are exact where they can be.
    fn power(self, power: f64) -> Self {
        if power.fract() == 0.0 && (0.0..=64.0).contains(&power) {
            let one = self.with(1.0, 0.0);
            return (0..power as u32).fold(one, |product, _| product.times(self));
        }
        let (size, angle) = (self.size().powf(power), self.angle() * power);
        self.with(size * angle.cos(), size * angle.sin())
    }

    fn root(self) -> Self {
        let size = self.size();
        let (re, im) = (((size + self.re) / 2.0).sqrt(), ((size - self.re) / 2.0).sqrt());
        self.with(re, if self.im < 0.0 { -im } else { im })
    }

    fn sine(self) -> Self {
        self.with(self.re.sin() * self.im.cosh(), self.re.cos() * self.im.sinh())
    }

    fn cosine(self) -> Self {
        self.with(self.re.cos() * self.im.cosh(), -(self.re.sin() * self.im.sinh()))
    }

    /// Returns the hyperbolic sine.
    fn sine_of_area(self) -> Self {
        self.with(self.re.sinh() * self.im.cos(), self.re.cosh() * self.im.sin())
    }

    /// Returns the hyperbolic cosine.
    fn cosine_of_area(self) -> Self {
        self.with(self.re.cosh() * self.im.cos(), self.re.sinh() * self.im.sin())
    }
}
