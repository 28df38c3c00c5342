//! The format of a table of results: text for people, or a file of rows.

use std::path::Path;

use clap::ValueEnum;
use inputanim_convert::tables::RowFormat;

use crate::messages::outcome::Refusal;

/// The format of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TableFormat {
    /// Formatted text, for reading.
    Table,
    /// Comma-separated values with a header line.
    Csv,
    /// Tab-separated values with a header line.
    Tsv,
    /// One JSON array.
    Json,
    /// One JSON object for each line.
    // Another extension of such files.
    #[value(alias = "jsonl")]
    Ndjson,
    /// Parquet.
    #[cfg(feature = "parquet")]
    Parquet,
    /// Arrow.
    #[cfg(feature = "parquet")]
    #[value(alias = "feather")]
    Arrow,
}

impl TableFormat {
    /// Returns the format that the command line chooses: `given`, else by the extension of the output, else a table for
    /// people. Fails if the extension is not that of a format in this build.
    pub(crate) fn of(
        given: Option<TableFormat>,
        output: Option<&Path>,
    ) -> anyhow::Result<TableFormat> {
        let output = output.filter(|output| *output != Path::new("-"));
        let (None, Some(output)) = (given, output) else {
            return Ok(given.unwrap_or(TableFormat::Table));
        };
        let extension = output.extension().unwrap_or_default().to_string_lossy();
        match TableFormat::from_str(&extension, true) {
            Ok(TableFormat::Table) | Err(_) => {}
            Ok(format) => return Ok(format),
        }
        if extension
            .parse()
            .is_ok_and(|format: RowFormat| !format.is_in_build())
        {
            return Err(Refusal::usage(
                format!("this build does not write {extension}"),
                "`cargo install --path crates/inputanim-cli --features full` includes all formats",
            ));
        }
        let message = format!("cannot infer a format from {}", output.display());
        let known = RowFormat::ALL.iter();
        let known = known.filter(|format| format.is_in_build());
        let names: Vec<String> = known.map(|format| format!(".{format}")).collect();
        let hint = format!(
            "use the extension {}, or choose the format with --format",
            names.join(", ")
        );
        Err(Refusal::usage(message, hint))
    }

    /// Returns the format of rows; `None` for a table for people.
    pub(crate) fn rows(self) -> Option<RowFormat> {
        Some(match self {
            TableFormat::Table => return None,
            TableFormat::Csv => RowFormat::Csv,
            TableFormat::Tsv => RowFormat::Tsv,
            TableFormat::Json => RowFormat::Json,
            TableFormat::Ndjson => RowFormat::Ndjson,
            #[cfg(feature = "parquet")]
            TableFormat::Parquet => RowFormat::Parquet,
            #[cfg(feature = "parquet")]
            TableFormat::Arrow => RowFormat::Arrow,
        })
    }

    /// Returns `true` if the format is not text.
    pub(crate) fn is_binary(self) -> bool {
        self.rows().is_some_and(RowFormat::is_binary)
    }

    /// Returns `true` if rows are JSON objects, which can name the reasons for missing values.
    pub(crate) fn is_json(self) -> bool {
        matches!(self, TableFormat::Json | TableFormat::Ndjson)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_decides_the_format() {
        let of = |path: &str| TableFormat::of(None, Some(path.as_ref())).ok();
        assert_eq!(of("a.csv"), Some(TableFormat::Csv));
        assert_eq!(of("a.JSONL"), Some(TableFormat::Ndjson));
        assert_eq!(of("-"), Some(TableFormat::Table));
        assert_eq!(of("a.table"), None);
        assert_eq!(of("a.xlsx"), None);
        let given = TableFormat::of(Some(TableFormat::Json), Some("a.xlsx".as_ref()));
        assert_eq!(given.unwrap(), TableFormat::Json);
    }
}
