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
