big = 10**100
[1, 2, 3][big]
# Raise=IndexError("cannot fit 'int' into an index-sized integer")
