# Answers with keys that nobody knows beside one that counts.
echo '{"decision": "approve", "confidence": 0.9, "hookSpecificOutput": {"hookEventName": "PreToolUse", "mood": "good"}}'
