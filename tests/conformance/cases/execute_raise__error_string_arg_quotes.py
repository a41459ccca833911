raise TypeError("hello 'there'")
# Raise=TypeError("hello 'there'")
