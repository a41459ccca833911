print(cell)
"""
TRACEBACK:
Traceback (most recent call last):
  File "type__cell_not_builtin.py", line 1, in <module>
    print(cell)
          ~~~~
NameError: name 'cell' is not defined
"""
