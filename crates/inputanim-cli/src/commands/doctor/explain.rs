//! What the codes mean.

use std::io::Write;
use std::str::FromStr;

use inputanim::doctor::{Code, Severity, UnknownCode};
use serde::Serialize;

use crate::format::Rows;
use crate::found::severity_name;
use crate::style::{DIM, paint, severity};
use crate::text::wrapped;

/// What is to be explained.
#[derive(Clone, Copy, Debug)]
pub(super) enum Topic {
    /// All codes in a line each.
    List,
    /// All codes.
    All,
    /// One code.
    One(Code),
}

impl FromStr for Topic {
    type Err = UnknownCode;

    fn from_str(text: &str) -> Result<Topic, UnknownCode> {
        match text {
            "list" => Ok(Topic::List),
            "all" => Ok(Topic::All),
            code => code.parse().map(Topic::One),
        }
    }
}

impl Topic {
    fn codes(&self) -> &[Code] {
        match self {
            Topic::List | Topic::All => Code::ALL,
            Topic::One(code) => std::slice::from_ref(code),
        }
    }
}

/// A code in a form that programs like.
#[derive(Serialize)]
struct Explained {
    code: &'static str,
    #[serde(serialize_with = "severity_name")]
    severity: Severity,
    title: &'static str,
    cause: &'static str,
    meaning: &'static str,
    remedy: &'static str,
    advice: &'static str,
}

impl From<Code> for Explained {
    fn from(code: Code) -> Explained {
        Explained {
            code: code.id(),
            severity: code.severity(),
            title: code.title(),
            cause: code.cause(),
            meaning: code.meaning(),
            remedy: code.remedy().name(),
            advice: code.advice(),
        }
    }
}

pub(super) fn push(rows: &mut Rows<impl Write>, topic: Topic) -> anyhow::Result<()> {
    for &code in topic.codes() {
        rows.push(&Explained::from(code), || vec![Explained::from(code)])?;
    }
    Ok(())
}

pub(super) fn print(output: &mut impl Write, topic: Topic) -> anyhow::Result<()> {
    for &code in topic.codes() {
        let label = format!("{:<3} {:<7}", code.id(), code.severity());
        let label = format!("{}  ", paint(severity(code.severity()), label));
        writeln!(output, "{}", wrapped(&label, 13, code.title()))?;
        if let Topic::List = topic {
            continue;
        }
        for (label, text) in [
            ("cause", code.cause()),
            ("played", code.meaning()),
            ("remedy", code.advice()),
        ] {
            let label = format!("    {}  ", paint(DIM, format_args!("{label:<7}")));
            writeln!(output, "{}", wrapped(&label, 13, text))?;
        }
    }
    Ok(())
}
