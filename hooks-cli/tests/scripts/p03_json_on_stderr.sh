# Prints its answer to stderr, so only the exit status counts.
cat > /dev/null
echo '{"hookSpecificOutput": {"permissionDecision": "ask"}}' >&2
exit 2
