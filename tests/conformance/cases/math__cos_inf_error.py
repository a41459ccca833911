import math

math.cos(math.inf)
"""
TRACEBACK:
Traceback (most recent call last):
  File "math__cos_inf_error.py", line 3, in <module>
    math.cos(math.inf)
    ~~~~~~~~~~~~~~~~~~
ValueError: expected a finite input, got inf
"""
