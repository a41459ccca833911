float([1, 2])
# Raise=TypeError("float() argument must be a string or a real number, not 'list'")
