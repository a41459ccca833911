//! Time zones of Parquet files, which have them only in the Arrow schema that writers add.
//!
//! Parquet knows moments in milliseconds or less, so writers store times in whole seconds as milliseconds, and some make others coarser.
//! The library takes the zone only from a column with the same unit, and gives the other ones as UTC.

use std::sync::Arc;

use arrow_ipc::convert::try_schema_from_ipc_buffer;
use arrow_schema::{DataType, Field, FieldRef, Fields, Schema};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use parquet::arrow::ARROW_SCHEMA_META_KEY;
use parquet::arrow::arrow_reader::ArrowReaderMetadata;

/// Returns the schema with the zones that were written, if it differs from that of the library.
pub(crate) fn with_zones(metadata: &ArrowReaderMetadata) -> Option<Schema> {
    let pairs = metadata.metadata().file_metadata().key_value_metadata()?;
    let text = pairs.iter().find(|pair| pair.key == ARROW_SCHEMA_META_KEY)?.value.as_ref()?;
    let written = try_schema_from_ipc_buffer(&BASE64_STANDARD.decode(text).ok()?).ok()?;
    zoned_fields(metadata.schema().fields(), written.fields()).map(Schema::new)
}

/// Returns the fields with their zones, or `None` if nothing changes.
fn zoned_fields(read: &Fields, written: &Fields) -> Option<Fields> {
    if read.len() != written.len() {
        return None;
    }
    let zoned: Vec<_> = read.iter().zip(written).map(|(a, b)| zoned_field(a, b)).collect();
    zoned.iter().any(Option::is_some).then(|| {
        let all = zoned.into_iter().zip(read);
        all.map(|(zoned, read)| zoned.unwrap_or_else(|| read.clone())).collect()
    })
}

fn zoned_field(read: &FieldRef, written: &FieldRef) -> Option<FieldRef> {
    let ty = zoned_type(read.data_type(), written.data_type())?;
    Some(Arc::new(Field::clone(read).with_data_type(ty)))
}

fn zoned_type(read: &DataType, written: &DataType) -> Option<DataType> {
    use DataType::{Dictionary, FixedSizeList, LargeList, List, Map, Struct, Timestamp};
    Some(match (read, written) {
        (Timestamp(unit, Some(zone)), Timestamp(_, Some(named))) if zone != named => {
            Timestamp(*unit, Some(named.clone()))
        }
        // Parquet has values in place of a dictionary of times.
        (Timestamp(..), Dictionary(_, values)) => zoned_type(read, values)?,
        (Struct(read), Struct(written)) => Struct(zoned_fields(read, written)?),
        (List(read), List(written)) => List(zoned_field(read, written)?),
        (LargeList(read), LargeList(written)) => LargeList(zoned_field(read, written)?),
        (FixedSizeList(read, length), FixedSizeList(written, _)) => {
            FixedSizeList(zoned_field(read, written)?, *length)
        }
        (Map(read, is_sorted), Map(written, _)) => Map(zoned_field(read, written)?, *is_sorted),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::RecordBatch;
    use arrow_schema::TimeUnit;
    use parquet::arrow::{ArrowWriter, encode_arrow_schema};
    use parquet::file::metadata::KeyValue;
    use parquet::file::properties::WriterProperties;

    fn schema(time: &DataType) -> Arc<Schema> {
        let field = |name: &str, ty: DataType| Arc::new(Field::new(name, ty, true));
        let parts: Fields = vec![field("at", time.clone()), field("n", DataType::Int32)].into();
        let entries: Fields =
            vec![Arc::new(Field::new("key", DataType::Utf8, false)), field("value", time.clone())]
                .into();
        let entries = Arc::new(Field::new("entries", DataType::Struct(entries), false));
        Arc::new(Schema::new(vec![
            field("n", DataType::Int64),
            field("at", time.clone()),
            field("struct", DataType::Struct(parts.clone())),
            field("list", DataType::List(field("item", DataType::Struct(parts)))),
            field("large", DataType::LargeList(field("item", time.clone()))),
            field("fixed", DataType::FixedSizeList(field("item", time.clone()), 2)),
            field("map", DataType::Map(entries, false)),
        ]))
    }

    /// Writes times in a unit and zone, beside a schema that has other ones.
    fn file(stored: &DataType, written: &Schema) -> Vec<u8> {
        let pair = KeyValue::new(ARROW_SCHEMA_META_KEY.to_owned(), encode_arrow_schema(written));
        let properties = WriterProperties::builder().set_key_value_metadata(Some(vec![pair]));
        let options = parquet::arrow::arrow_writer::ArrowWriterOptions::new()
            .with_properties(properties.build())
            .with_skip_arrow_metadata(true);
        let schema = schema(stored);
        let mut out = Vec::new();
        let mut writer =
            ArrowWriter::try_new_with_options(&mut out, schema.clone(), options).unwrap();
        writer.write(&RecordBatch::new_empty(schema)).unwrap();
        writer.close().unwrap();
        out
    }

    #[test]
    fn times_in_another_unit_have_their_zone_at_every_level() {
        let time = |unit, zone: Option<&str>| DataType::Timestamp(unit, zone.map(Into::into));
        let (milli, second) = (TimeUnit::Millisecond, TimeUnit::Second);
        let stored = time(milli, Some("UTC"));
        for (written, expected) in [
            (time(second, Some("Asia/Tokyo")), time(milli, Some("Asia/Tokyo"))),
            (time(TimeUnit::Nanosecond, Some("+05:30")), time(milli, Some("+05:30"))),
            (time(milli, Some("Asia/Tokyo")), time(milli, Some("Asia/Tokyo"))),
            (time(second, Some("UTC")), stored.clone()),
            (time(second, None), stored.clone()),
        ] {
            let frame = crate::open::parquet(&file(&stored, &schema(&written))).unwrap();
            let types = |schema: &Schema| -> Vec<DataType> {
                schema.fields().iter().map(|field| field.data_type().clone()).collect()
            };
            assert_eq!(types(&frame.schema), types(&schema(&expected)), "{written}");
        }
        // A schema of other columns is not used.
        let other = Schema::new(vec![Field::new("at", time(second, Some("Asia/Tokyo")), true)]);
        let frame = crate::open::parquet(&file(&stored, &other)).unwrap();
        assert_eq!(frame.schema.field(1).data_type(), &stored);
    }

    #[test]
    fn a_dictionary_of_times_names_their_zone() {
        let time = |unit, zone: &str| DataType::Timestamp(unit, Some(zone.into()));
        let written = Box::new(time(TimeUnit::Second, "Asia/Tokyo"));
        let written = DataType::Dictionary(Box::new(DataType::Int8), written);
        let zoned = zoned_type(&time(TimeUnit::Millisecond, "UTC"), &written);
        assert_eq!(zoned, Some(time(TimeUnit::Millisecond, "Asia/Tokyo")));
        assert_eq!(zoned_type(&DataType::Int64, &written), None);
    }
}
