// A guard whose timeout is in milliseconds by mistake.
console.log('{"decision": "block", "reason": "in time"}');
