-- Tables of version 2: contents of files in an object store.

-- Objects that are stored, arrive or are still to be deleted. A file with a row here has no pieces in the database.
create table objects (
    file bigint primary key,
    name text collate "C" not null,
    -- Digests of the pieces of the object, one after the other.
    digests bytea not null default ''
);
