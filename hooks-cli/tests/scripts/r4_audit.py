# Logs every compaction.
import json
import sys

given = json.load(sys.stdin)
with open("audit.jsonl", "a") as log:
    log.write(json.dumps({"trigger": given["trigger"], "reason": given["reason"]}) + "\n")
