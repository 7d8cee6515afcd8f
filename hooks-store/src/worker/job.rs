//! Runs a claimed job and writes its end.

use hook_sdk::detached::Job;
use hook_sdk::record::Status;
use hook_sdk::worker::JobErrorKind;
use tokio::time::sleep;

use super::JobWorker;
use crate::jobs::{Claimed, End, JobStatus, end};

/// How often a worker tries to start a job whose plugin does not run.
const STARTS: u32 = 6;

impl JobWorker {
    /// Runs a job and writes its end. Retries until that is written.
    pub(super) async fn run_claimed(&self, claimed: Claimed) {
        // Nobody takes the job over while its end is not written yet.
        let Claimed { start, job, heartbeat: _heartbeat } = claimed;
        let ending = self.ending(job).await;
        loop {
            match end(&self.store.database, &start, &ending).await {
                Ok(true) => return,
                Ok(false) => {
                    let (job, status) = (&start.job, &ending.word);
                    tracing::warn!(target: "hooks_store", job, status, "a job ended after it was taken from this worker, or deleted with its conversation");
                    return;
                }
                Err(error) => {
                    tracing::error!(target: "hooks_store", job = start.job, %error, "the end of a job is not written yet");
                    if error.is_closed() {
                        return;
                    }
                    sleep(self.poll).await;
                }
            }
        }
    }

    async fn ending(&self, job: Result<Job, String>) -> End {
        let failed = |word: &str, code, cause| End {
            status: JobStatus::Failed,
            word: word.to_owned(),
            code,
            cause: Some(cause),
            again: None,
        };
        let job = match job {
            Ok(job) => job,
            Err(cause) => return failed("failed", Some(code(JobErrorKind::Unreadable)), cause),
        };
        let ran = match self.registry.run_job(&self.cx, &job).await {
            Ok(ran) => ran,
            // The plugin may be restarting, or its folder may be missing for a moment. The job did not begin.
            Err(error) if error.kind() == JobErrorKind::NoPlugin && job.attempt < job.max_attempts.max(STARTS) => {
                let (code, again) = (Some(code(error.kind())), Some(self.backoff.after(job.attempt)));
                let cause = Some(error.to_string());
                return End { status: JobStatus::Queued, word: "failed".to_owned(), code, cause, again };
            }
            Err(error) => return failed("failed", Some(code(error.kind())), error.to_string()),
        };
        let run = ran.ended.run;
        let word = word(run.status);
        match run.status {
            Status::Completed => End { status: JobStatus::Done, word, code: None, cause: None, again: None },
            _ if ran.ended.again => {
                let again = Some(self.backoff.after(job.attempt));
                End { status: JobStatus::Queued, word, code: None, cause: run.cause, again }
            }
            _ => failed(&word, None, run.cause.unwrap_or_default()),
        }
    }
}

/// The name of a status in records.
fn word(status: Status) -> String {
    match serde_json::to_value(status) {
        Ok(serde_json::Value::String(word)) => word,
        _ => "failed".to_owned(),
    }
}

fn code(kind: JobErrorKind) -> &'static str {
    match kind {
        JobErrorKind::UnknownHook => "unknown_hook",
        JobErrorKind::Disabled => "disabled",
        JobErrorKind::NoPlugin => "no_plugin",
        JobErrorKind::NotBackground => "not_background",
        _ => "unreadable",
    }
}
