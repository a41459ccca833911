int([1, 2])
# Raise=TypeError("int() argument must be a string, a bytes-like object or a real number, not 'list'")
