"""Typed tables in PyArrow, shared by the checks of Parquet and Arrow."""

import numpy as np
import pyarrow as pa


def check_types(table):
    """Checks types, units and the metadata about the source."""
    for field in table.schema:
        name = field.name
        if name.endswith((".tracked", ".pinching")):
            assert field.type == pa.bool_(), field
        else:
            assert field.type == pa.float32(), field
            last = name.rsplit(".", 2)[-2] if name != "time_s" else name
            unit = {"time_s": b"s", "position": b"m", "origin": b"m"}.get(last, b"1")
            assert field.metadata[b"unit"] == unit, (field, field.metadata)
    metadata = table.schema.metadata
    for entry in ("shape", "program", "source", "layout", "times", "axes", "units", "markers"):
        assert f"inputanim.{entry}".encode() in metadata, (entry, metadata)


def wide(table):
    """Returns the columns of a wide table, with NaN for missing values."""
    columns = {}
    for name, column in zip(table.column_names, table.columns):
        array = column.combine_chunks()
        if pa.types.is_dictionary(array.type) or pa.types.is_string(array.type):
            continue
        columns[name] = array.to_numpy(zero_copy_only=False)
    return columns


def keys(table):
    """Returns the rows of a table of keys."""
    floats = ["time_s", "value", "in_tangent", "out_tangent", "in_weight", "out_weight"]
    lists = {}
    for name in set(table.column_names) - set(floats):
        column = table[name]
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        lists[name] = column.to_pandas(integer_object_nulls=True).tolist()
    for name in floats:
        array = table[name].combine_chunks()
        assert array.type == pa.float32(), (name, array.type)
        known = array.is_valid().to_numpy(zero_copy_only=False)
        # Reads the buffer, because a conversion to Python could change the bits of a NaN.
        values = np.frombuffer(array.buffers()[1], np.uint32)[array.offset :][: len(array)]
        lists[name] = np.where(known, values.astype(object), None).tolist()
    order = ["curve", *floats, "weighted_mode", "kind", "pre_wrap", "post_wrap", "name"]
    return zip(*(lists[name] for name in order))
