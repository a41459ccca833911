# /// monty
# call-external = true
# ///
# The host answers the `import` OS call with not-found.
import tools
import nope

"""
TRACEBACK:
Traceback (most recent call last):
  File "import__host_not_found.py", line 6, in <module>
    import nope
ModuleNotFoundError: No module named 'nope'
"""
