//! The configuration that all replays share, and the processing of lines that they share.

use std::path::PathBuf;
use std::sync::Arc;

use hook_sdk::context::HookContextBuilder;

use crate::comparer::Comparer;
use crate::line::RecordingLine;
use crate::report::ReplayReport;
use crate::secrets::OwnRule;
use crate::source::{Progress, ReplayError, Source, yield_sometimes};
use crate::traffic::SourceLine;

type Context<'a> = dyn Fn(HookContextBuilder) -> HookContextBuilder + Send + Sync + 'a;

/// The configuration of a replay besides its hooks.
pub(crate) struct ReplayOptions<'a> {
    /// Adds state to the context of a dispatch.
    pub(crate) context: Box<Context<'a>>,
    pub(crate) progress: Box<dyn Fn(Progress) + Send + Sync + 'a>,
    pub(crate) rules: Arc<[OwnRule]>,
}

impl Default for ReplayOptions<'_> {
    fn default() -> Self {
        Self { context: Box::new(|cx| cx), progress: Box::new(|_| ()), rules: Arc::default() }
    }
}

/// The methods of a type that has a field `options` of type [`ReplayOptions`] and a method `files`.
macro_rules! option_methods {
    () => {
        /// Adds the state that hooks need to the context of each dispatch. Do not add anything with access to real
        /// systems.
        #[must_use]
        pub fn context(
            mut self,
            context: impl Fn(HookContextBuilder) -> HookContextBuilder + Send + Sync + 'a,
        ) -> Self {
            self.options.context = Box::new(context);
            self
        }

        /// Sets a listener for the progress, which is called after each line. It should be fast.
        #[must_use]
        pub fn progress(mut self, listener: impl Fn(Progress) + Send + Sync + 'a) -> Self {
            self.options.progress = Box::new(listener);
            self
        }

        /// Sets the redaction rules of the recorder. What they remove is neither a difference nor part of a report.
        #[must_use]
        pub fn with_rules(mut self, rules: Vec<OwnRule>) -> Self {
            self.options.rules = rules.into();
            self
        }

        /// Replays the file at `path`.
        ///
        /// # Errors
        /// The same as those of [`files`](Self::files).
        pub async fn file(&self, path: impl AsRef<Path> + Send) -> Result<ReplayReport, ReplayError> {
            self.files([path]).await
        }
    };
}

pub(crate) use option_methods;

/// A running replay.
pub(crate) trait LineHandler: Send {
    fn state(&mut self) -> &mut ReplayState;

    /// Handles a dispatch, or the end of a turn.
    fn line(&mut self, line: RecordingLine, place: &str) -> impl Future<Output = Result<(), ReplayError>> + Send;
}

/// The state of a running replay.
pub(crate) struct ReplayState {
    pub(crate) report: ReplayReport,
    pub(crate) comparer: Comparer,
}

impl ReplayOptions<'_> {
    pub(crate) fn start(&self) -> ReplayState {
        ReplayState { report: ReplayReport::default(), comparer: Comparer::new(Arc::clone(&self.rules)) }
    }

    /// Passes the lines of the files to `running`.
    pub(crate) async fn read(&self, paths: &[PathBuf], running: &mut impl LineHandler) -> Result<(), ReplayError> {
        let source = Source::of(paths);
        for path in paths {
            let name = path.display().to_string();
            for (number, found) in source.lines(path)? {
                if let Some(line) = running.state().take(&name, number, found) {
                    running.line(line, &format!("{name}:{number}")).await?;
                }
                (self.progress)(source.progress());
                yield_sometimes(number).await;
            }
        }
        Ok(())
    }
}

impl ReplayState {
    /// Handles a line, and returns it if it is specific to the replay.
    pub(crate) fn take(&mut self, file: &str, number: usize, found: SourceLine) -> Option<RecordingLine> {
        let place = || format!("{file}:{number}");
        match found {
            SourceLine::Line(RecordingLine::Header(header)) => self.comparer.cleaner.field = header.field,
            SourceLine::Line(RecordingLine::Message(message)) => {
                if let Err(error) = self.comparer.messages.read(message) {
                    self.report.fail(&place(), &format_args!("this is not a message: {error}"));
                }
            }
            SourceLine::Line(line @ RecordingLine::Dropped { .. }) => {
                self.report.fail(&place(), &line.gap().unwrap_or_default());
            }
            SourceLine::Line(mut line) => {
                self.comparer.messages.next_line(&mut line);
                return Some(line);
            }
            SourceLine::Other(what) => self.report.foreign(&what),
            SourceLine::Unreadable(error) => {
                self.report.fail(file, &error);
                self.report.leave_out(&place());
            }
        }
        None
    }
}
