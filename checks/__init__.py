"""The checks, one file each, in one folder per area of docs/codes.

To add one: write ``checks/AREA/SLUG.py`` with a function under ``@check`` from
``doctor.checkapi``, and its test ``tests/checks/AREA/test_SLUG.py``. Nothing else is touched;
the registry finds the module.
"""
