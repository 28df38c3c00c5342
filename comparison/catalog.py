"""Queries of a catalogue of a million recordings with random facts, in DuckDB.

Usage: python comparison/catalog.py CATALOG, in a folder for the file of 200 MB. CATALOG is any catalogue.
"""
import os
import sys
import time

import duckdb
con=duckdb.connect()
con.sql("set threads=2")
src=sys.argv[1]
cols=con.sql(f"describe from '{src}'").fetchall()
exprs=[]
for name,typ,*_ in cols:
    if name=="path": exprs.append("printf('p%04d/t%03d.bin', i//1000, i%1000) AS path")
    elif typ=="FLOAT": exprs.append(f"(random()*100)::FLOAT AS \"{name}\"")
    elif typ=="BIGINT": exprs.append(f"(random()*1e6)::BIGINT AS \"{name}\"")
    elif name=="findings": exprs.append("['', 'D1', 'L20 D4', 'L2'][1+(random()*3.99)::INT%4] AS findings")
    else: exprs.append(f"first_row.\"{name}\"")
if not os.path.exists("million.parquet"):
    con.sql(f"COPY (SELECT {', '.join(exprs)} FROM range(1000000) t(i), (FROM '{src}' LIMIT 1) first_row) TO 'million.parquet' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 131072)")
print("size", os.path.getsize("million.parquet"), "columns", len(cols))
def t(q, n=7):
    best=[]
    for _ in range(n):
        c=duckdb.connect(); c.execute("set threads=2")
        s=time.perf_counter(); r=c.execute(q).fetchall(); best.append(time.perf_counter()-s)
    best.sort(); return best[0], best[len(best)//2], r[:1]
for q in ["SELECT count(*) FROM read_parquet('million.parquet') WHERE duration_s > 10",
          "SELECT path, duration_s FROM read_parquet('million.parquet') WHERE duration_s > 99 AND findings LIKE '%D1%'",
          "SELECT layout, count(*), avg(duration_s), sum(keys), max(head_position_y_max), min(left_joints_gap_s) FROM read_parquet('million.parquet') GROUP BY layout",
          "SELECT "+", ".join(f'max("{c[0]}")' for c in cols)+" FROM read_parquet('million.parquet')"]:
    print(["%.3f"%x if isinstance(x,float) else x for x in t(q)], q[:80])
