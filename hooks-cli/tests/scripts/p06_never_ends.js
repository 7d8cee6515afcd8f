// Never lets a turn end, and does not ask whether it did so before.
console.log('{"decision": "block", "reason": "once more"}');
