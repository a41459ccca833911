import math

math.atanh(1)
"""
TRACEBACK:
Traceback (most recent call last):
  File "math__atanh_domain_error.py", line 3, in <module>
    math.atanh(1)
    ~~~~~~~~~~~~~
ValueError: expected a number between -1 and 1, got 1.0
"""
