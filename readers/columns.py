"""Tables with types, as PyArrow has them: what the checks of Parquet and Arrow share."""

import numpy as np
import pyarrow as pa


def check_types(table):
    """Types, units and where the table is from."""
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
    """The columns of a wide table, NaN where nothing is known."""
    columns = {}
    for name, column in zip(table.column_names, table.columns):
        array = column.combine_chunks()
        if pa.types.is_dictionary(array.type) or pa.types.is_string(array.type):
            continue
        columns[name] = array.to_numpy(zero_copy_only=False)
    return columns


def keys(table):
    """The rows of a table of keys."""
    floats = ["time_s", "value", "in_tangent", "out_tangent", "in_weight", "out_weight"]
    lists = {name: table[name].to_pylist() for name in table.column_names if name not in floats}
    for name in floats:
        array = table[name].combine_chunks()
        assert array.type == pa.float32(), (name, array.type)
        known = array.is_valid().to_numpy(zero_copy_only=False)
        # By the buffer: a number that is none keeps its bits there.
        values = np.frombuffer(array.buffers()[1], np.uint32)[array.offset :][: len(array)]
        lists[name] = [int(bits) if there else None for bits, there in zip(values, known)]
    order = ["curve", *floats, "weighted_mode", "kind", "pre_wrap", "post_wrap", "name"]
    return zip(*(lists[name] for name in order))
