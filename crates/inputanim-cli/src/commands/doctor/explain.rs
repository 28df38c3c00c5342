//! Explanations of codes.

use std::io::Write;
use std::str::FromStr;

use inputanim::doctor::{Code, Remedy, Severity, UnknownCode};
use serde::Serialize;

use crate::messages::hints;
use crate::messages::style::{DIM, paint, severity};
use crate::messages::text::wrapped;
use crate::results::report_format::Rows;

/// The codes to explain.
#[derive(Clone, Copy, Debug)]
pub(super) enum Topic {
    /// All codes, with one line each.
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

/// A code with its explanation, for programs.
#[derive(Serialize)]
struct Explained {
    code: Code,
    severity: Severity,
    title: &'static str,
    cause: &'static str,
    meaning: &'static str,
    remedy: Remedy,
    advice: String,
}

impl From<Code> for Explained {
    fn from(code: Code) -> Explained {
        Explained {
            code,
            severity: code.severity(),
            title: code.title(),
            cause: code.cause(),
            meaning: code.meaning(),
            remedy: code.remedy(),
            advice: hints::advice(code),
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
        title(output, code, code.title())?;
        if !matches!(topic, Topic::List) {
            line(output, "cause", code.cause())?;
            effect_and_remedy(output, code)?;
        }
    }
    Ok(())
}

/// Prints the effect and the remedy of findings with a code. `place` says where the findings are: `in 3 files`.
pub(super) fn print_effect(output: &mut impl Write, code: Code, place: &str) -> anyhow::Result<()> {
    title(output, code, place)?;
    effect_and_remedy(output, code)
}

fn effect_and_remedy(output: &mut impl Write, code: Code) -> anyhow::Result<()> {
    line(output, "effect", code.meaning())?;
    line(output, "remedy", &hints::advice(code))
}

/// The width of a code of up to 3 characters, a severity of 7, and the space around them.
const LABEL: usize = 13;

fn title(output: &mut impl Write, code: Code, text: &str) -> anyhow::Result<()> {
    let label = format!("{:<3} {:<7}", code.id(), code.severity());
    let label = format!("{}  ", paint(severity(code.severity()), label));
    Ok(writeln!(output, "{}", wrapped(&label, LABEL, text))?)
}

fn line(output: &mut impl Write, label: &str, text: &str) -> anyhow::Result<()> {
    let label = format!("    {}  ", paint(DIM, format_args!("{label:<7}")));
    Ok(writeln!(output, "{}", wrapped(&label, LABEL, text))?)
}
