# Never lets a turn end, and does not ask whether it did so before.
print('{"decision": "block", "reason": "once more"}')
