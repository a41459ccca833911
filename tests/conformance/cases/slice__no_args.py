slice()
"""
TRACEBACK:
Traceback (most recent call last):
  File "slice__no_args.py", line 1, in <module>
    slice()
    ~~~~~~~
TypeError: slice expected at least 1 argument, got 0
"""
