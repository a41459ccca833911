r = range(5)
r[10]
"""
TRACEBACK:
Traceback (most recent call last):
  File "range__getitem_index_error.py", line 2, in <module>
    r[10]
    ~~~~~
IndexError: range object index out of range
"""
