// Has no shebang and no executable bit.
console.error("the plain shell ran me");
process.exit(2);
