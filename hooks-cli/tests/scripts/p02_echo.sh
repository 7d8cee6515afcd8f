# Prints its input again, like a filter.
cat
