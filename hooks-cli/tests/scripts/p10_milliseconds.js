// A guard whose timeout was written in milliseconds.
console.log('{"decision": "block", "reason": "in time"}');
