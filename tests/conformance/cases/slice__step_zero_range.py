range(5)[::0]
"""
TRACEBACK:
Traceback (most recent call last):
  File "slice__step_zero_range.py", line 1, in <module>
    range(5)[::0]
    ~~~~~~~~~~~~~
ValueError: slice step cannot be zero
"""
