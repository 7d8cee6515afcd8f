# Answers with unknown keys and one that counts.
echo '{"decision": "approve", "confidence": 0.9, "hookSpecificOutput": {"hookEventName": "PreToolUse", "mood": "good"}}'
