import math

math.factorial(-1)
"""
TRACEBACK:
Traceback (most recent call last):
  File "math__factorial_negative_error.py", line 3, in <module>
    math.factorial(-1)
    ~~~~~~~~~~~~~~~~~~
ValueError: factorial() not defined for negative values
"""
