# A guard whose timeout was written in milliseconds.
echo '{"decision": "block", "reason": "in time"}'
