//! Documents written to use up the memory and the time of the host: tables, footnotes, charts, formulas.
