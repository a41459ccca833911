a = [1]
b = [2]
c = a + b
c
# ref-counts={'a': 1, 'b': 1, 'c': 2}
