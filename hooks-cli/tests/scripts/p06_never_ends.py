# Always continues the turn, even if it has already done so.
print('{"decision": "block", "reason": "once more"}')
