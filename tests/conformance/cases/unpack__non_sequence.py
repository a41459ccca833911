a, b = 42
"""
TRACEBACK:
Traceback (most recent call last):
  File "unpack__non_sequence.py", line 1, in <module>
    a, b = 42
    ~~~~
TypeError: cannot unpack non-iterable int object
"""
