import math

math.asin(2)
"""
TRACEBACK:
Traceback (most recent call last):
  File "math__asin_domain_error.py", line 3, in <module>
    math.asin(2)
    ~~~~~~~~~~~~
ValueError: expected a number in range from -1 up to 1, got 2.0
"""
