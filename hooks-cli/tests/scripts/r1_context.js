// Adds context to every prompt.
console.log('{"additionalContext": "the shop is closed on Sundays"}');
