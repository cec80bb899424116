//! Random values. They are generated once, from the operating system's randomness, and stay until one of their `keepers` changes.

mod bytes;
mod integer;
mod password;
mod pet;
mod source;
mod string;
mod text;
mod uuid;
mod words;

pub(crate) use bytes::Bytes;
pub(crate) use integer::Integer;
pub(crate) use password::Password;
pub(crate) use pet::Pet;
pub(crate) use string::RandomString;
pub(crate) use uuid::Uuid;
