# Always continues the turn, even if it has already done so.
echo '{"decision": "block", "reason": "once more"}'
