//! What other programs decide, against those programs or what they said.

mod documents;
mod peers;
mod words;
