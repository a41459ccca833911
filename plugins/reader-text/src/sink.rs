//! Passes the parser's chunks to the columns of the host, which have the same layout.

use mitt_reader_kit::tables::{Bits, Build, Chunk, Source, Texts, Values};
use mitt_reader_kit::{Cell, Error, NamedTable, column_names};

/// Builds tables from what the parser finds.
pub(crate) struct Sink<T: Source> {
    builder: Option<T::Builder>,
    pub(crate) made: Vec<NamedTable<T>>,
}

impl<T: Source> Default for Sink<T> {
    fn default() -> Sink<T> {
        Sink { builder: None, made: Vec::new() }
    }
}

impl<T: Source> mitt_text::Sink for Sink<T> {
    type Error = Error;

    fn begin(&mut self, header: &[String]) -> Result<(), Error> {
        // If the table is read again, the builder before it is returned first.
        self.builder = None;
        self.builder = Some(T::Builder::new(&column_names(header)));
        Ok(())
    }

    fn append(&mut self, chunks: Vec<mitt_text::Chunk>) -> Result<(), Error> {
        match &self.builder {
            Some(builder) => builder.append(chunks.into_iter().map(chunk).collect()),
            None => Ok(()),
        }
    }

    fn end(&mut self, name: String) -> Result<(), Error> {
        if let Some(builder) = self.builder.take() {
            let data = builder.finish()?;
            self.made.push(NamedTable { name, data, place: None });
        }
        Ok(())
    }
}

fn chunk(chunk: mitt_text::Chunk) -> Chunk {
    use mitt_text::Values as Of;

    let texts = |texts: mitt_text::Texts| Texts::new(texts.offsets, texts.bytes);
    let values = match chunk.values {
        Of::Empty(count) => Values::Empty(count),
        Of::Booleans(bits, count) => Values::Booleans(Bits::new(count, bits)),
        Of::Integers(values) => Values::Integers(values),
        Of::Decimals(scale, units) => Values::Decimals { scale, units },
        Of::WideDecimals(scale, units) => Values::WideDecimals { scale, units },
        Of::Texts(all) => Values::Texts(texts(all)),
        Of::Dictionary(keys, all) => Values::Dictionary { keys, values: texts(all) },
        Of::Dates(days) => Values::Dates(days),
        Of::Times(micros) => Values::Times(micros),
        Of::DateTimes(micros) => Values::DateTimes(micros),
        Of::Mixed(cells) => Values::Mixed(cells.into_iter().map(cell).collect()),
    };
    let length = values.len();
    Chunk { validity: chunk.validity.map(|bits| Bits::new(length, bits)), values }
}

fn cell(cell: mitt_text::Cell) -> Cell {
    match cell {
        mitt_text::Cell::Null => Cell::Null,
        mitt_text::Cell::Boolean(value) => Cell::Boolean(value),
        mitt_text::Cell::Number(text) => Cell::Number(text),
        mitt_text::Cell::Text(text) => Cell::Text(text),
    }
}

/// Returns a problem of the parser as an error of the host.
pub(crate) fn failed(problem: mitt_text::Problem<Error>) -> Error {
    match problem {
        mitt_text::Problem::Sink(error) => error,
        mitt_text::Problem::TooMuch(text) => Error::Quota(format!("{text}; split the file")),
    }
}
