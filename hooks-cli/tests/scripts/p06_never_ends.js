// Always continues the turn, even if it has already done so.
console.log('{"decision": "block", "reason": "once more"}');
