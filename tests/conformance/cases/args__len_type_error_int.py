len(42)
"""
TRACEBACK:
Traceback (most recent call last):
  File "args__len_type_error_int.py", line 1, in <module>
    len(42)
    ~~~~~~~
TypeError: object of type 'int' has no len()
"""
