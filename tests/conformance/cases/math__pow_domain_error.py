import math

math.pow(-1, 0.5)
"""
TRACEBACK:
Traceback (most recent call last):
  File "math__pow_domain_error.py", line 3, in <module>
    math.pow(-1, 0.5)
    ~~~~~~~~~~~~~~~~~
ValueError: math domain error
"""
