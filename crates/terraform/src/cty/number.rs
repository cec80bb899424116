//! Numbers, exact.
//!
//! Terraform's numbers are binary floats of 512 bits. Nearly all are small integers or doubles, and are kept as such; the rest is
//! kept in full. Each number has one form, so that equal numbers are equal here.

use std::fmt;
use std::str::FromStr;

use dashu_float::FBig;
use dashu_float::round::mode::HalfEven;

/// Terraform's precision, in bits.
const PRECISION: usize = 512;

/// The longest text of a number, and the largest power of ten in it, that is read. Longer ones are not numbers of anything; the
/// power decides how much memory the number takes.
const LONGEST_TEXT: usize = 4096;
const LARGEST_POWER: i64 = 20_000;

/// More decimal digits than this never make a difference in 512 bits.
const DECIMAL_DIGITS: usize = 156;

type Big = FBig<HalfEven, 2>;
type Decimal = FBig<HalfEven, 10>;

/// A number.
#[derive(Clone, PartialEq)]
pub struct Number(Form);

#[derive(Clone, PartialEq)]
enum Form {
    Integer(i64),
    /// Not an integer of 64 bits; finite or infinite, never NaN.
    Double(f64),
    /// Neither of the two.
    Exact(Big),
}

/// Text that is no number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a number")]
pub struct NotANumber;

impl Number {
    /// The number, if it is an integer of 64 bits.
    pub fn as_i64(&self) -> Option<i64> {
        match self.0 {
            Form::Integer(value) => Some(value),
            _ => None,
        }
    }

    /// The nearest double.
    pub fn to_f64(&self) -> f64 {
        match &self.0 {
            #[expect(clippy::cast_precision_loss, reason = "the nearest double is what is asked for")]
            Form::Integer(value) => *value as f64,
            Form::Double(value) => *value,
            Form::Exact(value) => value.to_f64().value(),
        }
    }

    /// The double that is exactly this number, if there is one.
    pub fn as_f64(&self) -> Option<f64> {
        match &self.0 {
            Form::Integer(value) => {
                let double = self.to_f64();
                // Beyond this the conversion back would hide what was lost.
                #[expect(clippy::cast_possible_truncation, reason = "checked")]
                let exact = double.abs() < 9.2e18 && double as i64 == *value;
                exact.then_some(double)
            }
            Form::Double(value) => Some(*value),
            Form::Exact(_) => None,
        }
    }

    /// Whether it is an integer of any size.
    pub fn is_integer(&self) -> bool {
        match &self.0 {
            Form::Integer(_) => true,
            Form::Double(value) => value.is_finite() && value.fract() == 0.0,
            Form::Exact(value) => value.repr().exponent() >= 0,
        }
    }

    /// The number with the precision of a double, which is all that Pulumi can carry.
    #[must_use]
    pub fn rounded_to_double(&self) -> Self {
        Self::from(self.to_f64())
    }

    /// A text that only this number has.
    pub(super) fn canonical(&self) -> String {
        match &self.0 {
            Form::Exact(value) => format!("{}*2^{}", value.repr().significand(), value.repr().exponent()),
            _ => self.to_string(),
        }
    }
}

impl From<i64> for Number {
    fn from(value: i64) -> Self {
        Self(Form::Integer(value))
    }
}

impl From<u64> for Number {
    fn from(value: u64) -> Self {
        i64::try_from(value).map_or_else(|_| Self::of(Big::from(value)), Self::from)
    }
}

/// NaN, which no number of Terraform is, becomes zero; callers refuse it before.
impl From<f64> for Number {
    fn from(value: f64) -> Self {
        if value.is_nan() {
            return Self::from(0_i64);
        }
        #[expect(clippy::cast_possible_truncation, reason = "checked")]
        if value.fract() == 0.0 && value.abs() < 9.2e18 { Self::from(value as i64) } else { Self(Form::Double(value)) }
    }
}

impl Number {
    /// The one form of a number.
    fn of(value: Big) -> Self {
        let value = value.with_precision(PRECISION).value();
        if let Ok(integer) = i64::try_from(value.clone()) {
            return Self::from(integer);
        }
        let double = value.to_f64().value();
        match Big::try_from(double) {
            Ok(same) if double.is_finite() && same == value => Self(Form::Double(double)),
            _ => Self(Form::Exact(value)),
        }
    }
}

impl FromStr for Number {
    type Err = NotANumber;

    fn from_str(text: &str) -> Result<Self, NotANumber> {
        if let Ok(integer) = text.parse::<i64>() {
            return Ok(Self::from(integer));
        }
        check(text)?;
        let decimal = Decimal::from_str(text.strip_prefix('+').unwrap_or(text)).map_err(|_| NotANumber)?;
        // Every digit that was written counts before the number is rounded once.
        Ok(Self::of(decimal.with_base_and_precision::<2>(PRECISION).value()))
    }
}

