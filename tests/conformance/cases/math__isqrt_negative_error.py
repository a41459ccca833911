import math

math.isqrt(-1)
"""
TRACEBACK:
Traceback (most recent call last):
  File "math__isqrt_negative_error.py", line 3, in <module>
    math.isqrt(-1)
    ~~~~~~~~~~~~~~
ValueError: isqrt() argument must be nonnegative
"""
