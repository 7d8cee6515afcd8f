# Keeps a note of every compaction.
cat >> audit.jsonl
