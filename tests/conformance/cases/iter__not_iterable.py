for x in 42:
    pass
# Raise=TypeError("'int' object is not iterable")
