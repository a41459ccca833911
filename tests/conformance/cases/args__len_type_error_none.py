len(None)
"""
TRACEBACK:
Traceback (most recent call last):
  File "args__len_type_error_none.py", line 1, in <module>
    len(None)
    ~~~~~~~~~
TypeError: object of type 'NoneType' has no len()
"""
