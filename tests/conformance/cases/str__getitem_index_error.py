s = 'hello'
s[10]
"""
TRACEBACK:
Traceback (most recent call last):
  File "str__getitem_index_error.py", line 2, in <module>
    s[10]
    ~~~~~
IndexError: string index out of range
"""
