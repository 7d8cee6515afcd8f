// Answers without a look at its input.
console.error("no writing today");
process.exit(2);
