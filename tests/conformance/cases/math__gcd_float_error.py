import math

math.gcd(1.5, 2)
"""
TRACEBACK:
Traceback (most recent call last):
  File "math__gcd_float_error.py", line 3, in <module>
    math.gcd(1.5, 2)
    ~~~~~~~~~~~~~~~~
TypeError: 'float' object cannot be interpreted as an integer
"""
