//! Protobuf's wire format, as far as schemas and messages need it: fields in order, without copying.

use super::SchemaError;

/// Reads a message field by field.
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
}

/// A field's value. Fixed-width values do not occur in schemas; they are skipped.
#[derive(Clone, Copy)]
pub(crate) enum Field<'a> {
    Varint(u64),
    Bytes(&'a [u8]),
    Other,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(message: &'a [u8]) -> Self {
        Self { rest: message }
    }

    /// The next field's number and value.
    pub(crate) fn next(&mut self) -> Result<Option<(u64, Field<'a>)>, SchemaError> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let key = self.varint()?;
        let value = match key & 7 {
            0 => Field::Varint(self.varint()?),
            1 => self.take(8).map(|_| Field::Other)?,
            2 => {
                let length = usize::try_from(self.varint()?).map_err(|_| SchemaError::Broken)?;
                Field::Bytes(self.take(length)?)
            }
            5 => self.take(4).map(|_| Field::Other)?,
            _ => return Err(SchemaError::Broken),
        };
        Ok(Some((key >> 3, value)))
    }

    /// All fields with their numbers.
    pub(crate) fn all(mut self) -> Result<Vec<(u64, Field<'a>)>, SchemaError> {
        std::iter::from_fn(|| self.next().transpose()).collect()
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], SchemaError> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(SchemaError::Broken)?;
        self.rest = rest;
        Ok(taken)
    }

    fn varint(&mut self) -> Result<u64, SchemaError> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let (byte, rest) = self.rest.split_first().ok_or(SchemaError::Broken)?;
            self.rest = rest;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(SchemaError::Broken)
    }
}

impl<'a> Field<'a> {
    pub(crate) fn bytes(self) -> Result<&'a [u8], SchemaError> {
        match self {
            Self::Bytes(bytes) => Ok(bytes),
            _ => Err(SchemaError::Broken),
        }
    }

    pub(crate) fn text(self) -> Result<&'a str, SchemaError> {
        std::str::from_utf8(self.bytes()?).map_err(|_| SchemaError::Broken)
    }

    pub(crate) fn flag(self) -> Result<bool, SchemaError> {
        Ok(self.number()? != 0)
    }

    pub(crate) fn number(self) -> Result<u64, SchemaError> {
        match self {
            Self::Varint(value) => Ok(value),
            _ => Err(SchemaError::Broken),
        }
    }

    pub(crate) fn integer(self) -> Result<i64, SchemaError> {
        Ok(self.number()?.cast_signed())
    }
}
