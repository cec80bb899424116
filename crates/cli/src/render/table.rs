//! Columns of text.

use super::text::{harmless, padded, width};

/// A wider cell does not push the next columns of all other rows out of sight.
const WIDEST: usize = 60;

/// Rows under a heading, columns as wide as their widest cell, two spaces between them.
pub(crate) fn columns<const N: usize>(heading: [&str; N], rows: &[[String; N]]) -> String {
    let rows: Vec<[String; N]> = rows.iter().map(|row| row.each_ref().map(|cell| harmless(cell))).collect();
    let mut widths = heading.map(width);
    for row in &rows {
        for (widest, cell) in widths.iter_mut().zip(row) {
            *widest = (*widest).max(width(cell).min(WIDEST));
        }
    }
    let mut out = String::new();
    let mut line = |cells: &[&str]| {
        let mut text = String::new();
        for (cell, columns) in cells.iter().zip(widths) {
            text.push_str(&padded(cell, columns));
            text.push_str("  ");
        }
        out.push_str(text.trim_end());
        out.push('\n');
    };
    line(&heading);
    for row in &rows {
        line(&row.each_ref().map(String::as_str));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let rows = [["a".to_owned(), "1".to_owned()], ["longer".to_owned(), String::new()]];
        assert_eq!(columns(["NAME", "VALUE"], &rows), "NAME    VALUE\na       1\nlonger\n");
    }

    #[test]
    fn a_cell_may_be_longer_than_any_format_allows() {
        let rows = [["x".repeat(70_000), "1".to_owned()], ["日本".to_owned(), "2".to_owned()]];
        let text = columns(["NAME", "VALUE"], &rows);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[1].ends_with("x  1") && lines[1].len() == 70_003);
        assert_eq!(lines[2], format!("日本{}  2", " ".repeat(WIDEST - 4)));
    }
}
