import math

math.gamma(0)
"""
TRACEBACK:
Traceback (most recent call last):
  File "math__gamma_neg_int_error.py", line 3, in <module>
    math.gamma(0)
    ~~~~~~~~~~~~~
ValueError: expected a noninteger or positive integer, got 0.0
"""
