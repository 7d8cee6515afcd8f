# Passes on what it was given, as a filter would.
cat
