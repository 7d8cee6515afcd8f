// Prints its input again, like a filter.
process.stdin.pipe(process.stdout);
