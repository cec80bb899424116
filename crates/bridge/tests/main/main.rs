//! What other programs decide, against those programs or what they said.

mod documents;
mod encoded;
mod made;
mod peers;
mod words;
