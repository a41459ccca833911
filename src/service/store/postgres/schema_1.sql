-- Tables of version 1. Texts that are compared or listed sort by their bytes, in whatever language the database is.

-- Milliseconds after 1970 by the database's clock: the only clock by which leases and lives end.
create function now_ms() returns bigint language sql stable
    as $$ select (extract(epoch from clock_timestamp()) * 1000)::bigint $$;

-- Numbers of runs and of files. A run that is made again under its old name has another number.
create sequence numbers;

create table runs (
    number bigint primary key,
    tenant text collate "C" not null,
    id text collate "C" not null,
    version bigint not null,
    created_ms bigint not null,
    status text collate "C" not null,
    owner text,
    lease_until_ms bigint not null,
    -- Number of the last owner. Each new owner gets the next one.
    fence bigint not null,
    -- Version of the body.
    form integer not null,
    body text not null,
    unique (tenant, id)
) with (fillfactor = 70);
create index runs_by_time on runs (tenant, created_ms, id);
create index runs_by_status on runs (tenant, status, created_ms, id);

-- Runs that a worker may take now, or when a lease has ended: small, however many runs are kept.
create table work (
    run bigint primary key references runs on delete cascade,
    tenant text collate "C" not null,
    created_ms bigint not null,
    id text collate "C" not null,
    -- 0: now. Otherwise the end of the lease.
    due_ms bigint not null,
    -- When `due_ms` became 0.
    queued_ms bigint not null,
    form integer not null,
    -- Names the request by which a worker took it.
    claim text
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
create index work_waiting on work (tenant, created_ms, id) where due_ms = 0;
create index work_by_wait on work (queued_ms) where due_ms = 0;
create index work_leased on work (due_ms) where due_ms > 0;
create index work_claims on work (claim) where claim is not null;

-- When a run of a tenant was last taken.
create table tenants (
    tenant text collate "C" primary key,
    served_ms bigint not null
) with (fillfactor = 50);

-- Ends of streams: 0 log, 1 events, 2 inbox.
create table streams (
    run bigint not null references runs on delete cascade,
    stream smallint not null,
    last bigint not null,
    bytes bigint not null,
    -- Number of the last owner, which alone may append; 0 before the first one, and for inboxes.
    fence bigint not null,
    primary key (run, stream)
) with (fillfactor = 50);

create table lines (
    run bigint not null,
    stream smallint not null,
    number bigint not null,
    line bytea not null,
    -- Names an append that expected no number, in its first line.
    token text,
    primary key (run, stream, number)
);

create table requests (
    tenant text collate "C" not null,
    key text collate "C" not null,
    request text not null,
    run bigint not null,
    end_ms bigint not null,
    primary key (tenant, key)
);
create index requests_by_end on requests (end_ms);
create index requests_by_run on requests (run);

create table files (
    number bigint primary key,
    tenant text collate "C" not null,
    sha256 text collate "C" not null,
    size bigint not null,
    unique (tenant, sha256)
);
create index files_by_tenant on files (tenant) include (size);

create table owners (
    tenant text collate "C" not null,
    owner text collate "C" not null,
    file bigint not null references files on delete cascade,
    primary key (tenant, owner, file)
);
create index owners_by_file on owners (file);

-- Contents of files. All pieces of a file but the last one are full.
create table pieces (
    file bigint not null,
    piece integer not null,
    bytes bytea not null,
    primary key (file, piece)
);
-- Most files are compressed already.
alter table pieces alter column bytes set storage external;

-- Files that are being stored.
create table arriving (
    file bigint primary key,
    touched_ms bigint not null
);

-- Files that arrive in several requests.
create table partials (
    tenant text collate "C" not null,
    id text collate "C" not null,
    file bigint not null,
    size bigint not null,
    touched_ms bigint not null,
    primary key (tenant, id)
);
create index partials_by_time on partials (touched_ms);

-- Runs whose lines, and files whose pieces, are still to be deleted.
create table garbage (
    number bigint primary key
);

-- A tenant, table and key together are too long for an index: `place` is the hash of the first two.
create table documents (
    place bytea not null,
    key text collate "C" not null,
    tenant text not null,
    of_table text not null,
    value bytea not null,
    version bigint not null,
    end_ms bigint,
    primary key (place, key)
);
create index documents_by_end on documents (end_ms) where end_ms is not null;

-- Documents whose life has ended, until the process that holds them has handed them over.
create table ended (
    place bytea not null,
    key text collate "C" not null,
    tenant text not null,
    of_table text not null,
    value bytea not null,
    version bigint not null,
    holder text not null,
    held_ms bigint not null,
    primary key (place, key)
);
create index ended_by_holder on ended (holder);
