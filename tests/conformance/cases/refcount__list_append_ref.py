item = [1]
lst = []
lst.append(item)
lst
# ref-counts={'item': 2, 'lst': 2}
