# A guard whose timeout is in milliseconds by mistake.
echo '{"decision": "block", "reason": "in time"}'
