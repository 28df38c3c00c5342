"""Spark looks for data sources in modules whose names begin with ``pyspark_``."""

from inputanim.spark import InputanimDataSource as DefaultSource

__all__ = ["DefaultSource"]
