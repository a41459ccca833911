import math

math.floor('x')
"""
TRACEBACK:
Traceback (most recent call last):
  File "math__floor_str_error.py", line 3, in <module>
    math.floor('x')
    ~~~~~~~~~~~~~~~
TypeError: must be real number, not str
"""
