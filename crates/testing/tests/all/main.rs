//! A package of boxes under the engine, in this process.

mod boxes;
mod life;
mod mistakes;
mod names;
mod pending;
