range(0, 10, 0)
# Raise=ValueError('range() arg 3 must not be zero')
