"""Inputs that try to hurt: forged model files, damaged tables, extreme arrays, each tried in a process of its own.

target.py   what can be attacked, and what counts as hurt
limits.py   how long an attempt may take and how much memory it may have
worker.py   one process that makes inputs and tries them, one after the other
campaign.py starts workers, replaces those that die, and keeps every input that hurt
models.py, tables.py, arrays.py   the targets
array_case.py, array_forms.py, array_settings.py, extremes.py   an extreme fit as a file, and how one is drawn
"""
