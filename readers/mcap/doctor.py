"""The checks of `mcap doctor`: every CRC, every index and offset, the order of messages."""

import zlib
from collections import Counter
from io import BytesIO

from mcap.opcode import Opcode
from mcap.records import Chunk, ChunkIndex, DataEnd, Footer, Header, Message, MessageIndex
from mcap.records import MetadataIndex, Statistics, SummaryOffset
from mcap.stream_reader import StreamReader, breakup_chunk
from takes import expect

MAGIC = b"\x89MCAP0\r\n"


def heads(data):
    """Returns the start, type and end of each record of the file."""
    at = len(MAGIC)
    while at < len(data) - len(MAGIC):
        end = at + 9 + int.from_bytes(data[at + 1 : at + 9], "little")
        yield at, data[at], end
        at = end
    expect(at == len(data) - len(MAGIC), "records end where the last magic begins")


def examine(data):
    """Returns the number of messages; raises an error if the file violates the specification."""
    expect(data.startswith(MAGIC) and data.endswith(MAGIC), "magic at both ends")
    places = list(heads(data))
    # The reader checks chunks and the data section.
    reader = StreamReader(BytesIO(data), emit_chunks=True, validate_crcs=True)
    records = list(reader.records)
    expect(len(records) == len(places), "a record at each place")
    at = {place: (record, end) for (place, _, end), record in zip(places, records)}
    of = lambda kind: [(place, r) for place, (r, _) in at.items() if isinstance(r, kind)]

    expect(isinstance(records[0], Header), "a header first")
    expect(isinstance(records[-1], Footer), "a footer last")
    [(data_end, end)] = of(DataEnd)
    expect(end.data_section_crc == zlib.crc32(data[:data_end]) != 0, "CRC of the data")
    footer_at, footer = of(Footer)[0]
    # The CRC covers everything before it.
    summary = data[footer.summary_start : footer_at + 9 + 16]
    expect(footer.summary_crc == zlib.crc32(summary) != 0, "CRC of the summary")

    indexes = {index.chunk_start_offset: index for _, index in of(ChunkIndex)}
    chunks = of(Chunk)
    expect(indexes.keys() == {place for place, _ in chunks}, "an index for each chunk")
    latest, counts = 0, Counter()
    for place, chunk in chunks:
        index = indexes[place]
        expect(chunk.uncompressed_crc != 0, "CRC of a chunk")
        expect(index.chunk_length == at[place][1] - place, "length of a chunk")
        expect(index.compressed_size == len(chunk.data), "size of a chunk")
        expect(index.uncompressed_size == chunk.uncompressed_size, "size of what is in it")
        times = []
        for record in breakup_chunk(chunk, validate_crc=True):
            if isinstance(record, Message):
                expect(record.log_time >= latest, "messages in order of time")
                expect(record.sequence == counts[record.channel_id], "messages numbered")
                latest = record.log_time
                times.append(latest)
                counts[record.channel_id] += 1
        span = (min(times, default=0), max(times, default=0))
        expect((chunk.message_start_time, chunk.message_end_time) == span, "times of a chunk")
        expect((index.message_start_time, index.message_end_time) == span, "times of an index")
        indexed = 0
        for channel, offset in index.message_index_offsets.items():
            messages = at[offset][0]
            expect(isinstance(messages, MessageIndex), "an index of messages")
            expect(messages.channel_id == channel, "an index of its channel")
            indexed += len(messages.records)
        expect(indexed == len(times), "every message is in an index")
    expect(not of(Message), "all messages are in chunks")

    [(_, statistics)] = of(Statistics)
    expect(statistics.message_count == counts.total(), "number of messages")
    used = {channel: count for channel, count in statistics.channel_message_counts.items() if count}
    expect(used == dict(counts), "number of messages of each channel")
    expect(statistics.chunk_count == len(chunks), "number of chunks")
    for _, index in of(MetadataIndex):
        expect(at[index.offset][1] - index.offset == index.length, "place of metadata")
        expect(data[index.offset] == Opcode.METADATA, "metadata where its index says")
    for _, offset in of(SummaryOffset):
        group = [p for p in places if offset.group_start <= p[0] < offset.group_start + offset.group_length]
        expect({kind for _, kind, _ in group} == {offset.group_opcode}, "a group of one kind")
        expect(group[-1][2] == offset.group_start + offset.group_length, "a whole group")
    return statistics.message_count
