"""The published contract: JSON Schemas, and what is wrong with data that breaks them.

jsonschema is imported here and nowhere else, and only once something is known to be wrong.
"""
