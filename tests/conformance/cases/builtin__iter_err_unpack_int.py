iterator = 0

iter(**42)
# Raise=TypeError('iter() argument after ** must be a mapping, not int')
