import math

math.log1p(-2)
"""
TRACEBACK:
Traceback (most recent call last):
  File "math__log1p_domain_error.py", line 3, in <module>
    math.log1p(-2)
    ~~~~~~~~~~~~~~
ValueError: expected argument value > -1, got -2.0
"""
