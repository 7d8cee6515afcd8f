# Has no shebang and no executable bit.
echo "the plain shell ran me" >&2
exit 2
