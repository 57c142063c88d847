//! Tables for people: aligned text, or Markdown.

/// How a table is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Columns aligned with spaces.
    Text,
    /// A Markdown table, aligned too, so that it reads well as it is.
    Markdown,
}

/// Rows under a heading. Text stands on the left, figures on the right.
#[derive(Clone, Debug)]
pub struct Table {
    columns: Vec<Column>,
    rows: Vec<Row>,
}

/// Which side of its column a cell stands on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// For text.
    Left,
    /// For figures.
    Right,
}

#[derive(Clone, Debug)]
struct Column {
    name: String,
    align: Align,
}

#[derive(Clone, Debug)]
enum Row {
    Cells(Vec<String>),
    Gap,
}

impl Table {
    /// A table with these columns and no rows.
    pub fn new(columns: &[(&str, Align)]) -> Self {
        let columns = columns.iter().map(|&(name, align)| Column { name: name.to_owned(), align }).collect();
        Self { columns, rows: Vec::new() }
    }

    /// Adds a row.
    ///
    /// # Panics
    ///
    /// If it has not one cell a column.
    pub fn row(&mut self, cells: Vec<String>) {
        assert_eq!(cells.len(), self.columns.len(), "one cell a column");
        self.rows.push(Row::Cells(cells));
    }

    /// Sets the rows before and after apart: an empty line in text, nothing in Markdown, which has no such thing.
    pub fn gap(&mut self) {
        self.rows.push(Row::Gap);
    }

    /// The whole table, every line ended.
    pub fn render(&self, style: Style) -> String {
        let widths: Vec<usize> = (0..self.columns.len()).map(|index| self.width(index)).collect();
        let header: Vec<String> = self.columns.iter().map(|column| column.name.clone()).collect();
        let mut out = self.line(&header, &widths, style);
        if style == Style::Markdown {
            let dashes: Vec<String> =
                self.columns.iter().zip(&widths).map(|(column, &width)| column.dashes(width)).collect();
            out += &self.line(&dashes, &widths, style);
        }
        for row in &self.rows {
            match (row, style) {
                (Row::Cells(cells), _) => out += &self.line(cells, &widths, style),
                (Row::Gap, Style::Text) => out.push('\n'),
                (Row::Gap, Style::Markdown) => {}
            }
        }
        out
    }

    fn width(&self, index: usize) -> usize {
        let cells = self.rows.iter().filter_map(|row| match row {
            Row::Cells(cells) => Some(&cells[index]),
            Row::Gap => None,
        });
        // Markdown wants three dashes and a colon below a heading.
        cells.chain([&self.columns[index].name]).map(|cell| cell.chars().count()).max().unwrap_or(0).max(4)
    }

    fn line(&self, cells: &[String], widths: &[usize], style: Style) -> String {
        let padded: Vec<String> = cells
            .iter()
            .zip(widths)
            .zip(&self.columns)
            .map(|((cell, &width), column)| match column.align {
                Align::Left => format!("{cell:<width$}"),
                Align::Right => format!("{cell:>width$}"),
            })
            .collect();
        match style {
            Style::Text => format!("{}\n", padded.join("  ").trim_end()),
            Style::Markdown => format!("| {} |\n", padded.join(" | ")),
        }
    }
}

impl Column {
    fn dashes(&self, width: usize) -> String {
        let dashes = "-".repeat(width - 1);
        match self.align {
            Align::Left => format!("-{dashes}"),
            Align::Right => format!("{dashes}:"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Table {
        let mut table = Table::new(&[("what", Align::Left), ("GB/s", Align::Right)]);
        table.row(vec!["a".into(), "12.50".into()]);
        table.gap();
        table.row(vec!["longer".into(), "3.00".into()]);
        table
    }

    #[test]
    fn text_is_aligned() {
        assert_eq!(sample().render(Style::Text), "what     GB/s\na       12.50\n\nlonger   3.00\n");
    }

    #[test]
    fn markdown_is_a_table() {
        let expected = "\
| what   |  GB/s |
| ------ | ----: |
| a      | 12.50 |
| longer |  3.00 |
";
        assert_eq!(sample().render(Style::Markdown), expected);
    }
}
