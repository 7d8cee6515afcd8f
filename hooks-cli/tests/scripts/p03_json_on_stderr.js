// Prints its answer to stderr, so only the exit status counts.
console.error('{"hookSpecificOutput": {"permissionDecision": "ask"}}');
process.exitCode = 2;
