item = [1]
lst = []
lst.append(item)
lst.append(item)
lst
# ref-counts={'item': 3, 'lst': 2}
