import math

math.exp(1000)
"""
TRACEBACK:
Traceback (most recent call last):
  File "math__exp_overflow_error.py", line 3, in <module>
    math.exp(1000)
    ~~~~~~~~~~~~~~
OverflowError: math range error
"""
