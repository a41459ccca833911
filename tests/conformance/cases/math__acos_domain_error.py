import math

math.acos(2)
"""
TRACEBACK:
Traceback (most recent call last):
  File "math__acos_domain_error.py", line 3, in <module>
    math.acos(2)
    ~~~~~~~~~~~~
ValueError: expected a number in range from -1 up to 1, got 2.0
"""
