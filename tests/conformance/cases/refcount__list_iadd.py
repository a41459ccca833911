a = [1]
b = [2]
a += b
a
# ref-counts={'a': 2, 'b': 1}
