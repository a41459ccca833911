','.join(123)
"""
TRACEBACK:
Traceback (most recent call last):
  File "str__join_not_iterable.py", line 1, in <module>
    ','.join(123)
    ~~~~~~~~~~~~~
TypeError: can only join an iterable
"""
