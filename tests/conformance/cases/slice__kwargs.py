slice(stop=5)
"""
TRACEBACK:
Traceback (most recent call last):
  File "slice__kwargs.py", line 1, in <module>
    slice(stop=5)
    ~~~~~~~~~~~~~
TypeError: slice() takes no keyword arguments
"""
