//! The bare YAML parser on one file, for `cargo xtask bench yaml`.
//!
//! `parse FILE ROUNDS` reads every event of the file, keeps none, and prints the nanoseconds of the fastest round.
#![allow(clippy::print_stdout, reason = "the figure is this program's output")]

use std::hint::black_box;
use std::time::Instant;

use granit_parser::Parser;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(file), Some(rounds)) = (arguments.next(), arguments.next()) else {
        return Err("usage: parse FILE ROUNDS".into());
    };
    let text = std::fs::read_to_string(file)?;
    let mut fastest = u128::MAX;
    for _ in 0..rounds.parse::<usize>()? {
        let started = Instant::now();
        for event in Parser::new_from_str(&text) {
            black_box(event?);
        }
        fastest = fastest.min(started.elapsed().as_nanos());
    }
    println!("{fastest}");
    Ok(())
}
