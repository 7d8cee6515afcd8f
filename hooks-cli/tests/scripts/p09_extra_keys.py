# Answers with unknown keys and one that counts.
import json

output = {"hookEventName": "PreToolUse", "mood": "good"}
print(json.dumps({"decision": "approve", "confidence": 0.9, "hookSpecificOutput": output}))
