# Runs as it is: no shebang, no executable bit.
echo "the plain shell ran me" >&2
exit 2
