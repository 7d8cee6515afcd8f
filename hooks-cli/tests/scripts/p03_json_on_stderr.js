// An answer at the wrong place: only the exit status counts.
console.error('{"hookSpecificOutput": {"permissionDecision": "ask"}}');
process.exitCode = 2;
