import math

math.tan(math.inf)
"""
TRACEBACK:
Traceback (most recent call last):
  File "math__tan_inf_error.py", line 3, in <module>
    math.tan(math.inf)
    ~~~~~~~~~~~~~~~~~~
ValueError: expected a finite input, got inf
"""
