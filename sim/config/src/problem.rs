// SPDX-License-Identifier: Apache-2.0
//! What is wrong with a file: where, what, and what to do.

use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource, SourceCode};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// Problems shown at once; a file with more of them has one cause.
const SHOWN: usize = 12;

/// One thing that is wrong.
#[derive(Clone, Debug)]
pub struct Problem {
    what: String,
    labels: Vec<(Range<usize>, String)>,
    help: String,
    source: Option<Arc<NamedSource<String>>>,
}

impl Problem {
    /// A problem at `span`, where `label` is written.
    pub(crate) fn at(
        span: Range<usize>,
        what: impl Into<String>,
        label: impl Into<String>,
        help: impl Into<String>,
    ) -> Problem {
        let (what, label, help) = (plain(&what.into()), plain(&label.into()), plain(&help.into()));
        Problem { what, labels: vec![(span, label)], help, source: None }
    }

    /// The same problem, with a second place that belongs to it.
    pub(crate) fn and(mut self, span: Range<usize>, label: impl Into<String>) -> Problem {
        self.labels.push((span, plain(&label.into())));
        self
    }

    /// What is wrong.
    pub fn what(&self) -> &str {
        &self.what
    }

    /// What to do.
    pub fn help_text(&self) -> &str {
        &self.help
    }

    /// The bytes of the file that it is about.
    pub fn spans(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.labels.iter().map(|(span, _)| span.clone())
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for Problem {}

impl Diagnostic for Problem {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        (!self.help.is_empty()).then(|| Box::new(&self.help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.source.as_deref().map(|s| s as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        self.source.as_ref()?;
        Some(Box::new(
            self.labels.iter().map(|(span, text)| LabeledSpan::new(Some(text.clone()), span.start, span.len())),
        ))
    }
}

/// Everything that is wrong with an input. Its `Display` is the whole report: file, line and column, the lines
/// themselves, what is wrong, and what to do.
#[derive(Clone, Debug)]
pub struct InputError {
    problems: Vec<Problem>,
}

impl InputError {
    /// The problems of a text called `name`, in the order of their places; `None` when there are none.
    pub(crate) fn of(name: &str, text: &str, mut problems: Vec<Problem>) -> Option<InputError> {
        if problems.is_empty() {
            return None;
        }
        let source = Arc::new(NamedSource::new(name, text.to_owned()));
        for p in problems.iter_mut().filter(|p| p.source.is_none()) {
            for (span, _) in &mut p.labels {
                *span = clamp(text, span);
            }
            p.source = Some(source.clone());
        }
        problems.sort_by_key(|p| p.labels.first().map_or(0, |(span, _)| span.start));
        Some(InputError { problems })
    }

    /// A problem that has no place in a file.
    pub(crate) fn without_place(what: impl Into<String>, help: impl Into<String>) -> InputError {
        InputError {
            problems: vec![Problem { what: what.into(), labels: Vec::new(), help: help.into(), source: None }],
        }
    }

    /// Each of them.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// As parts of the report on another file.
    pub(crate) fn into_problems(self) -> Vec<Problem> {
        self.problems
    }
}

/// Text from a file in one line, and harmless to a terminal.
fn plain(s: &str) -> String {
    s.chars().flat_map(|c| if c.is_control() { c.escape_debug().collect() } else { vec![c] }).collect()
}

/// The same for lines shown as they are: a control character becomes its picture, which is as wide.
fn pictures(s: &str) -> String {
    let picture = |c: char| match c {
        '\u{7f}' => '\u{2421}',
        c if c < ' ' => char::from_u32(0x2400 + c as u32).unwrap_or('\u{fffd}'),
        _ => '\u{fffd}',
    };
    s.chars().map(|c| if c.is_control() { picture(c) } else { c }).collect()
}

/// The span within `text`, on character boundaries.
fn clamp(text: &str, span: &Range<usize>) -> Range<usize> {
    let down = |mut i: usize| {
        i = i.min(text.len());
        while !text.is_char_boundary(i) {
            i -= 1;
        }
        i
    };
    let start = down(span.start);
    start..down(span.end).max(start)
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let handler = GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor())
            .with_links(false)
            .with_wrap_lines(false)
            .with_context_lines(1);
        for (i, p) in self.problems.iter().take(SHOWN).enumerate() {
            let mut report = String::new();
            if handler.render_report(&mut report, p).is_err() {
                report = format!("{}\n{}\n", p.what, p.help);
            }
            let lines: Vec<&str> = report.lines().map(str::trim_end).skip_while(|l| l.is_empty()).collect();
            let lines: Vec<String> = lines.into_iter().map(pictures).collect();
            write!(f, "{}{}", if i == 0 { "" } else { "\n\n" }, lines.join("\n").trim_end())?;
        }
        match self.problems.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            more => write!(f, "\n\n… and {more} more"),
        }
    }
}

impl std::error::Error for InputError {}
