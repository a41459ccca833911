[1, 2, 3].remove(4)
"""
TRACEBACK:
Traceback (most recent call last):
  File "list__remove_not_found.py", line 1, in <module>
    [1, 2, 3].remove(4)
    ~~~~~~~~~~~~~~~~~~~
ValueError: list.remove(x): x not in list
"""
