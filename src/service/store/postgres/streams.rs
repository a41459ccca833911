//! Streams of runs.

use bytes::Bytes;
use tokio_postgres::types::ToSql;

use super::super::checks::{Append, is_name};
use super::super::{RunKey, StoreError, Stream};
use super::pool::{Lent, Tried, number, unsigned};
use mitt_base::limits::MIB;

/// Most bytes that one read returns, unless one record is longer.
const MAX_READ_BYTES: u64 = 4 * MIB;

/// Returns the number of a stream in tables.
pub(super) fn of(stream: Stream) -> i16 {
    match stream {
        Stream::Log => 0,
        Stream::Events => 1,
        Stream::Inbox => 2,
    }
}

/// Appends records. `fence` is the number by which this process owned the run last, 0 for none; `token` names this append.
pub(super) async fn append(
    lent: &mut Lent<'_>,
    run: &RunKey,
    append: Append<'_>,
    (fence, token): (i64, &str),
    is_repeat: bool,
) -> Tried<u64> {
    if is_repeat && let Some(last) = appended(lent, run, append, token).await? {
        return Ok(last);
    }
    if !is_name(&run.tenant) || !is_name(&run.id) {
        return Err(StoreError::Missing.into());
    }
    let Append { stream, expected, records } = append;
    let fence = if stream == Stream::Inbox { 0 } else { fence };
    // One statement, so that a process that stands still holds no lock.
    let add = "with head as ( \
            update streams s set last = s.last + $6, bytes = s.bytes + $7 from runs r \
            where r.tenant = $1 and r.id = $2 and s.run = r.number and s.stream = $3 \
                and ($4::bigint is null or s.last = $4) and s.fence = $5 and s.bytes + $7 <= $8 \
            returning s.run, s.last), \
        added as ( \
            insert into lines (run, stream, number, line, token) \
            select head.run, $3, head.last - $6 + t.place, t.line, \
                case when t.place = 1 and $4 is null then $9 end \
            from head, unnest($10::bytea[]) with ordinality as t (line, place)) \
        select last from head";
    let lines: Vec<&[u8]> = records.iter().map(|record| &**record).collect();
    let (count, bytes) = (number(records.len() as u64), number(append.bytes()));
    let (most, expected) = (number(append.most_bytes()), expected.map(number));
    let values: &[&(dyn ToSql + Sync)] = &[
        &run.tenant,
        &run.id,
        &of(stream),
        &expected,
        &fence,
        &count,
        &bytes,
        &most,
        &token,
        &lines,
    ];
    if let Some(row) = lent.row(add, values).await? {
        return Ok(unsigned(row.get(0)));
    }
    let Some(head) = head(lent, run, stream).await? else {
        return Err(StoreError::Missing.into());
    };
    append.check_end(head.last, head.bytes)?;
    // Another process has the run.
    Err(StoreError::Conflict(head.last).into())
}

/// Returns the number of the last record if an earlier try has appended them.
async fn appended(
    lent: &mut Lent<'_>,
    run: &RunKey,
    append: Append<'_>,
    token: &str,
) -> Tried<Option<u64>> {
    let Append { stream, expected, records } = append;
    let Some(head) = head(lent, run, stream).await? else { return Ok(None) };
    let count = records.len() as u64;
    let first = match expected {
        Some(expected) => expected,
        None => {
            let find = "select number from lines where run = $1 and stream = $2 and token = $3";
            let row = lent.row(find, &[&head.run, &of(stream), &token]).await?;
            let Some(row) = row else { return Ok(None) };
            return Ok(Some(unsigned(row.get(0)) - 1 + count));
        }
    };
    if head.last < first + count {
        return Ok(None);
    }
    let stored = "select line from lines where run = $1 and stream = $2 \
        and number > $3 and number <= $4 order by number";
    let (first, last) = (number(first), first + count);
    let rows = lent.rows(stored, &[&head.run, &of(stream), &first, &number(last)]).await?;
    let lines = rows.iter().map(|row| row.get::<_, &[u8]>(0));
    Ok(lines.eq(records.iter().map(|record| &**record)).then_some(last))
}

/// End of a stream.
struct Head {
    run: i64,
    last: u64,
    bytes: u64,
}

async fn head(lent: &mut Lent<'_>, run: &RunKey, stream: Stream) -> Tried<Option<Head>> {
    if !is_name(&run.tenant) || !is_name(&run.id) {
        return Ok(None);
    }
    let find = "select s.run, s.last, s.bytes from runs r join streams s on s.run = r.number \
        where r.tenant = $1 and r.id = $2 and s.stream = $3";
    let row = lent.row(find, &[&run.tenant, &run.id, &of(stream)]).await?;
    Ok(row.map(|row| Head {
        run: row.get(0),
        last: unsigned(row.get(1)),
        bytes: unsigned(row.get(2)),
    }))
}

/// Returns the number of the last record.
pub(super) async fn last(lent: &mut Lent<'_>, run: &RunKey, stream: Stream) -> Tried<u64> {
    let head = head(lent, run, stream).await?;
    Ok(head.ok_or(StoreError::Missing)?.last)
}

/// Returns records after number `after`.
pub(super) async fn read(
    lent: &mut Lent<'_>,
    run: &RunKey,
    stream: Stream,
    (after, most): (u64, usize),
) -> Tried<Vec<Bytes>> {
    let head = head(lent, run, stream).await?.ok_or(StoreError::Missing)?;
    if head.last <= after || most == 0 {
        return Ok(Vec::new());
    }
    // Lengths are known without reading the records.
    let find = "select line from ( \
            select number, line, sum(octet_length(line)) over (order by number) as total \
            from lines where run = $1 and stream = $2 and number > $3 order by number limit $4) l \
        where total <= $5 or number = $3 + 1 order by number";
    let values: &[&(dyn ToSql + Sync)] =
        &[&head.run, &of(stream), &number(after), &number(most as u64), &number(MAX_READ_BYTES)];
    let rows = lent.rows(find, values).await?;
    Ok(rows.iter().map(|row| Bytes::copy_from_slice(row.get(0))).collect())
}

/// Returns the numbers of the last records of several streams; `None` for a run that was deleted.
pub(super) async fn ends(
    lent: &mut Lent<'_>,
    watched: &[(RunKey, Stream)],
) -> Tried<Vec<Option<u64>>> {
    let tenants: Vec<&str> = watched.iter().map(|(run, _)| run.tenant.as_str()).collect();
    let ids: Vec<&str> = watched.iter().map(|(run, _)| run.id.as_str()).collect();
    let streams: Vec<i16> = watched.iter().map(|(_, stream)| of(*stream)).collect();
    let find = "select s.last from unnest($1::text[], $2::text[], $3::smallint[]) \
            with ordinality as w (tenant, id, stream, place) \
        left join runs r on r.tenant = w.tenant and r.id = w.id \
        left join streams s on s.run = r.number and s.stream = w.stream order by w.place";
    let rows = lent.rows(find, &[&tenants, &ids, &streams]).await?;
    Ok(rows.iter().map(|row| row.get::<_, Option<i64>>(0).map(unsigned)).collect())
}
