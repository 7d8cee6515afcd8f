# Never lets a turn end, and does not ask whether it did so before.
echo '{"decision": "block", "reason": "once more"}'
