# Logs every compaction.
cat >> audit.jsonl
