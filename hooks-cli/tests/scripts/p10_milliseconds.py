# A guard whose timeout was written in milliseconds.
print('{"decision": "block", "reason": "in time"}')
