// Passes on what it was given, as a filter would.
process.stdin.pipe(process.stdout);
