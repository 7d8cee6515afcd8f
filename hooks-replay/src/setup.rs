//! What every replay is given, and what it does with lines alike.

use std::path::PathBuf;
use std::sync::Arc;

use hooks_core::context::HookContextBuilder;

use crate::comparer::Comparer;
use crate::line::Line;
use crate::report::Report;
use crate::secrets::OwnRule;
use crate::source::{Progress, ReplayError, Source, breathe};
use crate::traffic::Found;

type Context<'a> = dyn Fn(HookContextBuilder) -> HookContextBuilder + Send + Sync + 'a;

/// What a replay is given beside its hooks.
pub(crate) struct Setup<'a> {
    /// Puts state into the context of a dispatch.
    pub(crate) context: Box<Context<'a>>,
    pub(crate) progress: Box<dyn Fn(Progress) + Send + Sync + 'a>,
    pub(crate) rules: Arc<[OwnRule]>,
}

impl Default for Setup<'_> {
    fn default() -> Self {
        Self { context: Box::new(|cx| cx), progress: Box::new(|_| ()), rules: Arc::default() }
    }
}

/// The methods of a type whose field `setup` is a [`Setup`], and which has a method `files`.
macro_rules! setup_methods {
    () => {
        /// Puts the state that the hooks ask for into the context of each dispatch. It is the replay's own: give it nothing
        /// that reaches the world.
        #[must_use]
        pub fn context(
            mut self,
            context: impl Fn(HookContextBuilder) -> HookContextBuilder + Send + Sync + 'a,
        ) -> Self {
            self.setup.context = Box::new(context);
            self
        }

        /// Tells how far the replay is, after each line that was read. So it should be quick.
        #[must_use]
        pub fn progress(mut self, listener: impl Fn(Progress) + Send + Sync + 'a) -> Self {
            self.setup.progress = Box::new(listener);
            self
        }

        /// The app's own rules for what must not be written, as the recorder had them: what they remove is no difference,
        /// and stands in no report.
        #[must_use]
        pub fn with_rules(mut self, rules: Vec<OwnRule>) -> Self {
            self.setup.rules = rules.into();
            self
        }

        /// Replays the file at `path`.
        ///
        /// # Errors
        /// As [`files`](Self::files).
        pub async fn file(&self, path: impl AsRef<Path> + Send) -> Result<Report, ReplayError> {
            self.files([path]).await
        }
    };
}

pub(crate) use setup_methods;

/// A replay under way.
pub(crate) trait Running: Send {
    fn so_far(&mut self) -> &mut SoFar;

    /// A dispatch, or the end of a turn.
    fn line(&mut self, line: Line, place: &str) -> impl Future<Output = Result<(), ReplayError>> + Send;
}

/// What is known of a replay under way.
pub(crate) struct SoFar {
    pub(crate) report: Report,
    pub(crate) comparer: Comparer,
}

impl Setup<'_> {
    pub(crate) fn start(&self) -> SoFar {
        SoFar { report: Report::default(), comparer: Comparer::new(Arc::clone(&self.rules)) }
    }

    /// Gives `running` the lines of the files, one after the other.
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
    /// Takes in a line. What is left is the replay's own.
    pub(crate) fn take(&mut self, file: &str, number: usize, found: Found) -> Option<Line> {
        let place = || format!("{file}:{number}");
        match found {
            Found::Line(Line::Header(header)) => self.comparer.cleaner.field = header.field,
            Found::Line(Line::Message(message)) => {
                if let Err(error) = self.comparer.messages.read(message) {
                    self.report.fail(&place(), &format_args!("this is no message: {error}"));
                }
            }
            Found::Line(Line::Dropped { count }) => {
                let problem = format_args!("{count} lines were not written: the recorder was too slow");
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
