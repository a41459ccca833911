big = 10**100
'abc' * big
# Raise=OverflowError("cannot fit 'int' into an index-sized integer")
