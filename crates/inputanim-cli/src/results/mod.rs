//! The forms of results: tables for people, reports and rows for programs.

pub(crate) mod report_format;
pub(crate) mod table;
pub(crate) mod table_format;
pub(crate) mod text_rows;
pub(crate) mod timeline;
