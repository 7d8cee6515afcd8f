CREATE TABLE hooks_conversations (
    -- Never used again, so that no conversation has a version twice.
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    changes BIGINT NOT NULL,
    next_place BIGINT NOT NULL,
    last_row TEXT NOT NULL
);
CREATE TABLE hooks_messages (
    conversation BIGINT NOT NULL REFERENCES hooks_conversations (number) ON DELETE CASCADE,
    id TEXT NOT NULL,
    -- Where it stands in what is read; null where it is history only.
    place BIGINT,
    message TEXT NOT NULL,
    PRIMARY KEY (conversation, id)
) WITHOUT ROWID;
CREATE UNIQUE INDEX hooks_messages_read ON hooks_messages (conversation, place) WHERE place IS NOT NULL;
CREATE TABLE hooks_jobs (
    id TEXT PRIMARY KEY,
    hook TEXT NOT NULL,
    kind TEXT NOT NULL,
    conversation TEXT NOT NULL,
    -- Two jobs with one key are one.
    dedup TEXT NOT NULL UNIQUE,
    job TEXT NOT NULL,
    -- queued, running; done, failed, interrupted, quarantined.
    status TEXT NOT NULL,
    -- Why it could not be run, as a word; why it failed, as a sentence.
    code TEXT,
    cause TEXT,
    attempt BIGINT NOT NULL,
    max_attempts BIGINT NOT NULL,
    idempotent BIGINT NOT NULL,
    -- How many workers ended while they ran it.
    deaths BIGINT NOT NULL,
    priority BIGINT NOT NULL,
    run_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    ended_at BIGINT,
    -- Who runs it, which start of it this is, and a count that goes up as long as the worker lives.
    worker TEXT,
    start BIGINT NOT NULL,
    beat BIGINT NOT NULL
);
CREATE INDEX hooks_jobs_due ON hooks_jobs (status, priority DESC, run_at, id);
-- Jobs that run alone in their worker are looked for before all others.
CREATE INDEX hooks_jobs_alone ON hooks_jobs (run_at) WHERE status = 'queued' AND deaths >= 2;
CREATE INDEX hooks_jobs_of_worker ON hooks_jobs (worker) WHERE status = 'running';
-- Every start of a job, and how it ended; no end: the worker that started it is gone.
CREATE TABLE hooks_attempts (
    job TEXT NOT NULL REFERENCES hooks_jobs (id) ON DELETE CASCADE,
    start BIGINT NOT NULL,
    attempt BIGINT NOT NULL,
    worker TEXT NOT NULL,
    started_at BIGINT NOT NULL,
    ended_at BIGINT,
    status TEXT,
    cause TEXT,
    PRIMARY KEY (job, start)
);
CREATE TABLE hooks_leases (
    conversation TEXT PRIMARY KEY,
    token BIGINT NOT NULL,
    -- Null where nobody holds it.
    holder TEXT,
    beat BIGINT NOT NULL
);
CREATE TABLE hooks_questions (
    id TEXT PRIMARY KEY,
    conversation TEXT NOT NULL,
    call_id TEXT NOT NULL,
    -- The request that an approver is given, as JSON.
    request TEXT NOT NULL,
    -- open, answered; closed: somebody acted on it, or nobody waits any more.
    status TEXT NOT NULL,
    answer TEXT,
    asked_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    answered_at BIGINT
);
CREATE INDEX hooks_questions_of_call ON hooks_questions (conversation, call_id);
CREATE INDEX hooks_questions_waiting ON hooks_questions (status, asked_at);
