item = [1, 2]
lst = [item]
x = lst[0]
x
# ref-counts={'item': 4, 'lst': 1, 'x': 4}
