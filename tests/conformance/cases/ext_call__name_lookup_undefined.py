# /// monty
# call-external = true
# ///
# When NameLookup returns Undefined for an unknown name, NameError is raised.
totally_unknown_name
# Raise=NameError("name 'totally_unknown_name' is not defined")
