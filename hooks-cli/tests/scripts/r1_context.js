// Puts what every turn is to know beside the prompt.
console.log('{"additionalContext": "the shop is closed on Sundays"}');
