# What is held stays as it is. The call is on stdin, the configuration in the environment; exit code 2 denies the call.
reservation=$(sed -n 's/.*"reservation_id":"\([^"]*\)".*/\1/p')
[ "$reservation" = "$CLAUDE_PLUGIN_OPTION_RESERVATION" ] || exit 0
echo "$CLAUDE_PLUGIN_OPTION_BY holds $reservation" >&2
exit 2
