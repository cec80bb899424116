//! Exact numbers.
//!
//! Terraform's numbers are binary floats of 512 bits. Nearly all are small integers or doubles, and are stored as such; the others are stored in
//! full. So is an integer whose digits a double does not show: a double prints only the digits that distinguish it from its neighbours, which
//! for large ones are the digits of another integer.

use std::fmt;
use std::str::FromStr;

use dashu_float::FBig;
use dashu_float::round::mode::HalfEven;

/// Terraform's precision, in bits.
const PRECISION: usize = 512;

/// The largest and, negated, the smallest power of two that is read. No realistic number lies beyond, and the power decides how much memory the
/// text takes, in which powers are written out.
const LARGEST_POWER: usize = 66_000;

/// The longest text that is read, and the largest power of ten in it: every number within [`LARGEST_POWER`] fits when written out.
const LONGEST_TEXT: usize = 24_000;
const LARGEST_POWER_OF_TEN: u64 = 24_000;

/// The first number beyond 64-bit integers.
const BEYOND_INTEGERS: f64 = 9_223_372_036_854_775_808.0;

/// More decimal digits than this make no difference in 512 bits.
const DECIMAL_DIGITS: usize = 156;

type Big = FBig<HalfEven, 2>;
type Decimal = FBig<HalfEven, 10>;

/// A number.
#[derive(Clone)]
pub struct Number(Form);

#[derive(Clone)]
enum Form {
    Integer(i64),
    /// Not an integer of 64 bits; finite or infinite, never NaN.
    Double(f64),
    /// Neither of the two, or an integer beyond 64 bits that was given with all its digits.
    Exact(Big),
}

/// Text that is not a number.
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
                // Converting back would hide that the number was rounded up beyond the integers.
                #[expect(clippy::cast_possible_truncation, reason = "checked")]
                let exact = double < BEYOND_INTEGERS && double as i64 == *value;
                exact.then_some(double)
            }
            Form::Double(value) => Some(*value),
            Form::Exact(value) => {
                let double = value.to_f64().value();
                (Big::try_from(double).as_ref() == Ok(value)).then_some(double)
            }
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

    /// The number with the precision of a double, which is all that Pulumi carries.
    #[must_use]
    pub fn rounded_to_double(&self) -> Self {
        Self::from(self.to_f64())
    }

    /// A text that is unique to this number.
    pub(super) fn canonical(&self) -> String {
        let exact = |value: &Big| format!("{}*2^{}", value.repr().significand(), value.repr().exponent());
        match &self.0 {
            Form::Exact(value) => exact(value),
            Form::Double(value) => Big::try_from(*value).map_or_else(|_| self.to_string(), |value| exact(&value)),
            Form::Integer(value) => value.to_string(),
        }
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Form::Integer(one), Form::Integer(other)) => one == other,
            (Form::Double(one), Form::Double(other)) => one == other,
            (Form::Exact(one), Form::Exact(other)) => one == other,
            (Form::Exact(exact), Form::Double(double)) | (Form::Double(double), Form::Exact(exact)) => {
                Big::try_from(*double).as_ref() == Ok(exact)
            }
            (Form::Integer(_), _) | (_, Form::Integer(_)) => false,
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

/// NaN, which Terraform does not have, becomes zero; callers refuse it first.
impl From<f64> for Number {
    fn from(value: f64) -> Self {
        if value.is_nan() {
            return Self::from(0_i64);
        }
        #[expect(clippy::cast_possible_truncation, reason = "checked")]
        if value.fract() == 0.0 && (-BEYOND_INTEGERS..BEYOND_INTEGERS).contains(&value) {
            Self::from(value as i64)
        } else {
            Self(Form::Double(value))
        }
    }
}

impl Number {
    /// The form of a number that was given with all its digits.
    fn of(value: Big) -> Self {
        let value = value.with_precision(PRECISION).value();
        // The library has signed zeros, which do not count as integers.
        if value.repr().significand().is_zero() {
            return Self::from(0_i64);
        }
        if let Ok(integer) = i64::try_from(value.clone()) {
            return Self::from(integer);
        }
        let places = usize::try_from(-value.repr().exponent()).unwrap_or_default();
        let exact = Self(Form::Exact(value));
        match exact.as_f64() {
            // All its digits must appear when it is written. It has as many after the decimal point as after the binary one.
            Some(double) if places > 0 && decimal_places(double) == places => Self(Form::Double(double)),
            _ => exact,
        }
    }
}

