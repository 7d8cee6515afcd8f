-- What each dispatch came to, and each run that no dispatch waited for. No payload.
CREATE TABLE hooks_dispatches (
    number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- dispatch; or detached, background: the end of such a run.
    source TEXT NOT NULL,
    kind TEXT NOT NULL,
    conversation TEXT NOT NULL,
    recorded_at BIGINT NOT NULL,
    verdict TEXT,
    failed BIGINT NOT NULL,
    -- As JSON, in the form of hooks-core.
    record TEXT NOT NULL
);
CREATE INDEX hooks_dispatches_of_conversation ON hooks_dispatches (conversation, number);
CREATE INDEX hooks_dispatches_age ON hooks_dispatches (recorded_at);
CREATE TABLE hooks_dispatch_runs (
    dispatch BIGINT NOT NULL REFERENCES hooks_dispatches (number) ON DELETE CASCADE,
    hook TEXT NOT NULL,
    PRIMARY KEY (hook, dispatch)
);
CREATE INDEX hooks_dispatch_runs_of_dispatch ON hooks_dispatch_runs (dispatch);
