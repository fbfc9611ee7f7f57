//! Types of attributes in documents.

use datafusion::arrow::datatypes::DataType;

/// The type behind a name; `None` for an unknown one.
pub(super) fn by_name(name: &str) -> Option<DataType> {
    Some(match name {
        "text" => DataType::Utf8,
        "integer" => DataType::Int64,
        "real" => DataType::Float64,
        "boolean" => DataType::Boolean,
        "date" => DataType::Date32,
        _ => return None,
    })
}

/// What documents call a type; `None` where they have no name for it.
pub(super) fn name_of(data_type: &DataType) -> Option<&'static str> {
    Some(match data_type {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => "text",
        data_type if data_type.is_integer() => "integer",
        DataType::Float32 | DataType::Float64 => "real",
        DataType::Boolean => "boolean",
        DataType::Date32 => "date",
        _ => return None,
    })
}