/// Digits, with a point and a power of ten perhaps, within limits.
fn check(text: &str) -> Result<(), NotANumber> {
    if text.len() > LONGEST_TEXT {
        return Err(NotANumber);
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (digits, power) = match unsigned.split_once(['e', 'E']) {
        Some((digits, power)) => (digits, power.parse::<i64>().map_err(|_| NotANumber)?),
        None => (unsigned, 0),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all_digits = whole.bytes().chain(fraction.bytes()).all(|byte| byte.is_ascii_digit());
    if !all_digits || whole.len() + fraction.len() == 0 || power.abs() > LARGEST_POWER {
        return Err(NotANumber);
    }
    Ok(())
}

/// Decimal digits without a power of ten: as few as tell this number from its neighbours.
impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Form::Integer(value) => write!(f, "{value}"),
            Form::Double(value) if value.is_infinite() => f.write_str(if *value > 0.0 { "+Inf" } else { "-Inf" }),
            Form::Double(value) => write!(f, "{value}"),
            Form::Exact(value) => f.write_str(&shortest(value)),
        }
    }
}

impl fmt::Debug for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

fn shortest(value: &Big) -> String {
    let digits = |count: usize| value.clone().with_base_and_precision::<10>(count).value();
    let same = |decimal: Decimal| decimal.with_base_and_precision::<2>(PRECISION).value() == *value;
    // If some number of digits is enough, every larger one is.
    let (mut low, mut high) = (1, DECIMAL_DIGITS);
    while low < high {
        let middle = usize::midpoint(low, high);
        if same(digits(middle)) { high = middle } else { low = middle + 1 }
    }
    plain(&digits(low))
}

/// A decimal number without a power of ten.
fn plain(decimal: &Decimal) -> String {
    let significand = decimal.repr().significand().to_string();
    let (sign, digits) = significand.strip_prefix('-').map_or(("", significand.as_str()), |digits| ("-", digits));
    let exponent = decimal.repr().exponent();
    if exponent >= 0 {
        return format!("{sign}{digits}{}", "0".repeat(exponent.unsigned_abs()));
    }
    let places = exponent.unsigned_abs();
    let padded = format!("{}{digits}", "0".repeat((places + 1).saturating_sub(digits.len())));
    let (whole, fraction) = padded.split_at(padded.len() - places);
    format!("{sign}{whole}.{fraction}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn number(text: &str) -> Number {
        text.parse().unwrap()
    }

    #[test]
    fn each_number_has_one_form() {
        assert_eq!(number("1"), Number::from(1.0));
        assert_eq!(number("1.50"), Number::from(1.5));
        assert_eq!(number("1e3"), Number::from(1000_i64));
        assert_eq!(number("9223372036854775808"), Number::from(9_223_372_036_854_775_808_u64));
        // A tenth cannot be written in binary: with 512 bits it is another number than with 53.
        assert_ne!(number("0.1"), Number::from(0.1));
        assert_eq!(number("0.1").rounded_to_double(), Number::from(0.1));
    }

    #[test]
    fn text_is_as_short_as_it_can_be() {
        for text in [
            "0.1",
            "-0.3",
            "123456789012345678901234567890",
            "3.14159265358979323846264338327950288419716939937510582097494459",
            "0.000000000000000000000000000000000001",
        ] {
            assert_eq!(number(text).to_string(), text);
        }
        assert_eq!(Number::from(0.1).to_string(), "0.1");
        assert_eq!(number("1e30").to_string(), format!("1{}", "0".repeat(30)));
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in ["", "-", ".", "e5", "1e", "0x10", "1_000", "NaN", "inf", "1e999999999", "1 "] {
            assert_eq!(text.parse::<Number>(), Err(NotANumber), "{text}");
        }
        assert!("9".repeat(5000).parse::<Number>().is_err());
    }

    #[test]
    fn integers_are_known_as_such() {
        assert!(number("123456789012345678901234567890").is_integer());
        assert!(!number("0.1").is_integer() && !number("0.5").is_integer());
        assert_eq!(number("9007199254740993").as_f64(), None);
        assert_eq!(number("9007199254740992").as_f64(), Some(9_007_199_254_740_992.0));
    }

    proptest! {
        #[test]
        fn text_leads_back(digits in "-?[1-9][0-9]{0,120}(\\.[0-9]{1,100})?") {
            let once = number(&digits);
            prop_assert_eq!(number(&once.to_string()), once);
        }

        #[test]
        fn doubles_are_kept(value in proptest::num::f64::NORMAL) {
            prop_assert_eq!(Number::from(value).to_f64(), value);
        }
    }
}
