//! The configuration that all replays share, and the processing of lines that they share.

use std::path::PathBuf;
use std::sync::Arc;

use hook_sdk::context::HookContextBuilder;

use crate::comparer::Comparer;
use crate::line::Line;
use crate::report::Report;
use crate::secrets::OwnRule;
use crate::source::{Progress, ReplayError, Source, breathe};
use crate::traffic::Found;

type Context<'a> = dyn Fn(HookContextBuilder) -> HookContextBuilder + Send + Sync + 'a;

/// The configuration of a replay besides its hooks.
pub(crate) struct Setup<'a> {
    /// Adds state to the context of a dispatch.
    pub(crate) context: Box<Context<'a>>,
    pub(crate) progress: Box<dyn Fn(Progress) + Send + Sync + 'a>,
    pub(crate) rules: Arc<[OwnRule]>,
}

impl Default for Setup<'_> {
    fn default() -> Self {
        Self { context: Box::new(|cx| cx), progress: Box::new(|_| ()), rules: Arc::default() }
    }
}

/// The methods of a type that has a field `setup` of type [`Setup`] and a method `files`.
macro_rules! setup_methods {
    () => {
        /// Adds the state that hooks need to the context of each dispatch. Do not add anything with access to real
        /// systems.
        #[must_use]
        pub fn context(
            mut self,
            context: impl Fn(HookContextBuilder) -> HookContextBuilder + Send + Sync + 'a,
        ) -> Self {
            self.setup.context = Box::new(context);
            self
        }

        /// Sets a listener for the progress, which is called after each line. It should be fast.
        #[must_use]
        pub fn progress(mut self, listener: impl Fn(Progress) + Send + Sync + 'a) -> Self {
            self.setup.progress = Box::new(listener);
            self
        }

        /// Sets the redaction rules of the recorder. What they remove is neither a difference nor part of a report.
        #[must_use]
        pub fn with_rules(mut self, rules: Vec<OwnRule>) -> Self {
            self.setup.rules = rules.into();
            self
        }

        /// Replays the file at `path`.
        ///
        /// # Errors
        /// The same as those of [`files`](Self::files).
        pub async fn file(&self, path: impl AsRef<Path> + Send) -> Result<Report, ReplayError> {
            self.files([path]).await
        }
    };
}

pub(crate) use setup_methods;

/// A running replay.
pub(crate) trait Running: Send {
    fn so_far(&mut self) -> &mut SoFar;

    /// Handles a dispatch, or the end of a turn.
    fn line(&mut self, line: Line, place: &str) -> impl Future<Output = Result<(), ReplayError>> + Send;
}

/// The state of a running replay.
pub(crate) struct SoFar {
    pub(crate) report: Report,
    pub(crate) comparer: Comparer,
}

impl Setup<'_> {
    pub(crate) fn start(&self) -> SoFar {
        SoFar { report: Report::default(), comparer: Comparer::new(Arc::clone(&self.rules)) }
    }

    /// Passes the lines of the files to `running`.
    pub(crate) async fn read(&self, paths: &[PathBuf], running: &mut impl Running) -> Result<(), ReplayError> {
        let source = Source::of(paths);
        for path in paths {
            let name = path.display().to_string();
            for (number, found) in source.lines(path)? {
                if let Some(line) = running.so_far().take(&name, number, found) {
                    running.line(line, &format!("{name}:{number}")).await?;
                }
                (self.progress)(source.progress());
                breathe(number).await;
            }
        }
        Ok(())
    }
}

impl SoFar {
    /// Handles a line, and returns it if it is specific to the replay.
    pub(crate) fn take(&mut self, file: &str, number: usize, found: Found) -> Option<Line> {
        let place = || format!("{file}:{number}");
        match found {
            Found::Line(Line::Header(header)) => self.comparer.cleaner.field = header.field,
            Found::Line(Line::Message(message)) => {
                if let Err(error) = self.comparer.messages.read(message) {
                    self.report.fail(&place(), &format_args!("this is not a message: {error}"));
                }
            }
            Found::Line(Line::Dropped { count }) => {
                let problem = format_args!("{count} lines were dropped, because the recorder was too slow");
                self.report.fail(&place(), &problem);
            }
            Found::Line(mut line) => {
                self.comparer.messages.next_line(&mut line);
                return Some(line);
            }
            Found::Other(what) => self.report.foreign(&what),
            Found::Unreadable(error) => self.report.fail(file, &error),
        }
        None
    }
}
