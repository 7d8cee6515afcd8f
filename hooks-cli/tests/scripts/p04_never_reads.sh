# Answers without reading its input.
echo 'no writing today' >&2
exit 2
