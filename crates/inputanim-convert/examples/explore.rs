#![allow(clippy::unwrap_used)]
use std::sync::Arc;
use std::time::Instant;
use arrow_array::{ArrayRef, BooleanArray, Float32Array, RecordBatch};
use arrow_buffer::{BooleanBuffer, NullBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field, Schema};
use inputanim::{Recording, Sampler, Span, Side, CurvePath};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::file::properties::{EnabledStatistics, WriterProperties};

fn cpu() -> f64 {
    let mut all = 0.0;
    for task in std::fs::read_dir("/proc/self/task").unwrap() {
        let s = std::fs::read_to_string(task.unwrap().path().join("schedstat")).unwrap();
        all += s.split(' ').next().unwrap().parse::<f64>().unwrap() / 1e6
    }
    all
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let bytes: Vec<Vec<u8>> = args[1..].iter().map(|p| std::fs::read(p).unwrap()).collect();
    for (name, enc, comp, stats, dict) in [
        ("plain zstd1 nostats", Encoding::PLAIN, Compression::ZSTD(ZstdLevel::try_new(1).unwrap()), EnabledStatistics::None, false),
        ("plain zstd1 chunkstats", Encoding::PLAIN, Compression::ZSTD(ZstdLevel::try_new(1).unwrap()), EnabledStatistics::Chunk, false),
        ("bss zstd1 nostats", Encoding::BYTE_STREAM_SPLIT, Compression::ZSTD(ZstdLevel::try_new(1).unwrap()), EnabledStatistics::None, false),
        ("plain none nostats", Encoding::PLAIN, Compression::UNCOMPRESSED, EnabledStatistics::None, false),
        ("bss none nostats", Encoding::BYTE_STREAM_SPLIT, Compression::UNCOMPRESSED, EnabledStatistics::None, false),
        ("plain snappy", Encoding::PLAIN, Compression::SNAPPY, EnabledStatistics::None, false),
        ("dict zstd1", Encoding::PLAIN, Compression::ZSTD(ZstdLevel::try_new(1).unwrap()), EnabledStatistics::Page, true),
    ] {
        let props = WriterProperties::builder()
            .set_compression(comp).set_dictionary_enabled(dict)
            
            .set_statistics_enabled(stats);
        let mut props = props;
        for p in Recording::with_streams(inputanim::Layout::Mrtk1_1, inputanim::Flags::ALL).curves().map(|c| c.0) {
            if matches!(p, CurvePath::Tracked(_) | CurvePath::Pinching(_)) { continue; }
            props = props.set_column_encoding(parquet::schema::types::ColumnPath::new(vec![p.to_string()]), enc);
        }
        let props = props.build();
        let (mut a, mut b, mut c, mut d) = (0.0, 0.0, 0.0, 0.0);
        let mut size = 0;
        let t0 = Instant::now();
        for bytes in &bytes {
            let s = cpu();
            let recording = Recording::parse(bytes).unwrap();
            let sampler = Sampler::new(&recording).unwrap();
            let e = cpu(); a += e - s; let s = e;
            let columns = sampler.columns(Span { start: 0.0, end: sampler.duration() }.times_at(60.0));
            let e = cpu(); b += e - s; let s = e;
            let mut fields = vec![Field::new("time_s", DataType::Float32, false)];
            let n = columns.times.len();
            let mut arrays: Vec<ArrayRef> = vec![Arc::new(Float32Array::new(ScalarBuffer::from(columns.times.clone()), None))];
            for side in Side::BOTH {
                let h = columns.hand(side);
                for (name, v) in [("tracked", &h.tracked), ("pinching", &h.pinching)] {
                    fields.push(Field::new(format!("{side}.{name}"), DataType::Boolean, true));
                    arrays.push(Arc::new(BooleanArray::new(BooleanBuffer::from(v.as_slice()), None)));
                }
            }
            let nulls = Side::BOTH.map(|s| { let nb = NullBuffer::from(columns.hand(s).valid.as_slice()); (nb.null_count() > 0).then_some(nb) });
            for (path, column) in columns.floats() {
                fields.push(Field::new(path.to_string(), DataType::Float32, true));
                let nulls = match path { CurvePath::Joint(s, ..) => nulls[s as usize].clone(), _ => None };
                arrays.push(Arc::new(Float32Array::new(ScalarBuffer::from(column.to_vec()), nulls)));
            }
            let schema = Arc::new(Schema::new(fields));
            let batch = RecordBatch::try_new(schema.clone(), arrays).unwrap();
            let _ = n;
            let e = cpu(); c += e - s; let s = e;
            let mut out = Vec::with_capacity(8 << 20);
            let mut w = ArrowWriter::try_new(&mut out, schema, Some(props.clone())).unwrap();
            w.write(&batch).unwrap();
            w.close().unwrap();
            size += out.len();
            let e = cpu(); d += e - s;
        }
        let k = bytes.len() as f64;
        println!("{name:24} bake {:.2} sample {:.2} arrays {:.2} write {:.2} sum {:.2} ms each, wall {:.2}, {:.2} MB", a/k, b/k, c/k, d/k, (a+b+c+d)/k, t0.elapsed().as_secs_f64()*1e3/k, size as f64/1e6/k);
    }
}