/// The number of digits that are written after a double's decimal point.
fn decimal_places(double: f64) -> usize {
    double.to_string().split_once('.').map_or(0, |(_, fraction)| fraction.len())
}

impl FromStr for Number {
    type Err = NotANumber;

    fn from_str(text: &str) -> Result<Self, NotANumber> {
        if let Ok(integer) = text.parse::<i64>() {
            return Ok(Self::from(integer));
        }
        check(text)?;
        let decimal = Decimal::from_str(text.strip_prefix('+').unwrap_or(text)).map_err(|_| NotANumber)?;
        // Every given digit counts before the number is rounded once.
        let binary = decimal.with_base_and_precision::<2>(PRECISION).value();
        let within = binary.repr().exponent().unsigned_abs() <= LARGEST_POWER;
        if within { Ok(Self::of(binary)) } else { Err(NotANumber) }
    }
}

/// Checks that the text has digits, perhaps with a point and a power of ten, within the limits.
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
    if !all_digits || whole.len() + fraction.len() == 0 || power.unsigned_abs() > LARGEST_POWER_OF_TEN {
        return Err(NotANumber);
    }
    Ok(())
}

/// Decimal digits without a power of ten: as few as distinguish this number from its neighbours.
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
    fn equal_numbers_are_equal_whatever_they_came_from() {
        assert_eq!(number("1"), Number::from(1.0));
        assert_eq!(number("1.50"), Number::from(1.5));
        assert_eq!(number("1e3"), Number::from(1000_i64));
        for zero in ["0", "-0", "-0.00", "0.0", "-0e5", "-.0"] {
            assert_eq!(number(zero), Number::from(0_i64), "{zero}");
        }
        assert_eq!(Number::from(-0.0), Number::from(0_i64));
        assert_eq!(number("9223372036854775808"), Number::from(9_223_372_036_854_775_808_u64));
        let (text, double) = (number("9223372036854775808"), Number::from(9_223_372_036_854_775_808.0));
        assert!(text == double && text.canonical() == double.canonical());
        assert_eq!([text.to_string(), double.to_string()], ["9223372036854775808", "9223372036854776000"]);
        // A tenth has no exact binary form: with 512 bits it is another number than with 53.
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
        assert!("9".repeat(25_000).parse::<Number>().is_err() && "1e21000".parse::<Number>().is_err());
    }

    #[test]
    fn the_largest_are_read_again() {
        for text in ["1e19000", "-9.99e19000", "123.5e-19000"] {
            assert_eq!(number(&number(text).to_string()), number(text), "{text}");
        }
        // Close to the end of integers, where doubles are far apart.
        for integer in [9_210_000_000_000_000_000_i64, i64::MIN, i64::MAX, i64::MAX - 1023] {
            let found = Number::from(integer);
            assert_eq!(found.as_f64().map_or_else(|| found.clone(), Number::from), found, "{integer}");
        }
        assert_eq!(Number::from(9.21e18), Number::from(9_210_000_000_000_000_000_i64));
        assert_eq!(Number::from(i64::MAX).as_f64(), None);
    }

    #[test]
    fn what_came_with_all_its_digits_keeps_them() {
        for text in ["0.1000000000000000055511151231257827021181583404541015625", "0.333251953125", "-2.5"] {
            let found = number(text);
            assert_eq!(found.to_string(), text);
            assert_eq!(found, Number::from(text.parse::<f64>().unwrap()));
        }
    }

    #[test]
    fn integers_are_known_as_such() {
        assert!(number("123456789012345678901234567890").is_integer());
        assert!(!number("0.1").is_integer() && !number("0.5").is_integer());
        assert_eq!(number("9007199254740993").as_f64(), None);
        assert_eq!(number("9007199254740992").as_f64(), Some(9_007_199_254_740_992.0));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn text_leads_back(digits in "-?[0-9]{1,120}(\\.[0-9]{1,100})?") {
            let once = number(&digits);
            prop_assert_eq!(number(&once.to_string()), once);
        }

        #[test]
        fn doubles_are_kept(value in proptest::num::f64::NORMAL) {
            prop_assert_eq!(Number::from(value).to_f64(), value);
        }
    }
}
