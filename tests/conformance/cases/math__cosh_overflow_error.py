import math

math.cosh(1000)
"""
TRACEBACK:
Traceback (most recent call last):
  File "math__cosh_overflow_error.py", line 3, in <module>
    math.cosh(1000)
    ~~~~~~~~~~~~~~~
OverflowError: math range error
"""
