# Answers without a look at its input.
echo 'no writing today' >&2
exit 2
