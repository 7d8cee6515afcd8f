# A guard whose timeout is in milliseconds by mistake.
print('{"decision": "block", "reason": "in time"}')
