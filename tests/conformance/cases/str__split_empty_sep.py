'hello'.split('')
"""
TRACEBACK:
Traceback (most recent call last):
  File "str__split_empty_sep.py", line 1, in <module>
    'hello'.split('')
    ~~~~~~~~~~~~~~~~~
ValueError: empty separator
"""
