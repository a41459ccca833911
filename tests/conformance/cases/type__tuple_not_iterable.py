tuple(123)
# Raise=TypeError("'int' object is not iterable")
