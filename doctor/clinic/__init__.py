"""The clinic: the demo's scenarios as exercises, in files that stay until they are mended.

A case lies in a folder of its own with a home to work in. Its servers come back on the same ports
whenever it is opened or judged, so that it can be left and taken up again.
"""
