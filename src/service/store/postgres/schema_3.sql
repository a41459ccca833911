-- Columns of version 3: the worker that ended the last work of a run, and may still have its session open.

-- The worker is preferred until this time.
alter table runs add column warm text collate "C", add column warm_until_ms bigint not null default 0;

-- The preferred worker of a run that waits.
alter table work add column warm text collate "C";
create index work_warm on work (tenant, warm, created_ms, id) where due_ms = 0 and warm is not null;
