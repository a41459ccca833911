{*42}
# Raise=TypeError("'int' object is not iterable")
