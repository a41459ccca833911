import math

math.sqrt(-1)
"""
TRACEBACK:
Traceback (most recent call last):
  File "math__sqrt_negative_error.py", line 3, in <module>
    math.sqrt(-1)
    ~~~~~~~~~~~~~
ValueError: expected a nonnegative input, got -1.0
"""
