# Refunds need a supervisor. The call is on stdin; exit code 2 denies it, and the model reads why.
reservation=$(sed -n 's/.*"reservation_id":"\([^"]*\)".*/\1/p')
echo "a supervisor pays refunds; note that ${reservation:-the reservation} is to be paid back" >&2
exit 2
