[].pop()
"""
TRACEBACK:
Traceback (most recent call last):
  File "list__pop_empty.py", line 1, in <module>
    [].pop()
    ~~~~~~~~
IndexError: pop from empty list
"""
