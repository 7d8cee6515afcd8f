// Runs as it is: no shebang, no executable bit.
console.error("the plain shell ran me");
process.exit(2);
