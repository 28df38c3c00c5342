//! The contact sheet: a small figure of each recording.

use inputanim::Limits;
use inputanim_analysis::{AnalysisParameters, Panel, Thumbnail, contact_sheet, thumbnail};

use super::picture::Picture;
use super::{Args, MAX_WARNINGS, analyze};
use crate::files::batch::{Job, Status};
use crate::files::input::Input;
use crate::files::output;
use crate::messages::file_name::FileName;
use crate::messages::outcome::{Outcome, Refusal};
use crate::messages::text::printable;

/// Draws one sheet of all recordings. A recording that cannot be drawn is on the sheet with its error.
pub(super) fn run(
    args: &Args,
    analysis: &AnalysisParameters,
    picture: Picture,
    limits: &Limits,
) -> anyhow::Result<Outcome> {
    if args.time.is_some() || !args.panels.is_empty() {
        let message = "--time and --panels have no effect on a contact sheet";
        return Err(Refusal::usage(
            message,
            "remove them, or write figures to a folder: -o FOLDER",
        ));
    }
    output::check(&args.output, args.force)?;
    let mut batch = args.plan(None, &[&args.output], analysis, picture)?;
    let mut thumbnails = Vec::new();
    let mut summary = batch.summary(MAX_WARNINGS);
    batch.run(
        true,
        |job| draw(args, analysis, job, limits),
        |job, drawn, messages| {
            let (details, drawn) = drawn;
            let name = job.output.display().to_string();
            let status = match drawn {
                Ok((thumbnail, outcome)) => {
                    thumbnails.push(thumbnail);
                    Ok(Status::Written(outcome))
                }
                Err(error) => {
                    let theme = args.theme.into();
                    let reason = reason(&error);
                    thumbnails.push(Thumbnail::failed(&name, &details, &reason, theme));
                    Err(error)
                }
            };
            summary.add(status, messages);
            Ok(())
        },
    )?;
    let mut options = args.plot_options("")?;
    options.width = options.width.max(MIN_WIDTH);
    let sheet = contact_sheet(&thumbnails, &options);
    output::write_to(&args.output, args.force, picture.is_binary(), |output| {
        picture.write(&sheet, output)
    })?;
    batch.joined(Vec::new(), &args.output);
    Ok(batch.report(summary))
}

/// The width of a sheet with one column.
const MIN_WIDTH: f64 = 304.0;

type Drawn = (String, anyhow::Result<(Thumbnail, Outcome)>);

fn draw(args: &Args, options: &AnalysisParameters, job: &Job, limits: &Limits) -> Drawn {
    let path = job.input.to_string_lossy();
    let details = match &args.path_pattern {
        None => Ok(String::new()),
        Some(pattern) => pattern
            .values(&path)
            .map(|values| values.join(" · "))
            .ok_or_else(|| {
                let message = format!("the path does not match the pattern \"{pattern}\"");
                let hint = "write each part in braces, such as {participant}; {*} matches any text";
                Refusal::failure(message, hint).context(FileName::new(&job.input))
            }),
    };
    let details = match details {
        Ok(details) => details,
        Err(error) => return (String::new(), Err(error)),
    };
    let draw = || {
        let input = Input::open_as(&job.input, args.from, limits)?;
        let (recording, read) = input.corrected(args.corrections, limits)?;
        let (analysis, outcome) = analyze(options, &recording, &input, Panel::ALL)?;
        let name = job.output.display().to_string();
        let theme = args.theme.into();
        Ok((
            thumbnail(&analysis, &name, &details, theme),
            outcome.and(read),
        ))
    };
    let drawn = draw();
    (details, drawn)
}

/// Returns the causes of an error without the name of the file, which the sheet already shows.
fn reason(error: &anyhow::Error) -> String {
    let skipped = usize::from(error.chain().len() > 1);
    let causes: Vec<String> = error
        .chain()
        .skip(skipped)
        .map(ToString::to_string)
        .collect();
    printable(&causes.join(": ")).into_owned()
}
