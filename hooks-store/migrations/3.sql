-- Jobs have no priority: the one that has been due for longest is first.
DROP INDEX hooks_jobs_due;
ALTER TABLE hooks_jobs DROP COLUMN priority;
CREATE INDEX hooks_jobs_due ON hooks_jobs (status, run_at, id);
